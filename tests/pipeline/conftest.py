"""Fixtures: one Spark session for all tests of the pipeline, and journals written by the broker's store."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "helpers"))

from pipeline_helpers import BLOCKS, Append, append_blocks  # noqa: E402

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all tests with the Spark session in one process, for one session. Warnings about sockets and temporary
    folders, which Spark leaves to the garbage collector, are not errors here.
    """
    for item in items:
        if HERE in item.path.parents and "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    from small_session import small_session

    session = small_session(tmp_path_factory.mktemp("spark"))
    yield session
    session.stop()


@pytest.fixture
def append(tmp_path: Path) -> Append:
    """`append(blocks, stream="s", …)` is `append_blocks` to the journal `tmp_path / "journal"`."""

    def append(
        blocks: Sequence[Sequence[tuple[str, bytes]]],
        stream: str = "s",
        path: Path = tmp_path / "journal",
        segment_bytes: int = 64 << 20,
    ) -> None:
        append_blocks(path, stream, blocks, segment_bytes=segment_bytes)

    return append


@pytest.fixture
def journal(append: Append, tmp_path: Path) -> Path:
    """A journal with `BLOCKS` in the stream `s`."""
    append(BLOCKS)
    return tmp_path / "journal"
