"""A smaller example that still differs: what is left out does not matter to the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from zeps_conformance.codec.protocol import Arrive, Call, Decode, Encode, Example, Put, Step, Tagged, Trace

__all__ = ["candidates", "shrunk"]

ROUNDS_MAX = 200
CANDIDATES_MAX = 400


def shrunk(
    example: Example, first: Callable[[Sequence[Example]], int | None], most: int = CANDIDATES_MAX
) -> Example:
    """The smallest example found. `first` gives the index of the first one that still differs, if any does."""
    for _ in range(ROUNDS_MAX):
        smaller = list(islice(candidates(example), most))
        index = first(smaller)
        if index is None:
            break
        example = smaller[index]
    return example


def candidates(example: Example) -> Iterator[Example]:
    """Examples that are a little smaller, the boldest first."""
    match example:
        case Decode(protocol, frame):
            yield from (Decode(protocol, one) for one in _smaller_octets(frame))
        case Encode(protocol, message, values):
            yield from (Encode(protocol, message, one) for one in _smaller_values(values))
        case Trace(machine, steps):
            yield from (Trace(machine, one) for one in _shorter(steps) if one)
            yield from (Trace(machine, one) for one in _smaller_steps(steps))


def _shorter(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    size = len(steps)
    while size:
        for at in range(0, len(steps), size):
            yield steps[:at] + steps[at + size :]
        size //= 2


def _smaller_steps(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    for at, step in enumerate(steps):
        for one in _smaller_step(step):
            yield (*steps[:at], one, *steps[at + 1 :])


def _smaller_step(step: Step) -> Iterator[Step]:
    match step:
        case Arrive(frame):
            yield from (Arrive(one) for one in _smaller_octets(frame))
        case Call(event, values):
            yield from (Call(event, one) for one in _smaller_values(values))
        case Put(variable, value):
            yield from (Put(variable, one) for one in _smaller_value(value))


def _smaller_octets(octets: bytes) -> Iterator[bytes]:
    """Pieces left out, then octets made simpler."""
    size = len(octets)
    while size:
        for at in range(0, len(octets), size):
            yield octets[:at] + octets[at + size :]
        size //= 2
    for at, octet in enumerate(octets):
        for simple in (0, 1, 0x61):
            if octet > simple:
                yield octets[:at] + bytes((simple,)) + octets[at + 1 :]
                break


def _smaller_values(values: tuple[Tagged, ...]) -> Iterator[tuple[Tagged, ...]]:
    for at, value in enumerate(values):
        for one in _smaller_value(value):
            yield (*values[:at], one, *values[at + 1 :])


def _smaller_value(value: Tagged) -> Iterator[Tagged]:
    tag, content = value
    if tag in "ui":
        yield from (
            (tag, one) for one in dict.fromkeys((0, 1, content // 2, content - 1)) if abs(one) < abs(content)
        )
    elif tag in "sb":
        yield from ((tag, one) for one in _smaller_octets(content))
    else:
        size = len(content)
        while size:
            for at in range(0, len(content), size):
                yield tag, content[:at] + content[at + size :]
            size //= 2
        if tag == "l":
            yield from ((tag, one) for one in _smaller_values(content))
