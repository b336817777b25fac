"""Chaos and load testing for background-job systems.

A *scenario* (what to offer, what to break, what must hold) is made into a *plan* by its seed, and run against a
*target* (one job system) that a
*substrate* has started as a *system* of workers, servers and links. Its *load* is offered, its *faults* are injected
and healed, and every process appends what it
saw to the *history*. *Invariants* are claims about that history; each gives a *verdict*, and a *report* shows them.
Data flows in this one direction and every step can be
repeated from what the step before it left on disk.
"""

__version__ = "0.1.0"
