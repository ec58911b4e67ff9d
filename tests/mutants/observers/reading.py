"""Observes `zeps_broker.core.reading`: all sequences of four calls with prefixes, and long random ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from copy import deepcopy

from recorder import Recorder

from zeps_broker.core.matching import Prefix
from zeps_broker.core.reading import Progress, Reading, Span

KEYS = [b"", b"a", b"ab", b"b", b"c"]
PATTERNS = [b"", b"a", b"ab"]
END = 4
DEPTH = 4
RANDOM_RUNS, RANDOM_CALLS, RANDOM_END = 300, 60, 12


def span_of(span: Span) -> tuple[object, ...]:
    return (bool(span.include), span.takes_all, span.upto, span.judge(KEYS), span.judge([]))


def observe(recorder: Recorder, reading: Reading, end: int) -> None:
    """Adds all that a reader can see, except numbers of memory and work: how many spans it reads is work."""
    recorder.add(
        reading.subscribed,
        reading.filling,
        reading.fills,
        reading.cursor,
        reading.position,
        len(reading),
        list(reading),
        [pattern in reading for pattern in PATTERNS],
        reading.patterns(),
        [reading.caught_up(place) for place in range(end + 2)],
    )
    recorder.add(list(taken(reading, end)))


def taken(reading: Reading, end: int) -> Iterator[tuple[int, bool, list[bool]]]:
    """Yields what a reader takes up to `end`, in its order: sequence, whether of a fill, and which keys."""
    reader = deepcopy(reading)
    while reader.subscribed and not reader.caught_up(end):
        span = reader.span()
        last = end if span.upto is None else span.upto
        for sequence in range(reader.cursor + 1, last + 1):
            chosen = span.judge(KEYS) if span.include else [False] * len(KEYS)
            if any(chosen):
                yield sequence, reader.filling, chosen
        reader.advance(last)


def calls(
    reading: Reading, kept: list[Progress], end: int
) -> list[Callable[[Reading, list[Progress]], None]]:
    """Returns the calls that a session may make."""
    possible: list[Callable[[Reading, list[Progress]], None]] = []
    for pattern in PATTERNS:
        for start in range(end):

            def subscribe(
                r: Reading, k: list[Progress], pattern: bytes = pattern, start: int = start
            ) -> None:
                r.subscribe(pattern, start)
                k.clear()

            possible.append(subscribe)
    if reading.subscribed and not reading.caught_up(end):

        def advance(r: Reading, k: list[Progress]) -> None:
            k.append(r.progress())
            r.advance(r.cursor + 1)

        possible.append(advance)
    for place in range(len(kept)):
        at = kept[place][0] if not kept[place][1] else kept[place][2]
        for sequence in (None, at, at + 1):

            def rewind(
                r: Reading, k: list[Progress], place: int = place, sequence: int | None = sequence
            ) -> None:
                r.rewind(k[place], sequence)
                del k[place:]

            possible.append(rewind)
    if reading.subscribed:
        possible.append(lambda r, k: r.rest())
    return possible


def explore(recorder: Recorder, reading: Reading, kept: list[Progress], depth: int) -> None:
    observe(recorder, reading, END)
    if depth == 0:
        return
    for call in calls(reading, kept, END):
        other, others = deepcopy(reading), list(kept)
        call(other, others)
        explore(recorder, other, others, depth - 1)


def wander(recorder: Recorder, seed: int) -> None:
    """Makes random calls, more of them than the history of a session keeps."""
    rng = random.Random(seed)
    reading, kept = Reading(Prefix()), list[Progress]()
    for _ in range(RANDOM_CALLS):
        rng.choice(calls(reading, kept, RANDOM_END))(reading, kept)
        observe(recorder, reading, RANDOM_END)


def main() -> None:
    recorder = Recorder()
    recorder.call(lambda: span_of(Span((), (), None, None, None)))
    explore(recorder, Reading(Prefix()), [], DEPTH)
    for seed in range(RANDOM_RUNS):
        wander(recorder, seed)
    recorder.finish("reading")


if __name__ == "__main__":
    main()
