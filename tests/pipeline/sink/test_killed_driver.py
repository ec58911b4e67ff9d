"""A streaming query (journal → Spark → broker), killed and restarted with other partitions, publishes messages once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from campaigns import SOAK
from copy_query import start_copy
from killable_broker import KillableBroker
from pipeline_helpers import append_blocks
from pyspark.sql import SparkSession
from small_session import finish

from zeps_pipeline.sink.failpoints import FAILPOINTS

DRIVER = str(Path(__file__).parents[1] / "helpers" / "copy_query.py")
POINTS = FAILPOINTS if SOAK else ("after-publish",)
"""One failpoint by default, because a driver takes long to start; `test_commit.py` covers each without a driver."""
MESSAGES = 600 * (len(POINTS) + 2)


def write_source(folder: Path) -> list[tuple[str, bytes]]:
    rows = [(f"key.{n % 7}", b"%d" % n) for n in range(1, MESSAGES + 1)]
    append_blocks(folder, "source", [rows[first : first + 40] for first in range(0, MESSAGES, 40)])
    return rows


class Drivers:
    """Starts drivers, and kills them with all their child processes."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        self.folder = folder
        self.points = folder / "points"
        self.points.mkdir()
        self.copied = str(folder / "journal"), endpoint, str(folder / "checkpoint")
        """Arguments of a driver: journal, endpoint and checkpoint."""

    def start(self, partitions: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, DRIVER, *self.copied, str(partitions), str(self.folder / "spark")]
        environment = os.environ | {"ZEPS_FAILPOINTS": str(self.points)}
        with (self.folder / "driver.log").open("a") as log:
            return subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)

    def kill_at(self, point: str, partitions: int) -> None:
        (self.points / point).touch()
        process = self.start(partitions)
        reached = self.points / f"{point}.reached"
        while not reached.exists():
            assert process.poll() is None, (self.folder / "driver.log").read_text()[-3000:]
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
        reached.unlink()


@pytest.mark.timeout(1200)
def test_every_message_once_wherever_the_driver_is_killed(
    spark: SparkSession, broker: KillableBroker, tmp_path: Path
) -> None:
    rows = write_source(tmp_path / "journal")
    drivers = Drivers(tmp_path, broker.endpoint)
    for number, point in enumerate(POINTS):
        drivers.kill_at(point, partitions=3 if number == 1 else 1)
    finish(start_copy(spark, *drivers.copied, partitions=2))
    assert sorted(broker.rows("copy")) == sorted(rows)
    assert not list((tmp_path / "checkpoint").rglob("*.arrow"))
