"""The web application in front of RQ: it enqueues jobs, and reads from Redis what became of them."""

import math
import time
from datetime import UTC, datetime
from typing import Any

from app import HANDLER, KNOBS, connected, queue
from dead_letters import Letters
from ids import id_of
from letters import discard, letters, replay
from once import create_table
from one_by_one import one_by_one
from retrying import retry
from rq.exceptions import DuplicateJobError
from serve import serve
from state import held, state

jobs = queue(connected(KNOBS.producer_retries, timeout=3))


def publish(job: dict[str, Any]) -> None:
    """Returns when Redis has the job; one that is there already is there."""
    new = jobs.create_job(
        HANDLER,
        (job,),
        job_id=id_of(job["key"], unique=KNOBS.unique),
        retry=retry(KNOBS),
        timeout=int(KNOBS.job_timeout),
        result_ttl=int(KNOBS.result_ttl),
        failure_ttl=int(KNOBS.failure_ttl),
    )
    try:
        if delay := job.get("delay"):
            due = math.ceil(time.time() + delay)  # RQ cuts the fraction off, and the job would come too soon
            jobs.schedule_job(new, datetime.fromtimestamp(due, UTC), unique=KNOBS.unique)
        else:
            jobs.enqueue_job(new, unique=KNOBS.unique)
    except DuplicateJobError:
        return


if __name__ == "__main__":
    if KNOBS.idempotency == "unique":
        create_table()
    serve(one_by_one(publish), state, held, Letters(letters, replay, discard))
