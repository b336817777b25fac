"""Answers: what a producer's reply to `POST /jobs` says of each job; docs/target-protocol.md is its contract."""

from collections.abc import Sequence

import msgspec

from harness.load.offers import Job, Outcome


class _Answer(msgspec.Struct, frozen=True):
    results: list[Outcome]


_decode = msgspec.json.Decoder(_Answer).decode


def outcomes(jobs: Sequence[Job], status: int, body: bytes) -> list[Outcome]:
    """The outcome of each job, in the order of `jobs`; one that the reply does not tell is unknown."""
    try:
        told = {outcome.key: outcome for outcome in _decode(body).results}
    except msgspec.DecodeError as error:
        return unknown(jobs, f"HTTP {status} without results: {error}")
    return [
        told.get(job.key) or Outcome(job.key, "unknown", f"HTTP {status}, but no result for this key") for job in jobs
    ]


def rejected(jobs: Sequence[Job], why: str) -> list[Outcome]:
    """Every job certainly not enqueued, for one reason."""
    return [Outcome(job.key, "rejected", why) for job in jobs]


def unknown(jobs: Sequence[Job], why: str) -> list[Outcome]:
    """Nobody knows of any of the jobs, for one reason."""
    return [Outcome(job.key, "unknown", why) for job in jobs]
