"""What happens to a client besides messages. Given to `on_event`, and logged."""

from __future__ import annotations

from dataclasses import dataclass

from zeps_wire.zeps import Deliver

__all__ = [
    "Attached",
    "Confirmed",
    "Detached",
    "EndFound",
    "Event",
    "Failed",
    "Lost",
    "Message",
    "PublishesLost",
    "Refused",
    "StreamReset",
    "Subscribed",
]


Message = Deliver
"""A message of the stream: `sequence`, `key` and `body`, as DELIVER brought them."""


@dataclass(frozen=True, slots=True)
class Attached:
    """There is a session.

    `resumed`: not the first. `gaps`: patterns for new messages that may have missed some.
    """

    resumed: bool
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Subscribed:
    """SUBSCRIBE-OK for `pattern`; `again` after a loss."""

    pattern: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The broker refuses to attach (`pattern` is None) or to subscribe to `pattern`."""

    reason: str
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """The session is lost; the client tries again after `retry` seconds.

    `unconfirmed` publishes wait for that.
    """

    reason: str
    retry: float
    unconfirmed: int


@dataclass(frozen=True, slots=True)
class PublishesLost:
    """The publishes number `first` to `last` of this client are in doubt or refused and are not sent again."""

    first: int
    last: int
    reason: str

    @property
    def count(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Confirmed:
    """All publishes up to number `upto` of this client (from 1) have their sequences (ZEPS-PING-3)."""

    upto: int


@dataclass(frozen=True, slots=True)
class EndFound:
    """The broker answered `last_sequence`."""


@dataclass(frozen=True, slots=True)
class StreamReset:
    """The stream's sequences began again below what was given before:

    another journal, against ZEPS-SEQUENCE-3.
    """

    sequence: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The client gave up; `error` is what its user is told from now on."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Detached:
    """The client closed its session."""


Event = (
    Attached
    | Subscribed
    | Refused
    | Lost
    | PublishesLost
    | Confirmed
    | EndFound
    | StreamReset
    | Failed
    | Detached
)
