"""The page: whole, self-contained, and deaf to what job keys say."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import made
import msgspec
import pytest

from harness.history.events import (
    Ack,
    Config,
    Effect,
    End,
    Fault,
    Finish,
    Offer,
    Phase,
    Refuse,
    Revive,
    Sample,
    Start,
)
from harness.history.history import History
from harness.report import html
from harness.result import Result
from harness.verdict import Moment, Verdict, Witness

HOSTILE = "<script>alert('x')</script>\"'><img src=x onerror=y>&amp;\x00\x1b[31m\u202e\ud800"
VOID = {"meta", "br"}


class Page(HTMLParser):
    """What a browser would see: tags, attributes and text; fails on a tag that is closed out of turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_begins_with_the_verdict_and_its_reason() -> None:
    page = Page(html.render(made.result(), made.worker_kill()))
    assert (
        page.text.index("FAIL")
        < page.text.index("no_duplicate_effects: 1 of 800 jobs had its side effect twice")
        < page.text.index("What was broken")
    )


def test_the_page_shows_faults_verdicts_witnesses_charts_and_conditions() -> None:
    page = Page(html.render(made.result(), made.worker_kill(), scenario="seed: 7\n  # all of it\n"))
    for expected in (
        "worker-2 was killed with 1 job in flight.",
        "2 faults planned, 2 took hold.",
        "INCONCLUSIVE",
        "NOT APPLICABLE",
        "No job has its side effect twice.",
        "In this system: Redis delivers again after visibility_timeout.",
        "In general: Usually broken by a worker that dies after its side effect.",
        "worker-1 (pid 4241) finishes: done",
        "worker-2 pid 4242",
        "6 s until redelivered",
        "Queue depth",
        "Age of the oldest job",
        "Completion latency",
        "Runs of the handler",
        "Dead letters",
        "Downstream calls",
        "Redis memory",
        "Retry waves",
        "Processes",
        "visibility_timeout",
        "8.2.3",
        "--seed 7",
        "  # all of it",
        "it may have been the bottleneck",
    ):
        assert expected in page.text, expected


def test_what_there_is_nothing_to_draw_of_is_named() -> None:
    job = (Offer(t=made.at(0), key="a", intended=made.at(0)), Ack(t=made.at(1), key="a"))
    quiet = made.history(*job, End(t=made.at(2)))
    text = Page(html.render(made.result(), quiet)).text
    assert (
        "Not drawn, because there was nothing to draw: Completion latency, Runs of the handler, Dead letters, "
        "Downstream calls, Redis memory, Retry waves, Processes." in text
    )


def test_the_page_fetches_nothing_and_runs_only_its_own_script() -> None:
    text = html.render(made.result(), made.worker_kill())
    page = Page(text)
    assert not {"link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    assert not {"src", "srcset", "action", "xlink:href"} & {name for name, _ in page.attributes}
    assert all(value and value.startswith("#") for name, value in page.attributes if name == "href")
    (script,) = re.findall("<script>(.*?)</script>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert ("content", policy) in page.attributes


def test_every_drawing_is_told_in_words() -> None:
    text = html.render(made.result(), made.worker_kill())
    drawings = re.findall(r"<svg[^>]*>(?:<title[^>]*>[^<]+</title>)?", text)
    untold = [one for one in drawings if "<title" not in one and 'aria-hidden="true"' not in one]
    assert (len(drawings) > 15, untold) == (True, [])
    assert re.search(
        r'class="strip" role="img" aria-label="Timeline of job-000200\. queue: waits [^"]+ until redelivered', text
    )


def test_headings_go_down_one_step_at_a_time() -> None:
    levels = [
        int(tag[1]) for tag in Page(html.render(made.result(), made.worker_kill())).tags if re.match("h[1-6]$", tag)
    ]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_a_hostile_key_stays_text_everywhere() -> None:
    text = html.render(hostile_result(), hostile_history(), scenario=HOSTILE)
    page = Page(text)
    text.encode("utf-8")
    assert page.tags.count("script") == 1 and "img" not in page.tags
    assert not {name for name, _ in page.attributes if name.startswith("on")}
    assert not set("\x00\x1b\u202e\ud800") & set(text)
    assert page.text.count("<script>alert('x')</script>") >= 20
    data = [json.loads(value or "") for name, value in page.attributes if name in ("data-lines", "data-spans")]
    assert "</script>" in json.dumps(data) and not set("\x00\x1b\u202e\ud800") & set(str(data))


def hostile_history() -> History:
    """A history in which every text that a system may choose is hostile."""
    return made.history(
        Phase(t=made.at(0), name=HOSTILE, until=made.at(1)),
        Offer(t=made.at(0), key=HOSTILE, intended=made.at(0)),
        Ack(t=made.at(1), key=HOSTILE),
        Start(t=made.at(1), worker=HOSTILE, pid=1, key=HOSTILE, run=HOSTILE),
        Refuse(t=made.at(1.1), key=HOSTILE, worker=HOSTILE, how=HOSTILE),
        Finish(t=made.at(1.2), worker=HOSTILE, pid=1, key=HOSTILE, run=HOSTILE, outcome="failed", note=HOSTILE),
        Revive(t=made.at(1.5), key=HOSTILE, id=HOSTILE, who=HOSTILE, why=HOSTILE),
        Effect(t=made.at(1.6), key=HOSTILE, worker=HOSTILE),
        Sample(t=made.at(1), process=f"redis {HOSTILE}", cpu=1, rss=10**7),
        Sample(t=made.at(2), process=f"redis {HOSTILE}", cpu=2, rss=10**7),
        Config(t=made.at(1), server=HOSTILE, settings={HOSTILE: HOSTILE}),
        Fault(t=made.at(0.5), n=0, fault=HOSTILE, state="injected", says=HOSTILE, evidence={HOSTILE: HOSTILE}),
    )


def hostile_result() -> Result:
    """The same for a result."""
    plain = made.result()
    verdict = msgspec.structs.replace(
        plain.verdicts[1],
        invariant=HOSTILE,
        claim=HOSTILE,
        says=HOSTILE,
        of=HOSTILE,
        usually=HOSTILE,
        here=HOSTILE,
        measured={HOSTILE: 1.0},
        witnesses=(Witness(HOSTILE, (Moment(1.0, HOSTILE),)),),
    )
    names = ("run", "scenario", "target", "about", "preset", "started", "says", "command", "machine")
    texts = dict.fromkeys(names, HOSTILE)
    held = msgspec.structs.replace(verdict, value="PASS")
    return msgspec.structs.replace(
        plain,
        verdicts=(verdict, held),
        knobs={HOSTILE: HOSTILE},
        versions={HOSTILE: HOSTILE},
        measurements={HOSTILE: 1.0},
        notes=(HOSTILE,),
        **texts,
    )


@pytest.mark.parametrize("verdicts", [(), made.verdicts()])
def test_an_empty_history_has_a_page(verdicts: tuple[Verdict, ...]) -> None:
    result = msgspec.structs.replace(made.result(), verdicts=verdicts)
    assert "Nothing was broken in this run" in Page(html.render(result, made.history())).text


def test_a_page_of_many_faults_stays_small() -> None:
    many = [
        Fault(t=made.at(n / 100), n=n, fault="kill_worker", state="injected", says="gone", evidence={"pid": n})
        for n in range(5_000)
    ]
    text = html.render(made.result(), made.history(Offer(t=made.at(0), key="a", intended=made.at(0)), *many))
    assert "and 4,900 more faults" in Page(text).text
    assert len(text) < 2_000_000


def test_a_page_of_everything_at_its_worst_stays_under_5_megabytes_and_says_what_it_left_out() -> None:
    key = "k" * 2_000
    runs = [
        event
        for n in range(1_000)
        for event in (
            Start(t=made.at(n), worker=f"w{n}", pid=n, key=key, run=f"{n}", attempt=n),
            Refuse(t=made.at(n + 0.2), key=key, how=f"how {n % 50}"),
            Finish(t=made.at(n + 0.5), worker=f"w{n}", pid=n, key=key, run=f"{n}", outcome="failed"),
        )
    ]
    faults = [Fault(t=made.at(n), n=n, fault="f" * 200, state="injected", says="s" * 500) for n in range(1_000)]
    samples = [Sample(t=made.at(t), process=f"p{n}", cpu=t, rss=t) for n in range(60) for t in range(0, 1_000, 20)]
    witness = Witness(key, tuple(Moment(float(n), "x" * 300) for n in range(1_000)))
    worst = msgspec.structs.replace(made.verdicts()[1], witnesses=(witness,) * 5, violations=9_000)
    text = html.render(made.result(*[worst] * 15), made.history(*runs, *faults, *samples), scenario="x: 1\n" * 20_000)
    assert len(text.encode()) < 5_000_000
    left_out = ("5 of 9,000", "and 8,995 more jobs", "940 moments left out", "940 later runs", "and 900 more faults")
    left_out += (
        "The first 100 of 1,000 faults are shaded.",
        "and 20 more, in the history",
        "more characters)",
        "refused otherwise",
    )
    assert [one for one in left_out if one not in text] == []
