"""Print the JSON Schema (draft 2020-12) of a scenario, for completion and checking in editors."""

import json
from argparse import ArgumentParser, Namespace

from harness.schema import schema

EXAMPLES = """examples:
  harness schema > scenario.schema.json
  and as the first line of a scenario:  # yaml-language-server: $schema=../scenario.schema.json
"""


def arguments(parser: ArgumentParser) -> None:
    """None."""


def main(_args: Namespace) -> int:
    """Print the schema."""
    print(json.dumps(schema(), indent=2))
    return 0
