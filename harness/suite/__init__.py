"""A suite: a matrix of runs, made a few at a time, journaled as they end, and taken up again after an interruption."""
