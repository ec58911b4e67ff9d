"""Writes journals with the broker's store, and plants faults into their files byte by byte.

Each planting returns the finding that the audit must report. It does not use any code of the audit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline_helpers import append_blocks

from zeps_journal.block import unpack_head
from zeps_journal.names import encode_name
from zeps_wire.journal import Block, Segment, decode

__all__ = ["PLANTINGS", "Expected", "plant", "write_stream"]

_SECOND = 1_000_000
_CREATED = (18, 26)
_UNCOVERED = 8
_PAGE = 4096
_BEGIN = 1_700_000_000 * _SECOND


class Expected(NamedTuple):
    """Expected finding: its kind and its sequences; None if no sequence is affected."""

    kind: str
    first: int | None
    last: int | None
    lost: int
    """Number of sequences that cannot be read afterwards."""


class _Block(NamedTuple):
    file: Path
    at: int
    end: int
    first: int
    last: int
    frames: Sequence[tuple[int, int]]
    """Begin and end of each frame, relative to the block's begin."""


def write_stream(folder: Path, stream: str, chance: random.Random, blocks: int = 30) -> int:
    """Append to a stream of several segments, in blocks of 1 to 40 messages. Returns the number of messages."""
    written, times = [], [_BEGIN]
    for _ in range(blocks):
        many = chance.choice((1, 2, 3, 10, 40))
        written.append(
            [(f"key.{chance.randrange(5)}", chance.randbytes(chance.randrange(90))) for _ in range(many)]
        )
        times.append(times[-1] + chance.randrange(1, 120 * _SECOND))
    append_blocks(folder, stream, written, times, segment_bytes=6000)
    return sum(map(len, written))


def _blocks(folder: Path, stream: str) -> list[_Block]:
    blocks: list[_Block] = []
    for file in sorted((folder / encode_name(stream)).glob("*.segment")):
        data = file.read_bytes()
        at = len(Segment(1, 0, stream).encode())
        while at < len(data):
            head = unpack_head(data, at)
            assert head is not None
            block = decode(data[at : at + head.size])
            assert isinstance(block, Block)
            ends = [head.frames_at + end for end in block.ends]
            frames = list(zip([head.frames_at, *ends], ends, strict=False))
            blocks.append(_Block(file, at, at + head.size, head.first_sequence, head.last_sequence, frames))
            at += head.size
    return blocks


def _splice(file: Path, at: int, end: int, data: bytes) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:at] + data + whole[end:])


def _data_of(block: _Block) -> bytes:
    return block.file.read_bytes()[block.at : block.end]


def gap(blocks: list[_Block], chance: random.Random) -> Expected:
    """Remove a block, but not the last one, whose absence cannot be detected."""
    block = chance.choice(blocks[:-1])
    _splice(block.file, block.at, block.end, b"")
    return Expected("gap", block.first, block.last, block.last - block.first + 1)


def missing_segment(blocks: list[_Block], chance: random.Random) -> Expected:
    """Remove a segment file, but neither the first one, which retention may remove, nor the last one."""
    files = sorted({block.file for block in blocks})
    file = chance.choice(files[1:-1])
    held = [block for block in blocks if block.file == file]
    file.unlink()
    return Expected("gap", held[0].first, held[-1].last, held[-1].last - held[0].first + 1)


def repeat(blocks: list[_Block], chance: random.Random) -> Expected:
    """Insert a copy of a block after it or after a later block."""
    number = chance.randrange(len(blocks))
    block, after = blocks[number], blocks[chance.randrange(number, len(blocks))]
    _splice(after.file, after.end, after.end, _data_of(block))
    return Expected("repeat", block.first, block.last, 0)


def disorder(blocks: list[_Block], chance: random.Random) -> Expected:
    """Move a block behind a later block of its file."""
    number = chance.choice(
        [n for n, candidate in enumerate(blocks[:-1]) if blocks[n + 1].file == candidate.file]
    )
    block = blocks[number]
    behind = chance.choice([candidate for candidate in blocks[number + 1 :] if candidate.file == block.file])
    data = _data_of(block)
    _splice(block.file, behind.end, behind.end, data)
    _splice(block.file, block.at, block.end, b"")
    return Expected("disorder", block.first, block.last, 0)


def torn_tail(blocks: list[_Block], chance: random.Random) -> Expected:
    """Remove the end of the last block, as if it had not reached the disk."""
    block = blocks[-1]
    _splice(block.file, block.at + chance.randrange(1, block.end - block.at), block.end, b"")
    return Expected("torn", None, None, block.last - block.first + 1)


def torn_block(blocks: list[_Block], chance: random.Random) -> Expected:
    """Remove the end of a block that other blocks follow. Not in the newest file, where it may be a torn tail."""
    block = chance.choice([candidate for candidate in blocks if candidate.file != blocks[-1].file])
    _splice(block.file, block.at + chance.randrange(1, block.end - block.at), block.end, b"")
    return Expected("damage", block.first, block.last, block.last - block.first + 1)


def flipped_bit(blocks: list[_Block], chance: random.Random) -> Expected:
    """Flip one bit: in the index it loses the block, in frames those of the page, in magic and checksum nothing."""
    block = chance.choice(blocks)
    data = bytearray(_data_of(block))
    place = chance.randrange(len(data))
    data[place] ^= 1 << chance.randrange(8)
    _splice(block.file, block.at, block.end, bytes(data))
    if place < _UNCOVERED:
        return Expected("damage", None, None, 0)
    first, last = block.first, block.last
    frames_at = block.frames[0][0]
    if place >= frames_at:
        page = frames_at + (place - frames_at) // _PAGE * _PAGE
        lost = [
            n for n, (begin, end) in enumerate(block.frames, first) if begin < page + _PAGE and end > page
        ]
        first, last = lost[0], lost[-1]
    return Expected("damage", first, last, last - first + 1)


def flipped_header_bit(blocks: list[_Block], chance: random.Random) -> Expected:
    """Flip one bit of a segment's header, except the creation time (it has no checksum), which loses no message."""
    file = chance.choice(blocks).file
    size = min(block.at for block in blocks if block.file == file)
    data = bytearray(file.read_bytes()[:size])
    data[chance.choice([*range(_CREATED[0]), *range(_CREATED[1], size)])] ^= 1 << chance.randrange(8)
    _splice(file, 0, size, bytes(data))
    return Expected("damage", None, None, 0)


PLANTINGS: list[Callable[[list[_Block], random.Random], Expected]] = [
    gap, missing_segment, repeat, disorder, torn_tail, torn_block, flipped_bit, flipped_bit, flipped_header_bit,
]  # fmt: skip
"""All plantings. `flipped_bit` is listed twice, because it has many possible places."""


def plant(folder: Path, stream: str, number: int, chance: random.Random) -> Expected:
    """Plant fault `number` (modulo the number of plantings) into `stream`."""
    return PLANTINGS[number % len(PLANTINGS)](_blocks(folder, stream), chance)
