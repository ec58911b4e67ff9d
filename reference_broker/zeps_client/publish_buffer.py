"""What was published and is not confirmed yet: when to send it, when to ask for confirmation, what to give
up.

PING-OK is the only confirmation that version 1 has: everything published before its PING has its sequence
(ZEPS-PING-3). At most one PING at a time asks for it: once a quarter of the buffer is under way, when
somebody waits for it, or a moment after publishing. Any PING will do, a heartbeat too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from zeps_client.events import PublishesLost
from zeps_client.results import Losses
from zeps_client.settings import Settings

__all__ = ["REFUSALS", "PublishBuffer"]

REFUSALS = 3
"""What gets INVALID so often, each time in a new session, is what the broker objects to."""


class PublishBuffer:
    """Encoded PUBLISH frames in order, each with a number from 1 on.

    Numbers up to `settled` are done with, those up to `posted` were put on their way in this session, those
    up to `accepted` were taken from the application.
    """

    def __init__(self, settings: Settings) -> None:
        self.settled = 0
        self.posted = 0
        self.octets = 0
        """Octets of the frames that are not settled."""
        self.losses = Losses()
        """What was settled without confirmation."""
        self._settings = settings
        self._frames: list[bytes] = []
        self._pings: deque[int] = deque()  # per PING without an answer: `posted` when it was sent
        self._barrier = 0
        self._probe_at: float | None = None
        self._suspicion = 0  # INVALIDs in a row that a PUBLISH may have caused
        self._cautious_upto = 0  # one by one up to this number

    def __len__(self) -> int:
        """How many are not settled."""
        return len(self._frames)

    @property
    def accepted(self) -> int:
        return self.settled + len(self._frames)

    def add(self, frames: Sequence[bytes]) -> int:
        """Take frames from the application; the number of the last one.

        A signal handler may interrupt this, and `try_add`, with the same: frames are counted as they lie.
        """
        octets = sum(map(len, frames))
        self._frames.extend(frames)
        self.octets += octets
        return self._number_of_last(frames[-1]) if frames else self.accepted

    def try_add(self, frame: bytes) -> int:
        """Take one frame if there is room for it; its number, or 0."""
        frames, octets, settings = self._frames, len(frame), self._settings
        if frames and (
            len(frames) >= settings.buffer_messages or self.octets + octets > settings.buffer_octets
        ):
            return 0
        frames.append(frame)
        self.octets += octets
        number = self.settled + len(frames)
        return number if frames[-1] is frame else self._number_of_last(frame)

    def _number_of_last(self, frame: bytes) -> int:
        """The number of `frame`, behind which only a signal handler has added any."""
        frames = self._frames
        place = len(frames)
        while frames[place - 1] is not frame:
            place -= 1
        return self.settled + place

    def barrier(self, upto: int) -> None:
        """Somebody waits until everything up to number `upto` is settled."""
        self._barrier = max(self._barrier, upto)

    def take_due(self, now: float) -> list[bytes]:
        """The frames to send now."""
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
        """It is time for a PING that asks for confirmation."""
        if self._pings or self.posted == self.settled:
            return False
        return (
            self._barrier > self.settled
            or 4 * len(self._frames) >= self._settings.buffer_messages
            or 4 * self.octets >= self._settings.buffer_octets
            or (self._probe_at is not None and now >= self._probe_at)
        )

    def deadline(self) -> float | None:
        """When `probe_due` will be true, if nothing else happens."""
        return None if self._pings else self._probe_at

    def pinged(self) -> None:
        """A PING was sent."""
        self._pings.append(self.posted)
        self._probe_at = None

    def answered(self, now: float) -> bool:
        """PING-OK arrived; True if it settled something."""
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
        """INVALID arrived, and perhaps a PUBLISH was why. If it certainly was, that one is given up.

        Which one it was is found out by sending them one by one.
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
        """The session is lost before the last `unsent` of the posted frames were handed to the connection.

        The others are in doubt. They are posted again, unless `republish` is off: then they are given up.
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
        self.octets -= sum(map(len, self._frames[:count]))
        del self._frames[:count]
        self.settled = upto
        return count
