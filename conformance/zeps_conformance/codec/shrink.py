"""Minimisation: finds a smaller example that still differs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from zeps_conformance.codec.driver_protocol import (
    Advance,
    Arrive,
    Call,
    Decode,
    Encode,
    Example,
    Fill,
    Put,
    Step,
    Tagged,
    Trace,
    untagged,
)
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.model.interpreter import MalformedFrameError

__all__ = ["candidates", "shrunk"]

ROUNDS_MAX = 200
CANDIDATES_MAX = 400


def shrunk(
    oracle: Oracle,
    example: Example,
    first: Callable[[Sequence[Example]], int | None],
    most: int = CANDIDATES_MAX,
) -> Example:
    """Returns the smallest example found, or `example`. Until it returns None, at most 200 times, `first` gets at most
    `most` examples smaller than the last found, and returns the index of the first that still differs, or None.
    """
    for _ in range(ROUNDS_MAX):
        smaller = list(islice(candidates(oracle, example), most))
        index = first(smaller)
        if index is None:
            break
        example = smaller[index]
    return example


def candidates(oracle: Oracle, example: Example) -> Iterator[Example]:
    """Yields smaller or simpler examples, for each part those with the largest reduction first."""
    match example:
        case Decode(protocol, frames, several):
            smaller = _smaller_messages(oracle, protocol, frames, several)
            yield from (Decode(protocol, reduced, several) for reduced in smaller)
        case Encode(protocol, message, values, several):
            yield from (Encode(protocol, message, reduced, several) for reduced in _smaller_values(values))
        case Trace(machine, steps):
            yield from (Trace(machine, reduced) for reduced in _shorter(steps) if reduced)
            protocol = oracle.tables[machine].protocol
            yield from (Trace(machine, reduced) for reduced in _smaller_steps(oracle, protocol, steps))


def _sizes(length: int) -> list[int]:
    """Returns sizes of parts to remove, descending: `length`, half of it, a quarter and so on, and 3, 2 and 1 if they
    are not greater than `length`.
    """
    return sorted(
        {length >> shift for shift in range(length.bit_length())} | {1, 2, 3} & {*range(length + 1)}
    )[::-1]


def _shorter(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    for size in _sizes(len(steps)):
        for at in range(0, len(steps) - size + 1, max(1, size // 2)):
            yield steps[:at] + steps[at + size :]


def _smaller_steps(oracle: Oracle, protocol: str, steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    for at, step in enumerate(steps):
        for reduced in _smaller_step(oracle, protocol, step):
            yield (*steps[:at], reduced, *steps[at + 1 :])


def _smaller_step(oracle: Oracle, protocol: str, step: Step) -> Iterator[Step]:
    match step:
        case Arrive(frames, several):
            smaller = _smaller_messages(oracle, protocol, frames, several)
            yield from (Arrive(reduced, several) for reduced in smaller)
        case Call(event, values):
            yield from (Call(event, reduced) for reduced in _smaller_values(values))
        case Fill(message, field, value):
            yield from (Fill(message, field, reduced) for reduced in _smaller_value(value))
        case Advance(now):
            yield from (
                Advance(reduced) for reduced in dict.fromkeys((0, 1, now // 2, now - 1)) if 0 <= reduced < now
            )
        case Put(variable, value):
            yield from (Put(variable, reduced) for reduced in _smaller_value(value))


def _smaller_messages(
    oracle: Oracle, protocol: str, frames: tuple[bytes, ...], several: bool
) -> Iterator[tuple[bytes, ...]]:
    return (
        _fewer(frames)
        if several
        else ((reduced,) for reduced in _smaller_frames(oracle, protocol, frames[0]))
    )


def _smaller_frames(oracle: Oracle, protocol: str, frame: bytes) -> Iterator[bytes]:
    """Yields the frame of a smaller message, if it decodes; then frames with fewer and simpler bytes."""
    codec = oracle.codecs[protocol]
    try:
        message, values = oracle.values(codec, [frame])
    except MalformedFrameError:
        pass
    else:
        for smaller in _smaller_values(oracle.tagged(codec, message, values)):
            with contextlib.suppress(ValueError):
                yield oracle.encoded(codec, message, [untagged(value) for value in smaller])[0]
    yield from _smaller_bytes(frame)


def _fewer(frames: tuple[bytes, ...]) -> Iterator[tuple[bytes, ...]]:
    """Yields `frames` without one of them, never the first; then with fewer or simpler bytes in one of them."""
    yield from (frames[:at] + frames[at + 1 :] for at in range(1, len(frames)))
    for at, frame in enumerate(frames):
        for reduced in _smaller_bytes(frame):
            yield (*frames[:at], reduced, *frames[at + 1 :])


def _smaller_bytes(data: bytes) -> Iterator[bytes]:
    """Yields bytes with a piece removed, the largest first; then with one byte replaced by 0, 1 or ``a``."""
    for size in _sizes(len(data)):
        for at in range(0, len(data) - size + 1, max(1, size // 2)):
            yield data[:at] + data[at + size :]
    for at, octet in enumerate(data):
        for simple in (0, 1, 0x61):
            if octet > simple:
                yield data[:at] + bytes((simple,)) + data[at + 1 :]
                break


def _smaller_values(values: tuple[Tagged, ...]) -> Iterator[tuple[Tagged, ...]]:
    for at, value in enumerate(values):
        for reduced in _smaller_value(value):
            yield (*values[:at], reduced, *values[at + 1 :])


def _smaller_value(value: Tagged) -> Iterator[Tagged]:
    tag, content = value
    if tag in "ui":
        yield from (
            (tag, number)
            for number in dict.fromkeys((0, 1, content // 2, content - 1))
            if abs(number) < abs(content)
        )
    elif tag in "sb":
        yield from ((tag, reduced) for reduced in _smaller_bytes(content))
    else:
        for size in _sizes(len(content)):
            for at in range(0, len(content) - size + 1, max(1, size // 2)):
                yield tag, content[:at] + content[at + size :]
        if tag == "l":
            yield from ((tag, reduced) for reduced in _smaller_values(content))
