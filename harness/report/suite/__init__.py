"""The pages of a suite: a terminal, a CI server, the summary of a job, and the index of a folder of reports."""
