"""Claims before figures, allowances, pairs, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from harness.compare import html, markdown, text
from harness.compare.allowance import allowances
from harness.compare.claims import claims
from harness.compare.comparable import doubts
from harness.compare.comparison import Comparison, compare
from harness.compare.observed import Observed, named, paired, recorded
from harness.compare.pairs import turns
from harness.compare.settings import Setting, differing
from harness.compare.side import Side, side
from harness.compare.typical import typical
from harness.problems import Problems
from harness.result import save
from harness.verdict import Value
from tests.unit.compare.pairs import LIKE, run


def word(a: list[Value], b: list[Value]) -> str:
    (claim,) = claims([(run({"x": one}), run({"x": other})) for one, other in zip(a, b, strict=True)])
    return claim.word


def compared(a: list[float], b: list[float], *allow: str, name: str = "latency.p95") -> Comparison:
    pairs = [(run(measured={name: one}), run(measured={name: other})) for one, other in zip(a, b, strict=True)]
    return compare(pairs, a="a", b="b", allowed=allowances(allow))


SLOW = [1.2, 1.21, 1.19, 1.2, 1.22, 1.18]


def test_a_pass_that_became_a_fail_is_a_regression_even_once() -> None:
    assert word(["PASS"] * 10, ["PASS"] * 9 + ["FAIL"]) == "worse"
    pairs = [(run({"x": "PASS"}, LIKE), run({"x": "FAIL"}, LIKE))]
    assert compare(pairs, a="a", b="b", allowed={}).regressions == ("x",)


def test_a_claim_that_failed_before_is_counted() -> None:
    assert word(["FAIL"], ["PASS"]) == "better"
    assert word(["FAIL", "PASS", "PASS"], ["PASS", "FAIL", "FAIL"]) == "no difference shown"
    assert word(["PASS"] * 9 + ["FAIL"], ["FAIL"] * 10) == "worse"
    assert word(["FAIL"] * 9 + ["PASS"], ["PASS"] * 9 + ["FAIL"]) == "better"
    assert word(["FAIL"] * 3, ["FAIL"] * 3) == "no difference shown"


def test_what_could_not_be_decided_is_neither() -> None:
    assert word(["PASS", "PASS"], ["PASS", "INCONCLUSIVE"]) == "not decided"
    assert word(["INCONCLUSIVE"], ["FAIL"]) == "not decided"
    assert word(["INCONCLUSIVE"], ["PASS"]) == "no difference shown"


def test_a_claim_that_b_leaves_open_is_no_silent_pass() -> None:
    left_open = compare([(run({"x": "PASS"}), run({"x": "INCONCLUSIVE"}))], a="", b="", allowed={})
    assert (left_open.undecided, text.conclusion(left_open)) == (("x",), "NOT DECIDED: x")
    nothing = compare([(run({"x": "INCONCLUSIVE"}), run({"x": "INCONCLUSIVE"}))], a="", b="", allowed={})
    assert nothing.undecided == ("x",)
    decided = compare([(run({"x": "PASS", "y": "NOT APPLICABLE"}),) * 2], a="", b="", allowed={})
    assert decided.undecided == ()


def test_a_figure_is_worse_better_or_neither() -> None:
    assert compared([1.0] * 6, SLOW).regressions == ("latency.p95",)
    assert compared(SLOW, [1.0] * 6).figures[0].word == "better"
    assert compared([1.0] * 6, SLOW, name="throughput").figures[0].word == "better"
    assert compared([1.0] * 6, [0.9, 1.1, 1.0, 1.2, 0.8, 1.0]).figures[0].word == "no difference shown"


def test_a_figure_is_compared_by_its_ratio_unless_it_counts_or_is_zero() -> None:
    (figure,) = compared([1.0] * 6, [2.0] * 3 + [0.5] * 3).figures
    assert (figure.a, figure.b) == (1.0, pytest.approx(1.0))
    (figure,) = compared([1.0] * 6, [0.0] * 3 + [2.0] * 3).figures
    assert figure.b == 1.0
    (figure,) = compared([1.0] * 6, [1.0] * 3 + [3.0] * 3, name="duplicates").figures
    assert figure.b == 2.0


def test_scatter_that_may_hide_a_fifth_is_told_with_what_would_show_it() -> None:
    loud = [1.0, 2.0, 1.0, 0.5, 1.3, 0.8]
    (figure,) = compared([1.0] * 6, loud).figures
    assert figure.word == "no difference shown" and figure.enough > 6
    assert text.hidden([figure]) == [
        f"a change by a fifth may not show, such is the scatter: latency.p95 (about {figure.enough} pairs would)"
    ]
    assert text.hidden(compared([1.0] * 6, [1.0, 1.01, 0.99] * 2).figures) == []


def test_too_few_pairs_tell_nothing_and_say_how_many_would() -> None:
    (figure,) = compared([1.0] * 5, SLOW[:5]).figures
    assert (figure.word, figure.interval, figure.needed) == ("too few repeats to tell", None, 6)
    assert text.word(figure) == "too few repeats to tell (5 of 6)"


@pytest.mark.parametrize("allow", ["latency.p95=25%", "latency=25%", "25%", "latency.p95=300ms"])
def test_what_is_allowed_is_no_regression(allow: str) -> None:
    found = compared([1.0] * 6, SLOW, allow)
    assert (found.regressions, found.figures[0].word) == ((), "no difference shown")
    assert compared([1.0] * 6, SLOW, allow.replace("25%", "10%").replace("300", "100")).regressions


@pytest.mark.parametrize("allow", ["latency.p94=1%", "latency.p95=1", "memory=3s", "duplicates=few", "=", "5"])
def test_an_allowance_that_says_nothing_is_refused(allow: str) -> None:
    with pytest.raises(Problems, match="--allow"):
        allowances([allow])


def test_a_run_that_was_not_as_planned_measures_nothing() -> None:
    bad = run({"load_was_offered": "INCONCLUSIVE"}, LIKE)
    found = compare([(run(measured=LIKE), run(measured=LIKE)), (run(measured=LIKE), bad)], a="", b="", allowed={})
    assert {figure.pairs for figure in found.figures} == {1}
    assert found.warnings[0].startswith("1 pair has a run that was not as planned")


def test_runs_are_paired_by_seed_and_else_by_order() -> None:
    a, b = [run(seed=1), run(seed=2), run(seed=3)], [run(seed=3), run(seed=1)]
    assert [(one.result.seed, other.result.seed) for one, other in paired(a, b)] == [(1, 1), (3, 3)]
    assert len(paired([run(seed=1)], [run(seed=2)])) == 1


def test_a_recorded_run_is_named_with_the_knobs_that_are_its_own() -> None:
    a, b = run(knobs={"lease": 2.0, "ack": "late"}), run(knobs={"lease": 5.0, "ack": "late"})
    assert (named("x", a, b), named("y", b, a), named("z", a, a)) == ("x (lease=2.0)", "y (lease=5.0)", "z")


def test_a_folder_is_of_one_kind_of_run(tmp_path: Path) -> None:
    with pytest.raises(Problems, match="there is no judged run in it"):
        recorded(str(tmp_path))
    for name in ("kill", "cut"):
        (tmp_path / name / "events").mkdir(parents=True)
        save(run(scenario=name).result, str(tmp_path / name / "result.json"))
    with pytest.raises(Problems, match="cut on memory, kill on memory"):
        recorded(str(tmp_path))


def test_what_speaks_against_a_comparison_is_said_once() -> None:
    a = run(machine="small", versions={"redis": "7.0"})
    b = run(machine="large", versions={"redis": "8.2"}, scenario="other", seed=2)
    assert doubts([(a, b), (a, b)]) == [
        "not comparable: another scenario: kill and other",
        "not comparable: another seed: 1 and 2",
        "not comparable: another machine: small and large",
        "not comparable: another version of redis: 7.0 and 8.2",
    ]
    assert doubts([(a, a)]) == []


def scenario(folder: Path, name: str, text: str, **fields: object) -> Observed:
    (folder / name).mkdir()
    (folder / name / "scenario.yaml").write_text(text)
    return msgspec.structs.replace(run(**fields), folder=str(folder / name))  # type: ignore[arg-type]


def test_settings_that_differ_are_named_with_both_values(tmp_path: Path) -> None:
    text = "workers: 2\nload:\n  - constant: {rate: 5/s}\nknobs:\n  lease: 1s\nseed: 1\n"
    a = scenario(tmp_path, "a", text, knobs={"lease": 1.0, "late": True})
    b = scenario(tmp_path, "b", text.replace("2", "4").replace("5/s", "6/s"), knobs={"lease": 2.0, "late": False})
    assert differing((a, b)) == (
        Setting("lease", "1.0", "2.0"),
        Setting("late", "true", "false"),
        Setting("workers", "2", "4"),
        Setting("load", "- constant: {rate: 5/s}", "- constant: {rate: 6/s}"),
    )
    assert doubts([(a, b)]) == ["not comparable: the scenarios differ in workers, load"]
    assert doubts([(a, b)], asked=True) == ["not comparable: the scenarios differ in load"]


def test_the_pair_that_stands_for_all_differs_as_most_do() -> None:
    pairs = [
        (run(measured={"drain": 1.0}, seed=n), run(measured={"drain": value})) for n, value in enumerate((9, 1, 1.2))
    ]
    assert typical(pairs)[0].result.seed == 2
    assert typical([(run(), run(seed=5))])[1].result.seed == 5


def test_sides_take_turns() -> None:
    assert "".join(name for _, name in turns(4)) == "abbaabba"


def test_a_side_is_knobs_or_a_file_or_nothing() -> None:
    assert side("--a", "lease=1s,ack=early") == Side("lease=1s,ack=early", (("lease", "1s"), ("ack", "early")))
    assert side("--a", "tuned.yaml") == Side("tuned.yaml", overlay="tuned.yaml")
    assert side("--a", "") == Side("")
    with pytest.raises(Problems, match="--a lease=1s,early"):
        side("--a", "lease=1s,early")


def test_the_table() -> None:
    assert text.lines(compared([1.0] * 6, SLOW), colour=False) == [
        "kill on memory, 6 pairs of runs",
        "  A  a",
        "  B  b",
        "",
        "1 invariant the same in every run of A and B",
        "",
        "measurement  A    B      difference        between",
        "latency.p95  1 s  1.2 s  +200 ms (+20.0%)  +184 ms and +216 ms  worse",
        "",
        "REGRESSION: latency.p95",
    ]


def test_nothing_that_a_run_says_acts_on_its_reader() -> None:
    hostile = "</td><script>|`x`\x1b[31m\u202e"
    found = compare([(run({hostile: "PASS"}), run({hostile: "FAIL"}))], a=hostile, b=hostile, allowed={})
    shown = "\n".join(text.lines(found, colour=False)) + markdown.render(found) + html.render(found)
    assert "\x1b" not in shown and "\u202e" not in shown
    assert "<script>" not in markdown.render(found) + html.render(found)


def test_the_comparison_is_kept_whole() -> None:
    found = compared([1.0] * 6, SLOW)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found
