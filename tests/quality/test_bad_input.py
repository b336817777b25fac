"""Every mistake that a person makes in a scenario gets one line: where, what was expected, what to do."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness import document
from harness.cli.main import main
from harness.problems import Problems
from harness.scenario import load

GOOD = """about: Something happens.
target: small
load:
  - constant: {rate: 20/s, for: 8s}
faults:
  - kill: {at: 2s}
invariants:
  - nothing_lost
"""

# what to replace in GOOD, by what, and everything that is then said
CASES = {
    "misspelt key": ("faults:", "fault:", ["5:1: unknown key `fault`; did you mean `faults`?"]),
    "missing key": ("about: Something happens.\n", "", ["1:1: the key `about` is missing; add `about:`"]),
    "duplicate key": (
        "target: small",
        "about: x\ntarget: small",
        ["2:1: duplicate key `about`; it is already on line 1: keep one"],
    ),
    "unknown fault": ("kill:", "kil:", ["6:5: unknown fault `kil`; did you mean `kill`?"]),
    "unknown field of a fault": (
        "{at: 2s}",
        "{at: 2s, signl: TERM}",
        ["6:20: unknown key `signl` of kill; did you mean `signal`?"],
    ),
    "unknown invariant": (
        "nothing_lost",
        "nothing_list",
        ["8:5: unknown invariant `nothing_list`; did you mean `nothing_lost`?"],
    ),
    "unknown load shape": ("constant", "constnt", ["4:5: unknown load shape `constnt`; did you mean `constant`?"]),
    "unknown target": ("small", "smal", ["2:9: target smal: no such target; did you mean `small`?"]),
    "wrong choice": (
        "{at: 2s}",
        "{at: 2s, signal: TERN}",
        ["6:28: expected one of KILL, TERM, got `TERN`; did you mean `TERM`?"],
    ),
    "no unit": ("for: 8s", "for: 8", ["4:33: expected a duration such as 250ms, 30s, 2m or 1m30s, got `8`; write 8s"]),
    "wrong unit": ("20/s", "20s", ["4:22: expected a rate such as 20/s or 600/m, got `20s`"]),
    "negative": ("for: 8s", "for: -8s", ["4:33: expected a duration such as 250ms, 30s, 2m or 1m30s, got `-8s`"]),
    "not a number": ("for: 8s", "for: nan", ["4:33: expected a duration such as 250ms, 30s, 2m or 1m30s, got `nan`"]),
    "overflow": (
        "for: 8s",
        "for: 999999999h",
        ["4:33: expected a duration such as 250ms, 30s, 2m or 1m30s, at most 87600h, got `999999999h`"],
    ),
    "zero rate": ("20/s", "0/s", ["4:5: constant: `rate` must be more than 0, but is 0"]),
    "out of bounds": (
        "target: small",
        "target: small\nworkers: 65",
        ["3:10: expected a number from 1 to 64, got `65`"],
    ),
    "a quoted number": (
        "target: small",
        'target: small\nworkers: "2"',
        ["3:10: expected a whole number, got `2`; remove the quotes"],
    ),
    "YAML 1.1 boolean": (
        "target: small",
        "target: small\ndownstream: {honours_keys: yes}",
        ["3:28: expected true or false, got `yes`"],
    ),
    "not a list": (
        "  - nothing_lost",
        "  nothing_lost",
        ["8:3: expected a list, got `nothing_lost`; write `- nothing_lost`"],
    ),
    "two in one item": (
        "  - nothing_lost",
        "  - nothing_lost:\n    done_within: 3s",
        ["8:5: expected one invariant, got 2 keys in one item; write `- name` or `- name: {...}` for each invariant"],
    ),
    "empty list": (
        "invariants:\n  - nothing_lost",
        "invariants: []",
        ["7:13: `invariants` is empty; name at least one invariant"],
    ),
    "server that the target lacks": (
        "kill: {at: 2s}",
        "cut: {server: redis, at: 2s, for: 1s}",
        ["6:5: cut: target small has no server `redis`"],
    ),
    "settings of a server that the target lacks": (
        "target: small",
        "target: small\nservers: {stor: {keeps: all}}",
        ["3:11: target small has no server `stor`; did you mean `store`?"],
    ),
    "what the target does not report": (
        "nothing_lost",
        "nothing_held",
        ["8:5: nothing_held needs held, which target small does not report; it reports attempts, state, effects"],
    ),
    "unknown knob": (
        "target: small",
        "target: small\nknobs: {prefetc: 1}",
        ["3:9: unknown knob `prefetc`; did you mean `prefetch`?"],
    ),
    "wrong knob": (
        "target: small",
        "target: small\nknobs: {prefetch: many}",
        ["3:19: expected a whole number, got `many`"],
    ),
    "wrong choice of a knob": (
        "target: small",
        "target: small\nknobs: {safety: unque}",
        ["3:17: expected one of none, unique, got `unque`; did you mean `unique`?"],
    ),
    "unknown preset": (
        "target: small",
        "target: small\npreset: carless",
        ["3:9: target small has no preset `carless`; did you mean `careless`?"],
    ),
    "neither at nor when": (
        "kill: {at: 2s}",
        "kill",
        ["6:5: kill: expected `at` or `when`; add `at: 2s` or `when: effect`"],
    ),
    "both at and when": (
        "{at: 2s}",
        "{at: 2s, when: effect}",
        ["6:5: kill: expected `at` or `when`; keep one of them"],
    ),
    "no such moment": (
        "{at: 2s}",
        "{when: now}",
        [
            "6:5: kill: expected `when` to be start, effect, finish, healed or a condition, got `now`; "
            "`inflight >= N`, `acked >= N`, `dead >= N`, `redelivered >= N`"
        ],
    ),
    "repeated at once": (
        "{at: 2s}",
        "{at: 2s, times: 3}",
        ["6:5: kill: `times` above 1 needs `every`; add `every: 5s`"],
    ),
    "a moment that has an end": (
        "{at: 2s}",
        "{at: 2s, until: dead >= 2}",
        ["6:5: kill: it happens in a moment and takes no `until`; remove `until`"],
    ),
    "an end that is no condition": (
        "kill: {at: 2s}",
        "cut: {server: store, at: 2s, for: 1s, until: finish}",
        [
            "6:5: cut: expected `until` to be a condition, got `finish`; `inflight >= N`, `acked >= N`, `dead >= N`, "
            "`redelivered >= N`"
        ],
    ),
    "no time at all": (
        "kill: {at: 2s}",
        "cut: {server: store, at: 2s, for: 0s}",
        ["6:5: cut: `for` must be more than 0s; say how long it lasts: `for: 5s`"],
    ),
    "a moment that lasts": (
        "{at: 2s}",
        "{at: 2s, for: 1s}",
        ["6:5: kill: it happens in a moment and takes no `for`; remove `for`"],
    ),
    "no end": (
        "kill: {",
        "cut: {server: store, ",
        ["6:5: cut: the key `for` is missing; say how long it lasts: `for: 5s`"],
    ),
    "after the load": ("{at: 2s}", "{at: 9s}", ["6:5: kill: it would happen at 9s, after the load; the load lasts 8s"]),
    "unknown phase": (
        "nothing_lost",
        "nothing_lost: {phase: x}",
        ["8:5: nothing_lost: unknown phase `x`; declare it under `phases`"],
    ),
    "phase after the load": (
        "target: small",
        "target: small\nphases: {late: {from: 2s, to: 9s}}",
        ["3:10: phase late ends after the load; the load lasts 8s"],
    ),
    "anchor": ("small", "&name small", ["2:9: anchors (`&name`) are not allowed; write the value out"]),
    "tag": ("small", "!!str small", ["2:9: tags (`tag:yaml.org,2002:str`) are not allowed; remove it"]),
    "merge key": ("kill: {at: 2s}", "kill: {<<: x}", ["6:12: merge keys (`<<`) are not allowed; write the keys out"]),
    "second document": (
        "invariants:",
        "---\ninvariants:",
        ["7:1: a second document begins here; keep one per file: remove the `---`"],
    ),
    "tab": (
        "  - nothing_lost",
        "\t- nothing_lost",
        [
            "8:1: not YAML: while scanning for the next token, found character that cannot start any token"
            "; indent with spaces, not with tabs"
        ],
    ),
    "colon in text": (
        "Something happens.",
        "Something: it happens.",
        [
            "1:17: not YAML: mapping values are not allowed in this context"
            "; quote text that contains `: `, and check the indentation"
        ],
    ),
    "all at once": (
        "target: small\nload:\n  - constant: {rate: 20/s, for: 8s}",
        "target: small\nwrokers: 3\nload:\n  - constant: {rate: 20, for: 8s, fro: 1}",
        [
            "3:1: unknown key `wrokers`; did you mean `workers`?",
            "5:22: expected a rate such as 20/s or 600/m, got `20`; write 20/s",
            "5:35: unknown key `fro` of constant; did you mean `for`?",
        ],
    ),
}

WHOLE = {
    "empty": (b"", ": the file is empty; a scenario needs at least `about`, `load` and `invariants`"),
    "only a comment": (
        b"# nothing\n",
        ": the file is empty; a scenario needs at least `about`, `load` and `invariants`",
    ),
    "a list": (b"- a\n", ":1:1: expected keys with values at the top level; write `key: value` lines"),
    "not UTF-8": (b"about: \xff\xfe", ": not UTF-8 text (byte 7); save the file as UTF-8"),
    "binary": (
        b"\x00\x01\x02",
        ":1:1: not YAML: a character that is not text (control characters are not allowed); is this a binary file?",
    ),
    "deep": (b"[" * 5000, ":1:51: nested more than 50 deep; a scenario needs four levels"),
    "large": (b"a: " + b"x" * 1_000_001, ": the file is larger than 1 MB; this is hardly a scenario"),
    "bomb": (
        b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        ":1:4: anchors (`&a`) are not allowed; write the value out",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_told_with_its_place_and_its_remedy(case: str, tmp_path: Path, stand_ins: str) -> None:
    old, new, expected = CASES[case]
    assert old in GOOD
    assert said(tmp_path, GOOD.replace(old, new, 1).encode(), stand_ins) == [f":{line}" for line in expected]


@pytest.mark.parametrize("case", WHOLE)
def test_a_file_that_is_no_scenario_is_told_so(case: str, tmp_path: Path, stand_ins: str) -> None:
    content, expected = WHOLE[case]
    assert said(tmp_path, content, stand_ins) == [expected]


def test_a_missing_file_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "worker-kill.yaml").write_text(GOOD)
    with pytest.raises(Problems) as caught:
        load(f"{tmp_path}/worker-kil.yaml")
    assert str(caught.value) == f"{tmp_path}/worker-kil.yaml: no such file; did you mean `{tmp_path}/worker-kill.yaml`?"


def test_a_folder_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(Problems) as caught:
        load(str(tmp_path))
    assert str(caught.value) == f"{tmp_path}: this is a folder; name a file in it"


def test_a_mistake_on_the_command_line_names_the_option(tmp_path: Path, stand_ins: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(GOOD)
    with pytest.raises(Problems) as caught:
        load(
            str(path), targets=stand_ins, preset="carless", knobs={"prefetc": "1", "prefetch": "x", "store.keeps": "al"}
        )
    assert str(caught.value).splitlines() == [
        "--preset carless: target small has no preset `carless`; did you mean `careless`?",
        "--set prefetc=1: unknown knob `prefetc` of target small; did you mean `prefetch`?",
        "--set prefetch=x: expected a whole number, got `x`",
        "--set store.keeps=al: expected one of all, none, got `al`; did you mean `all`?",
    ]


def test_the_command_prints_every_problem_and_no_traceback(
    tmp_path: Path, stand_ins: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(GOOD.replace("small", "smal").replace("kill", "kil"))
    assert main(["validate", str(path), "--targets", stand_ins]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(st.text())
@example("about: \ud800")
@example("? [a]\n: b")
@example("a: *b")
def test_any_text_is_a_tree_or_problems(text: str) -> None:
    try:
        root, _ = document.parse(text, "x.yaml")
    except Problems as problems:
        assert problems.found
    else:
        assert isinstance(root, document.Mapping)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(data=st.data())
def test_a_scenario_with_any_part_replaced_is_a_scenario_or_problems(
    data: st.DataObject, tmp_path: Path, stand_ins: str
) -> None:
    begin = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(begin, min(begin + 20, len(GOOD))))
    middle = data.draw(
        st.one_of(st.text(max_size=12), st.sampled_from(["[]", "{}", "''", ": x", "\n", "- a", "1", "null", "{a: b}"]))
    )
    path = tmp_path / "x.yaml"
    text = GOOD[:begin] + middle + GOOD[end:]
    path.write_bytes(text.encode("utf-8", "replace"))
    try:  # --target, because a file without `target` means celery, which needs servers that have no stand-in
        scenario, _ = load(str(path), target=None if "\ntarget: small\n" in text else "small", targets=stand_ins)
    except Problems as problems:
        assert problems.found
    else:
        assert scenario.load
        assert scenario.invariants


def said(folder: Path, content: bytes, targets: str) -> list[str]:
    """Everything that is said of a file with this content, without the file's name."""
    path = folder / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(Problems) as caught:
        load(str(path), targets=targets)
    return [line.removeprefix(str(path)) for line in str(caught.value).splitlines()]
