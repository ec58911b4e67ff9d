"""Events of a client other than messages. They are passed to `on_event` and logged."""

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
"""A message of the stream: `sequence`, `key` and `body` of a DELIVER."""


@dataclass(frozen=True, slots=True)
class Attached:
    """A session was established; `resumed`: not the first one. `gaps`: patterns subscribed to with NEW that may have
    missed messages, because the last session was lost before a new message arrived.
    """

    resumed: bool
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The broker has confirmed `pattern`; `again`: it had confirmed it before, in this session or an earlier one."""

    pattern: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The broker refused to attach (`pattern` None; tried again if `reattach` is on) or to subscribe to `pattern`."""

    reason: str
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """The session was lost, or the first attempt failed, with `unconfirmed` publishes; the client tries again after
    `retry` seconds. Further failed attempts are not reported as Lost.
    """

    reason: str
    retry: float
    unconfirmed: int


@dataclass(frozen=True, slots=True)
class PublishesLost:
    """The publishes with the numbers `first` to `last` (inclusive) are in doubt or refused, and are not sent again."""

    first: int
    last: int
    reason: str

    @property
    def count(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Confirmed:
    """All publishes up to number `upto` are stored (ZEPS-PING-12), or were reported by PublishesLost."""

    upto: int


@dataclass(frozen=True, slots=True)
class EndFound:
    """The broker has answered a call of `last_sequence`."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Messages with the sequences `first` to `last` (inclusive) cannot be delivered. Delivery continues after them.
    `reason` is the broker's code: `retention` or `damage` in a session (ZEPS-RETAIN-1, ZEPS-DAMAGE-1), `not-retained`
    at the start or resumption of a subscription (ZEPS-RETAIN-2); or `unannounced` from a multicast client, if the
    broker sent no notice. A sequence may be reported again for another subscription or in another session, and a range
    may contain messages that were delivered before.
    """

    first: int
    last: int
    reason: str


@dataclass(frozen=True, slots=True)
class StreamReset:
    """The stream ends at `end`, before `known`, a sequence that was delivered to this client or requested by its user:
    the journal was replaced, or has lost its tail (ZEPS-SUBSCRIBE-5). Delivery continues after `end`; every later
    message is new, even if its sequence was delivered before.
    """

    known: int
    end: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The client gave up; calls that can no longer succeed raise `error`."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Detached:
    """The client has ended because it was closed."""


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
