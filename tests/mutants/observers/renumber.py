"""Observes `zeps_broker.core.renumber`: runs and pieces of up to three items, as lists and as batches, and sequences at
the limits of one byte, four bytes and eight bytes.
"""

from __future__ import annotations

from itertools import product

from recorder import Recorder

from zeps_broker.core.renumber import delivers, keys_of, keys_of_run
from zeps_broker.frame_batch import FrameBatch
from zeps_broker.ports import Malformed
from zeps_wire.zeps import Deliver, Ping, Publish

FRAMES = [
    Publish(key=key, body=body).encode()
    for key, body in (
        ("", b""),
        ("", b"x"),
        ("a", b""),
        ("b", b""),
        ("a", b"x"),
        ("é", b"xy"),
        ("ab", b"xyz"),
    )
]
OTHERS = [
    Ping().encode(),
    Deliver(sequence=1, key="a", body=b"").encode(),
    FRAMES[4][:-1],
    FRAMES[4] + b"\x00",
    FRAMES[4][:1],
    b"",
]
BAD_TEXT = FRAMES[4].replace(b"a", b"\x00")
ITEMS = [*FRAMES, *OTHERS, BAD_TEXT, Malformed("a text")]
FIRSTS = (0, 1, 2, 255, 256, 65535, 2**32 - 2, 2**32, 2**63, 2**64 - 4, 2**64 - 3, 2**64 - 2, 2**64 - 1)


def batch(frames: tuple[bytes, ...], gap: int = 0) -> FrameBatch:
    size = len(frames[0])
    return FrameBatch(b"!" + (b"." * gap).join(frames), 1, size, len(frames), size + gap)


def runs(pool: list[bytes]) -> list[tuple[bytes, ...]]:
    """Returns all runs of up to three frames of one size."""
    return [
        run
        for length in (1, 2, 3)
        for run in product(pool, repeat=length)
        if len({len(frame) for frame in run}) == 1 and run[0]
    ]


def main() -> None:
    recorder = Recorder()
    for length in range(4):
        for items in product(ITEMS, repeat=length):
            recorder.call(lambda items=items: list(keys_of(items)))
    for run in runs([*FRAMES, *OTHERS, BAD_TEXT]):
        for gap in (0, 1):

            def keys(run: tuple[bytes, ...] = run, gap: int = gap) -> object:
                known = keys_of_run(batch(run, gap))
                return known if known is None else list(known)

            recorder.call(keys)
    valid = runs(FRAMES)
    short = [run for run in valid if len(run) < 3]
    pieces = [*map(list, valid), *map(batch, valid), *(batch(run, 2) for run in valid)]
    few = [*map(list, short), *map(batch, short)]
    some = [*pieces[::7], *few[::3]]
    many = [*([piece] for piece in pieces), *product(few, repeat=2), *product(some[::4], repeat=3)]
    for number, chosen in enumerate(many):
        for first in FIRSTS if number % 5 == 0 else FIRSTS[number % 13 :: 6]:
            recorder.call(
                lambda chosen=chosen, first=first: [bytes(f) for f in delivers(list(chosen), first)]
            )
    recorder.finish("renumber")


if __name__ == "__main__":
    main()
