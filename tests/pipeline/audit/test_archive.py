"""Tests of `zeps-pipeline archive` and `stats`: 54 planted faults in one journal, and the archived Parquet files."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from subprocess import CompletedProcess
from xml.etree import ElementTree

import killable_broker
import planting
import pyarrow.parquet as pq
import pytest
from commands import run_here
from pipeline_helpers import append_blocks, edited
from planting import Expected, plant, write_stream
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from zeps_broker.journal.lock import FolderLock
from zeps_pipeline import cli, durable
from zeps_pipeline.commands import archive as archive_command
from zeps_pipeline.commands import stats as stats_command
from zeps_pipeline.commands.common import Progress
from zeps_pipeline.errors import PipelineError
from zeps_pipeline.jobs import archive as archive_job
from zeps_pipeline.jobs import tracking
from zeps_pipeline.jobs.origin import is_another
from zeps_pipeline.time_steps import DAY, time_step
from zeps_pipeline.transforms.statistics import binned

STREAMS = 54
Run = Callable[..., CompletedProcess[str]]
ARCHIVE = ("archive", "journal", "out", "--quiet")


@pytest.fixture(autouse=True)
def _shared_session(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the commands use the tests' session and not stop it."""

    @contextmanager
    def shared(name: str, master: str) -> Iterator[SparkSession]:
        yield spark

    monkeypatch.setattr(archive_command, "session", shared)
    monkeypatch.setattr(stats_command, "session", shared)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`run(*arguments)` runs `zeps-pipeline` in the test's folder."""
    return lambda *arguments: run_here(cli.main, arguments, tmp_path)


def archived(out: Path, stream: str) -> list[tuple[int, bytes, bytes]]:
    """Offsets, keys and values of the archive, sorted by offset."""
    table = pq.read_table(out / f"stream={stream}", columns=["offset", "key", "value"])
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))


def stored(journal: Path, stream: str) -> dict[int, tuple[bytes, bytes]]:
    """Key and body of each readable message, by its sequence."""
    held = killable_broker.stored(journal, stream)
    return {sequence: (key.encode(), body) for sequence, (key, body) in held.items()}


def test_every_planted_fault_is_reported_and_readable_messages_are_archived_once(
    tmp_path: Path, run: Run
) -> None:
    journal, out = tmp_path / "journal", tmp_path / "out"
    planted: dict[str, tuple[Expected, dict[int, tuple[bytes, bytes]]]] = {}
    for number in range(STREAMS):
        chance = random.Random(10_000 + number)
        stream = f"s{number}"
        write_stream(journal, stream, chance)
        whole = stored(journal, stream)
        planted[stream] = (plant(journal, stream, number, chance), whole)
    write_stream(journal, "whole", random.Random(1))

    assert run(*ARCHIVE).returncode == 1

    report = json.loads((out / "_report.json").read_text())
    by_stream = {entry["stream"]: entry for entry in report["streams"]}
    for stream, (expected, whole) in planted.items():
        seen = [
            (finding["kind"], finding["first"], finding["last"]) for finding in by_stream[stream]["findings"]
        ]
        assert seen == [expected[:3]], stream
        rows = archived(out, stream)
        assert len(rows) == by_stream[stream]["archived"] == len(whole) - expected.lost
        assert all(whole[offset] == (key, value) for offset, key, value in rows)
        assert len({offset for offset, _, _ in rows}) == len(rows)
    assert by_stream["whole"]["findings"] == []
    _assert_page(out / "_report.html", report["findings"])


def _assert_page(path: Path, counts: dict[str, int]) -> None:
    """Check that the page is self-contained, with a plot for each stream and a mark for each fault that has a time."""
    text = path.read_text()
    assert "src=" not in text
    assert "<link" not in text
    assert "http" not in text
    plots = [
        ElementTree.fromstring("<svg" + part.split("</svg>")[0] + "</svg>") for part in text.split("<svg")[1:]
    ]
    assert len(plots) == STREAMS + 1
    marks = [mark.get("class", "") for plot in plots for mark in plot.iter("g")]
    for kind, reported in counts.items():
        # A damaged segment header at the beginning of a stream has no earlier time.
        assert 0 <= reported - marks.count(f"mark k-{kind}") <= (3 if kind in ("damage", "gap") else 0)


def tree(folder: Path) -> dict[str, bytes] | None:
    """Contents of a folder; None if it does not exist."""
    if not folder.exists():
        return None
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


def fails_at(number: int, original: Callable[..., object], failure: BaseException) -> Callable[..., object]:
    """`original`, with `failure` raised by call `number` (from 1) only."""
    calls = count(1)

    def call(*arguments: object) -> object:
        if next(calls) == number:
            raise failure
        return original(*arguments)

    return call


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("grown", [False, True])
@pytest.mark.parametrize("step", ["_write", "_sync", "_move_file", "write_json"])
def test_a_failed_run_leaves_the_archive_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, grown: bool, failure: BaseException
) -> None:
    """A run that fails at its second part, at the sync, between two moves, or at the state after the moves leaves
    neither files nor folders.
    """
    journal, out = tmp_path / "journal", tmp_path / "deep" / "out"
    write_stream(journal, "s", random.Random(2), blocks=20)
    if grown:
        assert archive_command.run(_options(journal, out)) == 0
        write_stream(journal, "s", random.Random(3), blocks=20)
    before = tree(tmp_path / "deep")
    monkeypatch.setattr(archive_job, "_PART_BYTES", 4096)
    number = 1 if step == "_sync" else 2
    with monkeypatch.context() as patch:
        patch.setattr(archive_job, step, fails_at(number, getattr(archive_job, step), failure))
        with pytest.raises(PipelineError if isinstance(failure, OSError) else KeyboardInterrupt):
            archive_command.run(_options(journal, out))
    assert tree(tmp_path / "deep") == before
    assert archive_command.run(_options(journal, out)) == 0
    assert {offset: (key, value) for offset, key, value in archived(out, "s")} == stored(journal, "s")


@pytest.mark.parametrize("call", range(1, 13))
def test_a_failed_sync_adds_all_files_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    """The last calls of fsync are those of the new state and of its folder; call 12 is not reached."""
    out, name = tmp_path / "out", "stream=s/day=2026-01-01/1.parquet"
    state = archive_job._State(out)
    (state.part / name).parent.mkdir(parents=True)
    (state.part / name).write_bytes(b"data")
    with monkeypatch.context() as patch:
        patch.setattr(durable.os, "fsync", fails_at(call, os.fsync, OSError(28, "No space left on device")))
        with nullcontext() if call == 12 else pytest.raises((OSError, PipelineError)):
            state.commit([("s", 1, 4)], {})
    state.clear()
    is_recorded = (out / "_zeps" / "state.json").exists()
    assert (out / name).exists() == is_recorded == (call >= 11)
    assert list(out.rglob("*.new")) == []
    again = archive_job._State(out)
    assert not (again.folder / "moving.json").exists()
    assert not again.part.exists()
    if (out / name).exists():
        assert again.spans["s"].spans() == [(1, 4)]
    else:
        assert again.spans == {}


@pytest.mark.parametrize("moved", range(5))
def test_the_next_run_completes_the_moves_of_a_killed_run(tmp_path: Path, moved: int) -> None:
    """The process is killed between two moves: no file is lost or duplicated, and the staging folder is removed."""
    out = tmp_path / "out"
    state = archive_job._State(out)
    files = {f"stream=s/day=2026-01-0{day}/{day}.parquet": b"%d" % day for day in range(1, 5)}
    for name, data in files.items():
        path = state.part / name
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    child = os.fork()
    if not child:
        rename, calls = Path.rename, count()

        def killed(path: Path, target: Path) -> Path:
            if path.suffix == ".parquet" and next(calls) == moved:
                os._exit(9)
            return rename(path, target)

        Path.rename = killed  # type: ignore[method-assign, assignment]
        state.commit([("s", 1, 4)], {"s": {"1": (7, 8)}})
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == (9 if moved < 4 else 0)
    again = archive_job._State(out)
    assert again.spans["s"].spans() == [(1, 4)]
    assert {str(path.relative_to(out)): path.read_bytes() for path in out.glob("stream=*/*/*")} == files
    assert sorted(path.name for path in (out / "_zeps").iterdir()) == ["state.json"]


def test_an_archive_grows_with_its_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    journal, out = tmp_path / "journal", tmp_path / "out"
    write_stream(journal, "s", random.Random(2))
    monkeypatch.setattr(archive_job, "_PART_BYTES", 4096)
    assert run(*ARCHIVE).returncode == 0
    assert {offset: (key, value) for offset, key, value in archived(out, "s")} == stored(journal, "s")

    write_stream(journal, "s", random.Random(3), blocks=4)
    assert run(*ARCHIVE).returncode == 0
    rows = archived(out, "s")
    assert [row[0] for row in rows] == sorted(stored(journal, "s"))
    assert "0 messages added" in run(*ARCHIVE).stdout.splitlines()[-2]
    assert len(archived(out, "s")) == len(rows)


def test_a_stream_of_another_journal_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    journal, out = tmp_path / "journal", tmp_path / "out"
    write_stream(journal, "s", random.Random(9), blocks=2)
    assert run(*ARCHIVE).returncode == 0
    before = archived(out, "s")
    shutil.rmtree(journal)
    monkeypatch.setattr("planting._BEGIN", planting._BEGIN + 1)
    write_stream(journal, "s", random.Random(10), blocks=9)
    done = run(*ARCHIVE)
    assert (done.returncode, "the stream 's' of another journal" in done.stderr) == (1, True)
    assert archived(out, "s") == before


def test_a_journal_stays_the_same_while_it_grows_and_is_trimmed() -> None:
    known = {"1": (10, 7), "50": (20, 8), "90": (30, 0)}
    for current in (
        {},
        {"50": (20, 8), "90": (30, 9), "200": (40, 1)},
        {"1": (11, 7)},  # a flipped bit in the creation time
        {"1": (0, 7)},
        {"90": (30, 9)},  # the segment had no block yet
        {"300": (50, 1)},
    ):
        assert not is_another(known, current)
    for current in ({"1": (60, 5)}, {"1": (60, 5), "50": (70, 6)}, {"40": (60, 5), "300": (80, 3)}):
        assert is_another(known, current)
    assert not is_another({}, {"1": (60, 5)})


@pytest.mark.parametrize("name", ["state.json", "moving.json"])
@pytest.mark.parametrize("content", [b"{", b"\xff", b"[]", None])
def test_a_state_that_cannot_be_read_is_an_error(
    tmp_path: Path, run: Run, name: str, content: bytes | None
) -> None:
    write_stream(tmp_path / "journal", "s", random.Random(11), blocks=1)
    path = tmp_path / "out" / "_zeps" / name
    if content is None:
        path.mkdir(parents=True)
    else:
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    done = run(*ARCHIVE)
    assert (done.returncode, done.stdout) == (1, "")
    remedy = "archive into a new folder" if content is not None else "correct this and run again"
    assert re.search(f"zeps-pipeline: error: out/_zeps/{name}: .*; {remedy}\n", done.stderr)


def test_an_archive_that_cannot_be_created_is_an_error(tmp_path: Path, run: Run) -> None:
    write_stream(tmp_path / "journal", "s", random.Random(11), blocks=1)
    (tmp_path / "out").touch()
    done = run(*ARCHIVE)
    assert done.returncode == 1
    assert "zeps-pipeline: error: out/_zeps: Not a directory; correct this and run again\n" in done.stderr


def test_two_runs_do_not_archive_into_one_folder(tmp_path: Path, run: Run) -> None:
    write_stream(tmp_path / "journal", "s", random.Random(11), blocks=1)
    with archive_job._lock(tmp_path / "out" / "_zeps"):
        done = run(*ARCHIVE)
    assert (done.returncode, "another run is archiving into this folder" in done.stderr) == (1, True)
    assert run(*ARCHIVE).returncode == 0


def test_archived_files_are_synced_before_they_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    out = tmp_path / "out"
    write_stream(tmp_path / "journal", "s", random.Random(12), blocks=2)
    steps: list[str] = []
    write_json = archive_job.write_json
    monkeypatch.setattr(archive_job, "sync_path", lambda path: steps.append(str(path.absolute())))
    monkeypatch.setattr(
        archive_job,
        "write_json",
        lambda path, fields: (steps.append(path.name), write_json(path, fields)),
    )
    assert run(*ARCHIVE).returncode == 0
    (file,) = (path.relative_to(out) for path in out.rglob("*.parquet"))
    before = steps[: steps.index("moving.json")]
    assert {str(out / "_zeps" / "part" / path) for path in (file, *file.parents)} <= set(before)
    moved = steps[steps.index("moving.json") : steps.index("state.json")]
    assert {str(out / path) for path in file.parents} <= set(moved)


def _options(journal: Path, out: Path, *more: str) -> object:
    parser = cli._parser(["archive"])
    return parser.parse_args(["archive", str(journal), str(out), "--quiet", *more])


def test_a_block_that_is_being_written_is_not_torn(tmp_path: Path, run: Run) -> None:
    journal = tmp_path / "journal"
    write_stream(journal, "s", random.Random(4), blocks=4)
    newest = max((journal / "s").iterdir())
    newest.write_bytes(newest.read_bytes()[:-1])
    lock = FolderLock(journal)
    assert run(*ARCHIVE).returncode == 0
    lock.release()
    assert run(*ARCHIVE).returncode == 1


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_of_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool
) -> None:
    """Progress is one changing line on a terminal; elsewhere lines, the first after some seconds."""
    journal = tmp_path / "journal"
    write_stream(journal, "s", random.Random(13), blocks=1)
    total = f"{len(stored(journal, 's')):,}"
    begun, done = f"archive:   0 %, 0 of {total} messages", f"archive: 100 %, {total} of {total} messages"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    # However long the jobs take, their tasks are not polled and no line is due.
    monkeypatch.setattr(tracking, "_EVERY_SECONDS", 1e6)
    monkeypatch.setattr(Progress, "_SECONDS", 1e6)
    assert cli.main(["archive", str(journal), str(tmp_path / "out")]) == 0
    first, _, rest = capsys.readouterr().err.partition("\n")
    assert first == "audit: 1 segments, 0 MB"
    assert rest == (f"\r\x1b[K{begun}\r\x1b[K{done}\n" if terminal else "")
    monkeypatch.setattr(Progress, "_SECONDS", 0.0)
    assert cli.main(["archive", str(journal), str(tmp_path / "again")]) == 0
    rest = capsys.readouterr().err.partition("\n")[2]
    assert rest == (f"\r\x1b[K{begun}\r\x1b[K{done}\n" if terminal else f"{begun}\n{done}\n")


def test_a_missing_folder_or_stream_is_a_usage_error(tmp_path: Path, run: Run) -> None:
    write_stream(tmp_path / "journal", "s", random.Random(5), blocks=1)
    results = [
        run("archive", *arguments)
        for arguments in (["nowhere", "out"], ["journal", "out", "--stream", "t"], [])
    ]
    assert [done.returncode for done in results] == [2, 2, 2]
    assert "unknown stream 't'; existing streams: s" in results[1].stderr


def test_a_journal_that_tasks_do_not_find_is_an_error(tmp_path: Path, run: Run) -> None:
    write_stream(tmp_path / "journal", "s", random.Random(7), blocks=2)
    # Each process resolves this path differently, because tasks run in another folder.
    done = run("archive", "/proc/self/cwd/journal", "out", "--quiet")
    assert done.returncode == 1
    assert "this file exists on the driver, but a task did not find it" in done.stderr


def test_statistics(tmp_path: Path, run: Run) -> None:
    journal = tmp_path / "journal"
    write_stream(journal, "s", random.Random(6))
    done = run("stats", str(journal), "--html", "stats.html", "--json", "stats.json", "--top", "2")
    assert done.returncode == 0
    report = json.loads((tmp_path / "stats.json").read_text())
    whole = stored(journal, "s")
    assert sum(time_bin["messages"] for time_bin in report["bins"]) == len(whole)
    assert sum(time_bin["octets"] for time_bin in report["bins"]) == sum(
        len(body) for _, body in whole.values()
    )
    assert max(time_bin["size_max"] for time_bin in report["bins"]) == max(
        len(body) for _, body in whole.values()
    )
    counts = Counter(key for key, _ in whole.values())
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:2]
    assert [(key["key"].encode(), key["messages"]) for key in report["keys"]] == top
    assert (tmp_path / "stats.html").read_text().count("<svg") == 3
    assert "most frequent keys" in done.stdout


def test_the_transform_alone(spark: SparkSession) -> None:
    rows = [("a", "2026-01-01 10:00:00", b"k", bytes(n)) for n in range(1, 101)]
    rows[40:] = [(stream, "2026-01-01 10:59:59", key, body) for stream, _, key, body in rows[40:]]
    rows += [("a", "2026-01-01 11:59:59", b"l", b""), ("b", "2026-01-01 11:00:00", b"k", b"x")]
    messages_ = spark.createDataFrame(rows, "stream string, at string, key binary, value binary").withColumn(
        "timestamp", f.to_timestamp("at")
    )
    ten, eleven = (1767225600000000 + hour * 3_600_000_000 for hour in (10, 11))
    assert [tuple(row) for row in binned(messages_, 3600).collect()] == [
        ("a", ten, 100, 5050, 100 / 3600, 60, 1, 1, 50, 50.5, 99, 100),
        ("a", eleven, 1, 0, 1 / 3599, 1, 1, 0, 0, 0.0, 0, 0),
        ("b", eleven, 1, 1, 1.0, 1, 1, 1, 1, 1.0, 1, 1),
    ]


def test_a_journal_of_five_minutes_has_bins_of_seconds_and_its_rate(tmp_path: Path, run: Run) -> None:
    """One message every half second from 10:00:02.5 on: no rate covers a whole hour or an incomplete bin."""
    journal = tmp_path / "journal"
    begin = 1767225600_000_000 + 36_002_500_000
    append_blocks(journal, "s", [[("k", b"x")]] * 600, count(begin, 500_000))
    append_blocks(journal, "at once", [[("k", b"x")] * 3], [begin])
    assert run("stats", str(journal), "--json", "stats.json", "--quiet").returncode == 0
    report = json.loads((tmp_path / "stats.json").read_text())
    assert report["bin_seconds"] == 5
    at_once, *bins = report["bins"]
    assert at_once.items() >= {"stream": "at once", "messages": 3, "rate": 3.0, "peak": 3}.items()
    assert [time_bin["time"] for time_bin in bins] == [
        begin - 2_500_000 + n * 5_000_000 for n in range(len(bins))
    ]
    assert [time_bin["rate"] for time_bin in bins[:-1]] == [2.0] * (len(bins) - 1)
    assert 2.0 <= bins[-1]["rate"] <= 3.0  # the bin's end is the last message
    assert sum(time_bin["messages"] for time_bin in bins) == 600


STEPS = {0: 1, 120: 1, 121: 2, 300: 5, 3600: 30, DAY: 900, 120 * DAY: DAY, 121 * DAY: 2 * DAY}


@pytest.mark.parametrize(("span", "step"), STEPS.items())
def test_bins_have_usual_lengths(span: int, step: int) -> None:
    assert time_step(span, 120) == step


@pytest.mark.parametrize("time", [300_000_000_000_000_000, 2**64 - 1])
def test_a_wrong_clock_does_not_stop_a_job(tmp_path: Path, run: Run, time: int) -> None:
    journal, out = tmp_path / "journal", tmp_path / "out"
    write_stream(journal, "s", random.Random(14), blocks=2)
    append_blocks(journal, "s", [[("k", b"late")]], [time])
    assert run(*ARCHIVE).returncode == 0
    assert len(archived(out, "s")) == len(stored(journal, "s"))
    assert [path.name for path in (out / "stream=s").iterdir() if "9999" in path.name] == ["day=9999-12-30"]
    assert run("stats", str(journal), "--html", "stats.html", "--quiet").returncode == 0


def test_an_archive_is_a_folder_with_any_default_file_system_of_hadoop(
    spark: SparkSession, tmp_path: Path, run: Run
) -> None:
    write_stream(tmp_path / "journal", "s", random.Random(15), blocks=2)
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[union-attr]
    usual = hadoop.get("fs.defaultFS")
    hadoop.set("fs.defaultFS", "nowhere://host:1")
    try:
        assert run("archive", "journal", "o:u t%20", "--quiet").returncode == 0
    finally:
        hadoop.set("fs.defaultFS", usual)
    assert len(archived(tmp_path / "o:u t%20", "s")) == len(stored(tmp_path / "journal", "s"))


@pytest.mark.parametrize("command", [["archive", "folder", "out"], ["stats", "folder"]])
def test_a_folder_that_is_not_a_journal_is_a_usage_error(
    tmp_path: Path, run: Run, command: list[str]
) -> None:
    (tmp_path / "folder" / "of_another").mkdir(parents=True)
    done = run(*command)
    assert (done.returncode, "not a journal" in done.stderr) == (2, True)


def test_a_journal_without_messages_has_no_findings(tmp_path: Path, run: Run) -> None:
    journal = tmp_path / "journal"
    journal.mkdir()
    FolderLock(journal).release()
    (journal / "begun").mkdir()
    done = run(*ARCHIVE)
    assert (done.returncode, "0 messages added" in done.stdout) == (0, True)


def test_a_folder_whose_stream_is_not_known_is_an_error(tmp_path: Path, run: Run) -> None:
    """The name is too long for a folder, and no header has it."""
    journal, out = tmp_path / "journal", tmp_path / "out"
    for stream in ("known", "x" * 255):
        write_stream(journal, stream, random.Random(1))
    (cut,) = journal.glob("*~*")
    for segment in cut.iterdir():
        with edited(segment) as data:
            data[100] ^= 1
    done = run(*ARCHIVE)
    assert done.returncode == 1
    assert f"{cut}: no segment header names the stream; its messages are not archived" in done.stderr
    assert [path.name for path in out.glob("stream=*")] == ["stream=known"]
    assert run(*ARCHIVE, "--stream", "known").returncode == 0
