"""Checks of rows, schemas and options of the sink; staging and removal of staged files."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import BinaryType, LongType, StringType, StructType

from zeps_pipeline.errors import OptionError, PipelineError
from zeps_pipeline.sink.janitor import ABANDONED_SECONDS, sweep
from zeps_pipeline.sink.options import write_options
from zeps_pipeline.sink.rows import check_schema, checked
from zeps_pipeline.sink.staging import Committed, Declared, Stage


def as_spark_does(texts: list[str | bytes | None]) -> pa.Array:
    """A column of strings with arbitrary bytes, which Arrow does not validate."""
    encoded = pa.array(texts, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(encoded), encoded.buffers())


def rows(columns: dict[str, pa.Array], stream: str | None = None) -> list[tuple[Any, ...]]:
    batch = pa.RecordBatch.from_pydict(columns)
    return [tuple(row.values()) for made in checked([batch], stream) for row in made.to_pylist()]


def test_rows_are_converted_to_one_schema() -> None:
    columns = {
        "value": pa.array(["text", ""]),
        "stream": pa.array(["a", "b"]),
        "key": pa.array([b"k", None], pa.binary()),
    }
    assert rows(columns) == [("a", "k", b"text"), ("b", "", b"")]
    assert rows(columns, "c") == [("c", "k", b"text"), ("c", "", b"")]
    assert rows({"value": pa.array([b"\xff"])}, "c") == [("c", "", b"\xff")]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"value": pa.array([b"x", None])}, "a row has no value"),
        ({"value": pa.array([bytes(16_777_217)])}, "a value has 16777217 bytes; the maximum is 16777216"),
        ({"value": pa.array([b"x"]), "key": pa.array([b"\xff"])}, "a key is not valid UTF-8"),
        (
            {"value": pa.array([b"x"] * 3), "key": as_spark_does(["k", None, b"\xffa"])},
            r"a key is not valid UTF-8 .*: X'FF61'; encode it, for example with hex\(key\)",
        ),
        ({"value": pa.array([b"x"]), "stream": as_spark_does([b"\xff"])}, "a stream is not valid UTF-8"),
        ({"value": pa.array([b"x"]), "key": pa.array(["é" * 128])}, "a key has more than 255 bytes"),
        (
            {"value": pa.array([b"x"]), "key": pa.array(["a\x85b"])},
            r"the key 'a\\x85b' has a control character",
        ),
        ({"value": pa.array([b"x"]), "stream": pa.array([""])}, "a stream is empty"),
        ({"value": pa.array([b"x"]), "stream": pa.array([None], pa.string())}, "a row has no stream"),
    ],
)
def test_rows_that_cannot_be_published_are_refused(columns: dict[str, pa.Array], message: str) -> None:
    with pytest.raises(PipelineError, match=message):
        rows(columns, None if "stream" in columns else "s")


@pytest.mark.parametrize(
    ("schema", "stream", "message"),
    [
        (StructType().add("key", StringType()), "s", "the column value is missing; columns: key"),
        (
            StructType().add("value", LongType()),
            "s",
            "column value has the type bigint; cast it to string or binary",
        ),
        (
            StructType().add("value", BinaryType()).add("price", LongType()),
            "s",
            "column price cannot be published",
        ),
        (StructType().add("value", BinaryType()), None, "set the option stream"),
        (StructType().add("value", BinaryType()), "a\n", "option stream: .* has a control character"),
        (StructType().add("value", BinaryType()), "", "option stream: a stream is empty"),
    ],
)
def test_columns_that_cannot_be_published_are_refused(
    schema: StructType, stream: str | None, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        check_schema(schema, stream)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "zeps.endpoint is missing"),
        ({"zeps.endpoint": "e", "zeps.stageing": "x"}, "did you mean zeps.staging"),
        ({"zeps.endpoint": "e"}, "set checkpointLocation, or zeps.staging"),
        ({"zeps.endpoint": "e", "checkpointLocation": "s3://b/c"}, "set zeps.staging"),
        ({"zeps.endpoint": "e", "zeps.staging": "x", "zeps.settle": "soon"}, "zeps.settle must be a number"),
        (
            {"zeps.endpoint": "e", "zeps.staging": "x", "zeps.writeId": "w"},
            "zeps.writeId is not allowed for a streaming query",
        ),
    ],
)
def test_invalid_options_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        write_options(options, streaming=True)


def test_rows_are_staged_beside_the_checkpoint() -> None:
    options = {"ZEPS.Endpoint": "e", "checkpointlocation": "file:///tmp/a%20b"}
    assert write_options(options, streaming=True).staging == "/tmp/a b/zeps-staging"


def test_a_declared_epoch_is_on_the_device_with_all_the_folders_that_lead_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder's entry is in its parent: a power failure loses entries created after the parent's last sync."""
    synced: dict[Path, set[str]] = {}
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        if path.is_dir():
            synced[path] = {entry.name for entry in path.iterdir()}
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    batch = next(checked([pa.RecordBatch.from_pydict({"value": pa.array([b"x"])})], "s"))
    stage = Stage(tmp_path / "checkpoint" / "staging", "query")
    with stage.lock():
        assert "query" in synced[stage.root]
    stage.write(0, "rows.arrow", iter([batch]))
    stage.declare(0, Declared(("rows.arrow",), {"s": 0}))
    assert "checkpoint" in synced[tmp_path]
    assert "staging" in synced[tmp_path / "checkpoint"]
    assert "query" in synced[stage.root]
    assert "0" in synced[stage.folder]
    assert {"rows.arrow", "declared.json"} <= synced[stage.epoch_folder(0)]


def test_folders_of_a_dead_task_are_synced_before_the_declaration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path, "query")
    stage.epoch_folder(0).mkdir(parents=True)
    synced: set[str] = set()
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        synced.add(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    stage.declare(0, Declared(("rows.arrow",), {"s": 0}))
    assert {str(stage.root), str(stage.folder), str(stage.epoch_folder(0))} <= synced


def test_a_declaration_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Also a declaration with a field that this version does not know."""
    stage = Stage(tmp_path, "query")
    stage.epoch_folder(0).mkdir(parents=True)
    declared = Declared(("f",), {"s": 3, "t": 0})
    stage.declare(0, declared)
    assert stage.declared(0) == declared
    path = stage.epoch_folder(0) / "declared.json"
    path.write_text('{"version": 1, "files": ["f"], "after": {"s": 3, "t": 0}, "empty": ["t"]}')
    assert stage.declared(0) == declared


def test_errors_of_the_file_system_name_the_file_and_the_option(tmp_path: Path) -> None:
    """Folders have the names of the files."""
    stage = Stage(tmp_path, "query")
    for name in ("committed.json", "0/declared.json", "0/rows.arrow"):
        (stage.folder / name).mkdir(parents=True)
    calls: dict[str, Callable[[], object]] = {
        "committed.json": stage.committed,
        "declared.json": lambda: stage.declared(0),
        "rows.arrow": lambda: stage.discard(0, ["rows.arrow"]),
    }
    for name, call in calls.items():
        with pytest.raises(PipelineError, match=rf"{name}: Is a directory\. The option zeps\.staging must"):
            call()


def test_records_that_are_not_json_are_an_error(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "query")
    stage.epoch_folder(0).mkdir(parents=True)
    (stage.folder / "committed.json").write_text("{")
    (stage.epoch_folder(0) / "declared.json").write_text('{"version": 2}')
    with pytest.raises(PipelineError, match=r"committed\.json: not valid JSON: .*restore it from a backup"):
        stage.committed()
    with pytest.raises(PipelineError, match=r"declared\.json: written by another version of zeps; use"):
        stage.declared(0)


def test_the_janitor_keeps_epochs_that_may_be_partly_published(tmp_path: Path) -> None:
    mine, old, unfinished = (Stage(tmp_path, name) for name in ("mine", "old", "unfinished"))
    batch = next(checked([pa.RecordBatch.from_pydict({"value": pa.array([b"x"])})], "s"))
    for stage, epoch in ((mine, 3), (mine, 4), (mine, 5), (old, 0), (unfinished, 0)):
        stage.write(epoch, "rows.arrow", iter([batch]))
    unfinished.declare(0, Declared(("rows.arrow",), {"s": 0}))
    long_ago = time.time() - ABANDONED_SECONDS - 60
    for stage in (old, unfinished):
        os.utime(stage.epoch_folder(0), (long_ago, long_ago))
    mine.commit(Committed(4, {"s": 1}))
    sweep(mine)
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.arrow"))
    assert left == ["mine/5/rows.arrow", "unfinished/0/rows.arrow"]


def test_the_janitor_tolerates_folders_that_disappear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A published write does not fail because another write in the same folder ends at the same time."""
    mine, other = Stage(tmp_path, "mine"), Stage(tmp_path, "other")
    for stage in (mine, other):
        stage.epoch_folder(0).mkdir(parents=True)
    listed = Path.iterdir

    def goes_first(folder: Path) -> Iterator[Path]:
        if folder == other.folder:
            shutil.rmtree(folder)
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", goes_first)
    sweep(mine)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_each_user_has_a_separate_staging_folder() -> None:
    assert write_options({"zeps.endpoint": "e"}, streaming=False).staging.endswith(
        f"zeps-staging-{os.getuid()}"
    )
