"""The simulator detects faults: each planted bug violates a guarantee within the first seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import pytest

from zeps_broker.core import broker, low_gear, matching, session, stream
from zeps_broker.core.broker import Broker
from zeps_broker.core.columns import Columns
from zeps_broker.core.low_gear import Gap, LowGear
from zeps_broker.core.output_queue import OutputQueue, Refusal
from zeps_broker.core.reading import Fill, Reading
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
    "forgets_which_group_is_new": 4,
    "pays_for_a_batch_before_it_is_cut": 6,
    "names_one_too_few_at_the_end": 9,
    "delivers_what_could_not_be_stored": 11,
    "pays_for_a_refused_notice": 11,
    "stores_keys_that_are_no_text": 16,
    "is_silent_about_retention": 18,
    "sends_one_octet_beyond_credit": 22,
    "forgets_a_notice_that_a_full_pipe_refused": 43,
    "keeps_a_notice_that_a_full_pipe_refused": 43,
}
"""Seeds for bugs that the first seeds do not find. They save time: all seeds run where one of these finds nothing."""
Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]
MUTANTS: dict[str, Plant] = {}


def mutant(plant: Plant) -> Plant:
    """Registers a mutant by the function's name."""
    MUTANTS[plant.__name__] = plant
    return plant


def wraps(owner: Any, name: str, changed: Callable[..., Any]) -> Plant:
    """Returns a mutant that replaces a method, or a function of a module, by `changed(old, *arguments)`."""

    def plant(patch: Patch) -> None:
        old = getattr(owner, name)
        patch.setattr(owner, name, lambda *arguments: changed(old, *arguments))

    return plant


def lacks(owner: Any, name: str) -> Plant:
    """Returns a mutant in which a method, or a function of a module, has no effect and returns None."""
    return wraps(owner, name, lambda *arguments: None)


def changes(owner: Any, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a mutant by the function's name: the function is the `changed` of :func:`wraps`."""

    def register(changed: Callable[..., Any]) -> Callable[..., Any]:
        MUTANTS[changed.__name__] = wraps(owner, name, changed)
        return changed

    return register


# Gears

MUTANTS |= {
    "repeats_at_the_gear_switch": wraps(
        Stream, "leave", lambda old, self, who, at: old(self, who, max(at - 1, 0))
    ),
    "loses_at_the_gear_switch": wraps(Stream, "leave", lambda old, self, who, at: old(self, who, at + 1)),
    "joins_high_gear_too_early": wraps(Reading, "caught_up", lambda old, self, end: old(self, end - 1)),
    "joins_high_gear_with_a_fill_left": wraps(
        Reading, "caught_up", lambda old, self, end: self.position >= end
    ),
    "never_wakes_for_credit": lacks(Session, "use_credit"),
    "forgets_which_group_is_new": lacks(Stream, "_invalidate"),
}


@changes(Stream, "_deliver")
def shuffles_what_one_group_gets(
    old: Any, self: Stream, group: Any, frames: Sequence[bytes], places: Sequence[int]
) -> None:
    old(self, group, list(reversed(frames)), list(reversed(places)))


# Credit


@changes(Selection, "within")
def sends_one_octet_beyond_credit(old: Any, self: Selection, low: int, high: int, bytes_max: int) -> int:
    return int(old(self, low, high, bytes_max + 1))


@changes(Stream, "_deliver_part")
def lets_small_messages_overtake(
    old: Any, self: Stream, poor: list[Session], frames: Sequence[bytes], sequences: Sequence[int]
) -> None:
    for poor_session in poor:
        paid = [place for place, frame in enumerate(frames) if len(frame) <= poor_session.machine.credit][:1]
        for place in paid:
            poor_session.machine.credit -= len(frames[place])
            self._outgoing.deliver((poor_session.peer,), [frames[place]], [sequences[place]])
        poor_session.credit_needed = 0
        self.leave(poor_session, sequences[paid[0] if paid else 0] - (0 if paid else 1))


@changes(Broker, "_fall")
def forgets_the_refund(old: Any, self: Broker, who: Session, refusal: Refusal) -> None:
    refusal.byte_count = 0
    old(self, who, refusal)


@changes(Session, "open_stream")
def keeps_credit_over_attach(old: Any, self: Session, message: Any) -> None:
    old(self, message)
    self.machine.credit += 64


# Pipes


@changes(Broker, "_fall")
def loses_what_a_full_pipe_refused(old: Any, self: Broker, who: Session, refusal: Refusal) -> None:
    refusal.sequence, refusal.undo = None, None
    old(self, who, refusal)


@changes(OutputQueue, "block")
def loses_answers_that_a_full_pipe_refused(old: Any, self: OutputQueue, refusal: Refusal, now: float) -> None:
    refusal.control.clear()
    old(self, refusal, now)


@changes(Reading, "rewind")
def repeats_what_a_full_pipe_took(
    old: Any, self: Reading, progress: Any, sequence: int | None = None
) -> None:
    old(self, progress)


MUTANTS["never_tries_a_full_pipe_again"] = lacks(Broker, "writable")


# The journal


class ChangedLog:
    """A journal that differs from another one only in the methods of its subclass."""

    def __init__(self, log: StreamLog) -> None:
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)


class LateLog(ChangedLog):
    """Stores a block when the next one arrives."""

    def __init__(self, log: StreamLog) -> None:
        super().__init__(log)
        self._late: tuple[Sequence[bytes], int] | None = None
        self.last_sequence = log.last_sequence

    def append(self, frames: Sequence[bytes], time_us: int) -> None:
        if self._late is not None:
            self._log.append(*self._late)
        self._late = (frames, time_us)
        self.last_sequence += len(frames)


class CarelessLog(ChangedLog):
    """Does not report a block that could not be stored."""

    def append(self, frames: Sequence[bytes], time_us: int) -> None:
        with suppress(JournalError):
            self._log.append(frames, time_us)


def has_log(kind: type[ChangedLog]) -> Plant:
    """Returns a mutant whose streams have such a journal."""
    return wraps(Stream, "__init__", lambda old, self, log, *more: old(self, kind(log), *more))


MUTANTS |= {
    "delivers_before_the_append": has_log(LateLog),
    "delivers_what_could_not_be_stored": has_log(CarelessLog),
    "stores_keys_that_are_no_text": lacks(stream, "check_printable"),
}


@mutant
def answers_ping_before_the_append(patch: Patch) -> None:
    turns = count(1)

    def lazy(old: Any, self: Stream, now_us: int) -> None:
        if next(turns) % 3:
            old(self, now_us)

    wraps(Stream, "commit", lazy)(patch)


@mutant
def drops_last_words_after_detach(patch: Patch) -> None:
    patch.setattr(broker, "_STORES", frozenset({State.OPEN}))
    lacks(Session, "store_message")(patch)


@changes(Stream, "publish")
def reorders_one_publisher(old: Any, self: Stream, run: Sequence[bytes], steps_max: int) -> int:
    return int(old(self, list(run)[::-1] if 1 < len(run) < 4 else run, steps_max))


# Subscriptions

MUTANTS |= {
    "never_fills": wraps(
        Reading, "subscribe", lambda old, self, what, start: old(self, what, max(start, self.position))
    ),
    "begins_one_message_early": wraps(
        Reading, "subscribe", lambda old, self, what, start: old(self, what, max(start - 1, 0))
    ),
    "begins_one_message_late": wraps(
        Reading, "subscribe", lambda old, self, what, start: old(self, what, start + 1)
    ),
    "mixes_up_groups": wraps(Reading, "patterns", lambda old, self: old(self)[:1]),
    "ignores_where_a_subscription_starts": wraps(
        Reading, "_main_span", lambda old, self: self._cut(self.patterns(), (), None)
    ),
    "fills_with_what_was_had": wraps(
        Reading, "_cut", lambda old, self, include, exclude, upto: old(self, include, (), upto)
    ),
    "ends_the_session_of_a_refused_subscribe": wraps(
        Session, "refuse", lambda old, self, event, reason: old(self, Event.ON_ATTACH_REFUSED, reason)
    ),
}


@changes(matching.PrefixMatcher, "select")
def selects_what_does_not_match(old: Any, self: Any, columns: Columns, some: range) -> tuple[range, range]:
    return range(columns.count), range(columns.count)


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


@changes(Reading, "subscribe")
def brings_the_newest_fill_first(old: Any, self: Reading, pattern: bytes, start: int) -> None:
    old(self, pattern, start)
    if len(self._fills) > 1:
        self._fills = (self._fills[-1], *self._fills[:-1])
        self._fill_at = self._fills[0].start
        self._span = None


def grants_instead_of(*codes: OpenCode) -> Plant:
    def granting(old: Any, self: Session, pattern: bytes, latest: int) -> str | None:
        reason: str | None = old(self, pattern, latest)
        return None if reason is not None and parse(reason)[0] in codes else reason

    return wraps(Session, "_subscription_refusal", granting)


MUTANTS["grants_what_is_beyond_the_end"] = grants_instead_of(OpenCode.BEYOND_END)
MUTANTS["grants_what_is_no_longer_retained"] = grants_instead_of(OpenCode.NOT_RETAINED)
MUTANTS["grants_more_than_it_allows"] = grants_instead_of(OpenCode.TOO_MANY_SUBSCRIPTIONS)


@changes(Session, "_subscription_refusal")
def refuses_what_begins_where_retention_ends(
    old: Any, self: Session, pattern: bytes, latest: int
) -> str | None:
    return old(self, pattern, latest) or (old(self, pattern, latest - 1) if latest > 1 else None)


# Gaps


def announces(change: Callable[[Gap], Sequence[Gap]]) -> Plant:
    """Returns a mutant that replaces each gap by other gaps."""

    def changed(old: Any, self: LowGear, who: Session, gap: Gap) -> None:
        for other in change(gap):
            old(self, who, other)

    return wraps(LowGear, "_announce", changed)


GAPS = {
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
MUTANTS |= GAPS
LATE = dict.fromkeys(GAPS, 4) | LATE


@mutant
def announces_a_gap_after_the_next_message(patch: Patch) -> None:
    late: list[Callable[[], None]] = []

    def hold(old: Any, self: OutputQueue, *notice: Any) -> None:
        late.append(partial(old, self, *notice))

    def deliver(old: Any, self: OutputQueue, *arguments: Any) -> None:
        old(self, *arguments)
        while late:
            late.pop(0)()

    wraps(OutputQueue, "notice", hold)(patch)
    wraps(OutputQueue, "deliver", deliver)(patch)


@changes(OutputQueue, "_collect")
def forgets_a_notice_that_a_full_pipe_refused(
    old: Any, self: OutputQueue, refusal: Refusal, output: Output, accepted: int, undo: Any
) -> None:
    if undo is None or output.sequences is not None:
        old(self, refusal, output, accepted, undo)


@changes(OutputQueue, "_collect")
def keeps_a_notice_that_a_full_pipe_refused(
    old: Any, self: OutputQueue, refusal: Refusal, output: Output, accepted: int, undo: Any
) -> None:
    """A refused notice waits among the answers, and is made again."""
    old(self, refusal, output, accepted, undo)
    if undo is not None and output.sequences is None:
        refusal.control.extend(output.frames[accepted:])


@changes(OutputQueue, "_collect")
def pays_for_a_refused_notice(
    old: Any, self: OutputQueue, refusal: Refusal, output: Output, accepted: int, undo: Any
) -> None:
    old(self, refusal, output, accepted, undo)
    if undo is not None and output.sequences is None:
        refusal.byte_count += len(output.frames[0])


@changes(Session, "add_subscription")
def begins_before_what_is_retained(old: Any, self: Session, message: Subscribe) -> None:
    """Treats a `latest` of 0 as a place, and messages that retention removed after it as a gap."""
    old(self, message)
    if message.latest == LATEST_ALL:
        self.reading.subscribe(message.pattern.encode(), 0)


# Memory

MUTANTS |= {
    "never_forgets_the_silent": lacks(Broker, "_look_after"),
    "never_forgets_a_stream": lacks(Broker, "left"),
    "never_forgets_blocks": wraps(
        low_gear.ReplayCache, "__init__", lambda old, self, bytes_max: old(self, bytes_max << 40)
    ),
    "keeps_the_memory_of_a_session": wraps(
        Session, "_hold", lambda old, self, count: old(self, max(count, self.held))
    ),
    "serves_a_session_that_is_gone": lacks(Session, "park"),
    "keeps_the_sessions_of_closed_connections": lacks(Broker, "_gone"),
}


@changes(Session, "close_stream")
def counts_a_session_that_has_left(old: Any, self: Session, message: Any) -> None:
    stream = self._stream
    old(self, message)
    if stream is not None:
        stream.sessions += 1


@changes(Stream, "_deliver_part")
def pays_for_a_batch_before_it_is_cut(old: Any, self: Stream, poor: Any, frames: Any, sequences: Any) -> None:
    """High gear: the credit also pays for the last frame of the batch, even if that is not sent."""
    for poor_session in poor:
        poor_session.machine.credit = max(poor_session.machine.credit - len(frames[-1]), 0)
    old(self, poor, frames, sequences)


def first_failure(seeds: Sequence[int], steps: int = 200) -> tuple[int, str] | None:
    """Returns the first seed with a violation, and its text. An error of the program itself does not count, and is
    raised.
    """
    for seed in seeds:
        try:
            World(seed, steps).run()
        except Violation as violation:
            return seed, str(violation)
    return None


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_bug_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTANTS[name](monkeypatch)
    assert first_failure([LATE.get(name, 0), *SEEDS]) is not None, (
        f"{name} survives seeds {SEEDS.start} to {SEEDS.stop - 1}"
    )
