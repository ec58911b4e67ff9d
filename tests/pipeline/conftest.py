"""Fixtures: one Spark session for all tests of the pipeline, and journals written by the broker's store."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zeps_broker.journal.store import JournalStore
from zeps_wire.zeps import Deliver

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "helpers"))

from pipeline_helpers import BLOCKS, Append  # noqa: E402

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all tests that use the Spark session in one process, so that only one session is started.

    Spark leaves sockets and temporary folders to the garbage collector; warnings about them are not errors
    here.
    """
    for item in items:
        if HERE in item.path.parents and "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.master("local[2]")
        .appName("zeps tests")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.local.dir", str(folder))
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture
def append(tmp_path: Path) -> Append:
    """`append(blocks, stream="s", …)` writes blocks of messages to the journal `tmp_path / "journal"`.

    Each block is a list of (key, body). All messages of a block have one time; the first block has
    1,700,000,000 seconds since 1970, each further block one second more.
    """

    def append(
        blocks: Sequence[Sequence[tuple[str, bytes]]],
        stream: str = "s",
        path: Path = tmp_path / "journal",
        segment_bytes: int = 64 << 20,
    ) -> None:
        store = JournalStore(path, sync="os", segment_bytes=segment_bytes)
        try:
            log = store.open(stream)
            for number, messages in enumerate(blocks):
                first = log.last_sequence + 1
                frames = [Deliver(first + i, *message).encode() for i, message in enumerate(messages)]
                log.append(frames, (1_700_000_000 + number) * 1_000_000)
        finally:
            store.close()

    return append


@pytest.fixture
def journal(append: Append, tmp_path: Path) -> Path:
    """A journal with `BLOCKS` in the stream `s`."""
    append(BLOCKS)
    return tmp_path / "journal"
