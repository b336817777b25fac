"""What travels with a job's key."""

from harness.load.payload import Payload

KEYS = [f"job-{n:06d}" for n in range(2000)]


def test_a_plain_job_has_its_key_and_its_work() -> None:
    assert Payload(work=0.05).of("a") == {"key": "a", "work": 0.05}


def test_a_job_says_all_that_is_asked_of_its_handler() -> None:
    payload = Payload(work=0.1, busy=2.0, delay=3.0, poison="permanent", record=True)
    whole = {"key": "a", "work": 0.1, "busy": 2.0, "delay": 3.0, "poison": "permanent", "version": 1}
    assert payload.of("a") == whole


def test_which_jobs_are_poison_follows_from_the_seed() -> None:
    some = [Payload(poison="unknown", share=0.25, seed=seed) for seed in (1, 1, 2)]
    chosen = [[key for key in KEYS if "poison" in payload.of(key)] for payload in some]
    assert chosen[0] == chosen[1] != chosen[2]
    assert 400 < len(chosen[0]) < 600


def test_all_or_none_are_poison() -> None:
    assert all(Payload(poison="unknown").is_poison(key) for key in KEYS)
    assert not any(Payload(poison="unknown", share=0.0).is_poison(key) for key in KEYS)
    assert not any(Payload(share=1.0).is_poison(key) for key in KEYS)
