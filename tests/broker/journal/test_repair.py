"""A repaired journal contains all readable messages, opens without errors, and reports the same losses."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest
from campaigns import seeds
from journal_helpers import Opened, fill, fill_random, flip, lost, segment_files, served, stream_in, written

from zeps_broker.journal import repair
from zeps_broker.journal.inspection import verify
from zeps_broker.ports import Lost
from zeps_cli import journal_commands
from zeps_cli.main import main
from zeps_wire import journal as wire


def run(*arguments: object) -> int:
    """Runs `zeps journal …`; returns the exit code."""
    return main(["journal", *map(str, arguments)])


def contents(folder: Path) -> dict[Path, bytes]:
    """Returns the bytes of each file below `folder`, by its path there."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder): path.read_bytes() for path in files}


def read(folder: Path) -> tuple[dict[int, bytes], list[Lost], int]:
    """Returns the messages that a broker serves of the stream `s`, the lost ranges, and the last sequence."""
    with stream_in(folder, read_only=True) as log:
        return served(log), lost(log), log.last_sequence


def write(folder: Path, chance: random.Random, segment_bytes: int) -> None:
    sizes = [(1, 10), (3, 60), (200, 60), (20, 900), (2, 9000)]
    with stream_in(folder, sync="os", segment_bytes=segment_bytes) as log:
        fill_random(log, chance, [chance.choice(sizes) for _ in range(chance.randint(1, 12))], "abc")


def damage(folder: Path, chance: random.Random) -> None:
    """Flips some bits, and sometimes cuts, overwrites or removes a segment."""
    for _ in range(chance.randint(0, 6)):
        file = chance.choice(segment_files(folder))
        data = bytearray(file.read_bytes())
        place = chance.randrange(len(data)) if data else 0
        match chance.choice(["flip"] * 6 + ["zero", "cut", "repeat", "gone"]):
            case "flip" if data:
                data[place] ^= 1 << chance.randrange(8)
            case "zero":
                data[place : place + 300] = bytes(len(data[place : place + 300]))
            case "cut":
                del data[place:]
            case "repeat":
                data[place:place] = data[place : place + 500]
            case "gone" if len(segment_files(folder)) > 1:
                file.unlink()
                continue
        file.write_bytes(data)


@pytest.mark.parametrize("seed", seeds(40, 1000))
def test_whatever_is_damaged_the_repaired_journal_has_what_is_left(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    source, target, again = tmp_path / "source", tmp_path / "target", tmp_path / "again"
    write(source, chance, chance.choice([2000, 20_000, 1 << 26]))
    damage(source, chance)
    before = contents(source)
    expected = read(source)
    status = 1 if any(gap.reason == "damage" for gap in expected[1]) else 0
    assert run("repair", source, target) == status
    assert contents(source) == before
    assert read(target) == expected
    # The result is intact: its segments are valid, and only leave sequences out.
    with stream_in(target) as log:
        assert log.torn is None
        assert {damaged_range.kind for damaged_range in verify(log).damages} <= {"missing"}
        assert run("repair", target, again) == status
        assert contents(again) == {p: data for p, data in contents(target).items() if p.suffix != ".lock"}
        # A broker continues it where it would have continued the source.
        more = fill(log, [2])
        assert min(more) == expected[2] + 1
    assert read(target) == (expected[0] | more, expected[1], expected[2] + 2)


def test_an_intact_journal_is_copied(
    opened: Opened, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(opened, [2, 3, 1], streams=("prices", "odd names/..", "x" * 255), segment_bytes=400)
    assert run("repair", tmp_path / "data", tmp_path / "deep" / "target") == 0
    assert "prices: 6 messages saved, 0 lost\n" in capsys.readouterr().out
    assert (tmp_path / "deep" / "target").stat().st_mode & 0o777 == 0o755
    source = contents(tmp_path / "data")
    del source[Path("zeps.lock")]
    assert contents(tmp_path / "deep" / "target") == source


def test_what_was_lost_is_said(opened: Opened, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = written(opened, [3, 100, 2], size=100)
    (file,) = segment_files(tmp_path)
    flip(file, file.read_bytes().index(stored[50]) + 40, 1)
    assert run("verify", tmp_path / "data") == 1
    verified = capsys.readouterr().out
    (gap,) = read(tmp_path / "data")[1]
    count = gap.last_sequence - gap.first_sequence + 1
    assert gap.first_sequence <= 50 <= gap.last_sequence
    assert 30 < count < 40
    lost_range = f"sequences {gap.first_sequence} to {gap.last_sequence} lost"
    assert f"a page's checksum does not match; {lost_range}" in verified
    assert f"sequences 4 to 103: {100 - count} messages saved, {count} lost" in verified
    assert run("verify", tmp_path / "data", "--json") == 1
    (block,) = json.loads(capsys.readouterr().out)["salvaged"]
    salvaged = {"first_sequence": 4, "last_sequence": 103, "saved": 100 - count, "lost": count}
    assert block.items() >= salvaged.items()
    assert run("repair", tmp_path / "data", tmp_path / "target") == 1
    out = capsys.readouterr().out
    assert out.startswith(f"s: {105 - count} messages saved, {count} lost\n")
    assert lost_range in out
    assert run("repair", tmp_path / "data", tmp_path / "json", "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["saved"], report["lost"], report["torn"]) == (105 - count, count, None)


def test_a_torn_tail_is_left_out(opened: Opened, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = written(opened, [3, 2])
    (file,) = segment_files(tmp_path)
    file.write_bytes(file.read_bytes()[:-3])
    assert run("repair", tmp_path / "data", tmp_path / "target") == 0
    assert "an incomplete block, not synced; left out" in capsys.readouterr().out
    assert read(tmp_path / "target") == ({n: stored[n] for n in (1, 2, 3)}, [], 3)


def test_usage(opened: Opened, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(opened, [1])
    data, there = tmp_path / "data", tmp_path / "there"
    there.mkdir()
    (there / "file").write_text("")
    before = contents(tmp_path)
    for source, target in (
        (tmp_path / "nowhere", tmp_path / "target"),
        (data, there),
        (data, there / "file"),
        (data, data),
        (data, data / "target"),
        (data / "s", tmp_path / "data"),
    ):
        assert run("repair", source, target) == 2
        assert "zeps: error: " in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_a_repair_that_fails_leaves_no_target(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(opened, [1, 5], streams=("a", "b"))
    before = contents(tmp_path)

    def full(fd: int) -> None:
        if os.readlink(f"/proc/self/fd/{fd}").endswith("/b/00000000000000000001.segment"):
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(repair.os, "fsync", full)
        assert run("repair", tmp_path / "data", tmp_path / "target") == 1
    assert "No space left on device" in capsys.readouterr().err
    with monkeypatch.context() as patched:
        patched.setattr(repair, "_served", lambda *_: (1, [], 0))
        assert run("repair", tmp_path / "data", tmp_path / "target") == 1
    assert "differs from the messages written" in capsys.readouterr().err
    assert contents(tmp_path) == before
    assert not (tmp_path / "target").exists()
    assert run("repair", tmp_path / "data", tmp_path / "target") == 0


def test_what_cannot_be_opened_is_left_out_and_said(
    opened: Opened, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(opened, [1], streams=("s", "y" * 255))
    data = tmp_path / "data"
    (data / "file").write_text("")
    (cut,) = data.glob("*~*")
    (header,) = cut.iterdir()
    header.write_bytes(wire.Segment(1, 0, "other").encode())
    assert run("repair", data, tmp_path / "target") == 1
    err = capsys.readouterr().err
    assert "file: cannot open the stream: Not a directory" in err
    assert f"{cut}: no segment's header names the stream" in err
    assert [path.name for path in (tmp_path / "target").iterdir()] == ["s"]


def test_beside_a_running_broker(opened: Opened, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = opened()
    stored = fill(store.open("s"), [1])
    assert run("repair", tmp_path / "data", tmp_path / "target") == 0
    assert f"process {os.getpid()} is writing to it" in capsys.readouterr().err
    assert read(tmp_path / "target") == (stored, [], 1)


def test_how_far_it_is(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(journal_commands, "_PROGRESS_SECONDS", 0.0)
    written(opened, [1])
    assert run("repair", tmp_path / "data", tmp_path / "target") == 0
    assert "s: 0 of 0 MiB\n" in capsys.readouterr().err
    shutil.rmtree(tmp_path / "target")
    (tmp_path / "target").mkdir()
    assert run("repair", tmp_path / "data", tmp_path / "target") == 0, "an empty target folder is accepted"
