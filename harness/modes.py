"""The failure modes of background jobs that scenarios show: what goes wrong, by the letter and number of each."""

import msgspec


class Mode(msgspec.Struct, frozen=True):
    """One way in which jobs go wrong."""

    id: str
    says: str


GROUPS = {"L": "Lost", "D": "Done twice", "R": "Retried badly", "S": "Late, unfair, growing"}

MODES = (
    Mode("L1", "a worker dies with a job in hand, and the job is gone"),
    Mode("L2", "the broker restarts, and queued jobs are gone"),
    Mode("L3", "Redis evicts queued jobs when memory is short, and tells nobody"),
    Mode("L6", "a deploy cuts jobs short"),
    Mode("L7", "the producer keeps jobs in memory, or makes its users wait, while the broker is down"),
    Mode("L8", "a worker lives after a blip of the broker and consumes nothing"),
    Mode("L9", "a job is neither done, queued nor dead: stuck, or believed to be done"),
    Mode("L11", "a job has failed for good, and nobody can see it"),
    Mode("D1", "a worker dies after the effect and before the acknowledgement"),
    Mode("D2", "deduplication lives in Redis only, and Redis forgets"),
    Mode("D3", "the idempotency key is made inside the worker, anew for each attempt"),
    Mode("D4", "the record of what was done expires before the last redelivery"),
    Mode("D5", "the lease is shorter than the handler"),
    Mode("D6", "a worker freezes, loses its lease, wakes and goes on"),
    Mode("D7", "a handler that computes starves the heartbeat"),
    Mode("D8", "the provider commits, and then times out"),
    Mode("D9", "the same job is enqueued twice"),
    Mode("D12", "a replay of dead letters repeats the effect"),
    Mode("R1", "all retries come back at the same moment"),
    Mode("R2", "retries come at once, or at a fixed pace"),
    Mode("R3", "a job is retried for ever"),
    Mode("R4", "a permanent failure burns its retries"),
    Mode("R5", "a dead letter lacks what is needed to understand it"),
    Mode("R6", "dead letters that are replayed are not done"),
    Mode("R7", "retries multiply the load on a provider in trouble"),
    Mode("R8", "a 429 with Retry-After is ignored"),
    Mode("R9", "the growth of dead letters goes unseen"),
    Mode("S3", "a backlog is not worked off in time"),
    Mode("S4", "Redis grows without limit"),
    Mode("S6", "a delayed job runs late, or acts on a record that has changed"),
    Mode("S8", "a job is taken for done without its effect"),
    Mode("S9", "jobs and effects do not agree"),
)
BY_ID = {mode.id: mode for mode in MODES}
