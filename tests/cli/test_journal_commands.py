from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from journal_helpers import NOW, fill, flip, segment_files

from zeps_broker.journal import JournalStore
from zeps_broker.journal.encoding import encode_blocks
from zeps_broker.journal.inspection import messages, summary, verify
from zeps_cli import journal_commands
from zeps_wire import journal as wire
from zeps_wire.zeps import Deliver

Opened = Callable[..., JournalStore]
Zeps = Callable[..., tuple[int, str, str]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three streams: `prices` in several segments, `odd names/..`, and one whose folder name is cut."""
    store = JournalStore(tmp_path / "data", segment_bytes=300)
    fill(store.open("prices"), [2, 3, 1])
    log = store.open("odd names/..")
    log.append([Deliver(1, "k ü", b"\xff\x00").encode()], NOW)
    log.append([Deliver(2, "", "grün, ja".encode()).encode(), Deliver(3, "nl", b"a\nb").encode()], NOW)
    fill(store.open("x" * 255), [1])
    store.close()
    return tmp_path / "data"


def test_ls(zeps: Zeps, data: Path) -> None:
    code, out, err = zeps("journal", "ls", data)
    assert (code, err) == (0, "")
    lines = [re.split(r"  +", line) for line in out.splitlines()]
    assert lines[0] == ["STREAM", "FIRST", "LAST", "MESSAGES", "BYTES", "SEGMENTS", "OLDEST", "NEWEST"]
    by_name = {line[0]: line for line in lines[1:]}
    assert list(by_name) == ['"odd names/.."', "prices", "x" * 255]
    size = str(sum(path.stat().st_size for path in (data / "prices").iterdir()))
    segments = str(len(segment_files(data / "prices")))
    times = ["2023-11-14T22:13:20.000001Z", "2023-11-14T22:13:20.000006Z"]
    assert by_name["prices"][1:] == ["1", "6", "6", size, segments, *times]
    assert zeps("streams", "--data", data) == (code, out, err)


def test_ls_as_json(zeps: Zeps, data: Path) -> None:
    code, out, _ = zeps("journal", "ls", data, "--json")
    records = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [record["stream"] for record in records] == ["odd names/..", "prices", "x" * 255]
    assert records[1]["messages"] == records[1]["last_sequence"] == 6
    assert records[1]["oldest_us"] == NOW + 1


def test_ls_of_an_empty_journal(zeps: Zeps, tmp_path: Path) -> None:
    JournalStore(tmp_path).close()
    assert zeps("journal", "ls", tmp_path)[:2] == (
        0,
        "STREAM  FIRST  LAST  MESSAGES  BYTES  SEGMENTS  OLDEST  NEWEST\n",
    )
    assert zeps("journal", "ls", tmp_path, "--json")[:2] == (0, "")


def test_a_stream_whose_messages_have_all_expired(zeps: Zeps, tmp_path: Path) -> None:
    store = JournalStore(tmp_path, retain_seconds=1)
    fill(store.open("s"), [5])
    store.tick(NOW + 60_000_000)
    store.close()
    assert zeps("journal", "ls", tmp_path)[1].split()[-8:] == ["s", "6", "5", "0", "28", "1", "-", "-"]
    assert zeps("journal", "verify", tmp_path)[:2] == (0, "s: ok; 0 messages, sequences none, 28 bytes\n")
    assert zeps("journal", "dump", tmp_path, "s")[:2] == (0, "")


def test_dump(zeps: Zeps, data: Path) -> None:
    code, out, err = zeps("journal", "dump", data, "odd names/..")
    assert (code, err) == (0, "")
    time = "2023-11-14T22:13:20.000000Z"
    assert out.splitlines() == [
        f"1\t{time}\tk ü\t0xff00",
        f"2\t{time}\t\tgrün, ja",
        f"3\t{time}\tnl\t0x610a62",
    ]


def test_dump_as_json(zeps: Zeps, data: Path) -> None:
    _, out, _ = zeps("journal", "dump", data, "odd names/..", "--json")
    common = {"time": "2023-11-14T22:13:20.000000Z", "time_us": NOW}
    assert [json.loads(line) for line in out.splitlines()] == [
        {"sequence": 1, **common, "key": "k ü", "body_hex": "ff00"},
        {"sequence": 2, **common, "key": "", "body": "grün, ja"},
        {"sequence": 3, **common, "key": "nl", "body_hex": "610a62"},
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--from", 4), [4, 5, 6]),
        (("--from", 0), [1, 2, 3, 4, 5, 6]),
        (("--from", 7), []),
        (("--count", 2), [1, 2]),
        (("--count", 0), []),
        (("--from", 2, "--count", 3), [2, 3, 4]),
    ],
)
def test_a_part_of_a_dump(zeps: Zeps, data: Path, options: tuple[object, ...], expected: list[int]) -> None:
    code, out, _ = zeps("journal", "dump", data, "prices", *options)
    assert code == 0
    assert [int(line.split("\t")[0]) for line in out.splitlines()] == expected


def test_verify_a_sound_journal(zeps: Zeps, data: Path) -> None:
    code, out, err = zeps("journal", "verify", data)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith('"odd names/..": ok; 3 messages, sequences 1 to 3, ')
    assert lines[1].startswith("prices: ok; 6 messages, sequences 1 to 6, ")
    assert len(lines) == 3
    assert zeps("journal", "verify", data, "prices")[1] == lines[1] + "\n"


def test_verify_finds_damage_anywhere(zeps: Zeps, data: Path) -> None:
    first = segment_files(data / "prices")[0]
    flip(first, 54, 4)
    code, out, _ = zeps("journal", "verify", data, "prices")
    assert code == 1
    lines = out.splitlines()
    assert lines[0].startswith("prices: DAMAGED; 4 messages, ")
    assert re.fullmatch(
        rf"  {first}: \d+ bytes at \d+: a block's checksum .*; sequences 1 to 2 lost", lines[1]
    )
    code, out, _ = zeps("journal", "verify", data, "--json")
    records = {record["stream"]: record for record in map(json.loads, out.splitlines())}
    assert code == 1
    assert [(d["first_sequence"], d["last_sequence"]) for d in records["prices"]["damages"]] == [(1, 2)]
    assert records["odd names/.."]["damages"] == []
    code, out, err = zeps("journal", "dump", data, "prices")
    assert (code, len(out.splitlines())) == (1, 4)
    assert "not shown: " in err
    assert "sequences 1 to 2 lost" in err


def test_verify_reports_a_torn_tail_and_leaves_it(zeps: Zeps, data: Path, opened: Opened) -> None:
    last = segment_files(data / "prices")[-1]
    content = last.read_bytes()[:-3]
    last.write_bytes(content)
    code, out, _ = zeps("journal", "verify", data, "prices")
    assert code == 0
    assert "an incomplete block, not synced; the next broker to start cuts it off" in out
    assert last.read_bytes() == content
    assert json.loads(zeps("journal", "verify", data, "prices", "--json")[1])["torn"]["next_sequence"] == 6
    opened(path=data)
    assert "not synced; a broker is writing" in zeps("journal", "verify", data, "prices")[1]


def test_verify_looks_into_the_frames(zeps: Zeps, tmp_path: Path) -> None:
    """A writer's fault, with correct checksums."""
    folder = tmp_path / "s"
    folder.mkdir()
    frames = [
        Deliver(1, "k", b"one").encode(),
        Deliver(3, "k", b"two").encode(),
        b"\xaa\xa5\x07".ljust(20, b"\xff"),
    ]
    (written,) = encode_blocks(1, frames, NOW)
    header = wire.Segment(1, NOW, "s").encode()
    (folder / "00000000000000000001.segment").write_bytes(header + b"".join(written.encoded))
    code, out, _ = zeps("journal", "verify", tmp_path)
    assert code == 1
    assert "the frame of sequence 2 is Deliver, or has another sequence" in out
    assert "the frame of sequence 3 cannot be decoded" in out


def test_verify_a_stream_whose_name_is_lost(zeps: Zeps, data: Path) -> None:
    cut = next(data.glob("x*~*"))
    for path in segment_files(cut):
        flip(path, 100, 1)
    code, out, err = zeps("journal", "verify", data)
    assert code == 1
    assert f"{cut}: no segment's header names the stream" in err
    assert len(out.splitlines()) == 2
    store = JournalStore(data)
    assert store.open("x" * 255).last_sequence == 1, "the stream can still be opened by its name"
    store.close()


def test_verify_says_how_far_it_is(zeps: Zeps, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_commands, "_PROGRESS_SECONDS", 0.0)
    code, _, err = zeps("journal", "verify", data, "prices")
    assert code == 0
    assert "prices: 0 of 0 MiB\n" in err


def test_looking_beside_a_running_broker(zeps: Zeps, tmp_path: Path, opened: Opened) -> None:
    store = opened()
    fill(store.open("s"), [1, 2])
    assert zeps("journal", "verify", tmp_path / "data")[0] == 0
    assert len(zeps("journal", "dump", tmp_path / "data", "s")[1].splitlines()) == 3
    fill(store.open("s"), [1])
    assert len(zeps("journal", "dump", tmp_path / "data", "s")[1].splitlines()) == 4


@pytest.mark.parametrize(
    "command", [("journal", "ls"), ("journal", "verify"), ("journal", "dump"), ("streams", "--data")]
)
def test_a_folder_that_is_not_there(zeps: Zeps, tmp_path: Path, command: tuple[str, ...]) -> None:
    missing = tmp_path / "missing"
    stream = ("s",) if "dump" in command else ()
    assert zeps(*command, missing, *stream) == (2, "", f"zeps: error: {missing}: the folder does not exist\n")
    assert not missing.exists()


@pytest.mark.parametrize("command", ["dump", "verify"])
def test_a_stream_that_is_not_there(zeps: Zeps, data: Path, command: str) -> None:
    code, out, err = zeps("journal", command, data, "price")
    assert (code, out) == (2, "")
    assert err.startswith(f"zeps: error: {data}: no stream 'price'; there are: \"odd names/..\", prices, xxx")


def test_a_journal_that_cannot_be_read(zeps: Zeps, tmp_path: Path) -> None:
    (tmp_path / "r").write_text("not a folder")
    store = JournalStore(tmp_path)
    fill(store.open("s"), [1])
    store.close()
    for command in ("ls", "verify"):
        code, out, err = zeps("journal", command, tmp_path)
        assert code == 1
        assert f"zeps: error: {tmp_path}/r: cannot open the stream: Not a directory" in err
        assert out.splitlines()[-1].startswith("s")


@pytest.mark.parametrize(
    "arguments",
    [("journal",), ("journal", "frob"), ("journal", "ls"), ("journal", "dump", "d", "s", "--count", "-1"),
     ("journal", "dump", "d", "s", "--from", "x"), ("streams", "extra")],
)  # fmt: skip
def test_usage(zeps: Zeps, arguments: tuple[str, ...]) -> None:
    code, out, err = zeps(*arguments)
    assert (code, out) == (2, "")
    assert "Try 'zeps" in err


@pytest.mark.parametrize("command", [(), ("ls",), ("dump",), ("verify",)])
def test_help(zeps: Zeps, command: tuple[str, ...]) -> None:
    code, out, err = zeps("journal", *command, "--help")
    assert (code, err) == (0, "")
    assert "usage: zeps journal" in out
    assert zeps("streams", "--help")[0] == 0


def test_the_same_from_python(data: Path) -> None:
    store = JournalStore(data, read_only=True)
    assert summary(store.open("prices")).messages == 6
    assert [message.sequence for message in messages(store.open("prices"), 3, 2)] == [3, 4]
    assert verify(store.open("prices")).messages == 6
    store.close()
