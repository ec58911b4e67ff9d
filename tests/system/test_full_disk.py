"""A full disk is reported, stored messages are kept, and with free space the broker continues. Mounts a small tmpfs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import BrokerProcess, Peer, eventually, history

from zeps_wire import zeps

STREAM = "full"
BODY = b"x" * 20_000
SMALL = "4m"
LARGE = "64m"
CONFIG = """
[broker]
stop_seconds_max = 0.2
[journal]
segment_bytes = {}
"""


def mount(*arguments: str | Path) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (
        f"these tests mount a tmpfs, as root or in a namespace of their own: {done.stderr}"
    )


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mounts a file system of 4 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(broker: BrokerProcess, publisher: Peer) -> int:
    """Publishes until the broker gives up; returns how many messages a PING-OK covered."""
    covered = sent = 0
    while True:
        for _ in range(3):
            publisher.publish("k", b"%d:" % sent + BODY)
            sent += 1
        publisher.send(zeps.Ping())
        answer = publisher.receive()
        if isinstance(answer, zeps.Detach):
            return covered
        assert isinstance(answer, zeps.PingOk)
        covered = sent


def check_complaint(broker: BrokerProcess) -> None:
    (failure,) = broker.log("journal-failed")
    assert failure["level"] == "error"
    assert str(broker.data) in failure["reason"]
    assert "No space left on device" in failure["reason"]
    assert failure["remedy"]


@pytest.mark.parametrize("sync", ["always", "interval", "os"])
@pytest.mark.parametrize("segment_bytes", [100_000, 1 << 26])
def test_a_disk_that_fills_up(
    launch: Callable[..., BrokerProcess],
    connect: Callable[..., Peer],
    disk: Path,
    sync: str,
    segment_bytes: int,
) -> None:
    options = {"data": disk / "data", "config": CONFIG.format(segment_bytes)}
    broker = launch("--sync", sync, **options)
    subscriber = connect(broker.endpoint, STREAM)
    subscriber.subscribe(credit=2**63)
    covered = fill(broker, connect(broker.endpoint, STREAM))
    assert broker.wait() == 1
    check_complaint(broker)
    seen: list[zeps.Deliver] = []
    while isinstance(message := subscriber.receive(), zeps.Deliver):
        seen.append(message)
    assert isinstance(message, zeps.Detach)
    assert len(seen) >= covered

    mount("-o", f"remount,size={LARGE}", disk)
    broker.start()
    stored = history(connect(broker.endpoint), STREAM)
    assert [deliver.sequence for deliver in stored] == list(range(1, len(stored) + 1))
    assert stored[: len(seen)] == seen
    assert [deliver.body.split(b":")[0] for deliver in stored[:-1]] == [
        b"%d" % n for n in range(len(stored) - 1)
    ]
    assert broker.stop() == 0


def test_a_disk_that_is_full_from_the_start(
    launch: Callable[..., BrokerProcess], connect: Callable[..., Peer], disk: Path
) -> None:
    """Stored messages are still served; the first new message stops the broker."""
    broker = launch(data=disk / "data")
    publisher = connect(broker.endpoint, STREAM)
    publisher.store("k", b"stored")
    broker.kill()
    with pytest.raises(OSError, match="No space"):
        (disk / "ballast").write_bytes(bytes(8 << 20))
    broker.start()
    reader = connect(broker.endpoint, STREAM)
    reader.subscribe(credit=1000)
    assert reader.expect(zeps.Deliver).body == b"stored"
    reader.publish("k", b"one too many" * 1000)
    reader.expect(zeps.Detach)
    assert broker.wait() == 1
    check_complaint(broker)
    (disk / "ballast").unlink()
    broker.start()
    assert [deliver.body for deliver in history(connect(broker.endpoint), STREAM)][:1] == [b"stored"]


def test_a_stream_that_cannot_be_made_is_refused_and_told(
    launch: Callable[..., BrokerProcess], connect: Callable[..., Peer], tmp_path: Path
) -> None:
    """A file is in the place of the stream's folder. The other streams continue."""
    broker = launch()
    well = connect(broker.endpoint, "well")
    (broker.data / "ill").write_text("not a folder")
    connect_ill = connect(broker.endpoint)
    assert "cannot be opened" in connect_ill.refused(zeps.Attach("ill"))
    (record,) = eventually("a line in the log", lambda: broker.log("stream-not-opened"))
    assert record["stream"] == "ill"
    assert str(broker.data / "ill") in record["reason"]
    well.barrier()
