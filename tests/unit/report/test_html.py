"""The page: whole, self-contained, and deaf to what job keys say."""

from __future__ import annotations

from html.parser import HTMLParser

import made
import msgspec
import pytest

from harness.history.events import Ack, Fault, Offer
from harness.report import html
from harness.verdict import Verdict, Witness

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
    text = Page(html.render(made.result(), made.worker_kill())).text
    for expected in (
        "worker-2 was killed with 1 job in flight.",
        "INCONCLUSIVE",
        "NOT APPLICABLE",
        "worker-1 (pid 4241) finishes: done",
        "worker-2 pid 4242",
        "Throughput",
        "Backlog",
        "Completion latency",
        "Downstream",
        "visibility_timeout",
        "8.2.3",
        "--seed 7",
        "it may have been the bottleneck",
    ):
        assert expected in text


def test_the_page_fetches_nothing_and_runs_nothing() -> None:
    page = Page(html.render(made.result(), made.worker_kill()))
    assert not {"script", "link", "img", "iframe", "object", "base"} & set(page.tags)
    assert not {"src", "href", "srcset", "action"} & {name for name, _ in page.attributes}


def test_every_drawing_has_a_title() -> None:
    page = Page(html.render(made.result(), made.worker_kill()))
    assert page.tags.count("title") == 1 + [name for name, _ in page.attributes].count("role") - page.attributes.count(
        ("role", "group")
    )


def test_a_hostile_key_stays_text_everywhere() -> None:
    evidence = made.history(
        Offer(t=made.at(0), key=HOSTILE, intended=made.at(0)),
        Ack(t=made.at(1), key=HOSTILE),
        Fault(t=made.at(0.5), n=0, fault=HOSTILE, state="injected", says=HOSTILE, evidence={HOSTILE: [HOSTILE]}),
    )
    plain = made.result()
    verdict = msgspec.structs.replace(
        plain.verdicts[1],
        invariant=HOSTILE,
        claim=HOSTILE,
        says=HOSTILE,
        of=HOSTILE,
        measured={HOSTILE: 1.0},
        witnesses=(Witness(HOSTILE, plain.verdicts[1].witnesses[0].timeline),),
    )
    texts = dict.fromkeys(("run", "scenario", "target", "about", "preset", "started", "says", "command"), HOSTILE)
    result = msgspec.structs.replace(
        plain, verdicts=(verdict,), knobs={HOSTILE: HOSTILE}, versions={HOSTILE: HOSTILE}, notes=(HOSTILE,), **texts
    )
    text = html.render(result, evidence)
    page = Page(text)
    text.encode("utf-8")
    assert not {"script", "img"} & set(page.tags)
    assert not {name for name, _ in page.attributes if name.startswith("on")}
    assert not set("\x00\x1b\u202e\ud800") & set(text)
    assert page.text.count("<script>alert('x')</script>") >= 12


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
