"""`zeps-pipeline archive` and `stats`: fifty-four planted faults in one journal, and what Parquet holds of it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from planting import Expected, plant, write_stream
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from zeps_broker.journal.inspect import messages
from zeps_broker.journal.lock import FolderLock
from zeps_broker.journal.store import JournalStore
from zeps_pipeline import cli
from zeps_pipeline.commands import archive as archive_command
from zeps_pipeline.commands import stats as stats_command
from zeps_pipeline.jobs import archive as archive_job
from zeps_pipeline.transforms.statistics import hourly

STREAMS = 54


@pytest.fixture(autouse=True)
def _shared_session(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands use the tests' session and leave it running."""

    @contextmanager
    def shared(name: str, master: str) -> Iterator[SparkSession]:
        yield spark

    monkeypatch.setattr(archive_command, "session", shared)
    monkeypatch.setattr(stats_command, "session", shared)


def archived(out: Path, stream: str) -> list[tuple[int, bytes, bytes]]:
    """Offsets, keys and values, by offset."""
    table = pq.read_table(out / f"stream={stream}", columns=["offset", "key", "value"])
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))


def stored(journal: Path, stream: str) -> dict[int, tuple[bytes, bytes]]:
    store = JournalStore(journal, read_only=True)
    try:
        return {each.sequence: (each.key.encode(), each.body) for each in messages(store.open(stream))}
    finally:
        store.close()


def test_every_planted_fault_is_reported_and_what_is_left_is_archived_once(tmp_path: Path) -> None:
    journal, out = tmp_path / "journal", tmp_path / "out"
    planted: dict[str, tuple[Expected, dict[int, tuple[bytes, bytes]]]] = {}
    for number in range(STREAMS):
        chance = random.Random(10_000 + number)
        stream = f"s{number}"
        write_stream(journal, stream, chance)
        whole = stored(journal, stream)
        planted[stream] = (plant(journal, stream, number, chance), whole)
    write_stream(journal, "whole", random.Random(1))

    assert cli.main(["archive", str(journal), str(out), "--quiet"]) == 1

    report = json.loads((out / "_report.json").read_text())
    found = {each["stream"]: each for each in report["streams"]}
    for stream, (expected, whole) in planted.items():
        seen = [(each["kind"], each["first"], each["last"]) for each in found[stream]["findings"]]
        assert seen == [expected[:3]], stream
        rows = archived(out, stream)
        assert len(rows) == found[stream]["archived"] == len(whole) - expected.lost
        assert all(whole[offset] == (key, value) for offset, key, value in rows)
        assert len({offset for offset, _, _ in rows}) == len(rows)
    assert found["whole"]["findings"] == []
    _assert_page(out / "_report.html", report["findings"])


def _assert_page(path: Path, counts: dict[str, int]) -> None:
    """One file, which needs nothing else, with a well-formed plot for each stream and a mark for each fault."""
    text = path.read_text()
    assert "src=" not in text
    assert "<link" not in text
    assert "http" not in text
    plots = [
        ElementTree.fromstring("<svg" + part.split("</svg>")[0] + "</svg>") for part in text.split("<svg")[1:]
    ]
    assert len(plots) == STREAMS + 1
    marks = [mark.get("class", "") for plot in plots for mark in plot.iter("g")]
    for kind, count in counts.items():
        # A segment's damaged head at the very beginning of a stream has no time before it.
        assert 0 <= count - marks.count(f"mark k-{kind}") <= (3 if kind in ("damage", "gap") else 0)


def test_an_archive_grows_with_its_journal_and_survives_a_crash(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, out = tmp_path / "journal", tmp_path / "out"
    write_stream(journal, "s", random.Random(2))
    monkeypatch.setattr(archive_job, "_PART_OCTETS", 4096)
    # It dies when the first part is written and nothing has moved, and again when one more file has.
    with monkeypatch.context() as patch:
        patch.setattr(archive_job._State, "_move", _die)
        with pytest.raises(KeyboardInterrupt):
            archive_command.run(_options(journal, out))
    rename, left = Path.rename, iter(range(1))

    def dies_later(path: Path, target: Path) -> Path:
        if path.suffix == ".parquet" and next(left, None) is None:
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", dies_later)
        with pytest.raises(KeyboardInterrupt):
            archive_command.run(_options(journal, out))
    assert archive_command.run(_options(journal, out)) == 0
    assert {offset: (key, value) for offset, key, value in archived(out, "s")} == stored(journal, "s")

    write_stream(journal, "s", random.Random(3), blocks=4)
    assert archive_command.run(_options(journal, out)) == 0
    rows = archived(out, "s")
    assert [row[0] for row in rows] == sorted(stored(journal, "s"))
    assert archive_command.run(_options(journal, out)) == 0
    assert "0 messages added" in capsys.readouterr().out.splitlines()[-2]
    assert len(archived(out, "s")) == len(rows)


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def _options(journal: Path, out: Path, *more: str) -> object:
    parser = cli._parser(["archive"])
    return parser.parse_args(["archive", str(journal), str(out), "--quiet", *more])


def test_a_block_that_is_being_written_is_not_torn(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    write_stream(journal, "s", random.Random(4), blocks=4)
    newest = max((journal / "s").iterdir())
    newest.write_bytes(newest.read_bytes()[:-1])
    lock = FolderLock(journal)
    assert cli.main(["archive", str(journal), str(tmp_path / "out"), "--quiet"]) == 0
    lock.release()
    assert cli.main(["archive", str(journal), str(tmp_path / "out"), "--quiet"]) == 1


def test_what_is_not_there_is_a_mistake_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_stream(tmp_path / "journal", "s", random.Random(5), blocks=1)
    for arguments in (["nowhere", "out"], [str(tmp_path / "journal"), "out", "--stream", "t"], []):
        with pytest.raises(SystemExit) as exit_:
            cli.main(["archive", *arguments])
        assert exit_.value.code == 2
    assert "there is no stream 't'; there are s" in capsys.readouterr().err


def test_statistics_by_the_hour(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, page, numbers = tmp_path / "journal", tmp_path / "stats.html", tmp_path / "stats.json"
    write_stream(journal, "s", random.Random(6))
    command = ["stats", str(journal), "--html", str(page), "--json", str(numbers), "--top", "2"]
    assert cli.main(command) == 0
    found = json.loads(numbers.read_text())
    whole = stored(journal, "s")
    assert sum(hour["messages"] for hour in found["hours"]) == len(whole)
    assert sum(hour["octets"] for hour in found["hours"]) == sum(len(body) for _, body in whole.values())
    assert max(hour["size_max"] for hour in found["hours"]) == max(len(body) for _, body in whole.values())
    counts = sorted((key for key, _ in whole.values()), key=lambda key: key)
    top = sorted(set(counts), key=lambda key: (-counts.count(key), key))[:2]
    assert [(key["key"].encode(), key["messages"]) for key in found["keys"]] == [
        (k, counts.count(k)) for k in top
    ]
    assert page.read_text().count("<svg") == 3
    assert "most frequent keys" in capsys.readouterr().out


def test_the_transform_alone(spark: SparkSession) -> None:
    rows = [("a", "2026-01-01 10:00:00", b"k", bytes(n)) for n in range(1, 101)]
    rows += [("a", "2026-01-01 11:59:59", b"l", b""), ("b", "2026-01-01 11:00:00", b"k", b"x")]
    messages_ = spark.createDataFrame(rows, "stream string, at string, key binary, value binary").withColumn(
        "timestamp", f.to_timestamp("at")
    )
    found = [tuple(row)[0:1] + tuple(row)[2:] for row in hourly(messages_).collect()]
    assert found == [
        ("a", 100, 5050, 100 / 3600, 1, 1, 50, 50.5, 99, 100),
        ("a", 1, 0, 1 / 3600, 1, 0, 0, 0.0, 0, 0),
        ("b", 1, 1, 1 / 3600, 1, 1, 1, 1.0, 1, 1),
    ]
