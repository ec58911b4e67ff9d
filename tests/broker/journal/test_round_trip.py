from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

import pytest
from google_crc32c import value
from hypothesis import given
from hypothesis import strategies as st
from journal_helpers import NOW, Opened, QuickDisk, faulty, fill, frames, segment_files, served, written

from zeps_broker.journal import JournalStore, encoding
from zeps_broker.ports import JournalError, Store, StreamLog
from zeps_journal import block, block_run
from zeps_wire import journal as wire
from zeps_wire.errors import EncodeError
from zeps_wire.zeps import Deliver


@given(
    counts=st.lists(st.integers(1, 300), max_size=25),
    size=st.integers(0, 2000),
    segment_bytes=st.sampled_from([1, 4096, 100_000, 1 << 26]),
    cache_bytes_max=st.sampled_from([1, 10_000, 1 << 26]),
    reopen=st.booleans(),
    start=st.integers(0, 8000),
)
def test_what_is_appended_is_read(
    counts: list[int], size: int, segment_bytes: int, cache_bytes_max: int, reopen: bool, start: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        options = {"disk": QuickDisk(), "segment_bytes": segment_bytes, "cache_bytes_max": cache_bytes_max}
        store = JournalStore(folder, **options)
        log = store.open("s")
        stored = fill(log, counts, size)
        if reopen:
            store.close()
            store = JournalStore(folder, **options)
            log = store.open("s")
        assert (log.first_sequence, log.last_sequence) == (1, sum(counts))
        assert served(log) == stored
        assert served(log, start) == {n: frame for n, frame in stored.items() if n > start}
        store.close()


def test_the_store_is_what_the_core_expects(opened: Opened) -> None:
    store: Store = opened()
    log: StreamLog = store.open("s")
    assert store.open("s") is log
    assert (log.name, log.first_sequence, log.last_sequence) == ("s", 1, 0)
    assert log.read(0) is None
    log.append([], NOW)
    assert log.last_sequence == 0
    log.append(frames(1, 3), NOW)
    assert (log.first_sequence, log.last_sequence) == (1, 3)
    piece = log.read(1)
    assert piece is not None
    assert piece.first_sequence <= 2 <= piece.last_sequence
    assert list(piece.times) == [NOW] * 3
    assert log.read(3) is None
    assert log.read(2**64 - 1) is None


def test_who_only_opens_a_stream_leaves_nothing_on_the_disk(opened: Opened, tmp_path: Path) -> None:
    store = opened()
    store.open("s")
    assert store.streams() == []
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["zeps.lock"]


def test_small_blocks_come_back_as_one_large_ones_alone(opened: Opened) -> None:
    log = opened(sync="os", cache_bytes_max=1).open("s")
    fill(log, [1] * 5000)
    first = log.read(0)
    assert first is not None
    assert 1000 < first.count <= block_run.RUN_MESSAGES
    assert len(first.data) <= block_run.RUN_SIZE
    fill(log, [1, 400, 1], size=1000)
    large = log.read(5001)
    assert large is not None
    assert (large.first_sequence, large.count) == (5002, 400)


@pytest.mark.parametrize("cache_bytes_max", [1, 1 << 26])
def test_times_are_those_of_the_blocks(opened: Opened, cache_bytes_max: int) -> None:
    log = opened(cache_bytes_max=cache_bytes_max).open("s")
    for time_us, count in ((NOW, 1), (NOW + 5, 2), (NOW - 7, 1)):
        log.append(frames(log.last_sequence + 1, count), time_us)
    piece = log.read(0)
    assert piece is not None
    assert list(piece.times) == [NOW, NOW + 5, NOW + 5, NOW - 7]


def test_what_passes_a_blocks_limits_becomes_several(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "MESSAGES_MAX", 10)
    monkeypatch.setattr(encoding, "FRAMES_SIZE_MAX", 500)
    store = opened()
    log = store.open("s")
    by_count = frames(1, 25, 0)
    by_size = frames(26, 4, 300)
    log.append(by_count, NOW)
    log.append(by_size, NOW)
    store.close()
    assert list(served(opened().open("s")).values()) == by_count + by_size


@pytest.mark.parametrize("wrong", [frames(2, 2), frames(1, 1) + frames(3, 1), [b""], [b"\xaa\xa5\x08"]])
def test_frames_that_do_not_follow_are_refused(opened: Opened, wrong: list[bytes]) -> None:
    log = opened().open("s")
    with pytest.raises(JournalError, match="not DELIVERs from sequence 1 on; nothing was stored"):
        log.append(wrong, NOW)
    assert log.last_sequence == 0
    log.append(frames(1, 2), NOW)
    assert log.last_sequence == 2


def test_a_segment_is_what_the_model_says(opened: Opened, tmp_path: Path) -> None:
    store = opened(segment_bytes=1)
    log = store.open("s")
    stored = fill(log, [2, 1])
    store.close()
    first, second = segment_files(tmp_path)
    assert [first.name, second.name] == ["00000000000000000001.segment", "00000000000000000003.segment"]
    data = first.read_bytes()
    header = wire.Segment(1, NOW + 1, "s")
    assert data.startswith(header.encode())
    decoded = wire.decode(data[len(header.encode()) :])
    assert isinstance(decoded, wire.Block)
    assert (decoded.first_sequence, decoded.first_time, decoded.last_time) == (1, NOW + 1, NOW + 1)
    assert tuple(decoded.times) == (NOW + 1, NOW + 1)
    assert tuple(decoded.ends) == (len(stored[1]), len(stored[1] + stored[2]))
    assert decoded.frames == stored[1] + stored[2]


@pytest.mark.parametrize("sync", ["always", "interval", "os"])
def test_streams_do_not_mix(opened: Opened, sync: Literal["always", "interval", "os"]) -> None:
    names = ["a", "A", "..", "a/b", "../../etc", "x" * 255, "x" * 254 + "y", "ü" * 100, "lock"]
    store = opened(sync=sync)
    stored = {name: fill(store.open(name), [number + 1], size=number) for number, name in enumerate(names)}
    assert store.streams() == sorted(names)
    store.close()
    store = opened(sync=sync)
    assert store.streams() == sorted(names)
    for name in names:
        assert served(store.open(name)) == stored[name]


@pytest.mark.parametrize("name", ["", "x" * 256, "a\nb", "\ud800"])
def test_names_that_no_stream_has(opened: Opened, name: str) -> None:
    with pytest.raises(JournalError, match="invalid stream name"):
        opened().open(name)


def test_more_streams_than_files_may_be_open(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    store = opened(sync="interval", cache_bytes_max=1)
    monkeypatch.setattr(store._pool, "_files_max", 4)
    stored = {}
    for turn in range(3):
        for name in range(20):
            stored.setdefault(name, {}).update(fill(store.open(f"s{name}"), [turn + 1]))
    store.tick(NOW + 10_000_000)
    assert all(served(store.open(f"s{name}")) == stored[name] for name in stored)
    assert len(store._pool) <= 4


def test_a_closed_store_takes_nothing(opened: Opened) -> None:
    store = opened()
    log = store.open("s")
    store.close()
    store.close()
    with pytest.raises(JournalError, match="the journal is closed"):
        log.append(frames(1, 1), NOW)
    with pytest.raises(JournalError, match="the journal is closed"):
        store.open("t")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sync", "never"),
        ("segment_bytes", 0),
        ("retain_bytes", 0),
        ("retain_seconds", -1.0),
        ("sync_seconds", 0),
    ],
)
def test_options_that_mean_nothing(opened: Opened, name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        opened(**{name: value})


def test_a_subscriber_slightly_behind_costs_no_read_from_the_disk(opened: Opened) -> None:
    disk, _, log = faulty(opened)
    stored = fill(log, [1, 5] * 100)
    assert served(log, 100) == {n: frame for n, frame in stored.items() if n > 100}
    assert disk.calls["pread"] == 0


def test_a_second_reader_of_the_same_place_costs_no_read_from_the_disk(opened: Opened) -> None:
    stored = written(opened, [1, 5] * 100)
    disk, _, log = faulty(opened)
    assert served(log) == stored
    before = disk.calls["pread"]
    assert served(log) == stored
    assert disk.calls["pread"] == before


def test_memory_is_bounded_over_all_streams(opened: Opened) -> None:
    store = opened(cache_bytes_max=100_000, segment_bytes=50_000)
    stored = {}
    for turn in range(10):
        for name in "abcdefgh":
            stored.setdefault(name, {}).update(fill(store.open(name), [1, 20], 100 * turn))
            assert store._cache.memory_bytes <= 100_000
    for name in "abcdefgh":
        assert served(store.open(name)) == stored[name]
        assert store._cache.memory_bytes <= 100_000


def test_one_streams_cache_does_not_grow_for_ever(opened: Opened) -> None:
    store = opened(sync="os")
    log = store.open("s")
    stored = fill(log, [1, 200] * 50, size=1000)
    assert store._cache.memory_bytes < 3 * 1024 * 1024
    assert served(log) == stored
    assert store._cache.memory_bytes < 13 * 1024 * 1024


def test_the_limits_are_the_models() -> None:
    for count, frames_size in ((block.MESSAGES_MAX, 1), (1, block.FRAMES_SIZE_MAX)):
        head = wire.block_head(0, 0, 1, NOW, NOW, count, frames_size, 1, 1, 1)
        assert wire.unpack_block_head(head)[5:] == (count, frames_size, 1, 1, 1)
    for count, frames_size in ((block.MESSAGES_MAX + 1, 1), (1, block.FRAMES_SIZE_MAX + 1)):
        with pytest.raises(EncodeError, match="too-long"):
            wire.block_head(0, 0, 1, NOW, NOW, count, frames_size, 1, 1, 1)
    most = block.FRAMES_SIZE_MAX // block.PAGE_SIZE, block.MESSAGES_MAX, 255 * block.MESSAGES_MAX
    wire.block_head(0, 0, 1, NOW, NOW, 1, 1, *most)
    for place in range(3):
        with pytest.raises(EncodeError, match="too-long"):
            wire.block_head(0, 0, 1, NOW, NOW, 1, 1, *(n + (place == i) for i, n in enumerate(most)))


def test_what_the_writer_writes_is_what_the_generated_codec_reads(opened: Opened, tmp_path: Path) -> None:
    log = opened().open("s")
    stored = [Deliver(n, key, b"x" * size).encode() for n, key, size in
              ((1, "b", 5000), (2, "", 1), (3, "b", 4000), (4, "é", 0))]  # fmt: skip
    log.append(stored, NOW)
    content = segment_files(tmp_path)[0].read_bytes()
    header = content.index(b"ZBLK")
    decoded = wire.decode(content[header:])
    assert isinstance(decoded, wire.Block)
    data = b"".join(stored)
    assert decoded.frames == data
    assert decoded.keys == "bé".encode()
    assert decoded.key_ends == (1, 1, 3)
    assert decoded.key_numbers == (0, 1, 0, 2)
    assert decoded.page_checksums == tuple(value(data[at : at + 4096]) for at in range(0, len(data), 4096))
    assert decoded.checksum == value(content[header + 8 :])
    assert decoded.index_checksum == value(content[header + 12 : len(content) - len(data)])


def test_a_message_that_no_block_can_hold(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    log = opened().open("s")
    monkeypatch.setattr(encoding, "FRAMES_SIZE_MAX", 10)
    monkeypatch.setattr(block, "block_head", _too_long)
    with pytest.raises(JournalError, match="no block can hold this message"):
        log.append(frames(1, 1), NOW)
    assert log.last_sequence == 0


def _too_long(*_: int) -> bytes:
    raise EncodeError("too-long", "BLOCK", "frames_size")
