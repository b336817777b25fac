"""Variants and a target that only the tests know, so that no test depends on which real ones exist."""
