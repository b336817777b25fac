"""The runs that a folder of reports holds, each told in a few words: what the index and `harness history` show."""
