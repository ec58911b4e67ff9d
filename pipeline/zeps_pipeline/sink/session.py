"""Client sessions of a commit, which needs each message once. So its client ends when its connection is lost, publishes
no message twice, and the commit reads the stream to find the messages that arrived.
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
"""Time without an answer after which the broker counts as lost."""


class SessionLostError(PipelineError):
    """The session ended or got no answer; a new one may succeed. Its messages may or may not be stored."""


@contextmanager
def open_session(
    broker: Broker, stream: str, on_event: Callable[[Event], None] | None = None
) -> Iterator[Client]:
    """A client of `stream` that ends when its connection is lost; closed at the end of the context. Raises
    SessionLostError for errors of the client, also within the context, and PipelineError if the broker refuses the
    stream or a subscription, or if the endpoint or the keys are invalid.
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
        raise PipelineError(f"{broker}: invalid endpoint: {error}") from error


def receive(client: Client, seconds: float) -> list[Message]:
    """The next messages, at most 1024; empty if no message arrives within `seconds`. Raises the errors of Client."""
    try:
        return client.receive_many(timeout=seconds)
    except Timeout:
        return []
