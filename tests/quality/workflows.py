"""What GitHub Actions and GitLab ask of a workflow file, as far as ours use it: every fault in a file, a line each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

CONTEXTS = {"github", "runner", "matrix", "needs", "env", "steps", "job"}
GITHUB = {"name", "on", "permissions", "env", "concurrency", "defaults", "jobs", "run-name"}
GITHUB_JOB = {"name", "if", "needs", "runs-on", "timeout-minutes", "strategy", "steps", "env", "permissions", "outputs"}
GITHUB_STEP = {"name", "id", "if", "uses", "with", "run", "env", "shell", "working-directory", "timeout-minutes"}
EVENTS = {"push", "pull_request", "workflow_dispatch", "schedule"}
GITLAB = {"stages", "variables", "default", "include", "workflow"}
GITLAB_JOB = {
    "extends", "stage", "image", "rules", "needs", "parallel", "timeout", "retry", "interruptible", "cache",
    "variables", "before_script", "script", "after_script", "artifacts", "allow_failure",
}  # fmt: skip
ARTIFACTS = {"when", "paths", "exclude", "expire_in", "expose_as", "name", "reports", "untracked"}
WHEN = {"always", "on_success", "on_failure", "never", "manual"}


def github(text: str) -> Iterator[str]:
    """The faults of a workflow of GitHub Actions."""
    found = yaml.load(text, Loader=yaml.BaseLoader)  # else `on` would be a truth value
    yield from _unknown("workflow", found, GITHUB)
    yield from _unknown("on", found.get("on", {"nothing": ""}), EVENTS)
    for event in found.get("on", {}).get("schedule") or ():
        if not re.fullmatch(r"(\S+ ){4}\S+", event["cron"]):
            yield f"schedule: `{event['cron']}` has not five fields"
    for name, job in found.get("jobs", {"none": {}}).items():
        yield from (f"{name}: {fault}" for fault in _github_job(job, found["jobs"]))


def _github_job(job: dict[str, Any], jobs: dict[str, Any]) -> Iterator[str]:
    yield from _unknown("job", job, GITHUB_JOB)
    yield from (f"no `{key}`" for key in ("runs-on", "steps", "timeout-minutes") if not job.get(key))
    yield from (f"needs `{name}`, which is no job" for name in _listed(job.get("needs")) if name not in jobs)
    for step in job.get("steps", ()):
        yield from _step(step)
    for inner in re.findall(r"\$\{\{(.*?)\}\}", str(job)):
        yield from _expression(inner, job)


def _step(step: dict[str, Any]) -> Iterator[str]:
    yield from _unknown("step", step, GITHUB_STEP)
    if ("uses" in step) == ("run" in step):
        yield f"a step has one of `uses` and `run`: {step}"
    if "uses" in step and not re.fullmatch(r"[\w-]+(/[\w-]+)+@v\d+", step["uses"]):
        yield f"`{step['uses']}` has no major version"
    if "with" in step and not ("uses" in step and isinstance(step["with"], dict)):
        yield f"`with` belongs to `uses`, and holds keys: {step}"


def _expression(inner: str, job: dict[str, Any]) -> Iterator[str]:
    plain = re.sub(r"'[^']*'", "", inner)
    for context, key in re.findall(r"\b([a-z]+)\.([\w-]+)", plain):
        if context not in CONTEXTS:
            yield f"`{context}.{key}`: no such context"
        if context == "matrix" and key not in job.get("strategy", {}).get("matrix", {}):
            yield f"`matrix.{key}` is not in the matrix"
        if context == "needs" and key not in _listed(job.get("needs")):
            yield f"`needs.{key}` is not needed"


def gitlab(text: str) -> Iterator[str]:
    """The faults of a pipeline of GitLab."""
    found = yaml.safe_load(text)
    jobs = {name: job for name, job in found.items() if name not in GITLAB}
    stages = found.get("stages", [])
    yield from () if stages and all(isinstance(stage, str) for stage in stages) else ["no stages"]
    yield from () if any(name[0] != "." for name in jobs) else ["no jobs"]
    for name, job in jobs.items():
        yield from (f"{name}: {fault}" for fault in _gitlab_job(name, job, jobs, stages))


def _gitlab_job(name: str, job: dict[str, Any], jobs: dict[str, Any], stages: list[str]) -> Iterator[str]:
    yield from _unknown("job", job, GITLAB_JOB)
    for key in ("before_script", "script", "after_script"):
        lines = job.get(key, ["true"])
        if not (isinstance(lines, list) and lines and all(isinstance(line, str) for line in lines)):
            yield f"`{key}` is a list of lines"
    yield from (f"extends `{other}`, which is nothing" for other in _listed(job.get("extends")) if other not in jobs)
    if name[0] == ".":
        return
    yield from [] if "script" in job else ["no `script`"]
    yield from [] if job.get("stage") in stages else [f"stage `{job.get('stage')}` is none"]
    yield from (f"needs `{other}`, which is no job" for other in job.get("needs", ()) if other not in jobs)
    for rule in job.get("rules", ()):
        yield from _unknown("rule", rule, {"if", "when", "changes", "allow_failure"})
        yield from [] if rule.get("when", "always") in WHEN else [f"when `{rule['when']}`"]
    yield from _artifacts(job.get("artifacts", {}))


def _artifacts(kept: dict[str, Any]) -> Iterator[str]:
    yield from _unknown("artifacts", kept, ARTIFACTS)
    yield from [] if kept.get("when", "always") in WHEN else [f"artifacts when `{kept['when']}`"]
    yield from _unknown("reports", kept.get("reports", {}), {"junit"})


def _unknown(what: str, found: dict[str, Any], known: set[str]) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"{what}: expected keys, got `{found}`"
        return
    yield from (f"{what}: unknown key `{key}`" for key in found if key not in known)


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def scripts(text: str) -> list[str]:
    """Every line that a shell is given in a workflow of either kind."""
    return list(_lines(yaml.load(text, Loader=yaml.BaseLoader)))


def _lines(value: Any) -> Iterator[str]:
    for key, inner in value.items() if isinstance(value, dict) else ():
        if key == "run" or key.endswith("script"):
            yield from (line for part in _listed(inner) for line in part.splitlines())
        else:
            yield from _lines(inner)
    for inner in value if isinstance(value, list) else ():
        yield from _lines(inner)
