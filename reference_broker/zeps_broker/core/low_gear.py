"""Low gear: reads journals for sessions that are not caught up.

Sessions that can read (they have credit for the next message, and their pipe is not known to be full) wait in a queue.
Each tick takes turns from its front. A turn delivers about `session.turn_bytes` bytes, and a session with more to read
then moves to the back, so that a session that replays a year does not delay one that missed a second. Live traffic
waits for at most one tick's allowance.

That allowance grows with the volume published since the last tick, up to `low_gear_bytes_max` or its share of memory:
every waiting session gets at least twice the volume published to its stream, since it could not catch up otherwise.
Publishers then experience back-pressure.

Sequences that the journal has lost are announced at their place among the deliveries (ZEPS-RETAIN-1, ZEPS-DAMAGE-1):
one notice for each range. A notice costs no credit, and is repeated if a full pipe refuses it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from zeps_broker.core.output_queue import OutputQueue, Undo
from zeps_broker.core.reasons import compose
from zeps_broker.core.replay_cache import ReplayCache
from zeps_broker.core.session import DELIVER_MIN, Session
from zeps_broker.core.settings import Settings
from zeps_broker.core.stream import Stream
from zeps_broker.memory import Shares
from zeps_broker.ports import GapReason, Lost
from zeps_wire.zeps import Invalid, OpenCode

__all__ = ["LowGear"]

_LOOK_COST = 8
"""Number of inspected bytes that cost as much as one delivered byte."""
_STEP_COST = 64
"""Minimum cost of a step in bytes; for a new span, the cost per subscription."""
_WORK_COST = 4
"""Cost in bytes of a unit of matching work; per tick at most `low_gear_bytes`, plus one key per selection."""
_NOTICE_COST = 1024
"""Cost of a notice in bytes, so that a pipe that takes few notices is not offered many."""


_GAP_CODES: dict[GapReason, tuple[OpenCode, str]] = {
    "retention": (OpenCode.RETENTION, "retention has removed these messages"),
    "damage": (OpenCode.DAMAGE, "the journal is damaged where these messages were"),
}


@dataclass(slots=True)
class Gap:
    """Lost sequences in the part of the journal that a session reads, from `first` to `last` (inclusive)."""

    reason: GapReason
    first: int
    undo: Undo
    """Moves the reader back to before `first`."""
    last: int = 0


class LowGear:
    """The queue of sessions that can read, and their turns."""

    def __init__(self, outgoing: OutputQueue, settings: Settings) -> None:
        self._outgoing = outgoing
        self._settings = settings
        self._ready: deque[tuple[Session, Stream]] = deque()
        self._ready_of: Counter[Stream] = Counter()
        self._work_left = 0
        shares = Shares.of(settings.memory_bytes_max)
        self._allowance_max = min(settings.low_gear_bytes_max, shares.replay_output)
        self.cache = ReplayCache(min(settings.cache_bytes_max, shares.replay_cache))
        self.turn_bytes_highest = 0
        """The maximum cost of one tick's turns since the start, in bytes, with the cost of reading and matching."""

    def __len__(self) -> int:
        return len(self._ready)

    def wake(self, session: Session) -> None:
        """Queues a session for a turn, unless it is queued already."""
        if not session.queued:
            session.queued = True
            self._ready.append((session, session.stream))
            self._ready_of[session.stream] += 1

    def run(self, live: Mapping[Stream, int]) -> None:
        """Runs one tick's turns; `live` has the bytes published per stream since the last. Raises JournalError."""
        if not self._ready:
            return
        shares = sum(2 * byte_count * self._ready_of[stream] for stream, byte_count in live.items())
        allowance = min(max(self._settings.low_gear_bytes, shares), self._allowance_max)
        self._work_left = max(1, self._settings.low_gear_bytes // _WORK_COST)
        left = allowance
        while self._ready and left > 0 and self._work_left > 0:
            session, stream = self._ready.popleft()
            session.queued = False
            self._ready_of[stream] -= 1
            if not self._ready_of[stream]:
                del self._ready_of[stream]
            if session.reads and session.group is None and not self._outgoing.blocked(session.peer):
                turn = session.turn_bytes
                if turn == self._settings.low_gear_turn_bytes:
                    turn = max(turn, min(2 * live.get(session.stream, 0), left))
                else:
                    session.turn_bytes = min(turn * 2, self._settings.low_gear_turn_bytes)
                left -= self._turn(session, turn) + _STEP_COST
        self.turn_bytes_highest = max(self.turn_bytes_highest, allowance - left)

    def _turn(self, session: Session, allowance: int) -> int:
        """Reads until the allowance (in bytes), the tick's matching work or the credit is used up, or the session is
        caught up and joins its group; returns the cost in bytes. Queues the session again, unless it has joined or
        lacks credit; in that case `credit_needed` is the size of the next frame.
        """
        stream, reading = session.stream, session.reading
        matching = stream.matching
        cost = 0
        gap: Gap | None = None
        while not reading.caught_up(stream.end):
            if (cost >= allowance or self._work_left <= 0) and gap is None:
                self.wake(session)
                return cost
            if not reading.has_span:
                cost += _STEP_COST * (len(reading) - 1)
            span = reading.span()
            upto = stream.end if span.upto is None else span.upto
            work = matching.work
            matching.limit = work + max(0, min((allowance - cost) // _WORK_COST, self._work_left))
            block = self.cache.find(stream.log, reading.cursor, span) if span.include else None
            cost += _STEP_COST + self._charge(matching.work - work)
            if isinstance(block, Lost):
                gap = self._pass_over(session, block.reason, min(block.last_sequence, upto), gap)
                continue
            if block is None:
                reading.advance(upto)
                continue
            if gap is not None:
                self._announce(session, gap)
                gap = None
                cost += _NOTICE_COST
            work = matching.work
            selection, looked_at = block.select(span, reading.cursor)
            cost += looked_at // _LOOK_COST + self._charge(matching.work - work)
            last = min(selection.last, upto)
            low = bisect_right(selection.sequences, reading.cursor)
            high = bisect_right(selection.sequences, last, low)
            paid = selection.within(low, high, session.machine.credit)
            taken = min(paid, max(selection.within(low, high, allowance - cost), low + 1))
            undo = partial(reading.rewind, reading.progress())
            if taken > low:
                frames, sequences = selection.take(low, taken)
                size = selection.size(low, taken)
                cost += size
                session.machine.credit -= size
                self._outgoing.deliver((session.peer,), frames, sequences, undo)
                session.credit_needed = DELIVER_MIN
            if taken == high:
                reading.advance(last)
            elif taken > low:
                reading.advance(selection.sequences[taken - 1])
            if taken == paid < high:
                session.credit_needed = selection.size(taken, taken + 1)
                return cost
        if gap is not None:
            self._announce(session, gap)
        stream.climbs += 1
        stream.join(session)
        return cost

    def _charge(self, work: int) -> int:
        """Deducts `work` from the tick's matching work; returns its cost for the turn in bytes."""
        self._work_left -= work
        return work * _WORK_COST

    def _pass_over(self, session: Session, reason: GapReason, last: int, gap: Gap | None) -> Gap:
        """Advances over messages lost up to `last`; returns the gap, merged with `gap` or after announcing `gap`."""
        reading = session.reading
        first = reading.cursor + 1
        if gap is None or gap.reason != reason or gap.last + 1 != first:
            if gap is not None:
                self._announce(session, gap)
            gap = Gap(reason, first, partial(reading.rewind, reading.progress()))
        gap.last = last
        reading.advance(last)
        return gap

    def _announce(self, session: Session, gap: Gap) -> None:
        """Queues INVALID for `gap`. If the pipe refuses it, the session reads from before the gap again."""
        code, text = _GAP_CODES[gap.reason]
        frame = Invalid(reason=compose(code, text, (gap.first, gap.last))).encode()
        self._outgoing.notice(session.peer, frame, gap.undo)
