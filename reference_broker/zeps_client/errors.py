# ruff: noqa: N818
"""What can go wrong for a user of the client. All are :class:`ClientError`."""

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
    """Any error of the client."""


class AttachRefused(ClientError):
    """The broker answered ATTACH with INVALID, and not for a passing cause; `reason` is the broker's own
    (ZEPS-ATTACH-2, -3, -5).
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the broker refuses the stream: {reason}")
        self.reason = reason


class SubscribeRefused(ClientError):
    """The broker answered SUBSCRIBE with INVALID, again in a new session; `pattern` is not subscribed to."""

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"the broker refuses the pattern {pattern!r}: {reason}")
        self.pattern = pattern
        self.reason = reason


class PublishLost(ClientError):
    """`count` messages were not confirmed and are not sent again: refused by the broker, or `republish` is off.

    `numbers`: the first and last number of each run of them, as `publish` returned them.
    """

    def __init__(self, count: int, reason: str, numbers: tuple[tuple[int, int], ...] = ()) -> None:
        super().__init__(
            f"{count} published message{'' if count == 1 else 's'} not stored, as far as known: {reason}"
        )
        self.count = count
        self.reason = reason
        self.numbers = numbers


class Timeout(ClientError, TimeoutError):
    """What was waited for did not happen in time; nothing is lost, and waiting again is possible."""


class BrokerLost(ClientError, ConnectionError):
    """No session could be had for longer than the client was told to try."""


class Closed(ClientError):
    """The client is closed."""
