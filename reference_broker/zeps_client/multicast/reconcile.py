"""Merges two flows into one sequence: real time by multicast, history by a session. No sockets, clocks or threads.

Theory. The sequences of a stream have no gaps (ZEPS-SEQUENCE-1), and the journal stores every message before it is
sent. So one number describes the state: the *place*. All messages up to the place were delivered, or are known to be
lost.

*Real time* brings messages in any order; some arrive twice, some never. The message directly after the place is
delivered, and the place advances; later messages are kept aside. The memory for them is bounded: the lowest are
dropped first, since history brings them before it reaches the others. `end`, the highest sequence ever seen, shows
which messages are missing even if they were not kept.

*History* is a session that requests the messages after the place, and brings them in ascending order. It is
authoritative: if history announces messages as lost (ZEPS-RETAIN-1, ZEPS-DAMAGE-1) and real time has not brought them
either, they do not exist any more. If it reports that the stream ends before the place (ZEPS-SUBSCRIBE-5), the stream
was replaced. History is needed

* at the beginning, to learn where a subscription to new messages begins (only a session reports that);
* when a message has been missing for `patience` seconds, since real time may still repair or reorder;
* while real time is silent. Every `silence` seconds it must have brought the place as of the last check, or a later
  sequence. So a flow that stopped, never started or falls further and further behind costs time once, and never a
  message: history then serves as the flow until real time is back. A sender without new messages repeats its last
  message, so that a quiet stream is not silent, and receivers notice the loss of a last message.

Multicast has no flow control per reader. When too many bytes (see `Bounds`) wait for the application, real-time
messages are kept aside or dropped as described above, and history is not read (:meth:`Reconciler.has_room`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final

from zeps_client.events import Missing, StreamReset
from zeps_wire.zeps import LATEST_NEW, Deliver

__all__ = ["Bounds", "Reconciler"]

_UNANNOUNCED: Final = "unannounced"
"""The reason of a gap that history did not announce; this occurs only before the first retained message."""
_OVERHEAD: Final = 300
"""Approximate overhead in bytes of a kept message, besides its key and body."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds in bytes and seconds."""

    room: int = 4 << 20
    """Bytes of messages that wait for the application."""
    aside: int = 16 << 20
    """Bytes of real-time messages that are kept aside until earlier messages arrive."""
    patience: float = 0.05
    """Seconds that a message may be missing before history is asked."""
    silence: float = 3.0
    """Seconds without progress in real time before history takes over; at least twice the sender's repeat interval."""


class Reconciler:
    """Starts after the sequence `latest`, or with the next new message for LATEST_NEW. Times are seconds of any
    monotonic clock. Only messages whose keys begin with `prefix` are delivered.
    """

    def __init__(self, latest: int, now: float, *, prefix: str = "", bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self.ready: deque[Deliver] = deque()
        """Messages in order, ready for :meth:`take`."""
        self.place: int | None = None if latest == LATEST_NEW else latest
        """None before the start of new messages is known."""
        self.end = self.place or 0
        self.repeats = 0
        """Duplicates: messages that had been delivered or kept before."""
        self.dropped = 0
        """Real-time messages that were dropped because the buffer was full."""
        self.from_history = 0
        """Messages from history that were not duplicates, whatever their keys."""
        self.events: deque[Missing | StreamReset] = deque(maxlen=1000)
        """Losses and resets for the owner to take, oldest first; the oldest are dropped beyond 1000."""
        self._prefix = prefix
        self._ready_bytes = 0
        self._aside: dict[int, Deliver] = {}
        self._order: list[int] = []  # a heap of the sequences kept aside, including dropped ones
        self._aside_bytes = 0
        self._silent = True
        self._mark = self.place or 0  # the sequence that real time has to reach
        self._mark_at = now
        self._gap_since: float | None = None
        self._lost: deque[Missing] = deque()  # announced by history, not skipped yet
        self._now = now

    # Calls of the application

    def take(self, count_max: int) -> list[Deliver]:
        """Returns up to `count_max` messages that are ready, by ascending sequence, and frees their buffer space."""
        ready = self.ready
        if len(ready) <= count_max:
            taken = list(ready)
            ready.clear()
            self._ready_bytes = 0
        else:
            taken = [ready.popleft() for _ in range(count_max)]
            self._ready_bytes -= sum(map(_size, taken))
        self._go_on()
        return taken

    @property
    def has_room(self) -> bool:
        """True while the bytes that wait for the application are below their bound."""
        return self._ready_bytes < self.bounds.room

    @property
    def aside(self) -> int:
        """Approximate bytes that are kept aside."""
        return self._aside_bytes

    # Input

    def live(self, now: float, messages: Iterable[Deliver]) -> None:
        """Handles messages that arrived by multicast."""
        self._now = now
        for message in messages:
            sequence = message.sequence
            if sequence >= self._mark:
                self._silent = False
                self._mark = max(self.place or 0, self._mark)
                self._mark_at = now
            if sequence > self.end:
                self.end = sequence
            if self.place is not None and sequence <= self.place:
                self.repeats += 1
            elif self.place is not None and sequence == self.place + 1 and self.has_room:
                self._give(message)
            else:
                self._keep(message)
        self._go_on()

    def ask(self) -> int:
        """Begins a history request, forgets announced gaps; returns its start, LATEST_NEW if the place is unknown."""
        self._lost.clear()
        return LATEST_NEW if self.place is None else self.place

    def past(self, now: float, messages: Iterable[Deliver]) -> None:
        """Handles messages from history, each once and ascending since the request."""
        self._now = now
        for message in messages:
            sequence = message.sequence
            if self.place is None:
                self.place = sequence - 1
            while self._lost and self._lost[0].first < sequence:
                gap = self._lost.popleft()
                self._pass_over(gap.first, _UNANNOUNCED)
                self._pass_over(gap.last + 1, gap.reason)
            if sequence <= self.place:
                self.repeats += 1
                continue
            self._pass_over(sequence, _UNANNOUNCED)
            self.from_history += 1
            self._give(message)
        self._go_on()

    def lost(self, now: float, gap: Missing) -> None:
        """Handles a gap that history announced; messages before it have arrived, or will arrive."""
        self._now = now
        if self.place is None:
            self.place = gap.first - 1
        self._lost.append(gap)
        self._go_on()

    def reset(self, now: float, end: int) -> None:
        """Handles the report that the stream ends at `end`, before the place: the stream was replaced. Messages kept
        aside are dropped, the place becomes `end`, and `events` gets a StreamReset.
        """
        self._now = now
        self.events.append(StreamReset(self.place or 0, end))
        self._aside.clear()
        self._order.clear()
        self._lost.clear()
        self._aside_bytes = 0
        self.place = self._mark = self.end = end
        self._mark_at = now
        self._go_on()

    # Need for history

    def wants_history(self, now: float) -> bool:
        """True if a session should be opened, or continue, for the messages after the place."""
        self._now = now
        if now - self._mark_at >= self.bounds.silence:
            self._silent = True
            self._mark, self._mark_at = self.place or 0, now
        if self.place is None or self._silent:
            return True
        return self._gap_since is not None and now - self._gap_since >= self.bounds.patience

    def deadline(self) -> float | None:
        """Time at which :meth:`wants_history` may become True without input; None if only input can change it."""
        times = [] if self._silent else [self._mark_at + self.bounds.silence]
        if self._gap_since is not None:
            times.append(self._gap_since + self.bounds.patience)
        return min((moment for moment in times if moment > self._now), default=None)

    # Internals

    def _give(self, message: Deliver) -> None:
        self.place = message.sequence
        if message.key.startswith(self._prefix):
            self.ready.append(message)
            self._ready_bytes += _size(message)

    def _keep(self, message: Deliver) -> None:
        """Keeps a message aside until its turn; drops the lowest messages if the buffer is full."""
        if message.sequence in self._aside:
            self.repeats += 1
            return
        self._aside[message.sequence] = message
        heappush(self._order, message.sequence)
        self._aside_bytes += _size(message)
        while self._aside_bytes > self.bounds.aside:
            lowest = heappop(self._order)
            if lowest in self._aside:
                self._drop(lowest)
                self.dropped += 1
        if len(self._order) > 2 * len(self._aside) + 64:
            self._order = list(self._aside)
            heapify(self._order)

    def _drop(self, sequence: int) -> Deliver:
        message = self._aside.pop(sequence)
        self._aside_bytes -= _size(message)
        return message

    def _go_on(self) -> None:
        """Delivers messages kept aside that are next; then checks whether messages are missing."""
        if self.place is None:
            return
        self._pass_over_lost()
        while self._aside and self.has_room and self.place + 1 in self._aside:
            self._give(self._drop(self.place + 1))
        if not self._aside:
            self._order.clear()
        while self._order and self._order[0] <= self.place:
            passed = heappop(self._order)
            if passed in self._aside:
                self._drop(passed)
        if self.end <= self.place or not self.has_room or self.place + 1 in self._aside:
            self._gap_since = None
        elif self._gap_since is None:
            self._gap_since = self._now

    def _pass_over_lost(self) -> None:
        """Passes over the gaps that history announced and that begin directly after the place."""
        assert self.place is not None
        while self._lost and self._lost[0].first <= self.place + 1:
            gap = self._lost.popleft()
            self._pass_over(gap.last + 1, gap.reason)

    def _pass_over(self, sequence: int, reason: str) -> None:
        """Advances the place to just before `sequence`: of the sequences up to there, which history lacks, those that
        real time brought are delivered, and the others reported as Missing with `reason`.
        """
        assert self.place is not None
        # The retained part of a stream may begin later than at 1: that is not a loss.
        begin = self.place == 0 and reason == _UNANNOUNCED
        while self.place + 1 < sequence:
            while self._order and (self._order[0] <= self.place or self._order[0] not in self._aside):
                heappop(self._order)
            next_kept = min(self._order[0], sequence) if self._order else sequence
            if next_kept > self.place + 1:
                if not begin:
                    self.events.append(Missing(self.place + 1, next_kept - 1, reason))
                self.place = next_kept - 1
            begin = False
            if next_kept < sequence:
                self._give(self._drop(next_kept))


def _size(message: Deliver) -> int:
    return len(message.key) + len(message.body) + _OVERHEAD
