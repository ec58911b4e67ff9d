"""The data source in a real Spark session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from killable_broker import publish_rows
from pipeline_helpers import ALL, BLOCKS, Append, edited
from small_session import finish

from zeps_broker.service.embedded import EmbeddedBroker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

COLUMNS = "offset", "key", "value"


def collected(frame: DataFrame) -> list[tuple[int, bytes, bytes]]:
    return [(row.offset, bytes(row.key), bytes(row.value)) for row in frame.select(*COLUMNS).collect()]


def test_batch(spark: SparkSession, journal: Path) -> None:
    from pyspark.testing import assertDataFrameEqual

    frame = spark.read.format("zeps").option("minPartitions", 3).load(str(journal))
    assert [field.simpleString() for field in frame.schema] == [
        "key:binary",
        "value:binary",
        "stream:string",
        "partition:int",
        "offset:bigint",
        "timestamp:timestamp",
    ]
    expected = spark.createDataFrame(ALL, "offset long, key binary, value binary")
    assertDataFrameEqual(frame.select(*COLUMNS), expected, checkRowOrder=True)
    times = frame.selectExpr(
        "unix_seconds(min(timestamp)) - 1700000000", "unix_seconds(max(timestamp)) - 1700000000"
    )
    assert tuple(times.first() or ()) == (0, len(BLOCKS) - 1)


def test_columns_of_the_users_schema(spark: SparkSession, journal: Path) -> None:
    frame = spark.read.format("zeps").schema("offset long, key binary").load(str(journal))
    assert [(row.offset, bytes(row.key)) for row in frame.collect()] == [row[:2] for row in ALL]


@pytest.fixture
def pushing(spark: SparkSession) -> Iterator[DataFrameReader]:
    """A reader that gets filters from Spark."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    yield spark.read.format("zeps").option("pushFilters", "true")
    spark.conf.unset("spark.sql.python.filterPushdown.enabled")


def test_filters_are_pushed_and_kept(pushing: DataFrameReader, journal: Path) -> None:
    condition = "offset > 40 AND timestamp >= '2023-11-14 22:13:22' AND key = X'6b2e32'"
    got = collected(pushing.load(str(journal)).where(condition))
    assert got == [row for row in ALL if row[0] > 41 and row[1] == b"k.2"]
    assert got


@pytest.mark.parametrize(
    ("condition", "last"),
    [
        ("offset < 1000000", 125),
        ("offset <= 126", 125),
        ("offset BETWEEN 3 AND 1000000", 125),
        ("offset = 126", 0),
    ],
)
def test_filters_may_reach_beyond_the_end(
    pushing: DataFrameReader, journal: Path, condition: str, last: int
) -> None:
    got = collected(pushing.load(str(journal)).where(condition))
    with_damage = pushing.option("includeDamage", "true").load(str(journal)).where(condition)
    assert with_damage.where("damage IS NOT NULL").collect() == []
    assert got == ALL[2:last] if "BETWEEN" in condition else got == ALL[:last]


def test_damage_becomes_rows(spark: SparkSession, append: Append, tmp_path: Path) -> None:
    append(BLOCKS)
    (file,) = (tmp_path / "journal" / "s").glob("*.segment")
    with edited(file) as data:
        data[400] ^= 1
    reader = spark.read.format("zeps")
    with pytest.raises(Exception, match="sequences 2 to 41 lost"):
        reader.load(str(file.parent)).count()
    frame = reader.option("includeDamage", "true").load(str(file.parent))
    (row,) = frame.where("damage IS NOT NULL").select("offset", "damage.*").collect()
    assert (row.offset, row.firstOffset, row.lastOffset) == (2, 2, 41)
    assert row.reason == "a block's checksum does not match"
    assert frame.where("damage IS NULL").count() == len(ALL) - 40


def test_a_misspelt_option_is_an_error(spark: SparkSession, journal: Path) -> None:
    with pytest.raises(Exception, match=r"did you mean zeps\.endpoint"):
        spark.read.format("zeps").option("zeps.endpiont", "tcp://x").load(str(journal))


def run(spark: SparkSession, folder: Path, parts: int, **options: str) -> DataFrame:
    """Run a query to Parquet until it has read all available messages. Returns all rows that it ever wrote."""
    stream = spark.readStream.format("zeps").options(
        startingOffsets="earliest", maxOffsetsPerTrigger="60", minPartitions=str(parts), **options
    )
    query = (
        stream.load()
        .select(*COLUMNS)
        .writeStream.format("parquet")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(folder / "out"))
    )
    finish(query)
    return spark.read.parquet(str(folder / "out"))


def test_a_journal_that_grows_reaches_parquet_once(
    spark: SparkSession, journal: Path, append: Append, tmp_path: Path
) -> None:
    assert run(spark, tmp_path, 1, path=str(journal)).count() == len(ALL)
    assert len(list((tmp_path / "checkpoint" / "commits").glob("[0-9]*"))) == 3
    append(BLOCKS)
    again = run(spark, tmp_path, 3, path=str(journal))
    assert sorted(collected(again)) == ALL + [(n + len(ALL), key, body) for n, key, body in ALL]


def test_a_live_broker_reaches_parquet_once(spark: SparkSession, tmp_path: Path) -> None:
    messages = [message for block in BLOCKS for message in block]
    with EmbeddedBroker() as broker:
        options = {"zeps.endpoint": broker.endpoint, "subscribe": "s", "zeps.timeout": "120"}
        for parts in (1, 2):
            publish_rows(broker.endpoint, "s", messages)
            got = run(spark, tmp_path, parts, **options)
        assert sorted(collected(got)) == ALL + [(n + len(ALL), key, body) for n, key, body in ALL]
