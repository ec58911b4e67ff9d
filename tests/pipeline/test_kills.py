"""A driver is killed at each failpoint, and another continues from its checkpoint: each message is written once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from campaigns import SOAK
from dying_query import ROWS, start
from killable_broker import publish_rows
from pyspark.sql import SparkSession
from small_session import finish

from zeps_broker.service.embedded import EmbeddedBroker

QUERY = Path(__file__).parent / "helpers" / "dying_query.py"
CAMPAIGN = ["read"]
if SOAK:
    CAMPAIGN = ["planned", "logged", "read", "committed", "read", "logged", "committed", "planned"]
# A killed run may complete two batches.
MESSAGES = [("k", b"%d" % n) for n in range(1, 1 + ROWS + 2 * ROWS * len(CAMPAIGN))]


def die(endpoint: str, folder: Path, parts: int, failpoint: str) -> None:
    """Run the query in a driver until it is killed at `failpoint`."""
    command = [sys.executable, str(QUERY), endpoint, str(folder), str(parts), failpoint]
    with (folder / "log").open("a+") as log:
        done = subprocess.run(
            command, stdout=log, stderr=log, check=False, timeout=500, start_new_session=True
        )
    assert done.returncode == -signal.SIGKILL, (folder / "log").read_text()[-4000:]


def written(folder: Path) -> list[tuple[int, str]]:
    """Rows of the query's output: those of the files in its log of batches."""
    logs = sorted((folder / "out" / "_spark_metadata").glob("[0-9]*"))
    lines = [line for log in logs for line in log.read_text().splitlines()[1:]]
    files = {Path(json.loads(line)["path"].removeprefix("file://")) for line in lines}
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    return sorted((row["offset"], row["value"]) for row in rows)


@pytest.mark.timeout(1200)
def test_every_message_once_whenever_the_driver_dies(spark: SparkSession, tmp_path: Path) -> None:
    with EmbeddedBroker() as broker:
        publish_rows(broker.endpoint, "s", MESSAGES)
        for parts, failpoint in enumerate(CAMPAIGN, 1):
            die(broker.endpoint, tmp_path, parts, failpoint)
            assert len(written(tmp_path)) < len(MESSAGES)
        # If a driver dies after it wrote a batch and before it recorded it, writing the batch again has no
        # effect. The same holds for files that were written before the sink's own log had them.
        for logs in (["checkpoint/commits"], ["checkpoint/commits", "out/_spark_metadata"]):
            for log in logs:
                forget_newest(tmp_path / log)
            finish(start(spark, broker.endpoint, str(tmp_path), 3))
            assert written(tmp_path) == [(n, str(n)) for n in range(1, len(MESSAGES) + 1)]


def forget_newest(folder: Path) -> None:
    """Remove the newest entry of one of Spark's logs, which restores the state of the disk before its writing."""
    newest = max(folder.glob("[0-9]*"), key=lambda path: int(path.stem))
    newest.unlink()
    (newest.parent / f".{newest.name}.crc").unlink(missing_ok=True)
