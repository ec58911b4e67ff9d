"""What a bridge needs of a foreign broker, and what a foreign broker tells the bridge.

The bridge calls, the broker answers with events, later, in the order in which it served the calls. Between an
:class:`Opened` and a :class:`Lost` lies a session, whose number stands in every call and event: a call for a session
that is over does nothing. What a session leaves behind is the broker's affair, except for this:

- Subscriptions, and messages that were not acknowledged, may outlive a session, or not. If they do, the messages come
  again, those that were handed over before marked as `redelivered` if the broker knows.
- A message that was published and not yet answered for when a session ends may have arrived, or not.
- Events for calls of a session come before the session's end, or never.

A broker for another system has a pattern language of its own, and one rule for it: the pattern of a prefix matches at
least the messages that begin with the prefix. The bridge filters what is too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = [
    "Arrived",
    "Changed",
    "Event",
    "Failed",
    "ForeignBroker",
    "Frames",
    "Lost",
    "Opened",
    "PatternChange",
    "Settled",
]

Frames = Sequence[bytes]
"""A message of ZeroMQ's: its frames, at least one. Subscriptions are compared with the first."""

PatternChange = tuple[bool, str]
"""True and a pattern to subscribe to, False and one to take back; to do what is done already is nothing."""


class ForeignBroker(Protocol):
    """Another messaging system. No call blocks."""

    def pattern(self, prefix: bytes) -> str:
        """What to subscribe to for messages whose first frame begins with `prefix`; it may bring more."""

    def change(self, session: int, steps: Sequence[PatternChange]) -> None:
        """Subscribe and unsubscribe, in this order; answered by one :class:`Changed`."""

    def publish(self, session: int, messages: Sequence[tuple[int, Frames]]) -> None:
        """Publish messages under numbers, in this order; each is answered by a :class:`Settled`.

        A number that is published again, in a later session, is the same message.
        """

    def acknowledge(self, session: int, tag: int) -> None:
        """The message with this tag, and all that came before it in the session, need not come again."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A session has begun."""

    session: int


@dataclass(frozen=True, slots=True)
class Lost:
    """A session is over."""

    session: int
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A session did not come about."""

    reason: str
    """What is wrong, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The steps of a :meth:`ForeignBroker.change` are done."""

    session: int


@dataclass(frozen=True, slots=True)
class Settled:
    """The broker answers for a message: it is `taken`, safe from now on, or refused for good."""

    session: int
    number: int
    multiple: bool
    """It answers for all messages with lower numbers too."""
    taken: bool


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message for the queue of this bridge; tags rise in a session."""

    session: int
    tag: int
    frames: Frames
    identity: str | None = None
    """The publisher's own name for the message: equal for equal messages only; None if it gave none."""
    origin: str | None = None
    """The name of the bridge that published it; None if it was no bridge."""
    redelivered: bool = False
    """It may have been handed over before."""


Event = Opened | Lost | Failed | Changed | Settled | Arrived
