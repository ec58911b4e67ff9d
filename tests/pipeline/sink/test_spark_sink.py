"""Tests of `write` and `writeStream` in a Spark session with a real broker."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from killable_broker import KillableBroker
from pyspark import TaskContext, cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType
from small_session import finish

from zeps_pipeline.sink.writer import EPOCH_PROPERTY, QUERY_PROPERTY

# Workers cannot import this module, so its definitions are pickled by value.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class _Canary(DataSource):
    """A sink whose tasks record the local properties that they see."""

    @classmethod
    def name(cls) -> str:
        return "canary"

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802
        return _CanaryWriter(self.options["folder"])


class _CanaryWriter(DataSourceStreamArrowWriter):
    def __init__(self, folder: str) -> None:
        self.folder = folder

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        for _ in iterator:
            pass
        context = TaskContext.get()
        assert context is not None
        query = context.getLocalProperty("sql.streaming.queryId")
        seen = f"{query} {context.getLocalProperty('streaming.sql.batchId')}"
        Path(self.folder, uuid.uuid4().hex).write_text(seen)
        return WriterCommitMessage()

    def commit(self, messages: object, batchId: int) -> None:  # noqa: N803
        pass

    def abort(self, messages: object, batchId: int) -> None:  # noqa: N803
        pass


def numbers(spark: SparkSession, folder: Path, first: int, last: int) -> None:
    """Write a file of rows to `folder`."""
    rows = spark.range(first, last + 1, 1, 1).selectExpr(
        "concat('k.', id % 3) AS key", "CAST(id AS string) AS value", "concat('s', id % 2) AS stream"
    )
    rows.write.mode("append").parquet(str(folder))


def streamed(spark: SparkSession, folder: Path) -> DataFrame:
    return (
        spark.readStream.schema("key string, value string, stream string")
        .option("maxFilesPerTrigger", 1)
        .parquet(str(folder))
    )


def test_the_local_properties_that_the_sink_needs(spark: SparkSession, tmp_path: Path) -> None:
    """The properties are undocumented; this test fails if Spark removes them or changes their meaning."""
    assert (QUERY_PROPERTY, EPOCH_PROPERTY) == ("sql.streaming.queryId", "streaming.sql.batchId")
    seen = tmp_path / "seen"
    seen.mkdir()
    for first in (1, 11):
        numbers(spark, tmp_path / "rows", first, first + 9)
    spark.dataSource.register(_Canary)
    writer = streamed(spark, tmp_path / "rows").writeStream.format("canary").option("folder", str(seen))
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    finish(query)
    assert {path.read_text() for path in seen.iterdir()} == {f"{query.id} 0", f"{query.id} 1"}


def test_a_stream_is_published_from_its_checkpoint_on(
    spark: SparkSession, broker: KillableBroker, tmp_path: Path
) -> None:
    def run() -> None:
        query = (
            streamed(spark, tmp_path / "rows")
            .writeStream.format("zeps")
            .option("zeps.endpoint", broker.endpoint)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        finish(query)

    for first in (1, 101):
        numbers(spark, tmp_path / "rows", first, first + 99)
    run()
    run()
    numbers(spark, tmp_path / "rows", 201, 250)
    run()
    for stream, rest in (("s0", 0), ("s1", 1)):
        expected = [(f"k.{n % 3}", b"%d" % n) for n in range(1, 251) if n % 2 == rest]
        assert sorted(broker.rows(stream)) == sorted(expected)
    assert not list((tmp_path / "checkpoint").rglob("*.arrow"))


def save(rows: DataFrame, broker: KillableBroker, folder: Path, mode: str = "append", **options: str) -> None:
    """Publish `rows` to the stream `b`, staged in `folder`."""
    places = {"zeps.endpoint": broker.endpoint, "zeps.staging": str(folder / "staging"), "stream": "b"}
    rows.write.format("zeps").mode(mode).options(**places, **options).save()


def test_a_batch_is_published_in_the_order_of_its_partitions(
    spark: SparkSession, broker: KillableBroker, tmp_path: Path
) -> None:
    rows = spark.range(0, 100, 1, 3).selectExpr("CAST(CAST(id AS string) AS binary) AS value")
    save(rows, broker, tmp_path)
    assert broker.rows("b") == [("", b"%d" % n) for n in range(100)]
    assert list((tmp_path / "staging").iterdir()) == []


def test_a_batch_with_a_name_is_published_once(
    spark: SparkSession, broker: KillableBroker, tmp_path: Path
) -> None:
    rows = spark.range(0, 50, 1, 2).selectExpr("CAST(id AS string) AS value")
    for _ in range(2):
        save(rows, broker, tmp_path, **{"zeps.writeId": "monday"})
    assert broker.rows("b") == [("", b"%d" % n) for n in range(50)]


@pytest.mark.parametrize(
    ("columns", "mode", "message"),
    [
        ("CAST(id AS string) AS value", "overwrite", "mode overwrite is not supported"),
        ("IF(id = 70, NULL, CAST(id AS string)) AS value", "append", "a row has no value"),
        (
            "CAST(IF(id = 99, X'FF61', X'6B') AS string) AS key, CAST(id AS string) AS value",
            "append",
            r"a key is not valid UTF-8 .*: X'FF61'",
        ),
    ],
)
def test_a_batch_that_cannot_be_published_publishes_no_row(
    spark: SparkSession, broker: KillableBroker, tmp_path: Path, columns: str, mode: str, message: str
) -> None:
    rows = spark.sql(f"SELECT {columns} FROM range(0, 100, 1, 2)")
    with pytest.raises(Exception, match=message):
        save(rows, broker, tmp_path, mode)
    assert not (broker.data / "b").exists()
    assert not list(tmp_path.rglob("*.arrow"))
