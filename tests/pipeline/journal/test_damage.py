"""Reading damaged journals: each message is read as it was written, or reported as lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pipeline_helpers import ALL, BLOCKS, Append, edited, heads_of, pieces, rows_of, segment_of

from zeps_journal.damage import MISPLACED, MISSING, SPOILT, TORN
from zeps_pipeline.journal import BlockHead, Damage, Segment, list_segments


@pytest.fixture
def file(journal: Path) -> Path:
    return Path(segment_of(journal / "s").path)


def heads_in(file: Path) -> list[BlockHead]:
    return heads_of(segment_of(file))


def check(file: Path, *kinds: str) -> list[Damage]:
    """Check that every message is read as it was written or reported as lost, and that the damage is of `kinds`."""
    got = pieces(file.parent.parent)
    damages = [piece for piece in got if isinstance(piece, Damage)]
    lost = {n for damage in damages for n in range(damage.first_sequence, damage.last_sequence + 1)}
    assert [row for row in ALL if row[0] not in lost] == rows_of(got)
    assert [damage.kind for damage in damages] == list(kinds)
    return damages


@pytest.mark.parametrize("seed", range(40))
def test_a_flipped_bit_costs_its_block_at_most(file: Path, seed: int) -> None:
    """In the magic or the checksum it loses no message, because the index and the pages have their own checksums."""
    chance = random.Random(seed)
    # Heads are short, and damage to them is the most dangerous: every second flip is in a head.
    head = chance.choice(heads_in(file)[:-1])
    place = head.at + chance.randrange(56 if seed % 2 else head.size)
    with edited(file) as data:
        data[place] ^= 1 << chance.randrange(8)
    (damage,) = check(file, SPOILT)
    saved = place < head.at + 8
    last = head.first_sequence - 1 if saved else head.last_sequence
    assert (damage.first_sequence, damage.last_sequence) == (head.first_sequence, last)
    assert damage.offset + damage.size == head.end
    assert damage.offset == (head.at + head.frames_at if place >= head.at + head.frames_at else head.at)


def test_a_damaged_header_loses_no_message(file: Path) -> None:
    with edited(file) as data:
        data[3] ^= 1
    (damage,) = check(file, SPOILT)
    assert damage.messages == 0


def test_a_foreign_segment_is_not_served(file: Path, append: Append) -> None:
    append(BLOCKS, stream="another")
    (other,) = list_segments("another", file.parent.parent / "another")
    file.write_bytes(Path(other.path).read_bytes())
    got = pieces(file.parent.parent, "s")
    assert [piece.kind for piece in got if isinstance(piece, Damage)] == [MISPLACED]
    assert len(got) == 1


@pytest.mark.parametrize("into", ["head", "index", "frames"])
def test_a_torn_tail_ends_the_journal(file: Path, into: str) -> None:
    last = heads_in(file)[-1]
    kept = {"head": 20, "index": 60, "frames": last.frames_at + 3}[into]
    file.write_bytes(file.read_bytes()[: last.at + kept])
    got = pieces(file.parent.parent)
    damages = [piece for piece in got if isinstance(piece, Damage)]
    assert [damage.kind for damage in damages] == [TORN]
    assert damages[0].messages == 0
    assert rows_of(got) == [row for row in ALL if row[0] < last.first_sequence]


def test_a_removed_block_is_reported_as_missing(file: Path) -> None:
    head = heads_in(file)[2]
    with edited(file) as data:
        del data[head.at : head.end]
    (damage,) = check(file, MISSING)
    assert (damage.first_sequence, damage.last_sequence) == (head.first_sequence, head.last_sequence)


def test_a_block_that_is_there_twice_is_read_once(file: Path) -> None:
    head = heads_in(file)[2]
    with edited(file) as data:
        data[head.end : head.end] = data[head.at : head.end]
    (damage,) = check(file, MISPLACED)
    assert damage.messages == 0


def test_blocks_that_changed_places_are_not_read_out_of_order(file: Path) -> None:
    _, second, third, *_ = heads_in(file)
    with edited(file) as data:
        data[second.at : third.end] = data[third.at : third.end] + data[second.at : second.end]
    damages = check(file, MISSING, MISPLACED)
    assert (damages[0].first_sequence, damages[0].last_sequence) == (
        second.first_sequence,
        second.last_sequence,
    )


def test_a_removed_segment_is_reported_as_missing(append: Append, tmp_path: Path) -> None:
    append(BLOCKS, segment_bytes=600)
    segments = list_segments("s", tmp_path / "journal" / "s")
    Path(segments[3].path).unlink()
    (damage,) = check(Path(segments[0].path), MISSING)
    assert (damage.first_sequence, damage.last_sequence) == (
        segments[3].first_sequence,
        segments[4].first_sequence - 1,
    )


def test_a_journal_inside_a_message_is_never_served(append: Append, tmp_path: Path) -> None:
    """The block after the damage is found by the size in the damaged head, not by blocks inside the damaged block."""
    append([[("a", b"x" * 50)], [("inner", b"1")], [("inner", b"2")]], path=tmp_path / "bait")
    bait = segment_of(tmp_path / "bait" / "s")
    inner = Path(bait.path).read_bytes()[bait.header_end :]
    append([[("a", inner)], [("b", b"2")], [("c", b"3")]])
    segment = segment_of(tmp_path / "journal" / "s")
    first = heads_of(segment)[0]
    with edited(segment.path) as data:
        data[first.at + 40] ^= 4  # the size of its frames
    assert rows_of(pieces(tmp_path / "journal")) == [(2, b"b", b"2"), (3, b"c", b"3")]


MANY = [[(f"k.{i}", f"{block}/{i}".encode() * 25) for i in range(20)] for block in range(40)]


@pytest.fixture
def many(append: Append, tmp_path: Path) -> list[Segment]:
    """Segments with blocks of 20 messages. In the first, the body of message 58 contains a block of 50 to 54."""
    append([*[[("k", b"")]] * 49, [("FORGED", b"x")] * 5], path=tmp_path / "bait")
    bait = segment_of(tmp_path / "bait" / "s")
    last = heads_of(bait)[-1]
    inner = Path(bait.path).read_bytes()[last.at : last.end]
    stored = [list(block) for block in MANY]
    stored[2][17] = ("k", inner + b"the rest")
    append(stored, segment_bytes=60_000)
    segments = list_segments("s", tmp_path / "journal" / "s")
    assert segments[0].limit is not None
    assert segments[0].limit > 300
    return segments


def spoil(segment: Segment, number: int, size: int | None) -> None:
    """Overwrite the first `size` bytes of a block with zeros; None flips one bit."""
    head = heads_of(segment)[number]
    with edited(segment.path) as held:
        if size is None:
            held[head.at + 2000] ^= 1
        else:
            held[head.at : head.at + size] = bytes(size)


@pytest.mark.parametrize("second", [None, 1024, 2500])
@pytest.mark.parametrize("first", [1024, 2600])
def test_intact_blocks_between_two_damages_are_read(
    many: list[Segment], tmp_path: Path, first: int, second: int | None
) -> None:
    spoil(many[0], 12, second)
    spoil(many[0], 2, first)
    got = pieces(tmp_path / "journal")
    rows = rows_of(got)
    assert [row[0] for row in rows] == [n for n in range(1, 801) if not (40 < n <= 60 or 240 < n <= 260)]
    assert b"FORGED" not in {row[1] for row in rows}
    assert len([piece for piece in got if isinstance(piece, Damage)]) == 2


def test_walk_yields_blocks_in_file_order(file: Path) -> None:
    _, second, third, *_ = heads_in(file)
    with edited(file) as data:
        data[third.end : third.end] = data[second.at : second.end]
    firsts = [head.first_sequence for head in heads_in(file)]
    assert firsts[:4] == [1, second.first_sequence, third.first_sequence, second.first_sequence]
