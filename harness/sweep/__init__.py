"""Sweeps: a scenario run at every point of a grid of settings, so that one can be chosen by eye."""
