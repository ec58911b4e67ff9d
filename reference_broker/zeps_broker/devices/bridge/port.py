"""The interface between a bridge and a foreign broker.

The bridge calls, and the broker later answers with events, in the order in which it served the calls. Between an
:class:`Opened` and a :class:`Lost` is a session, whose number is in every call and event: a call for a session that has
ended does nothing. A broker decides what remains of an ended session, within these rules:

- Subscriptions, and messages that were not acknowledged, may or may not outlive a session. If they do, the messages are
  delivered again, marked as `redelivered` if the broker knows that they were delivered before.
- A message that was published but not confirmed when a session ends may or may not have arrived.
- Events for calls of a session come before the session's end, or never.

A broker for another system has a pattern language of its own, with one rule: the pattern of a prefix must match at
least the messages that begin with the prefix. The bridge filters out the others.
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
"""A ZeroMQ message: its frames, at least one. Subscriptions are compared with the first."""

PatternChange = tuple[bool, str]
"""True and a pattern to subscribe to, or False and a pattern to cancel; a repeated change has no effect."""


class ForeignBroker(Protocol):
    """Another messaging system. No call blocks."""

    def pattern(self, prefix: bytes) -> str:
        """Returns the pattern for messages whose first frame begins with `prefix`; it may match more."""

    def change(self, session: int, steps: Sequence[PatternChange]) -> None:
        """Performs `steps`, at least one, in the order given; answered by one :class:`Changed`."""

    def publish(self, session: int, messages: Sequence[tuple[int, Frames]]) -> None:
        """Publishes messages in order, answered by :class:`Settled`; a number means the same in later sessions."""

    def acknowledge(self, session: int, tag: int) -> None:
        """Acknowledges the message with this tag and all earlier ones of the session: they need not be redelivered."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A session has started."""

    session: int


@dataclass(frozen=True, slots=True)
class Lost:
    """A session has ended."""

    session: int
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A session could not be established."""

    reason: str
    """What happened, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The steps of a :meth:`ForeignBroker.change` are done."""

    session: int


@dataclass(frozen=True, slots=True)
class Settled:
    """The broker has answered a published message: it is `taken` (stored safely) or refused for good."""

    session: int
    number: int
    multiple: bool
    """True if the answer covers all messages with lower numbers too."""
    taken: bool


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message for the queue of this bridge; tags ascend in a session."""

    session: int
    tag: int
    frames: Frames
    identity: str | None = None
    """The publisher's name for the message: equal only for equal messages; None without a name."""
    origin: str | None = None
    """The name of the bridge that published it; None for other publishers."""
    redelivered: bool = False
    """True if it may have been delivered before."""


Event = Opened | Lost | Failed | Changed | Settled | Arrived
