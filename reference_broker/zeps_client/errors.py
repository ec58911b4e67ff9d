# ruff: noqa: N818
"""Errors of the client. All are subclasses of :class:`ClientError`."""

from __future__ import annotations

__all__ = [
    "AttachRefused",
    "BrokerLost",
    "ClientError",
    "Closed",
    "PublishLost",
    "SubscribeRefused",
    "Timeout",
]


class ClientError(Exception):
    """Base class of the client's errors."""


class AttachRefused(ClientError):
    """The broker refused ATTACH with INVALID, for a reason that is not temporary; `reason` is the broker's text
    (ZEPS-ATTACH-2, -3, -5). A client that had a session before tries three times.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the broker refuses the stream: {reason}")
        self.reason = reason


class SubscribeRefused(ClientError):
    """The broker refused SUBSCRIBE with INVALID, or three times ended the session for it with an unknown code. An
    earlier subscription to `pattern` stays in force (ZEPS-SUBSCRIBE-13).
    """

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"the broker refuses the pattern {pattern!r}: {reason}")
        self.pattern = pattern
        self.reason = reason


class PublishLost(ClientError):
    """`count` messages were not confirmed and are not sent again: the broker refused them, their session was lost with
    `republish` off, or the client was closed. Except for the refused ones they may or may not be stored. `numbers`:
    first and last number of each run of them, as `publish` returned them.
    """

    def __init__(self, count: int, reason: str, numbers: tuple[tuple[int, int], ...] = ()) -> None:
        super().__init__(
            f"{count} published message{'' if count == 1 else 's'} not stored, as far as known: {reason}"
        )
        self.count = count
        self.reason = reason
        self.numbers = numbers


class Timeout(ClientError, TimeoutError):
    """The awaited event did not happen in time. The call can be repeated; `publish_many` may have published a part."""


class BrokerLost(ClientError, ConnectionError):
    """No session for `give_up` seconds, a loss or failed attempt with `reattach` off, or a failure in the client."""


class Closed(ClientError):
    """The client is closed, or belongs to the process that this one was forked from."""
