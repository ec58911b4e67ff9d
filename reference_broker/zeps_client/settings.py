"""What a user may choose. Times are in seconds, sizes in octets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypedDict

from zeps_client.curve import Curve

__all__ = ["LARGEST_FRAME", "Options", "Settings"]

LARGEST_FRAME: Final = 3 + 8 + 1 + 255 + 4 + 16_777_216
"""Octets of the longest DELIVER that a broker may send (ZEPS-PUBLISH-7)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one client; all of them bound something, but for `curve`.

    Raises ValueError when they contradict each other.
    """

    window: int = 1 << 20
    """Octets of messages that may be on their way to, or waiting for, the application.

    A message that is longer than what is left waits at the broker (ZEPS-CREDIT-6), and a client cannot see
    that one waits. So the window is kept at twice the longest frame seen; and once the application has taken
    everything and nothing arrives for `quiet` seconds, it is opened by the longest frame that there may be.
    What a client holds is therefore bounded by `window` + 16 MiB, or 32 MiB where the stream has such
    messages, and by `window` alone only as long as the application is the slower side.
    """

    heartbeat: float = 2.5
    """PING after so long without sending or, while one is unanswered, without receiving anything
    (ZEPS-PING-4).
    """

    rate_min: float = 65_536
    """Bytes per second that a connection carries at least.

    libzmq shows only whole messages. So while PINGs are unanswered, a broker that sends nothing is lost after the time
    of 3 PINGs and the time that all bytes that may be under way take at this rate: the credit that it has not used, and
    what was published and is not confirmed (ZEPS-PING-7). A higher value detects a loss earlier, and closes connections
    that are slower.
    """

    attach_timeout: float = 5.0
    """How long to wait for the answer to ATTACH before trying another connection."""

    backoff_min: float = 0.05
    """The first pause between two attempts; it doubles, and each is cut by a random share of up to a half."""

    backoff_max: float = 2.0
    """The longest pause between two attempts."""

    give_up: float | None = None
    """Without a session for so long, the client fails with BrokerLost; None: it tries for ever.

    A broker that refuses ATTACH for now (it is stopping, has too many sessions, cannot serve the stream) is tried
    again, too.
    """

    reattach: bool = True
    """Attach again after a loss, and after an attempt that failed.

    With False the client fails with BrokerLost when its only connection or session is lost. Nothing is published
    again then, whatever `republish` says.
    """

    republish: bool = True
    """Send again, after a loss, what the broker has not confirmed: every message is stored at least once.

    With False each is stored at most once, and the number of those in doubt is reported.
    """

    buffer_messages: int = 1 << 17
    """Published messages that are not confirmed yet, at most; publishing waits beyond."""

    buffer_octets: int = 16 << 20
    """The same in octets of encoded PUBLISH frames; one that is longer goes alone."""

    confirm_interval: float = 0.02
    """Ask for confirmation (PING) so long after publishing, at the latest."""

    credit_delay: float = 0.005
    """How long the first credit waits for further subscriptions, so that all of them are read in one pass."""

    quiet: float = 0.1
    """See `window`."""

    history_octets: int = 64 << 20
    """Memory for which sequences were given to the application (2 octets each at worst, almost none without
    gaps).

    It is asked only when a session is lost while an older subscription is being filled in. What is older than
    it remembers might then be given twice.
    """

    curve: Curve | None = None
    """Keys, for a broker that lets in whom it knows."""

    def __post_init__(self) -> None:
        for name in ("window", "buffer_messages", "buffer_octets"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")
        for name in ("heartbeat", "rate_min", "attach_timeout", "backoff_min", "quiet"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a finite number that is more than 0")
        for name in ("backoff_max", "give_up", "confirm_interval", "credit_delay"):
            if (value := getattr(self, name)) is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name} must be a finite number that is not negative")
        if self.backoff_max < self.backoff_min:
            raise ValueError("backoff_max must be at least backoff_min")
        if self.window >= 1 << 63:
            raise ValueError("window must be less than 2^63")


class Options(TypedDict, total=False):
    """The fields of :class:`Settings` as keyword arguments."""

    window: int
    heartbeat: float
    rate_min: float
    attach_timeout: float
    backoff_min: float
    backoff_max: float
    give_up: float | None
    reattach: bool
    republish: bool
    buffer_messages: int
    buffer_octets: int
    confirm_interval: float
    credit_delay: float
    quiet: float
    history_octets: int
    curve: Curve | None
