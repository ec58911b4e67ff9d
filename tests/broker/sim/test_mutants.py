"""The simulator detects faults: each planted bug violates a guarantee within the first seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from zeps_broker.core import broker, low_gear, matching, session, stream
from zeps_broker.core.broker import Broker
from zeps_broker.core.low_gear import Gap, LowGear
from zeps_broker.core.output_queue import OutputQueue, Refusal
from zeps_broker.core.reading import Fill, Reading, Span
from zeps_broker.core.reasons import parse
from zeps_broker.core.replay_cache import Selection
from zeps_broker.core.session import Session
from zeps_broker.core.stream import Stream
from zeps_broker.ports import JournalError, Output, StreamLog
from zeps_broker.sim.faults import Violation
from zeps_broker.sim.world import World
from zeps_wire.zeps import LATEST_ALL, OpenCode, Subscribe
from zeps_wire.zeps_server import Event, State

SEEDS = range(60)
LATE = {
    "sends_one_octet_beyond_credit": 22,
    "forgets_a_notice_that_a_full_pipe_refused": 43,
    "keeps_a_notice_that_a_full_pipe_refused": 43,
}
"""Seeds for bugs that the first seeds do not find. They only save time: all seeds run where one of these finds
nothing.
"""
Patch = pytest.MonkeyPatch
MUTANTS: dict[str, Callable[[Patch], None]] = {}


def mutant(plant: Callable[[Patch], None]) -> Callable[[Patch], None]:
    MUTANTS[plant.__name__] = plant
    return plant


def wrap(patch: Patch, owner: Any, name: str, changed: Callable[..., Any]) -> None:
    """Replaces a method by `changed(original, *arguments)`."""
    original = getattr(owner, name)
    patch.setattr(owner, name, lambda *arguments: changed(original, *arguments))


def no_fault(*arguments: object) -> None:
    """A method without effect."""


# Gears


@mutant
def repeats_at_the_gear_switch(patch: Patch) -> None:
    wrap(patch, Stream, "leave", lambda original, self, who, at: original(self, who, max(at - 1, 0)))


@mutant
def loses_at_the_gear_switch(patch: Patch) -> None:
    wrap(patch, Stream, "leave", lambda original, self, who, at: original(self, who, at + 1))


@mutant
def joins_high_gear_too_early(patch: Patch) -> None:
    wrap(patch, Reading, "caught_up", lambda original, self, end: original(self, end - 1))


@mutant
def joins_high_gear_with_a_fill_left(patch: Patch) -> None:
    patch.setattr(Reading, "caught_up", lambda self, end: self.position >= end)


@mutant
def never_wakes_for_credit(patch: Patch) -> None:
    patch.setattr(Session, "use_credit", no_fault)


@mutant
def forgets_which_group_is_new(patch: Patch) -> None:
    patch.setattr(Stream, "_invalidate", no_fault)


@mutant
def shuffles_what_one_group_gets(patch: Patch) -> None:
    def shuffled(
        original: Any, self: Stream, group: Any, frames: Sequence[bytes], places: Sequence[int]
    ) -> None:
        original(self, group, list(reversed(frames)), list(reversed(places)))

    wrap(patch, Stream, "_deliver", shuffled)


# Credit


@mutant
def sends_one_octet_beyond_credit(patch: Patch) -> None:
    def generous(original: Any, self: Selection, low: int, high: int, octets: int) -> int:
        return int(original(self, low, high, octets + 1))

    wrap(patch, Selection, "within", generous)


@mutant
def lets_small_messages_overtake(patch: Patch) -> None:
    def skip(self: Stream, poor: list[Session], frames: Sequence[bytes], sequences: Sequence[int]) -> None:
        for one in poor:
            paid = [place for place, frame in enumerate(frames) if len(frame) <= one.machine.credit][:1]
            for place in paid:
                one.machine.credit -= len(frames[place])
                self._outgoing.deliver((one.peer,), [frames[place]], [sequences[place]])
            one.credit_needed = 0
            self.leave(one, sequences[paid[0] if paid else 0] - (0 if paid else 1))

    patch.setattr(Stream, "_deliver_part", skip)


@mutant
def forgets_the_refund(patch: Patch) -> None:
    def poor(original: Any, self: Broker, who: Session, refusal: Refusal) -> None:
        refusal.octets = 0
        original(self, who, refusal)

    wrap(patch, Broker, "_fall", poor)


@mutant
def keeps_credit_over_attach(patch: Patch) -> None:
    def kept(original: Any, self: Session, message: Any) -> None:
        original(self, message)
        self.machine.credit += 64

    wrap(patch, Session, "open_stream", kept)


# Pipes


@mutant
def loses_what_a_full_pipe_refused(patch: Patch) -> None:
    def lossy(original: Any, self: Broker, who: Session, refusal: Refusal) -> None:
        refusal.sequence, refusal.undo = None, None
        original(self, who, refusal)

    wrap(patch, Broker, "_fall", lossy)


@mutant
def loses_answers_that_a_full_pipe_refused(patch: Patch) -> None:
    def lossy(original: Any, self: OutputQueue, refusal: Refusal, now: float) -> None:
        refusal.control.clear()
        original(self, refusal, now)

    wrap(patch, OutputQueue, "block", lossy)


@mutant
def repeats_what_a_full_pipe_took(patch: Patch) -> None:
    def forgetful(original: Any, self: Reading, progress: Any, sequence: int | None = None) -> None:
        original(self, progress)

    wrap(patch, Reading, "rewind", forgetful)


@mutant
def never_tries_a_full_pipe_again(patch: Patch) -> None:
    patch.setattr(Broker, "writable", no_fault)


# The journal


class LateLog:
    """A journal that stores a block when the next one arrives."""

    def __init__(self, log: StreamLog) -> None:
        self._log = log
        self._late: tuple[Sequence[bytes], int] | None = None
        self.last_sequence = log.last_sequence

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def append(self, frames: Sequence[bytes], time_us: int) -> None:
        if self._late is not None:
            self._log.append(*self._late)
        self._late = (frames, time_us)
        self.last_sequence += len(frames)


@mutant
def delivers_before_the_append(patch: Patch) -> None:
    def late(original: Any, self: Stream, log: StreamLog, *arguments: Any) -> None:
        original(self, LateLog(log), *arguments)

    wrap(patch, Stream, "__init__", late)


@mutant
def answers_ping_before_the_append(patch: Patch) -> None:
    turns = {"count": 0}

    def lazy(original: Any, self: Stream, now_us: int) -> None:
        turns["count"] += 1
        if turns["count"] % 3:
            original(self, now_us)

    wrap(patch, Stream, "commit", lazy)


@mutant
def delivers_what_could_not_be_stored(patch: Patch) -> None:
    class Careless:
        def __init__(self, log: StreamLog) -> None:
            self._log = log

        def __getattr__(self, name: str) -> Any:
            return getattr(self._log, name)

        def append(self, frames: Sequence[bytes], time_us: int) -> None:
            with suppress(JournalError):
                self._log.append(frames, time_us)

    def careless(original: Any, self: Stream, log: StreamLog, *arguments: Any) -> None:
        original(self, Careless(log), *arguments)

    wrap(patch, Stream, "__init__", careless)


@mutant
def drops_last_words_after_detach(patch: Patch) -> None:
    patch.setattr(broker, "_STORES", frozenset({State.OPEN}))
    patch.setattr(Session, "store_message", no_fault)


@mutant
def stores_keys_that_are_no_text(patch: Patch) -> None:
    patch.setattr(stream, "check_printable", no_fault)


@mutant
def reorders_one_publisher(patch: Patch) -> None:
    def reversed_run(original: Any, self: Stream, run: Sequence[bytes]) -> int:
        return int(original(self, run[::-1] if 1 < len(run) < 4 else run))

    wrap(patch, Stream, "publish", reversed_run)


# Subscriptions


@mutant
def selects_what_does_not_match(patch: Patch) -> None:
    patch.setattr(matching.PrefixMatcher, "select", lambda self, columns: range(columns.count))


@mutant
def fills_with_what_was_had(patch: Patch) -> None:
    def repeating(original: Any, self: Reading, include: Any, exclude: Any, upto: int | None) -> Span:
        return original(self, include, (), upto)

    wrap(patch, Reading, "_cut", repeating)


@mutant
def never_fills(patch: Patch) -> None:
    def skipping(original: Any, self: Reading, pattern: bytes, start: int) -> None:
        original(self, pattern, max(start, self.position))

    wrap(patch, Reading, "subscribe", skipping)


@mutant
def begins_one_message_early(patch: Patch) -> None:
    wrap(
        patch,
        Reading,
        "subscribe",
        lambda original, self, what, start: original(self, what, max(start - 1, 0)),
    )


@mutant
def begins_one_message_late(patch: Patch) -> None:
    wrap(patch, Reading, "subscribe", lambda original, self, what, start: original(self, what, start + 1))


@mutant
def mixes_up_groups(patch: Patch) -> None:
    wrap(patch, Reading, "patterns", lambda original, self: original(self)[:1])


@mutant
def ignores_where_a_subscription_starts(patch: Patch) -> None:
    def all_of_them(self: Reading) -> Span:
        return self._cut(self.patterns(), (), None)

    patch.setattr(Reading, "_main_span", all_of_them)


@mutant
def brings_fills_between_new_messages(patch: Patch) -> None:
    """Every second step of a session with a fill belongs to the main course."""

    class Interleaved(Reading):
        __slots__ = ("_aside",)

        def __init__(self, style: matching.Style) -> None:
            super().__init__(style)
            self._aside: tuple[tuple[Fill, ...], int] = ((), 0)

        def caught_up(self, end: int) -> bool:
            if self._aside[0] and self.position >= end:
                self._swap()
            return super().caught_up(end) and not self._aside[0]

        def subscribe(self, pattern: bytes, start: int) -> None:
            if self._aside[0]:
                self._swap()
            super().subscribe(pattern, start)

        def advance(self, sequence: int) -> None:
            super().advance(sequence)
            if self._fills or self._aside[0]:
                self._swap()

        def _swap(self) -> None:
            (self._fills, self._fill_at), self._aside = self._aside, (self._fills, self._fill_at)
            self._span = None

    patch.setattr(session, "Reading", Interleaved)


@mutant
def brings_the_newest_fill_first(patch: Patch) -> None:
    def jumping(original: Any, self: Reading, pattern: bytes, start: int) -> None:
        original(self, pattern, start)
        if len(self._fills) > 1:
            self._fills = (self._fills[-1], *self._fills[:-1])
            self._fill_at = self._fills[0].start
            self._span = None

    wrap(patch, Reading, "subscribe", jumping)


@mutant
def ends_the_session_of_a_refused_subscribe(patch: Patch) -> None:
    def ending(original: Any, self: Session, event: Event, reason: str) -> None:
        original(self, Event.ON_ATTACH_REFUSED, reason)

    wrap(patch, Session, "refuse", ending)


def grants_instead_of(*codes: OpenCode) -> Callable[[Patch], None]:
    def plant(patch: Patch) -> None:
        def granting(original: Any, self: Session, pattern: bytes, latest: int) -> str | None:
            reason: str | None = original(self, pattern, latest)
            return None if reason is not None and parse(reason)[0] in codes else reason

        wrap(patch, Session, "_subscription_refusal", granting)

    return plant


MUTANTS["grants_what_is_beyond_the_end"] = grants_instead_of(OpenCode.BEYOND_END)
MUTANTS["grants_what_is_no_longer_retained"] = grants_instead_of(OpenCode.NOT_RETAINED)
MUTANTS["grants_more_than_it_allows"] = grants_instead_of(OpenCode.TOO_MANY_SUBSCRIPTIONS)


@mutant
def refuses_what_begins_where_retention_ends(patch: Patch) -> None:
    def strict(original: Any, self: Session, pattern: bytes, latest: int) -> str | None:
        return original(self, pattern, latest) or (
            original(self, pattern, latest - 1) if latest > 1 else None
        )

    wrap(patch, Session, "_subscription_refusal", strict)


# Gaps


def announces(change: Callable[[Gap], Sequence[Gap]]) -> Callable[[Patch], None]:
    """Replaces each gap by other gaps."""

    def plant(patch: Patch) -> None:
        def changed(original: Any, self: LowGear, who: Session, gap: Gap) -> None:
            for other in change(gap):
                original(self, who, other)

        wrap(patch, LowGear, "_announce", changed)

    return plant


MUTANTS |= {
    "is_silent_about_retention": announces(lambda gap: [gap] if gap.reason == "damage" else []),
    "is_silent_about_damage": announces(lambda gap: [gap] if gap.reason == "retention" else []),
    "calls_damage_retention": announces(lambda gap: [replace(gap, reason="retention")]),
    "repeats_a_notice": announces(lambda gap: [gap, gap]),
    "names_one_too_many_at_the_end": announces(lambda gap: [replace(gap, last=gap.last + 1)]),
    "names_one_too_few_at_the_end": announces(lambda gap: [replace(gap, last=max(gap.first, gap.last - 1))]),
    "names_one_too_many_at_the_beginning": announces(lambda gap: [replace(gap, first=gap.first - 1)]),
    "names_one_too_few_at_the_beginning": announces(
        lambda gap: [replace(gap, first=min(gap.first + 1, gap.last))]
    ),
    "cuts_a_gap_in_two": announces(
        lambda gap: (
            [gap]
            if gap.first == gap.last
            else [replace(gap, last=gap.first), replace(gap, first=gap.first + 1)]
        )
    ),
}


@mutant
def announces_a_gap_after_the_next_message(patch: Patch) -> None:
    late: list[Callable[[], None]] = []

    def hold(original: Any, self: OutputQueue, *notice: Any) -> None:
        late.append(partial(original, self, *notice))

    def deliver(original: Any, self: OutputQueue, *arguments: Any) -> None:
        original(self, *arguments)
        while late:
            late.pop(0)()

    wrap(patch, OutputQueue, "notice", hold)
    wrap(patch, OutputQueue, "deliver", deliver)


@mutant
def forgets_a_notice_that_a_full_pipe_refused(patch: Patch) -> None:
    def forgetful(
        original: Any, self: OutputQueue, refusal: Refusal, output: Output, accepted: int, undo: Any
    ) -> None:
        if undo is None or output.sequences is not None:
            original(self, refusal, output, accepted, undo)

    wrap(patch, OutputQueue, "_collect", forgetful)


@mutant
def keeps_a_notice_that_a_full_pipe_refused(patch: Patch) -> None:
    """A refused notice waits among the answers, and is made again."""

    def careful(
        original: Any, self: OutputQueue, refusal: Refusal, output: Output, accepted: int, undo: Any
    ) -> None:
        original(self, refusal, output, accepted, undo)
        if undo is not None and output.sequences is None:
            refusal.control.extend(output.frames[accepted:])

    wrap(patch, OutputQueue, "_collect", careful)


@mutant
def pays_for_a_refused_notice(patch: Patch) -> None:
    def generous(
        original: Any, self: OutputQueue, refusal: Refusal, output: Output, accepted: int, undo: Any
    ) -> None:
        original(self, refusal, output, accepted, undo)
        if undo is not None and output.sequences is None:
            refusal.octets += len(output.frames[0])

    wrap(patch, OutputQueue, "_collect", generous)


@mutant
def begins_before_what_is_retained(patch: Patch) -> None:
    """Treats a `latest` of 0 as a place, and messages that retention removed after it as a gap."""

    def early(original: Any, self: Session, message: Subscribe) -> None:
        original(self, message)
        if message.latest == LATEST_ALL:
            self.reading.subscribe(message.pattern.encode(), 0)

    wrap(patch, Session, "add_subscription", early)


# Memory


@mutant
def never_forgets_the_silent(patch: Patch) -> None:
    patch.setattr(Broker, "_look_after", no_fault)


@mutant
def never_forgets_a_stream(patch: Patch) -> None:
    patch.setattr(Broker, "left", no_fault)


@mutant
def never_forgets_blocks(patch: Patch) -> None:
    def boundless(original: Any, self: low_gear.ReplayCache, octets_max: int) -> None:
        original(self, octets_max << 40)

    wrap(patch, low_gear.ReplayCache, "__init__", boundless)


@mutant
def keeps_the_memory_of_a_session(patch: Patch) -> None:
    wrap(patch, Session, "_hold", lambda original, self, count: original(self, max(count, self.held)))


@mutant
def counts_a_session_that_has_left(patch: Patch) -> None:
    def counted(original: Any, self: Session, message: Any) -> None:
        stream = self._stream
        original(self, message)
        if stream is not None:
            stream.sessions += 1

    wrap(patch, Session, "close_stream", counted)


@mutant
def pays_for_a_batch_before_it_is_cut(patch: Patch) -> None:
    """High gear: the credit of all frames is gone, and only those that it pays for are sent."""

    def dear(original: Any, self: Stream, poor: Any, frames: Any, sequences: Any) -> None:
        for one in poor:
            one.machine.credit = max(one.machine.credit - len(frames[-1]), 0)
        original(self, poor, frames, sequences)

    wrap(patch, Stream, "_deliver_part", dear)


@mutant
def serves_a_session_that_is_gone(patch: Patch) -> None:
    patch.setattr(Session, "park", no_fault)


@mutant
def keeps_the_sessions_of_closed_connections(patch: Patch) -> None:
    patch.setattr(Broker, "_gone", no_fault)


def first_failure(seeds: Sequence[int], steps: int = 200) -> tuple[int, str] | None:
    """Returns the first failing seed and its error; the bug may also end the program."""
    for seed in seeds:
        try:
            World(seed, steps).run()
        except Violation as violation:
            return seed, str(violation)
        except Exception as error:
            return seed, repr(error)
    return None


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_bug_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTANTS[name](monkeypatch)
    assert first_failure([LATE.get(name, 0), *SEEDS]) is not None, (
        f"{name} survives seeds {SEEDS.start} to {SEEDS.stop - 1}"
    )
