"""Buffer of published, unconfirmed messages: decides when to send, ask for confirmation and give up. PING-OK is the
only confirmation: all messages published before its PING have their sequences (ZEPS-PING-12). At most one PING at a
time asks for it: when a quarter of the buffer is in use, when a caller waits for it, or `confirm_interval` seconds
after publishing. A heartbeat PING confirms too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from zeps_client.events import PublishesLost
from zeps_client.results import Losses
from zeps_client.settings import Settings

__all__ = ["REFUSALS", "PublishBuffer"]

REFUSALS = 3
"""Number of INVALIDs, each on a new connection, after which a message, a pattern or ATTACH counts as refused."""


class PublishBuffer:
    """Encoded PUBLISH frames in order, numbered from 1. Numbers up to `settled` are confirmed or given up, up to
    `posted` were sent in this session, and up to `accepted` were taken from the application.
    """

    def __init__(self, settings: Settings) -> None:
        self.settled = 0
        self.posted = 0
        self.byte_count = 0
        """Bytes of the frames that are not settled."""
        self.losses = Losses()
        """Frames that were settled without confirmation."""
        self._settings = settings
        self._frames: list[bytes] = []
        self._pings: deque[int] = deque()  # per unanswered PING: `posted` when it was sent
        self._barrier = 0
        self._probe_at: float | None = None
        self._suspicion = 0  # consecutive INVALIDs that a PUBLISH may have caused
        self._cautious_upto = 0  # frames up to this number are sent one by one

    def __len__(self) -> int:
        """Number of frames that are not settled."""
        return len(self._frames)

    @property
    def accepted(self) -> int:
        return self.settled + len(self._frames)

    def add(self, frames: Sequence[bytes]) -> int:
        """Takes frames from the application, even beyond the bounds; returns the number of the last accepted frame. A
        signal handler may interrupt this, and `try_add`, with the same call.
        """
        size = sum(map(len, frames))
        self._frames.extend(frames)
        self.byte_count += size
        return self._number_of_last(frames[-1]) if frames else self.accepted

    def try_add(self, frame: bytes) -> int:
        """Takes one frame if the buffer has space for it, or is empty; returns its number, or 0 if it is not taken."""
        frames, size, settings = self._frames, len(frame), self._settings
        if frames and (
            len(frames) >= settings.buffer_messages or self.byte_count + size > settings.buffer_octets
        ):
            return 0
        frames.append(frame)
        self.byte_count += size
        number = self.settled + len(frames)
        return number if frames[-1] is frame else self._number_of_last(frame)

    def _number_of_last(self, frame: bytes) -> int:
        """Number of `frame`; only a signal handler can have added frames after it."""
        frames = self._frames
        place = len(frames)
        while frames[place - 1] is not frame:
            place -= 1
        return self.settled + place

    def barrier(self, upto: int) -> None:
        """Records that a caller waits until everything up to number `upto` is settled."""
        self._barrier = max(self._barrier, upto)

    def take_due(self, now: float) -> list[bytes]:
        """Returns the frames to send now, in order, and counts them as posted."""
        first = self.posted - self.settled
        if first == len(self._frames):
            return []
        if self.settled < self._cautious_upto:
            if first:
                return []
            frames = self._frames[:1]
            self.barrier(self.posted + 1)
        else:
            frames = self._frames[first:]
        self.posted += len(frames)
        self._arm(now)
        return frames

    def _arm(self, now: float) -> None:
        if self._probe_at is None:
            self._probe_at = now + self._settings.confirm_interval

    def probe_due(self, now: float) -> bool:
        """True if a PING that asks for confirmation is due."""
        if self._pings or self.posted == self.settled:
            return False
        return (
            self._barrier > self.settled
            or 4 * len(self._frames) >= self._settings.buffer_messages
            or 4 * self.byte_count >= self._settings.buffer_octets
            or (self._probe_at is not None and now >= self._probe_at)
        )

    def deadline(self) -> float | None:
        """Time at which `probe_due` becomes true without further input; None: not before other input."""
        return None if self._pings else self._probe_at

    def pinged(self) -> None:
        """Records that a PING was sent."""
        self._pings.append(self.posted)
        self._probe_at = None

    def answered(self, now: float) -> bool:
        """Settles the frames posted before the oldest unanswered PING, on PING-OK; returns whether there were some."""
        if not self._pings:
            return False
        settled = self._settle(self._pings.popleft())
        if settled:
            self._suspicion = 0
        if self.posted > self.settled:
            self._arm(now)
        else:
            self._probe_at = None
        return settled > 0

    def objected(self, reason: str) -> PublishesLost | None:
        """Handles an INVALID that a PUBLISH may have caused. After `REFUSALS` in a row the frames are sent one by one,
        and the one that gets as many alone is given up; returns its event.
        """
        if self.posted == self.settled:
            return None
        self._suspicion += 1
        if self._suspicion < REFUSALS:
            return None
        self._suspicion = 0
        if self.posted == self.settled + 1:
            return self._give_up(self.posted, reason)
        self._cautious_upto = self.posted
        return None

    def lost(self, unsent: int, reason: str) -> PublishesLost | None:
        """Handles the loss of the session; the last `unsent` posted frames did not reach the connection and are posted
        again. So are the others, which are in doubt; if `republish` is off, they are given up and returned as an event.
        """
        given_up = None
        if not self._settings.republish:
            given_up = self._give_up(self.posted - unsent, reason)
        self.posted = self.settled
        self._pings.clear()
        self._probe_at = None
        return given_up

    def _give_up(self, upto: int, reason: str) -> PublishesLost | None:
        first = self.settled + 1
        if not self._settle(upto):
            return None
        event = PublishesLost(first, upto, reason)
        self.losses.add(event)
        return event

    def _settle(self, upto: int) -> int:
        count = upto - self.settled
        if count <= 0:
            return 0
        self.byte_count -= sum(map(len, self._frames[:count]))
        del self._frames[:count]
        self.settled = upto
        return count
