"""The scenario that every target's own tests begin from."""

SCENARIO = """about: One fault on TARGET.
target: TARGET
workers: 2
handler: {work: 20ms}
load:
  - constant: {rate: RATE, for: 3s}
faults:
  - FAULT
invariants:
  - no_lost_jobs
  - no_duplicate_effects
  - no_stuck_jobs
  - every_completion_has_its_effect
  - drains_within: 60s
"""


def one_fault(target: str, *claims: str, rate: str = "40/s") -> str:
    """A short load on a target, with these claims beside the usual ones; the test puts its fault in place of FAULT."""
    return SCENARIO.replace("TARGET", target).replace("RATE", rate) + "".join(f"  - {claim}\n" for claim in claims)
