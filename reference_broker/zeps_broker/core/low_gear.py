"""Reading journals for sessions that are not caught up.

Sessions that can read (they have credit for the next message, and their pipe is not known to be full) stand
in a queue. A tick takes turns from the front of it; a turn delivers about `session.turn` octets, and who has
more to read goes to the back. So one that replays a year does not delay one that missed a second, and live
traffic waits for no more than a tick's allowance.

That allowance grows with what was published since the last tick: every session that waits for a turn gets at
least twice the live traffic, or it would never catch up with it. The publishers feel this as a broker that
reads them more slowly, which is what should happen when there is more to deliver than can be delivered.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from functools import partial

from ..ports import Lost
from .blocks import BlockCache
from .outgoing import Outgoing
from .session import DELIVER_MIN, Session
from .settings import Settings

__all__ = ["LowGear"]

_LOOK_COST = 8
"""Looking at so many octets counts as delivering one."""
_STEP_COST = 64
"""What a step counts at least, in octets, so that a turn ends whatever it finds."""


class LowGear:
    """The queue of sessions that can read, and their turns."""

    def __init__(self, outgoing: Outgoing, settings: Settings) -> None:
        self._outgoing = outgoing
        self._settings = settings
        self._ready: deque[Session] = deque()
        self.cache = BlockCache(settings.cache_octets)

    def __len__(self) -> int:
        return len(self._ready)

    def wake(self, session: Session) -> None:
        """Queue a session for a turn."""
        if not session.queued:
            session.queued = True
            self._ready.append(session)

    def run(self, live_octets: int) -> None:
        """One tick's turns; `live_octets` were published since the last. Raises JournalError."""
        waiting = len(self._ready)
        if not waiting:
            return
        share = 2 * live_octets
        allowance = min(
            max(self._settings.low_gear_octets, share * waiting), self._settings.low_gear_octets_max
        )
        while self._ready and allowance > 0:
            session = self._ready.popleft()
            session.queued = False
            if session.reads and session.group is None and not self._outgoing.blocked(session.peer):
                turn = session.turn
                if turn == self._settings.low_gear_turn:
                    turn = max(turn, share)
                else:
                    session.turn = min(turn * 2, self._settings.low_gear_turn)
                allowance -= self._turn(session, turn) + _STEP_COST

    def _turn(self, session: Session, allowance: int) -> int:
        """Read until allowance or credit is spent, or the session is caught up; returns the cost."""
        stream, reading = session.stream, session.reading
        cost = 0
        while not reading.caught_up(stream.end):
            if cost >= allowance:
                self.wake(session)
                return cost
            span = reading.span()
            upto = stream.end if span.upto is None else span.upto
            block = self.cache.find(stream.log, reading.cursor, span) if span.include else None
            cost += _STEP_COST
            if block is None or isinstance(block, Lost):
                reading.advance(upto if block is None else min(block.last_sequence, upto))
                continue
            selection, looked_at = block.select(span)
            cost += looked_at // _LOOK_COST
            last = min(block.last, upto)
            low = bisect_right(selection.sequences, reading.cursor)
            high = bisect_right(selection.sequences, last, low)
            paid = selection.within(low, high, session.machine.credit)
            taken = min(paid, max(selection.within(low, high, allowance - cost), low + 1))
            undo = partial(reading.rewind, reading.progress())
            if taken > low:
                frames, sequences = selection.take(low, taken)
                octets = selection.size(low, taken)
                cost += octets
                session.machine.credit -= octets
                self._outgoing.deliver((session.peer,), frames, sequences, undo)
                session.needed = DELIVER_MIN
            if taken == high:
                reading.advance(last)
            elif taken > low:
                reading.advance(selection.sequences[taken - 1])
            if taken == paid < high:
                session.needed = selection.size(taken, taken + 1)
                return cost
        stream.climbs += 1
        stream.join(session)
        return cost
