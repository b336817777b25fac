"""The history: every observed fact of a run, appended as lines while it happens, read in columns when it is judged."""
