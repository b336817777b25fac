# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
READY := .venv/.ready

.PHONY: run test test-slow prove-hard lint bench mutate clean setup
run: setup
	.venv/bin/harness run scenarios/worker-kill.yaml

test: setup lint
	.venv/bin/python -m pytest -m "not slow" -n 2 --dist loadgroup

test-slow: setup  # verdicts repeated until we know that they do not flake
	.venv/bin/python -m pytest -m slow

# The whole catalogue 20 times with random seeds, three runs at once on each core, so that all of them are always short of
# it; fails on any verdict that changes. Some hours; PROVE="--resume --for 8h" goes on where it stopped.
prove-hard: setup
	.venv/bin/harness prove --repeat 20 --random-seeds --jobs $$(( 3 * $$(nproc) )) --reports reports/prove-hard $(PROVE)

lint: setup
	.venv/bin/ruff check .
	.venv/bin/mypy

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

bench: setup
	for script in benchmarks/*.py; do .venv/bin/python $$script || exit 1; done

mutate: setup  # small changes to the invariants that no test notices
	nice -n 19 .venv/bin/python -m tests.mutation

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache
