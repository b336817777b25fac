"""A scenario is read whole, resolved against its target, and reads back from what is written of it."""

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from harness import variants
from harness.load.shapes import Constant
from harness.scenario import Drain, Handler, Phase, Provider, Scenario, load
from harness.timing import Scheduled, Timing
from harness.written import to_yaml

TEXT = """about: "All of it: every key."
target: small
preset: careless
knobs: {lease: 500ms}
workers: 3
restart: never
handler: {work: 10ms}
downstream: {honours_keys: false}
load:
  - constant: {rate: 600/m, for: 10s}
phases:
  calm: {to: 2s}
faults:
  - kill: {when: inflight >= 3, nth: 2, times: 3, signal: TERM}
  - cut: {server: store, at: 1s, every: 4s, times: 2, for: 1s}
invariants:
  - nothing_lost: calm
  - done_within: 30s
servers: {store: {memory: 64mb}}
drain: {timeout: 1m}
seed: 7
"""


def expected() -> Scenario:
    made = {
        name: variants.variant(kind, name)
        for kind in ("faults", "invariants", "servers")
        for name in variants.names(kind)
    }
    return Scenario(
        about="All of it: every key.",
        name="whole",
        target="small",
        preset="careless",
        knobs={"lease": 0.5, "prefetch": 4, "late": False, "safety": "none", "factor": 1.5, "label": "plain"},
        workers=3,
        restart="never",
        handler=Handler(0.01),
        downstream=Provider(honours_keys=False),
        load=(Constant(10.0, 10.0),),
        phases={"calm": Phase(2.0)},
        faults=(
            Scheduled(made["kill"](signal="TERM"), Timing(when="inflight >= 3", nth=2, times=3)),
            Scheduled(made["cut"]("store"), Timing(at=1.0, every=4.0, times=2, for_=1.0)),
        ),
        invariants=(made["nothing_lost"]("calm"), made["done_within"](30.0)),
        servers={"store": made["store"](memory=64 * 1024**2)},
        drain=Drain(60.0),
        seed=7,
    )


def written(folder: Path, text: str = TEXT) -> str:
    (folder / "whole.yaml").write_text(text)
    return str(folder / "whole.yaml")


def test_a_scenario_is_read_whole(tmp_path: Path, stand_ins: str) -> None:
    scenario, target = load(written(tmp_path), targets=stand_ins)
    assert scenario == expected()
    assert (target.name, target.seconds("lease", scenario.knobs), target.seconds("sweep", scenario.knobs)) == (
        "small",
        0.5,
        1.5,
    )


def test_the_command_line_goes_before_the_file(tmp_path: Path, stand_ins: str) -> None:
    options = {"lease": "3s", "store.keeps": "none"}
    scenario, _ = load(written(tmp_path), targets=stand_ins, preset="", knobs=options, seed=9)
    assert scenario.knobs == {
        "lease": 3.0,
        "prefetch": 4,
        "late": True,
        "safety": "unique",
        "factor": 1.5,
        "label": "plain",
    }
    assert (scenario.servers["store"].keeps, scenario.servers["store"].memory, scenario.seed) == (
        "none",
        64 * 1024**2,
        9,
    )


def test_a_time_scale_stretches_what_is_the_scenario_s_own(tmp_path: Path, stand_ins: str) -> None:
    scenario, _ = load(written(tmp_path), targets=stand_ins, time_scale=0.5)
    whole = expected()
    kill, cut = whole.faults
    assert scenario == replace(
        whole,
        load=(Constant(10.0, 5.0),),
        phases={"calm": Phase(1.0)},
        faults=(kill, replace(cut, timing=Timing(at=0.5, every=2.0, times=2, for_=0.5))),
    )


durations = st.integers(1, 10**7).map(lambda micros: micros / 1e6)
values: dict[str, st.SearchStrategy[Any]] = {
    "about": st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable()),
    "workers": st.integers(1, 64),
    "handler": durations.map(Handler),
    "seed": st.integers(0, 10**9),
    "drain": st.builds(Drain, durations, durations),
    "restart": st.sampled_from(["always", "on-failure", "never"]),
}
labels = st.sampled_from(
    ["true", "1", "", "a: b", "#", "null", "ü \U0001f600", '"', "\\n", "line\nbreak", "\x85", "- x"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
@given(changes=st.fixed_dictionaries(values), factor=st.floats(0.01, 3.0), label=labels)
def test_what_is_written_of_a_scenario_reads_back_equal(
    changes: dict[str, Any], factor: float, label: str, tmp_path: Path, stand_ins: str
) -> None:
    scenario, target = load(written(tmp_path), targets=stand_ins, time_scale=factor)
    changed = replace(scenario, **changes, knobs={**scenario.knobs, "label": label})
    again, _ = load(written(tmp_path, to_yaml(changed, target)), targets=stand_ins)
    assert again == changed
