"""One sequence out of two flows: real time by multicast, history by a session. Without sockets, clocks or threads.

The theory. Sequences of a stream have no gaps (ZEPS-SEQUENCE-1), and the journal has every message before it is sent.
So one number says it all: the *place*, up to which everything was given, or is known not to exist any more.

*Real time* brings messages in any order, some of them twice, some never. The one after the place is given, and the
place moves; a later one is kept aside. What is kept is bounded: the lowest go first, since history will bring them
before it reaches the others. `end`, the highest sequence that was heard of, says what is missing even if it was not
kept.

*History* is a session that was asked for what follows the place, and brings it ascending. It is the authority: what it
announces as lost (ZEPS-RETAIN-1, ZEPS-DAMAGE-1), and real time has not brought either, does not exist any more. If it
says that the stream ends before the place (ZEPS-SUBSCRIBE-5), the stream is another one. It is wanted

* at the beginning, for what a subscription to new messages begins with (only a session says where that is);
* when something is missing, as soon as that has lasted for `patience`, since real time may still repair or reorder;
* while real time is silent. It must bring, every `silence` seconds, the place as it was at the last check, or something
  later. So a flow that stopped, that never was, or that hangs ever more behind costs time once, and never a message:
  history then goes on as the flow itself, until real time is back. A sender that has nothing to send repeats its last
  message, so that a quiet stream is not a silent one, and the loss of a last message is noticed.

Nobody can slow multicast down for a reader that does not read. When `room` octets wait to be taken, what comes by real
time is kept aside or dropped as above, and history is not asked to hurry: :meth:`Reconciler.has_room` says when it
may bring more.
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
"""The reason of what history passed over without a word, which it does only before what it retains."""
_OVERHEAD: Final = 300
"""Octets of a kept message besides its key and body, about."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Octets and seconds."""

    room: int = 4 << 20
    """Messages that wait for the application."""
    aside: int = 16 << 20
    """Messages of real time that wait for others before them."""
    patience: float = 0.05
    """How long something may be missing before history is asked."""
    silence: float = 3.0
    """How long real time may bring nothing new before history takes over; at least twice the sender's repetition."""


class Reconciler:
    """Begins after the sequence `latest`, or with what is new from now on for LATEST_NEW.

    Times are seconds of any clock that does not go back. `prefix` is what keys must begin with to be given.
    """

    def __init__(self, latest: int, now: float, *, prefix: str = "", bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self.ready: deque[Deliver] = deque()
        """What is given, in order. :meth:`take` takes."""
        self.place: int | None = None if latest == LATEST_NEW else latest
        """None: where new messages begin is not known yet."""
        self.end = self.place or 0
        self.repeats = 0
        """Messages that arrived and had been given, or were kept, before."""
        self.dropped = 0
        """Messages of real time that were not kept, for want of room."""
        self.from_history = 0
        """Messages that were given because history brought them."""
        self.events: deque[Missing | StreamReset] = deque(maxlen=1000)
        self._prefix = prefix
        self._ready_octets = 0
        self._aside: dict[int, Deliver] = {}
        self._order: list[int] = []  # a heap of what is kept aside, and of what was
        self._aside_octets = 0
        self._silent = True
        self._mark = self.place or 0  # what real time has to reach
        self._mark_at = now
        self._gap_since: float | None = None
        self._lost: deque[Missing] = deque()  # announced by history, and not passed over yet
        self._now = now

    # What the application does

    def take(self, count_max: int) -> list[Deliver]:
        """Up to `count_max` messages, and room for as many."""
        ready = self.ready
        if len(ready) <= count_max:
            taken = list(ready)
            ready.clear()
            self._ready_octets = 0
        else:
            taken = [ready.popleft() for _ in range(count_max)]
            self._ready_octets -= sum(map(_octets, taken))
        self._go_on()
        return taken

    @property
    def has_room(self) -> bool:
        """History may bring more."""
        return self._ready_octets < self.bounds.room

    @property
    def aside(self) -> int:
        """Octets that are kept aside, about."""
        return self._aside_octets

    # What arrives

    def live(self, now: float, messages: Iterable[Deliver]) -> None:
        """Messages arrived by multicast."""
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
        """History is asked anew; returns for what follows which sequence, or LATEST_NEW."""
        self._lost.clear()
        return LATEST_NEW if self.place is None else self.place

    def past(self, now: float, messages: Iterable[Deliver]) -> None:
        """Messages arrived from history, each once and ascending since it was asked."""
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
        """History announced what it cannot bring; what it brought before has arrived, or will."""
        self._now = now
        if self.place is None:
            self.place = gap.first - 1
        self._lost.append(gap)
        self._go_on()

    def reset(self, now: float, end: int) -> None:
        """History says that the stream ends at `end`, before what was given: what follows is another stream."""
        self._now = now
        self.events.append(StreamReset(self.place or 0, end))
        self._aside.clear()
        self._order.clear()
        self._lost.clear()
        self._aside_octets = 0
        self.place = self._mark = self.end = end
        self._mark_at = now
        self._go_on()

    # Whether history is wanted

    def wants_history(self, now: float) -> bool:
        """Whether a session is to be asked, or to go on, for what follows the place."""
        self._now = now
        if now - self._mark_at >= self.bounds.silence:
            self._silent = True
            self._mark, self._mark_at = self.place or 0, now
        if self.place is None or self._silent:
            return True
        return self._gap_since is not None and now - self._gap_since >= self.bounds.patience

    def deadline(self) -> float | None:
        """When :meth:`wants_history` may say something new although nothing arrives."""
        times = [] if self._silent else [self._mark_at + self.bounds.silence]
        if self._gap_since is not None:
            times.append(self._gap_since + self.bounds.patience)
        return min((each for each in times if each > self._now), default=None)

    # Inside

    def _give(self, message: Deliver) -> None:
        self.place = message.sequence
        if message.key.startswith(self._prefix):
            self.ready.append(message)
            self._ready_octets += _octets(message)

    def _keep(self, message: Deliver) -> None:
        """Aside, until its turn comes; the lowest make room."""
        if message.sequence in self._aside:
            self.repeats += 1
            return
        self._aside[message.sequence] = message
        heappush(self._order, message.sequence)
        self._aside_octets += _octets(message)
        while self._aside_octets > self.bounds.aside:
            lowest = heappop(self._order)
            if lowest in self._aside:
                self._drop(lowest)
                self.dropped += 1
        if len(self._order) > 2 * len(self._aside) + 64:
            self._order = list(self._aside)
            heapify(self._order)

    def _drop(self, sequence: int) -> Deliver:
        message = self._aside.pop(sequence)
        self._aside_octets -= _octets(message)
        return message

    def _go_on(self) -> None:
        """Give what was kept aside and is next; then see whether something is missing."""
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
        """Pass over what history announced as lost, as far as it is next."""
        assert self.place is not None
        while self._lost and self._lost[0].first <= self.place + 1:
            gap = self._lost.popleft()
            self._pass_over(gap.last + 1, gap.reason)

    def _pass_over(self, sequence: int, reason: str) -> None:
        """History has nothing between the place and `sequence`; what real time had of it is given, the rest is gone."""
        assert self.place is not None
        begin = self.place == 0 and reason == _UNANNOUNCED  # where that begins that is retained is no loss
        while self.place + 1 < sequence:
            while self._order and (self._order[0] <= self.place or self._order[0] not in self._aside):
                heappop(self._order)
            found = min(self._order[0], sequence) if self._order else sequence
            if found > self.place + 1:
                if not begin:
                    self.events.append(Missing(self.place + 1, found - 1, reason))
                self.place = found - 1
            begin = False
            if found < sequence:
                self._give(self._drop(found))


def _octets(message: Deliver) -> int:
    return len(message.key) + len(message.body) + _OVERHEAD
