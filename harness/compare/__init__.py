"""Comparisons: runs of A and B in pairs, what became of each claim, and which figures differ."""
