"""One sequence out of two flows: real time by multicast, history by a session. Without sockets, clocks or threads.

The theory. Sequences of a stream have no gaps (ZEPS-SEQUENCE-1), and the journal has every message before it is sent.
So one number says it all: the *place*, up to which everything was given, or is known not to exist any more.

*Real time* brings messages in any order, some of them twice, some never. The one after the place is given, and the
place moves; a later one is kept aside. What is kept is bounded: the lowest go first, since history will bring them
before it reaches the others. `end`, the highest sequence that was heard of, says what is missing even if it was not
kept.

*History* is a session that was asked for what follows the place, and brings it ascending. It is the authority: what
it passes over and real time has not brought either, the journal does not have any more. It is wanted

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

from zeps_wire.zeps import LATEST_NEW, Deliver

__all__ = ["Bounds", "Missing", "Reconciler", "Reset"]

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


@dataclass(frozen=True, slots=True)
class Missing:
    """Neither flow has the sequences `first` to `last` any more: retention or damage took them."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Reset:
    """The stream began again, with `sequence`: another journal, against ZEPS-SEQUENCE-3."""

    sequence: int


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
        self.events: deque[Missing | Reset] = deque(maxlen=1000)
        self._prefix = prefix
        self._ready_octets = 0
        self._aside: dict[int, Deliver] = {}
        self._order: list[int] = []  # a heap of what is kept aside, and of what was
        self._aside_octets = 0
        self._silent = True
        self._mark = self.place or 0  # what real time has to reach
        self._mark_at = now
        self._gap_since: float | None = None
        self._brought: int | None = None  # by history, since it was asked last
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
        self._brought = self.place
        return LATEST_NEW if self.place is None else self.place

    def past(self, now: float, messages: Iterable[Deliver]) -> None:
        """Messages arrived from history, each once and ascending since it was asked."""
        self._now = now
        for message in messages:
            sequence = message.sequence
            if self._brought is not None and sequence <= self._brought:
                self._begin_again(sequence)
            self._brought = sequence
            if self.place is None:
                self.place = sequence - 1
            if sequence <= self.place:
                self.repeats += 1
                continue
            self._pass_over(sequence)
            self.from_history += 1
            self._give(message)
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

    def _pass_over(self, sequence: int) -> None:
        """History has nothing between the place and `sequence`; what real time had of it is given, the rest is gone."""
        assert self.place is not None
        begin = self.place == 0  # everything that is retained: where that begins is no loss
        while self.place + 1 < sequence:
            while self._order and (self._order[0] <= self.place or self._order[0] not in self._aside):
                heappop(self._order)
            found = min(self._order[0], sequence) if self._order else sequence
            if found > self.place + 1:
                if not begin:
                    self.events.append(Missing(self.place + 1, found - 1))
                self.place = found - 1
            begin = False
            if found < sequence:
                self._give(self._drop(found))

    def _begin_again(self, sequence: int) -> None:
        self.events.append(Reset(sequence))
        self._aside.clear()
        self._order.clear()
        self._aside_octets = 0
        self.place = self._mark = sequence - 1
        self.end = sequence
        self._mark_at = self._now


def _octets(message: Deliver) -> int:
    return len(message.key) + len(message.body) + _OVERHEAD
