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
    "Missing",
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
class Missing:
    """Messages that were subscribed to and cannot be delivered: those with the sequences `first` to `last` that the
    subscriptions match. Delivery continues after them.

    `reason` is the broker's code: `retention` or `damage` in a session (ZEPS-RETAIN-1, ZEPS-DAMAGE-1), `not-retained`
    where a subscription begins or is resumed (ZEPS-RETAIN-2). A sequence may be named again for another subscription or
    in another session, and in a range there may be some that were given before.
    """

    first: int
    last: int
    reason: str


@dataclass(frozen=True, slots=True)
class StreamReset:
    """The stream ends at `end`, before `known`, which the client was given or its user has named: another journal, or
    one that has lost its tail (ZEPS-SUBSCRIBE-5).

    Delivery continues after `end`: what has a sequence up to there is taken for known, what comes is new, whether its
    sequence was given before or not.
    """

    known: int
    end: int


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
    | Missing
    | StreamReset
    | Failed
    | Detached
)
