"""The jobs that a test offers: sent to the producer, and recorded with what became of them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence

from harness import clock
from harness.history.events import Ack, Offer, Reject, Unknown
from harness.history.recorder import Recorder
from harness.load import answers
from harness.load.offers import Job, Outcome

AT_ONCE = 100
TIMEOUT = 10.0


class Offered:
    """Speaks to one producer."""

    def __init__(self, address: str, recorder: Recorder) -> None:
        self._address, self._recorder = address, recorder

    def offer(self, keys: Sequence[str], work: float) -> list[str]:
        """Offer these jobs, many in one request; the keys of those that were acked."""
        acked: list[str] = []
        for first in range(0, len(keys), AT_ONCE):
            acked += self._some([Job(key) for key in keys[first : first + AT_ONCE]], work)
        return acked

    def _some(self, jobs: list[Job], work: float) -> list[str]:
        t = clock.now()
        for job in jobs:
            self._recorder.record(Offer(t=t, key=job.key, intended=t))
        outcomes = self._post(jobs, work)
        for outcome in outcomes:
            self._recorder.record(_event(outcome))
        return [outcome.key for outcome in outcomes if outcome.outcome == "acked"]

    def _post(self, jobs: list[Job], work: float) -> list[Outcome]:
        body = json.dumps({"jobs": [{"key": job.key, "work": work} for job in jobs]})
        connection = http.client.HTTPConnection(self._address, timeout=TIMEOUT)
        try:
            connection.connect()
        except OSError as error:
            return answers.rejected(jobs, f"could not connect: {error}")
        try:
            connection.request("POST", "/jobs", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answers.outcomes(jobs, answer.status, answer.read())
        except (OSError, http.client.HTTPException) as error:
            return answers.unknown(jobs, f"{type(error).__name__}: {error}")
        finally:
            connection.close()


def _event(outcome: Outcome) -> Ack | Reject | Unknown:
    if outcome.outcome == "acked":
        return Ack(t=clock.now(), key=outcome.key)
    kind = Reject if outcome.outcome == "rejected" else Unknown
    return kind(t=clock.now(), key=outcome.key, why=outcome.why)
