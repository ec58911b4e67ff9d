"""A simulated disk that is slow, full, or loses unsynced data. A :class:`Platter` outlives a broker; each incarnation
of the broker opens it through a new :class:`SimStore`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from zeps_broker.journal.options import Sync
from zeps_broker.ports import Block, JournalError, Lost, Selected, Wanted
from zeps_broker.sim.faults import Violation
from zeps_journal.block import key_of
from zeps_wire.zeps import DELIVER_HEAD_SIZE, decode, deliver_head

__all__ = ["Platter", "SimLog", "SimStore", "Track"]


@dataclass(slots=True)
class Track:
    """The data of one stream on disk. Blocks from `synced` on are only in the operating system's cache."""

    name: str
    blocks: list[Block] = field(default_factory=list)
    synced: int = 0
    last: int = 0
    floor: int = 0
    """The last sequence that retention has removed."""
    damaged: set[int] = field(default_factory=set)
    """Sequences that can no longer be read. They keep their places in `blocks`."""
    copied: set[int] = field(default_factory=set)
    """Sequences that a broker has read, and may serve from its cache."""

    def frame(self, sequence: int) -> bytes | None:
        """Returns the frame of a sequence that is not removed by retention; None past the end."""
        block = self.block(sequence)
        if block is None:
            return None
        index = sequence - block.first_sequence
        return block.data[block.ends[index - 1] if index else 0 : block.ends[index]]

    def block(self, sequence: int) -> Block | None:
        """Returns the block with the sequence, or the first block after it; None past the end."""
        place = bisect_right(self.blocks, sequence, key=lambda block: block.first_sequence) - 1
        if place >= 0 and self.blocks[place].last_sequence >= sequence:
            return self.blocks[place]
        return self.blocks[place + 1] if place + 1 < len(self.blocks) else None

    def read(self, sequence: int) -> Block | Lost | None:
        """See ports.StreamLog.read, for `sequence` = `after` + 1."""
        if sequence > self.last:
            return None
        if sequence <= self.floor:
            return Lost(sequence, self.floor, "retention")
        block = self.block(sequence)
        if block is None or sequence < block.first_sequence:
            return Lost(sequence, self.last if block is None else block.first_sequence - 1, "damage")
        if self.damaged.isdisjoint(range(block.first_sequence, block.last_sequence + 1)):
            return block
        # The adjacent sequences in the same state: readable within the block, or lost beyond it.
        lost = sequence in self.damaged
        last = sequence
        while last < (self.last if lost else block.last_sequence) and (last + 1 in self.damaged) == lost:
            last += 1
        if lost:
            return Lost(sequence, last, "damage")
        frames = [frame for n in range(sequence, last + 1) if (frame := self.frame(n)) is not None]
        times = block.times[sequence - block.first_sequence :][: len(frames)]
        return Block(sequence, b"".join(frames), tuple(accumulate(map(len, frames))), times)

    def lose_unsynced(self) -> None:
        del self.blocks[self.synced :]
        self.last = self.blocks[-1].last_sequence if self.blocks else self.floor
        self.damaged = {sequence for sequence in self.damaged if sequence <= self.last}

    def expire(self, sequence: int) -> None:
        """Removes whole blocks with sequences up to and including `sequence`, but never the last block."""
        while len(self.blocks) > 1 and self.blocks[0].last_sequence <= sequence:
            self.floor = self.blocks.pop(0).last_sequence
            self.synced = max(self.synced - 1, 0)


@dataclass(slots=True)
class Platter:
    """The data of all streams on disk."""

    tracks: dict[str, Track] = field(default_factory=dict)
    full: bool = False

    def power_loss(self) -> None:
        for track in self.tracks.values():
            track.lose_unsynced()


def _nothing() -> None:
    """Does nothing: no fault."""


class SimLog:
    """A :class:`zeps_broker.ports.StreamLog`."""

    def __init__(self, store: SimStore, track: Track) -> None:
        self._store = store
        self._track = track
        self.name = track.name
        self.is_open = True

    @property
    def first_sequence(self) -> int:
        return self._track.blocks[0].first_sequence if self._track.blocks else self._track.last + 1

    @property
    def last_sequence(self) -> int:
        return self._track.last

    def append(self, frames: Sequence[bytes], time_us: int) -> None:
        store, track = self._store, self._track
        self._check_open()
        for sequence, frame in enumerate(frames, track.last + 1):
            if frame[:DELIVER_HEAD_SIZE] != deliver_head(sequence):
                raise Violation(
                    f"ZEPS-SEQUENCE-2: {decode(frame)} is journalled where sequence {sequence} belongs"
                )
        if not frames:
            raise Violation("an empty block is journalled")
        store.before_append()
        if store.platter.full:
            raise JournalError(f"{track.name}: no space left on device")
        ends = tuple(accumulate(map(len, frames)))
        track.blocks.append(Block(track.last + 1, b"".join(frames), ends, (time_us,) * len(frames)))
        track.last += len(frames)
        if store.sync == "always":
            track.synced = len(track.blocks)
        store.after_append()

    def _check_open(self) -> None:
        if not self.is_open:
            raise Violation(f"the log of {self.name} is used after it was left")

    def read(self, after: int) -> Block | Lost | None:
        self._check_open()
        self._store.before_read()
        item = self._track.read(after + 1)
        if isinstance(item, Block):
            self._track.copied.update(range(item.first_sequence, item.last_sequence + 1))
        return item

    def select(self, after: int, key_filter: Wanted) -> Block | Selected | Lost | None:
        """Selects from one block, or returns it whole if its first sequence is even; ignores unneeded damage."""
        self._check_open()
        sequence = after + 1
        block = self._track.block(sequence)
        if block is None or sequence < block.first_sequence:
            return self.read(after)
        if block.first_sequence % 2 == 0:
            item = self.read(after)
            if isinstance(item, Lost):
                item = replace(item, last_sequence=min(item.last_sequence, block.last_sequence))
            return item
        self._store.before_read()
        frames = list(block.frames())[sequence - block.first_sequence :]
        damaged = self._track.damaged
        taken = key_filter(list(map(key_of, frames)))
        lost = [is_wanted and number in damaged for number, is_wanted in enumerate(taken, sequence)]
        count = next((index for index, is_lost in enumerate(lost) if is_lost != lost[0]), len(lost))
        last = sequence + count - 1
        if lost[0]:
            return Lost(sequence, last, "damage")
        self._track.copied.update(range(sequence, last + 1))
        chosen = [index for index in range(count) if taken[index]]
        sequences = [sequence + index for index in chosen]
        return Selected(sequence, last, sequences, [frames[index] for index in chosen], len(block.data))


class SimStore:
    """Implements ports.Store on a platter. Hooks, around appends and before reads, may take virtual time or raise."""

    def __init__(
        self,
        platter: Platter,
        sync: Sync = "always",
        before_append: Callable[[], None] = _nothing,
        after_append: Callable[[], None] = _nothing,
        before_read: Callable[[], None] = _nothing,
        sync_interval_us: int = 100_000,
    ) -> None:
        self.platter = platter
        self.sync = sync
        self.before_append = before_append
        self.after_append = after_append
        self.before_read = before_read
        self._interval_us = sync_interval_us
        self._synced_us = 0
        self._logs: dict[str, SimLog] = {}

    def open(self, stream: str) -> SimLog:
        if stream not in self._logs:
            if stream not in self.platter.tracks:
                if self.platter.full:
                    raise JournalError(f"{stream}: no space left on device")
                self.platter.tracks[stream] = Track(stream)
            self._logs[stream] = SimLog(self, self.platter.tracks[stream])
        return self._logs[stream]

    def leave(self, stream: str) -> None:
        """Closes the log at once, so that a core that still uses it is detected."""
        self._logs.pop(stream).is_open = False

    def streams(self) -> list[str]:
        return sorted(self.platter.tracks)

    def count(self) -> int:
        return sum(track.last > 0 for track in self.platter.tracks.values())

    def tick(self, now_us: int) -> None:
        if self.sync == "interval" and now_us - self._synced_us >= self._interval_us:
            self._synced_us = now_us
            self._sync()

    def close(self) -> None:
        self._sync()

    def _sync(self) -> None:
        for track in self.platter.tracks.values():
            track.synced = len(track.blocks)
