"""The driver is killed at chosen places: once it has started again from its checkpoint, every message is there once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from campaigns import SOAK

from zeps_broker.io.embedded import EmbeddedBroker
from zeps_client import Client

QUERY = Path(__file__).parent / "helpers" / "dying_query.py"
CAMPAIGN = ["read"]
if SOAK:
    CAMPAIGN = ["planned", "logged", "read", "committed", "read", "logged", "committed", "planned"]
# 400 to a batch, of which a run that dies may do two
MESSAGES = [("k", b"%d" % n) for n in range(1, 401 + 800 * (len(CAMPAIGN) + 1))]


def run(endpoint: str, folder: Path, parts: int, failpoint: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(QUERY), endpoint, str(folder), str(parts), failpoint]
    with (folder / "log").open("a+") as log:
        return subprocess.run(
            command, stdout=log, stderr=log, text=True, check=False, timeout=500, start_new_session=True
        )


def written(folder: Path) -> list[tuple[int, str]]:
    """What a reader of the query's output sees: the files that its log of batches names."""
    logs = sorted((folder / "out" / "_spark_metadata").glob("[0-9]*"))
    lines = [line for log in logs for line in log.read_text().splitlines()[1:]]
    files = {Path(json.loads(line)["path"].removeprefix("file://")) for line in lines}
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    return sorted((row["offset"], row["value"]) for row in rows)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(1200)
def test_every_message_once_whenever_the_driver_dies(tmp_path: Path) -> None:
    with EmbeddedBroker() as broker:
        with Client(broker.endpoint, "s") as client:
            client.publish_many(MESSAGES)
            client.flush(60)
        for parts, failpoint in enumerate(CAMPAIGN, 1):
            done = run(broker.endpoint, tmp_path, parts, failpoint)
            assert done.returncode == -signal.SIGKILL, (tmp_path / "log").read_text()[-4000:]
            assert len(written(tmp_path)) < len(MESSAGES)
        # A batch that was written, by a driver that died before it could say so, is written again to no effect; and
        # so are files that were written, by one that died before the sink's own log had them.
        for logs in (["checkpoint/commits"], ["checkpoint/commits", "out/_spark_metadata"]):
            for log in logs:
                forget_newest(tmp_path / log)
            done = run(broker.endpoint, tmp_path, 3, "never")
            assert done.returncode == 0, (tmp_path / "log").read_text()[-4000:]
            assert written(tmp_path) == [(n, str(n)) for n in range(1, len(MESSAGES) + 1)]


def forget_newest(folder: Path) -> None:
    """Remove the newest entry of a log of Spark's: the state of the disk before it was written."""
    newest = max(folder.glob("[0-9]*"), key=lambda path: int(path.stem))
    newest.unlink()
    (newest.parent / f".{newest.name}.crc").unlink(missing_ok=True)
