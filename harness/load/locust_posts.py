"""Records the jobs that a user's own Locust file posts to `/jobs`, without the file knowing.

Both of Locust's HTTP clients (of `HttpUser` and of `FastHttpUser`) send through one method, `request`. It is
wrapped, for Locust's own `request` event comes only after the answer, and an offer must be on disk before its bytes
are sent.
"""

from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec
from locust.clients import HttpSession
from locust.contrib.fasthttp import FastHttpSession

from harness.load import answers
from harness.load.offers import Job, Offers, Outcome


class _Response(Protocol):
    status_code: int
    content: bytes | None
    error: Exception | None


class _Posted(msgspec.Struct):
    jobs: list[Job]


def record(offers: Offers) -> None:
    """From now on, every `client.post("/jobs", json={"jobs": [{"key": ...}, ...]})` in this process leaves its
    offers and outcomes."""
    for session in (HttpSession, FastHttpSession):
        setattr(session, "request", _recording(session.request, offers))  # noqa: B010 (mypy forbids the plain assignment)


def _recording(send: Callable[..., Any], offers: Offers) -> Callable[..., Any]:
    def request(session: Any, method: str, url: str, *args: Any, **options: Any) -> Any:
        jobs = _jobs(method, url, options)
        if not jobs:
            return send(session, method, url, *args, **options)
        offers.offer(jobs)
        response = send(session, method, url, *args, **options)
        offers.settle(_outcomes(jobs, response))
        return response

    return request


def _jobs(method: str, url: str, options: dict[str, Any]) -> list[Job]:
    """The jobs of a post to `/jobs`; any other request has none."""
    if method.upper() != "POST" or urlsplit(url).path.rstrip("/") != "/jobs":
        return []
    body = options.get("json")
    try:
        posted = (
            msgspec.convert(body, _Posted)
            if body is not None
            else msgspec.json.decode(options.get("data") or b"", type=_Posted)
        )
    except msgspec.DecodeError:
        return []
    return [Job(job.key) for job in posted.jobs]


def _outcomes(jobs: list[Job], response: _Response) -> list[Outcome]:
    if response.status_code:
        return answers.outcomes(jobs, response.status_code, response.content or b"")
    why = f"{type(response.error).__name__}: {response.error}"
    return answers.rejected(jobs, why) if "refused" in why else answers.unknown(jobs, why)
