"""Series of hand-made histories."""

from __future__ import annotations

import made
import numpy as np
import pytest

from harness.history.events import Ack, Effect, End, Fault, Finish, Offer, Phase, Refuse, Start
from harness.report import spans
from harness.report.series import series
from harness.report.spans import Span


def job(key: str, due: float, done: float, *, run: str = "r") -> list[Offer | Ack | Start | Effect | Finish]:
    return [
        Offer(t=made.at(due), key=key, intended=made.at(due)),
        Ack(t=made.at(due), key=key),
        Start(t=made.at(due), worker="w", pid=1, key=key, run=f"{key}{run}"),
        Effect(t=made.at(done), key=key, worker="w"),
        Finish(t=made.at(done), worker="w", pid=1, key=key, run=f"{key}{run}", outcome="done"),
    ]


def test_rates_backlog_and_latency_follow_the_jobs() -> None:
    s = series(
        made.history(
            Phase(t=made.at(0), name="all", until=made.at(40)),
            *job("a", 0.5, 2.5),
            *job("b", 0.6, 1.5),
            End(t=made.at(40)),
        )
    )
    assert (s.bins.width, s.bins.count) == (1.0, 40)
    assert s.offered[:4].tolist() == s.acked[:4].tolist() == [2, 0, 0, 0]
    assert s.completed[:4].tolist() == s.effects[:4].tolist() == [0, 1, 1, 0]
    assert s.backlog[:4].tolist() == [2, 1, 0, 0]
    assert [float(p[0]) for p in s.latency] == pytest.approx([0.9, 2.0, 2.0])
    assert np.isnan(s.latency[0][1:]).all()


def test_the_age_of_the_oldest_job_grows_until_it_is_settled() -> None:
    s = series(
        made.history(
            Phase(t=made.at(0), name="all", until=made.at(40)),
            *job("a", 0.5, 2.5),
            *job("b", 1.5, 5.25),
            End(t=made.at(40)),
        )
    )
    assert s.oldest[:7].tolist() == pytest.approx([0.5, 1.5, 1.5, 2.5, 3.5, 0, 0])


def test_a_job_that_is_never_settled_ages_to_the_end() -> None:
    waiting = [Offer(t=made.at(1), key="a", intended=made.at(1)), Ack(t=made.at(1), key="a")]
    s = series(made.history(Phase(t=made.at(0), name="all", until=made.at(40)), *waiting, End(t=made.at(40))))
    assert s.oldest.tolist() == pytest.approx([0, *range(1, 40)])


def test_refusals_are_told_apart_by_how_and_the_dead_add_up() -> None:
    s = series(
        made.history(
            Phase(t=made.at(0), name="all", until=made.at(40)),
            *(Refuse(t=made.at(0.5 + n), key="a", how=how) for n, how in enumerate(("503", "429", "503"))),
            *(Finish(t=made.at(n), worker="w", pid=1, key=f"{n}", run=f"{n}", outcome="dead") for n in (1, 3)),
            End(t=made.at(40)),
        )
    )
    assert {how: rate[:4].tolist() for how, rate in s.refused.items()} == {"429": [0, 1, 0, 0], "503": [1, 0, 1, 0]}
    assert s.given_up[:5].tolist() == [0, 1, 1, 2, 2]


def test_a_job_finished_before_its_ack_was_heard_never_makes_the_backlog_negative() -> None:
    events = [event for event in job("a", 0.5, 1.5) if not isinstance(event, Ack)]
    s = series(
        made.history(
            Phase(t=made.at(0), name="all", until=made.at(40)),
            *events,
            Ack(t=made.at(3.5), key="a"),
            End(t=made.at(40)),
        )
    )
    assert s.backlog.tolist() == [0] * 40


def test_a_run_with_many_jobs_has_100_to_200_bins() -> None:
    for seconds in (0.7, 3, 41, 99.9, 1000, 86_401):
        offers = [
            Offer(t=made.at(n * seconds / 1000), key=f"{n}", intended=made.at(n * seconds / 1000)) for n in range(1001)
        ]
        s = series(made.history(*offers))
        assert 100 <= s.bins.count <= 201
        assert s.offered.sum() * s.bins.width == pytest.approx(1001, abs=1.01)


def test_an_empty_history_has_empty_series() -> None:
    s = series(made.history())
    assert s.offered.sum() == s.backlog.sum() == 0


def test_faults_last_until_healed_and_phases_until_they_were_meant_to_end() -> None:
    def fault(at: float, n: int, state: str) -> Fault:
        return Fault(t=made.at(at), n=n, fault="cut", state=state)  # type: ignore[arg-type]

    history = made.history(
        Phase(t=made.at(0), name="p", until=made.at(4)),
        fault(1, 0, "injected"),
        fault(2, 0, "healed"),
        fault(3, 1, "injected"),
        fault(4, 2, "missed"),
        fault(5, 3, "injected"),
        fault(6, 3, "unhealed"),
        End(t=made.at(8)),
    )
    assert spans.faults(history) == (Span("1 cut", 1, 2), Span("2 cut", 3, 3), Span("4 cut", 5, 8))
    assert spans.phases(history) == (Span("p", 0, 4),)
