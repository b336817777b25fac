"""The side of a call that waits for the answer, as the provider sees it."""

from typing import Protocol


class Caller(Protocol):
    """One connection of a worker, with one call that waits to be answered, dropped or reset."""

    @property
    def worker(self) -> str:
        """The worker that calls."""

    def answer(self, answer: bytes) -> None:
        """Answer the call."""

    def drop(self) -> None:
        """Close the connection without a byte of an answer."""

    def reset(self) -> None:
        """Reset the connection."""

    def gone(self) -> bool:
        """Whether the other side has closed the connection."""
