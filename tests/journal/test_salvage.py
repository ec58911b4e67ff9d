"""Flipped bits in frames cost only messages whose frames touch a damaged page, and those in an index at most its
block. All readers report the same ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from campaigns import random_of, seeds, sized
from journal_helpers import NOW, fill_random, flip, pieces, segment_files, stream_in

from zeps_broker.journal.inspection import verify
from zeps_broker.journal.repair import new_journal, repair_stream
from zeps_broker.journal.stream_journal import StreamJournal
from zeps_broker.ports import Block, Lost, Selected
from zeps_journal.block import key_of
from zeps_pipeline.journal import SCHEMA, Damage, list_segments, list_streams, read_segment
from zeps_wire import journal as wire
from zeps_wire.zeps import scan_deliver

PAGE = 4096
MIXED = [(1, 30), (300, 100), (40, 900), (2, 9000), (1, 20_000), (5, 4000), (1, 10), (1, 10), (700, 20)]
"""Blocks, by number of messages and bytes of the longest body."""


class Stored(NamedTuple):
    """A block of a segment file, as the generated codec reads it. Places are offsets in the file."""

    at: int
    frames_at: int
    end: int
    first_sequence: int
    ends: Sequence[int]

    @property
    def sequences(self) -> set[int]:
        return set(range(self.first_sequence, self.first_sequence + len(self.ends)))

    def touching(self, page: int) -> set[int]:
        """Returns the messages whose frames touch a page."""
        low, high = page * PAGE, (page + 1) * PAGE
        starts = [0, *self.ends]
        return {
            self.first_sequence + number
            for number, end in enumerate(self.ends)
            if starts[number] < high and end > low
        }


def write(folder: Path, chance: random.Random, rounds: int, segment_bytes: int) -> dict[int, bytes]:
    """Writes a journal of the stream `s`; returns its frames by sequence."""
    sizes = (size for _ in range(rounds) for size in chance.sample(MIXED, len(MIXED)))
    with stream_in(folder, sync="os", segment_bytes=segment_bytes) as log:
        return fill_random(log, chance, sizes, ["a", "b/1", "é"])


def blocks_of(file: Path) -> list[Stored]:
    data = file.read_bytes()
    at = len(wire.Segment(1, NOW, "s").encode())
    blocks = []
    while at < len(data):
        *_, count, frames_size, pages, keys, keys_size = wire.unpack_block_head(data, at)
        frames_at = at + wire.BLOCK_HEAD_SIZE + 14 * count + 4 * (pages + keys) + keys_size
        block = wire.decode(data[at : frames_at + frames_size])
        assert isinstance(block, wire.Block)
        blocks.append(Stored(at, frames_at, frames_at + frames_size, block.first_sequence, block.ends))
        at = frames_at + frames_size
    return blocks


def bound(blocks: Sequence[Stored], offset: int) -> tuple[set[int], set[int]]:
    """Returns the messages that a flipped bit must cost, and those that it may cost."""
    for block in blocks:
        if block.at <= offset < block.end:
            if offset >= block.frames_at:
                lost = block.touching((offset - block.frames_at) // PAGE)
                return lost, lost
            return set(), block.sequences if offset >= block.at + 8 else set()
    return set(), set()


def sequences(ranges: Iterable[Lost | Damage]) -> set[int]:
    return {n for gap in ranges for n in range(gap.first_sequence, gap.last_sequence + 1)}


def read_by_spark(folder: Path) -> tuple[set[int], dict[int, tuple[bytes, bytes]]]:
    """Returns the damage that the pipeline reports, and the keys and bodies that it reads."""
    damages, rows = [], {}
    for segment in list_segments("s", list_streams(folder)["s"]):
        for piece in read_segment(segment, SCHEMA):
            if isinstance(piece, Damage):
                damages.append(piece)
            else:
                columns = [piece.column(name).to_pylist() for name in ("offset", "key", "value")]
                rows.update({offset: (key, value) for offset, key, value in zip(*columns, strict=True)})
    return sequences(damages), rows


def check(folder: Path, stored: dict[int, bytes]) -> set[int]:
    """Returns the lost messages, after checking that all readers agree and return the others unchanged."""
    with stream_in(folder, read_only=True) as log:
        lost, served = check_broker(log, stored)
    damaged, rows = read_by_spark(folder)
    assert damaged == lost
    places = {n: scan_deliver(frame) for n, frame in served.items()}
    assert rows == {n: (served[n][a:b], served[n][c:d]) for n, (a, b, c, d) in places.items()}
    return lost


def check_broker(log: StreamJournal, stored: dict[int, bytes]) -> tuple[set[int], dict[int, bytes]]:
    """Returns the lost messages and the others, after checking that all of the broker's readers agree."""
    verdict = verify(log)
    blocks_and_gaps = list(pieces(log))
    served = {
        n: frame
        for block in blocks_and_gaps
        if isinstance(block, Block)
        for n, frame in enumerate(block.frames(), block.first_sequence)
    }
    lost = sequences(gap for gap in blocks_and_gaps if isinstance(gap, Lost))
    assert lost == sequences(verdict.damages) == sequences(log.damages)
    assert verdict.messages == len(served)
    for block in verdict.salvaged:
        inside = set(range(block.first_sequence, block.last_sequence + 1))
        assert block.lost == len(inside & lost)
        assert block.saved == len(inside) - block.lost
    assert served == {n: frame for n, frame in stored.items() if n not in lost}
    assert set(served) | lost == set(range(1, log.last_sequence + 1))
    check_selection(log, stored, lost)
    return lost, served


def check_selection(log: StreamJournal, stored: dict[int, bytes], lost: set[int]) -> None:
    """Of the keys that begin with `b` all readable messages are selected, and the others are lost."""
    matching = {n for n, frame in stored.items() if key_of(frame).startswith(b"b")}
    selected: dict[int, bytes] = {}
    announced: set[int] = set()
    after = 0
    while (piece := log.select(after, lambda keys: [key.startswith(b"b") for key in keys])) is not None:
        assert piece.first_sequence <= after + 1 <= piece.last_sequence
        if isinstance(piece, Lost):
            announced |= sequences([piece])
        elif isinstance(piece, Selected):
            selected.update(zip(piece.sequences, piece.frames, strict=True))
        else:
            selected.update(enumerate(piece.frames(), piece.first_sequence))
        after = piece.last_sequence
    assert announced <= lost
    assert matching & lost <= announced
    assert {n for n in selected if n in matching} == matching - lost
    assert all(stored[n] == frame for n, frame in selected.items())


@pytest.fixture(scope="module")
def journal(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, dict[int, bytes], dict[Path, list[Stored]]]:
    """A journal of several segments, its messages, and its blocks by file."""
    folder = tmp_path_factory.mktemp("salvage") / "data"
    stored = write(folder, random_of(0), 2, 150_000)
    return folder, stored, {file: blocks_of(file) for file in segment_files(folder)}


def places(chance: random.Random, blocks: Sequence[Stored]) -> Iterator[int]:
    """Returns offsets to flip: in frames, in heads and in indexes equally, and sometimes anywhere."""
    while True:
        block = chance.choice(blocks)
        yield chance.choice(
            [
                chance.randrange(block.frames_at, block.end),
                chance.randrange(block.at, block.at + wire.BLOCK_HEAD_SIZE),
                chance.randrange(block.at + wire.BLOCK_HEAD_SIZE, block.frames_at),
                chance.randrange(blocks[-1].end),
            ]
        )


@pytest.mark.parametrize("part", range(10))
def test_one_flipped_bit(journal: tuple[Path, dict[int, bytes], dict[Path, list[Stored]]], part: int) -> None:
    folder, stored, files = journal
    for number in range(sized(8, 100)):
        chance = random_of(1000 * part + number)
        file = chance.choice(list(files))
        whole = file.read_bytes()
        offset = next(places(chance, files[file]))
        flip(file, offset, 1 << chance.randrange(8))
        try:
            must, may = bound(files[file], offset)
            lost = check(folder, stored)
            assert must <= lost & set(stored) <= must | may, (file.name, offset)
        finally:
            file.write_bytes(whole)


@pytest.mark.parametrize("seed", seeds(3, 40))
def test_many_flipped_bits(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    folder = tmp_path / "data"
    stored = write(folder, chance, sized(4, 30), 400_000)
    files = segment_files(folder)
    must: set[int] = set()
    may: set[int] = set()
    for file in files:
        blocks, data = blocks_of(file), bytearray(file.read_bytes())
        for offset in dict.fromkeys(
            chance.randrange(len(data)) for _ in range(sized(40, 1000) // len(files))
        ):
            data[offset] ^= 1 << chance.randrange(8)
            lost, allowed = bound(blocks, offset)
            must |= lost
            may |= lost | allowed
        file.write_bytes(data)
    lost = check(folder, stored)
    assert must <= lost
    assert lost & set(stored) <= may
    with new_journal(tmp_path / "repaired") as repaired, stream_in(folder, read_only=True) as log:
        repair_stream(log, repaired, lambda done, total: None)
    assert check(tmp_path / "repaired", stored) == lost
