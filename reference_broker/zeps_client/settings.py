"""Settings of a client. Times are in seconds, sizes in bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypedDict

from zeps_client.curve import Curve

__all__ = ["LARGEST_FRAME", "Options", "Settings"]

LARGEST_FRAME: Final = 3 + 8 + 1 + 255 + 4 + 16_777_216
"""Maximum size in bytes of a DELIVER frame (ZEPS-PUBLISH-7)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one client. Raises ValueError if a value is out of range or two values contradict each other."""

    window: int = 1 << 20
    """Bytes of messages that may be under way to the application, or wait for it. A longer message waits at the broker
    (ZEPS-CREDIT-6), and the client cannot detect it. So the window is at least twice the longest frame seen; and when
    the application has taken all messages and none arrives for `quiet` seconds, the credit is raised to `window` plus
    the maximum frame size: a client holds at most `window` + 16 MiB, or 32 MiB if the stream has messages of that size.
    """

    heartbeat: float = 2.5
    """Send PING after this time without sending or, while a PING is unanswered, without receiving (ZEPS-PING-4)."""

    rate_min: float = 65_536
    """Minimum throughput of a connection in bytes per second. While PINGs are unanswered, a silent broker is lost after
    the time of 3 PINGs plus the time that all bytes under way take at this rate: unused credit and unconfirmed
    publishes (ZEPS-PING-11, -18). A higher value detects a loss earlier, and closes slower connections.
    """

    attach_timeout: float = 5.0
    """Maximum wait for the answer to ATTACH before another connection is tried."""

    backoff_min: float = 0.05
    """Pause after the second failure in a row, shortened by a random part up to half; it doubles with each further one.
    After the first, which may be the loss of a session, the pause is random, from 0 to this value.
    """

    backoff_max: float = 2.0
    """Longest pause between two attempts."""

    give_up: float | None = None
    """After this time without a session the client fails with BrokerLost; None: it tries without limit. Temporary
    refusals of ATTACH are retried until then.
    """

    reattach: bool = True
    """Attach again after a loss or failed attempt. With False the client then fails with BrokerLost, and never
    publishes again, whatever the value of `republish`.
    """

    republish: bool = True
    """After a loss, send unconfirmed messages again: a message may be stored more than once. With False each message is
    stored at most once, and the number of messages in doubt is reported.
    """

    buffer_messages: int = 1 << 17
    """Maximum number of unconfirmed published messages; publishing waits at this bound, see `buffer_octets`."""

    buffer_octets: int = 16 << 20
    """Maximum bytes of unconfirmed PUBLISH frames. An empty buffer accepts any frame, or batch of `publish_many`."""

    confirm_interval: float = 0.02
    """Maximum time from sending a message to the PING that requests confirmation, if no other PING is unanswered."""

    credit_delay: float = 0.005
    """How long the first credit waits for further subscriptions, so that all are read in one pass."""

    quiet: float = 0.1
    """Idle time before the credit is raised; see `window`."""

    history_octets: int = 64 << 20
    """Maximum bytes for the set of delivered sequences (2 bytes each at worst, almost none without gaps); 0: no bound.
    If a session is lost while an older subscription is being filled in, messages older than the set may be delivered
    twice.
    """

    curve: Curve | None = None
    """CURVE keys, for a broker that authenticates its clients."""

    def __post_init__(self) -> None:
        for name in ("window", "buffer_messages", "buffer_octets"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("heartbeat", "rate_min", "attach_timeout", "backoff_min", "quiet"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a finite number greater than 0")
        for name in ("backoff_max", "give_up", "confirm_interval", "credit_delay", "history_octets"):
            if (value := getattr(self, name)) is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name} must be a finite number of at least 0")
        if self.backoff_max < self.backoff_min:
            raise ValueError(f"backoff_max must be at least backoff_min ({self.backoff_min:g})")
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
