"""All messages ever stored, except those that a power failure has removed, and the times of their losses."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from operator import itemgetter

from zeps_broker.ports import GapReason
from zeps_broker.sim.disk import Platter, Track
from zeps_broker.sim.faults import Violation
from zeps_journal.block import key_of
from zeps_wire.zeps import DELIVER_HEAD_SIZE, PUBLISH_HEAD

__all__ = ["History"]


class History:
    """The messages of all streams on `platter`, and their losses. `clock` returns the present time, in seconds."""

    def __init__(self, platter: Platter, clock: Callable[[], float]) -> None:
        self._platter = platter
        self._clock = clock
        self._frames: dict[str, list[bytes]] = {}
        self._published: dict[str, dict[bytes, int]] = {}
        self._floors: dict[str, list[tuple[int, float]]] = {}
        self._damaged: dict[str, dict[int, float]] = {}

    def end(self, stream: str) -> int:
        """Returns the stream's last sequence."""
        track = self._platter.tracks.get(stream)
        return track.last if track else 0

    def floor(self, stream: str) -> int:
        """Returns the last sequence that retention has removed; 0 if it has removed none."""
        track = self._platter.tracks.get(stream)
        return track.floor if track else 0

    def frame(self, stream: str, sequence: int) -> bytes | None:
        """Returns a sequence's DELIVER frame, even if it is not retained any more; None if it is not stored."""
        frames = self._read(stream)
        return frames[sequence - 1] if 1 <= sequence <= len(frames) else None

    def key(self, stream: str, sequence: int) -> str:
        """Returns the key of a stored message. Raises Violation if it is not UTF-8."""
        key = key_of(self._read(stream)[sequence - 1])
        try:
            return key.decode()
        except UnicodeDecodeError as error:
            raise Violation(
                f"ZEPS-TEXT-3: {stream}: the key of sequence {sequence} is not UTF-8: {key!r}"
            ) from error

    def published(self, stream: str, frame: bytes) -> bool:
        """Returns whether the message of a PUBLISH frame was stored in the stream."""
        self._read(stream)
        return frame in self._published.get(stream, {})

    # losses

    def expire(self, stream: str, sequence: int) -> None:
        """Removes the blocks that end at or before `sequence` from the disk, but never the last one."""
        self._read(stream)
        track = self._platter.tracks[stream]
        track.expire(sequence)
        self._floors.setdefault(stream, []).append((track.floor, self._clock()))

    def damage(self, stream: str, first: int, last: int) -> None:
        """Makes the messages from `first` to `last` (inclusive) unreadable on the disk, and records the time."""
        self._platter.tracks[stream].damaged.update(range(first, last + 1))
        for sequence in range(first, last + 1):
            self._damaged.setdefault(stream, {}).setdefault(sequence, self._clock())

    def lost_at(self, stream: str, sequence: int, reason: GapReason) -> float | None:
        """Returns when a message was lost for this reason, in seconds of the clock; None if it was not."""
        if reason == "damage":
            return self._damaged.get(stream, {}).get(sequence)
        floors = self._floors.get(stream, [])
        place = bisect_left(floors, sequence, key=itemgetter(0))
        return floors[place][1] if place < len(floors) else None

    def copied(self, stream: str, sequence: int) -> bool:
        """Returns whether a broker has read a message, and so may have it in its cache although it is lost."""
        return sequence in self._platter.tracks[stream].copied

    def forget_after(self, stream: str) -> None:
        """Handles a power failure: forgets the messages after the stream's end, whose sequences may be used again."""
        end = self.end(stream)
        del self._frames.get(stream, [])[end:]
        index = self._published.get(stream, {})
        for frame in [frame for frame, sequence in index.items() if sequence > end]:
            del index[frame]
        damaged = self._damaged.get(stream, {})
        for sequence in [sequence for sequence in damaged if sequence > end]:
            del damaged[sequence]

    def _read(self, stream: str) -> list[bytes]:
        """Returns all frames, including those stored since the last call."""
        frames = self._frames.setdefault(stream, [])
        track = self._platter.tracks.get(stream)
        if track is not None and len(frames) < track.last:
            self._read_on(stream, track, frames)
        return frames

    def _read_on(self, stream: str, track: Track, frames: list[bytes]) -> None:
        index = self._published.setdefault(stream, {})
        while (block := track.block(len(frames) + 1)) is not None:
            for frame in block.frames(len(frames) + 1 - block.first_sequence):
                frames.append(frame)
                index[PUBLISH_HEAD + frame[DELIVER_HEAD_SIZE:]] = len(frames)
