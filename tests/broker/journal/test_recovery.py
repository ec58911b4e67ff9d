"""Opening after a crash and after damage: each byte cut and each byte flipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from campaigns import SOAK
from hypothesis import given
from hypothesis import strategies as st
from journal_helpers import NOW, Opened, fill, flip, frames, segment_files, served, stream_in, written

from zeps_broker.journal.inspection import verify
from zeps_broker.ports import JournalError, Lost
from zeps_journal.header import header_size
from zeps_wire import journal as wire
from zeps_wire.zeps import Deliver

COUNTS = (2, 1, 3, 1)
MASKS = (0x01, 0x80, 0xFF)
HEADER = len(wire.Segment(1, NOW, "s").encode())


@pytest.fixture
def journal(tmp_path: Path) -> tuple[Path, dict[int, bytes], list[int]]:
    """Returns a journal of one segment: its folder, its messages, and the ends of its blocks."""
    ends, stored = [HEADER], {}
    with stream_in(tmp_path / "data") as log:
        for count in COUNTS:
            stored.update(fill(log, [count], size=9))
            ends.append(log.segments[0].size)
    return tmp_path / "data", stored, ends


def copies(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yields copies of a journal, each with its segment."""
    number = 0
    while True:
        copy = folder.parent / f"copy{number}"
        shutil.copytree(folder, copy)
        yield copy, segment_files(copy)[-1]
        shutil.rmtree(copy)
        number += 1


def test_killed_at_every_octet(
    journal: tuple[Path, dict[int, bytes], list[int]], caplog: pytest.LogCaptureFixture
) -> None:
    folder, stored, ends = journal
    for length, (copy, segment) in zip(range(ends[-1] + 1), copies(folder), strict=False):
        whole = [end for end in ends if end <= length]
        last = sum(COUNTS[: max(0, len(whole) - 1)])
        os.truncate(segment, length)
        caplog.clear()
        with stream_in(copy, log=None) as log:
            assert log.last_sequence == last
            assert served(log) == {n: stored[n] for n in range(1, last + 1)}
            cut = length - (whole[-1] if whole else 0)
            place = {"file": str(segment), "offset": length - cut, "octets": cut, "next_sequence": last + 1}
            events = [{"event": "torn-tail", "stream": "s", **place}] if cut else []
            assert [record.zeps for record in caplog.records] == events
            assert segment.stat().st_size == length - cut
            more = fill(log, [2])
        with stream_in(copy) as log:
            assert (served(log), log.damages) == ({n: stored[n] for n in range(1, last + 1)} | more, [])


@pytest.mark.parametrize("mask", MASKS)
def test_every_octet_flipped(journal: tuple[Path, dict[int, bytes], list[int]], mask: int) -> None:
    """`make soak` tests each mask, `make test` one of them."""
    folder, stored, ends = journal
    offsets = range(ends[-1]) if SOAK else range(MASKS.index(mask), ends[-1], len(MASKS))
    created = range(18, 26)
    firsts = [1, 3, 4, 7]
    for offset, (copy, segment) in zip(offsets, copies(folder), strict=False):
        flip(segment, offset, mask)
        block = next((index for index, end in enumerate(ends[1:]) if ends[0] <= offset < end), None)
        # No other checksum covers a block's magic and checksum; its frames here are in one page.
        spared = block is None or offset < ends[block] + 8
        lost = () if block is None or spared else range(firsts[block], firsts[block] + COUNTS[block])
        expected = {n: frame for n, frame in stored.items() if n not in lost}
        with stream_in(copy) as log:
            assert served(log) == expected
            assert log.last_sequence >= 7
            assert log.torn is None
            if offset not in created:
                (damage,) = log.damages
                assert damage.offset <= offset < damage.offset + damage.size
                assert set(lost) == set(range(damage.first_sequence, damage.last_sequence + 1)) & set(stored)
            more = fill(log, [1, 2])
            assert min(more) > 7
        with stream_in(copy) as log:
            assert (served(log), log.last_sequence) == (expected | more, max(more))


def test_damage_in_an_older_segment_is_found_when_it_is_read(opened: Opened, tmp_path: Path) -> None:
    stored = written(opened, [1] * 20, segment_bytes=300)
    first = segment_files(tmp_path)[0]
    flip(first, first.stat().st_size - 1, 0x10)
    log = opened().open("s")
    assert log.damages == []
    assert log.last_sequence == 20
    served_frames = served(log)
    (damage,) = log.damages
    assert damage.file == str(first)
    assert damage.first_sequence == damage.last_sequence
    assert served_frames == {n: frame for n, frame in stored.items() if n != damage.first_sequence}


def test_damage_that_comes_while_the_journal_is_open(opened: Opened, tmp_path: Path) -> None:
    log = opened(cache_bytes_max=1).open("s")
    stored = fill(log, [2] * 50)
    assert served(log) == stored
    (segment,) = segment_files(tmp_path)
    flip(segment, HEADER + 1000, 1)
    served_frames = served(log)
    (damage,) = log.damages
    lost = range(damage.first_sequence, damage.last_sequence + 1)
    assert served_frames == {n: frame for n, frame in stored.items() if n not in lost}
    assert damage.messages == 2


def test_a_whole_block_at_the_end_whose_checksum_does_not_hold_keeps_its_sequences(
    opened: Opened, tmp_path: Path
) -> None:
    stored = written(opened, [3, 2])
    (segment,) = segment_files(tmp_path)
    flip(segment, segment.stat().st_size - 1, 1)
    data = segment.read_bytes()
    log = opened().open("s")
    assert log.last_sequence == 5
    assert log.read(3) == Lost(4, 5, "damage")
    (damage,) = log.damages
    assert (damage.first_sequence, damage.last_sequence) == (4, 5)
    assert "checksum" in damage.reason
    more = fill(log, [1])
    assert list(more) == [6]
    assert served(log) == {n: stored[n] for n in (1, 2, 3)} | more
    assert segment.read_bytes() == data, "the damaged bytes were changed"
    assert [path.name for path in segment_files(tmp_path)][1] == "00000000000000000006.segment"


def test_sizes_that_fell_over_at_the_end_make_no_torn_tail(opened: Opened, tmp_path: Path) -> None:
    """By its size alone the block would be incomplete, and its sequences would be used again."""
    store = opened()
    log = store.open("s")
    fill(log, [3])
    at = log.segments[0].size
    fill(log, [4])
    store.close()
    for octet in range(at + 32, at + 40):
        for bit in range(8):
            copy = tmp_path / f"copy-{octet}-{bit}"
            shutil.copytree(tmp_path / "data", copy)
            flip(segment_files(copy)[0], octet, 1 << bit)
            with stream_in(copy) as log:
                assert log.torn is None
                assert log.last_sequence >= 7
                assert log.damages[0].first_sequence == 4


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_segment_that_is_gone(opened: Opened, tmp_path: Path, missing: int) -> None:
    stored = written(opened, [1, 2, 3], segment_bytes=1)
    segment_files(tmp_path)[missing].unlink()
    log = opened().open("s")
    lost = ((1,), (2, 3), (4, 5, 6))[missing]
    assert served(log) == {n: frame for n, frame in stored.items() if n not in lost}
    assert log.last_sequence == (3 if missing == 2 else 6)
    assert [(d.first_sequence, d.last_sequence) for d in log.damages] == ([(2, 3)] if missing == 1 else [])


def test_a_segment_that_goes_while_the_journal_is_open(opened: Opened, tmp_path: Path) -> None:
    stored = written(opened, [1, 2, 3], segment_bytes=1)
    store = opened()
    log = store.open("s")
    store._pool.close()
    segment_files(tmp_path)[1].unlink()
    assert served(log) == {n: frame for n, frame in stored.items() if n not in (2, 3)}
    (damage,) = log.damages
    assert (damage.first_sequence, damage.last_sequence) == (2, 3)
    assert damage.reason == "the segment's file is missing"


def test_a_segment_of_another_stream_is_not_served(opened: Opened, tmp_path: Path) -> None:
    for name in ("aa", "bb", "longer"):
        written(opened, [1, 1, 1], 10 + len(name), (name,), segment_bytes=1)
    data = tmp_path / "data"
    for other in ("bb", "longer"):
        shutil.copy(segment_files(data / other)[1], segment_files(data / "aa")[1])
        with closing(opened()) as store:
            assert set(served(store.open("aa"))) == {1, 3}
            assert other in store.open("aa").damages[0].reason


@pytest.mark.parametrize(("place", "lost_sequences"), [(0, (1,)), (1, (2, 3)), (2, (4, 5, 6)), (3, ())])
def test_the_messages_of_a_segment_of_another_stream_are_reported_once(
    opened: Opened, tmp_path: Path, place: int, lost_sequences: tuple[int, ...]
) -> None:
    """The last segment has no messages."""
    stored = written(opened, [1, 2, 3], streams=("stream",), segment_bytes=1)
    segments = segment_files(tmp_path / "data" / "stream")
    empty = segments[0].with_name("00000000000000000007.segment")
    empty.write_bytes(wire.Segment(7, NOW, "stream").encode())
    for octet in (5, 6):
        flip([*segments, empty][place], header_size("stream") - octet, 1)
    if place < 3:
        empty.unlink()
    verdict = verify(opened(read_only=True).open("stream"))
    (damage,) = verdict.damages
    assert "names the stream" in damage.reason
    assert tuple(range(damage.first_sequence, damage.last_sequence + 1)) == lost_sequences
    assert verdict.messages == len(stored) - len(lost_sequences)


def test_a_torn_segment_of_another_stream_gets_no_further_message(opened: Opened, tmp_path: Path) -> None:
    written(opened, [1, 2], streams=("stream",))
    (segment,) = segment_files(tmp_path)
    os.truncate(segment, segment.stat().st_size - 1)
    for octet in (5, 6):
        flip(segment, header_size("stream") - octet, 1)
    store = opened()
    log = store.open("stream")
    assert log.torn is not None
    more = fill(log, [1])
    store.close()
    assert served(opened().open("stream")) == more


def test_segments_that_hold_the_same_sequences_serve_each_once(opened: Opened, tmp_path: Path) -> None:
    stored = written(opened, [1, 1, 1, 1])
    (segment,) = segment_files(tmp_path)
    shutil.copy(segment, segment.with_name("00000000000000000003.segment"))
    log = opened().open("s")
    served_frames = served(log)
    assert all(stored[n] == frame for n, frame in served_frames.items())
    assert log.last_sequence >= 4
    assert log.damages


def test_a_journal_inside_messages_is_never_taken_for_the_journal(opened: Opened, tmp_path: Path) -> None:
    """Valid blocks with possible sequences, but in the wrong place: inside a damaged block's messages."""
    written(opened, [1] * 30, path=tmp_path / "bait")
    bait = segment_files(tmp_path / "bait")[0].read_bytes()
    carrier = Deliver(4, "files", bait).encode()
    store = opened()
    log = store.open("s")
    stored = fill(log, [3])
    at = log.segments[0].size
    log.append([carrier], NOW)
    stored |= {4: carrier} | fill(log, [1, 1])
    end = log.segments[0].size
    store.close()
    copied = copies(tmp_path / "data")
    for octet in range(at, at + 80):
        for mask in (1, 0x80, 0xFF):
            copy, segment = next(copied)
            flip(segment, octet, mask)
            spared = octet < at + 8
            with stream_in(copy) as log:
                assert served(log) == {n: f for n, f in stored.items() if spared or n != 4}, octet
    for length in range(at + 40, end - 300, 37):
        copy, segment = next(copied)
        os.truncate(segment, length)
        with stream_in(copy) as log:
            assert log.last_sequence == 3


@given(data=st.data())
def test_whatever_happens_to_the_bytes_nothing_wrong_is_served(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    with stream_in(folder, segment_bytes=data.draw(st.sampled_from([400, 1500, 1 << 20]))) as log:
        counts = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=12))
        stored = fill(log, counts, size=data.draw(st.integers(0, 60)))
    cut = False
    for _ in range(data.draw(st.integers(1, 3))):
        segment = data.draw(st.sampled_from(segment_files(folder)))
        content = bytearray(segment.read_bytes())
        start = data.draw(st.integers(0, len(content)))
        stop = data.draw(st.integers(start, min(len(content), start + 200)))
        match data.draw(st.sampled_from(["zero", "random", "cut out", "insert", "truncate", "repeat"])):
            case "zero":
                content[start:stop] = bytes(stop - start)
            case "random":
                content[start:stop] = data.draw(st.binary(min_size=stop - start, max_size=stop - start))
            case "cut out":
                cut = True
                del content[start:stop]
            case "insert":
                content[start:start] = data.draw(st.binary(max_size=100))
            case "truncate":
                cut = True
                del content[start:]
            case "repeat":
                content[stop:stop] = content[start:stop]
        segment.write_bytes(content)
    with stream_in(folder) as log:
        assert served(log).items() <= stored.items()
        assert cut or log.last_sequence >= max(stored)
        more = fill(log, [2, 1])
    with stream_in(folder) as log:
        assert served(log).items() >= more.items()
    shutil.rmtree(folder)


def test_a_folder_that_is_no_folder(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "s").write_text("not a folder")
    with pytest.raises(JournalError, match="cannot open the stream: Not a directory"):
        opened().open("s")


def test_other_files_in_a_streams_folder_are_left_alone(opened: Opened, tmp_path: Path) -> None:
    stored = written(opened, [2])
    note = tmp_path / "data" / "s" / "note.txt"
    note.write_text("by hand")
    store = opened()
    assert served(store.open("s")) == stored
    store.open("s").append(frames(3, 1), NOW)
    assert note.read_text() == "by hand"
