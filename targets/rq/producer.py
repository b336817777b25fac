"""The web application in front of RQ: it enqueues jobs, and reads from Redis what became of them."""

from typing import Any

from app import HANDLER, KNOBS, connected, queue
from ids import id_of
from once import create_table
from one_by_one import one_by_one
from retrying import retry
from rq.exceptions import DuplicateJobError
from serve import serve
from state import held, state

jobs = queue(connected(retries=0, timeout=3))


def publish(job: dict[str, Any]) -> None:
    """Returns when Redis has the job; one that is there already is there."""
    try:
        jobs.enqueue(
            HANDLER,
            job,
            job_id=id_of(job["key"]),
            unique=KNOBS.unique,
            retry=retry(KNOBS),
            job_timeout=int(KNOBS.job_timeout),
            result_ttl=int(KNOBS.result_ttl),
            failure_ttl=int(KNOBS.failure_ttl),
        )
    except DuplicateJobError:
        return


if __name__ == "__main__":
    if KNOBS.idempotency == "unique":
        create_table()
    serve(one_by_one(publish), state, held)
