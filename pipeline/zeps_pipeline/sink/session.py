"""A session of a commit, which has to know what it did.

A client usually attaches again after a loss and publishes again what is in doubt: every message at least once. A
commit needs the opposite. Its client ends at the first loss, publishes nothing twice, and what has arrived is found
out by reading it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import zmq

from zeps_client import AttachRefused, Client, ClientError, Message, SubscribeRefused, Timeout
from zeps_client.events import Event
from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import PipelineError

__all__ = ["ANSWER_SECONDS", "SessionLostError", "open_session", "receive"]

ANSWER_SECONDS = 10.0
"""A broker that answers nothing for so long is lost."""


class SessionLostError(PipelineError):
    """The session is over, for a reason that another may not meet; what was published may be stored or not."""


@contextmanager
def open_session(
    broker: Broker, stream: str, on_event: Callable[[Event], None] | None = None
) -> Iterator[Client]:
    """A client of `stream` that ends at its first loss.

    Raises SessionLostError, from inside the block too, for what the client raises there; PipelineError if the broker
    refuses the stream or a subscription.
    """
    try:
        with Client(
            broker.endpoint,
            stream,
            on_event=on_event,
            curve=broker.curve(),
            reattach=False,
            attach_timeout=ANSWER_SECONDS,
        ) as client:
            yield client
    except (AttachRefused, SubscribeRefused) as error:
        raise PipelineError(f"{broker}: {error}") from error
    except ClientError as error:
        raise SessionLostError(f"{broker}: {error}") from error
    except zmq.ZMQError as error:
        raise PipelineError(f"{broker}: not an endpoint to connect to: {error}") from error


def receive(client: Client, seconds: float) -> list[Message]:
    """The next messages; none if none comes within `seconds`. Raises as Client does."""
    try:
        return client.receive_many(timeout=seconds)
    except Timeout:
        return []
