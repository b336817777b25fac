"""What a message died of, which Dramatiq does not keep: a dead letter is the message as it was before its last run."""

import json
from typing import Any

from dramatiq import Broker, Middleware, Retry
from dramatiq.broker import MessageProxy

NOTES = "dead_letter_notes"


class Notes(Middleware):
    """Notes the error of a message that has failed for good; must come before Retries, to be told after it."""

    def after_process_message(
        self, broker: Broker, message: MessageProxy, *, result: Any = None, exception: BaseException | None = None
    ) -> None:
        """Called before the message goes to the dead letters."""
        if exception is None or not message.failed:
            return
        error = exception.__cause__ if isinstance(exception, Retry) and exception.__cause__ else exception
        note = {"error": type(error).__name__, "message": str(error)}
        broker.client.hset(NOTES, message.options["redis_message_id"], json.dumps(note))
