"""Commits with a real broker, killed at each failpoint: each row is published once."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from commit_once import commit, start_commit
from killable_broker import KillableBroker, publish_rows
from pipeline_helpers import append_blocks

from zeps_broker.journal.store import JournalStore
from zeps_broker.service.config import Config
from zeps_broker.service.embedded import EmbeddedBroker
from zeps_broker.transport.certificates import make_certificates
from zeps_broker.transport.options import CurveOptions, RouterOptions
from zeps_client import Client
from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import DataLossError
from zeps_pipeline.sink import publishing
from zeps_pipeline.sink.options import write_options
from zeps_pipeline.sink.position import last_sequence
from zeps_pipeline.sink.publishing import Patience, publish
from zeps_pipeline.sink.session import SessionLostError
from zeps_pipeline.sink.staging import Stage

POINTS = ("before-publish", "amid-publish", "after-publish", "before-commit")


class Commits:
    """Runs commits to a broker, with one staging folder."""

    def __init__(self, broker: KillableBroker, folder: Path) -> None:
        self.broker = broker
        self.staging = folder / "staging"
        self.points = folder / "points"
        self.points.mkdir()

    def start(self, epoch: int, partitions: int, *rows: str) -> BaseProcess:
        return start_commit(self.points, self.broker.endpoint, str(self.staging), epoch, partitions, *rows)

    def run(self, epoch: int, partitions: int, *rows: str) -> None:
        """Commit in this process."""
        commit(self.broker.endpoint, str(self.staging), epoch, partitions, *rows)

    def run_to(self, point: str, epoch: int, partitions: int, *rows: str) -> None:
        """Start a commit in a process, and kill it at the failpoint `point`."""
        (self.points / point).touch()
        process = self.start(epoch, partitions, *rows)
        while not (self.points / f"{point}.reached").exists():
            assert process.is_alive(), f"the process ended before it reached {point}"
            time.sleep(0.01)
        (self.points / f"{point}.reached").unlink()
        process.kill()
        process.join(30)


@pytest.fixture
def commits(broker: KillableBroker, tmp_path: Path) -> Commits:
    return Commits(broker, tmp_path)


def numbers(broker: KillableBroker, stream: str) -> list[int]:
    return sorted(int(body) for _, body in broker.rows(stream))


def test_a_commit_that_is_killed_anywhere_publishes_each_row_once(commits: Commits) -> None:
    """Each epoch is killed at one failpoint, and committed again with another number of partitions."""
    for epoch, point in enumerate(POINTS):
        first = 1 + 1000 * epoch
        rows = (f"a:{first}:{first + 599}", f"b:{first}:{first + 399}")
        commits.run_to(point, epoch, 3, *rows)
        commits.run(epoch, 2, *rows)
    epochs = range(len(POINTS))
    assert numbers(commits.broker, "a") == [n for e in epochs for n in range(1 + 1000 * e, 601 + 1000 * e)]
    assert numbers(commits.broker, "b") == [n for e in epochs for n in range(1 + 1000 * e, 401 + 1000 * e)]
    assert sorted(path.name for path in (commits.staging / "query").iterdir()) == ["committed.json", "lock"]


def test_an_epoch_that_is_committed_is_not_published_again(commits: Commits) -> None:
    commits.run(4, 1, "a:1:10")
    commits.run(4, 2, "a:1:10")
    commits.run(3, 1, "a:1:10")
    assert numbers(commits.broker, "a") == list(range(1, 11))


def test_the_broker_is_killed_amid_an_epoch(commits: Commits) -> None:
    commits.run_to("amid-publish", 0, 2, "a:1:3000")
    # Another commit continues while the broker restarts several times.
    restarts = threading.Thread(target=_come_and_go, args=(commits.broker,))
    restarts.start()
    commits.run(0, 3, "a:1:3000")
    restarts.join()
    assert numbers(commits.broker, "a") == list(range(1, 3001))


def _come_and_go(broker: KillableBroker) -> None:
    chance = random.Random(3)
    for _ in range(3):
        broker.kill()
        time.sleep(chance.uniform(0, 0.3))
        broker.start()
        time.sleep(chance.uniform(0.3, 1.0))


def test_others_publish_to_the_stream_meanwhile(commits: Commits) -> None:
    endpoint = commits.broker.endpoint
    publish_rows(endpoint, "a", (("other", b"-%d" % n) for n in range(1, 2001)))
    commits.run_to("amid-publish", 0, 2, "a:1:900")
    publish_rows(endpoint, "a", (("other", b"-%d" % n) for n in range(2001, 2501)))
    commits.run(0, 1, "a:1:900")
    assert numbers(commits.broker, "a") == [*range(-2500, 0), *range(1, 901)]


@contextmanager
def others(broker: KillableBroker, stream: str) -> Iterator[None]:
    """Another client publishes to `stream`, without a pause long enough to be taken for the stream's end."""
    ended = threading.Event()

    def publish_on() -> None:
        with Client(broker.endpoint, stream) as client:
            while not ended.wait(0.02):
                client.publish("other", b"-1")

    thread = threading.Thread(target=publish_on)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("point", [None, "before-publish", "amid-publish", "after-publish"])
def test_others_never_cease_to_publish(commits: Commits, point: str | None) -> None:
    with others(commits.broker, "a"):
        if point is not None:
            commits.run_to(point, 0, 2, "a:1:900")
        commits.run(0, 1, "a:1:900")
        commits.run(1, 1, "a:901:1000")
    assert [n for n in numbers(commits.broker, "a") if n > 0] == list(range(1, 1001))


def test_the_broker_is_killed_while_others_never_cease_to_publish(commits: Commits) -> None:
    with others(commits.broker, "a"):
        commits.run_to("amid-publish", 0, 2, "a:1:3000")
        restarts = threading.Thread(target=_come_and_go, args=(commits.broker,))
        restarts.start()
        commits.run(0, 3, "a:1:3000")
        restarts.join()
    assert [n for n in numbers(commits.broker, "a") if n > 0] == list(range(1, 3001))


@pytest.mark.parametrize("known", [0, 1, 4000])
def test_where_a_stream_ends_to_which_others_publish(broker: KillableBroker, known: int) -> None:
    publish_rows(broker.endpoint, "a", [("k", b"1")] * 5000)
    with others(broker, "a"):
        last = last_sequence(Broker(broker.endpoint), "a", known)
    assert 5000 <= last <= len(broker.rows("a"))


@pytest.mark.parametrize("messages", [0, 1, 5000])
def test_where_a_stream_ends(broker: KillableBroker, messages: int) -> None:
    publish_rows(broker.endpoint, "a", [("k", b"")] * messages)
    for known in {0, messages // 2, messages}:
        assert last_sequence(Broker(broker.endpoint), "a", known) == messages


def test_the_end_of_a_stream_without_retained_messages(broker: KillableBroker) -> None:
    publish_rows(broker.endpoint, "a", [("k", b"")] * 20)
    _empty(broker)
    assert last_sequence(Broker(broker.endpoint), "a", 7) == 20


def test_rows_that_equal_older_ones_are_published(broker: KillableBroker) -> None:
    """A write is repeated later, and dies before its first row is sent."""
    rows = [("k", b"%08d" % n * 12_500) for n in range(200)]
    broker.kill()
    append_blocks(broker.data, "a", [rows[at : at + 20] for at in range(0, 200, 20)])
    broker.start()
    after = last_sequence(Broker(broker.endpoint), "a")
    assert after == len(rows)
    publish(Broker(broker.endpoint), "a", rows, after, resumed=True, patience=Patience(settle=0.3))
    assert broker.rows("a") == rows * 2


class Broken:
    """An iterator of rows that raises SessionLostError once, before row number `before`."""

    def __init__(self, rows: list[tuple[str, bytes]], before: int) -> None:
        self._rows = rows
        self._before: int | None = before
        self._next = 0

    def __iter__(self) -> Broken:
        return self

    def __next__(self) -> tuple[str, bytes]:
        if self._next == self._before:
            self._before = None
            raise SessionLostError("broken")
        if self._next == len(self._rows):
            raise StopIteration
        self._next += 1
        return self._rows[self._next - 1]


def test_rows_that_equal_older_ones_are_published_over_a_connection_that_breaks(
    broker: KillableBroker,
) -> None:
    rows = [("k", b"%d" % n) for n in range(1000)]
    publish_rows(broker.endpoint, "a", rows)
    broken = Broken(rows, 600)
    publish(Broker(broker.endpoint), "a", broken, 1000, resumed=False, patience=Patience(settle=0.3))
    assert broker.rows("a") == rows * 2


def test_removed_messages_that_may_be_rows_are_an_error(broker: KillableBroker) -> None:
    """The epoch may be partly published, and retention has removed messages after its begin."""
    broker.kill()
    segments = broker.data / "a"
    append_blocks(broker.data, "a", [[("k", bytes(50))] * 100] * 2, segment_bytes=4096)
    (segments / f"{1:020d}.segment").unlink()
    broker.start()
    with pytest.raises(DataLossError, match="sequences 51 to 100 were removed from the stream"):
        publish(Broker(broker.endpoint), "a", [("k", b"x")], 50, resumed=True, patience=Patience(settle=0.1))


def test_removed_messages_of_an_empty_stream_are_an_error(
    broker: KillableBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No later message shows the gap; the broker reports it."""
    monkeypatch.setattr(publishing, "_DELIVERY_SECONDS", 1.0)  # the wait for messages that do not arrive
    publish_rows(broker.endpoint, "a", [("k", b"x")] * 20)
    _empty(broker)
    with pytest.raises(DataLossError, match="sequences 6 to 20 were removed from the stream"):
        publish(Broker(broker.endpoint), "a", [("k", b"x")], 5, resumed=True, patience=Patience(settle=0.1))


def test_retention_may_remove_messages_of_others_between_two_epochs(commits: Commits) -> None:
    """The stream has no rows of the new epoch, so removed messages cannot be rows of it."""
    broker = commits.broker
    commits.run(0, 1, "a:1:10")
    broker.kill()
    append_blocks(broker.data, "a", [[("k", bytes(50))] * 100] * 3, segment_bytes=4096)
    for path in sorted((broker.data / "a").glob("*.segment"))[:-1]:
        path.unlink()
    broker.start()
    commits.run(1, 1, "a:11:20")
    assert [body for _, body in broker.rows("a")][-10:] == [b"%d" % n for n in range(11, 21)]


@pytest.mark.parametrize("messages", [0, 3])
@pytest.mark.parametrize("resumed", [False, True])
def test_another_journal_in_the_old_ones_place_is_refused(
    broker: KillableBroker, messages: int, resumed: bool
) -> None:
    publish_rows(broker.endpoint, "a", [("other", b"-1")] * messages)
    with pytest.raises(DataLossError, match="another journal"):
        publish(
            Broker(broker.endpoint), "a", [("k", b"1")], 500, resumed=resumed, patience=Patience(settle=0.1)
        )
    with pytest.raises(DataLossError, match="another journal"):
        last_sequence(Broker(broker.endpoint), "a", 500)
    assert len(broker.rows("a")) == messages


@pytest.mark.parametrize("point", [None, *POINTS])
def test_a_stream_without_retained_messages_continues(commits: Commits, point: str | None) -> None:
    broker = commits.broker
    commits.run(0, 1, "a:1:10")
    _empty(broker)
    if point is not None:
        commits.run_to(point, 1, 2, "a:11:1000")
    commits.run(1, 1, "a:11:1000")
    assert numbers(broker, "a") == list(range(11, 1001))


@pytest.mark.parametrize("point", [None, *POINTS])
@pytest.mark.parametrize("known", [0, 10])
def test_a_stream_of_others_without_retained_messages_continues(
    commits: Commits, known: int, point: str | None
) -> None:
    """Retention has removed all messages, also those that others published, so no message shows the stream's end."""
    broker = commits.broker
    if known:
        commits.run(0, 1, f"a:1:{known}")
    publish_rows(broker.endpoint, "a", [("other", b"-1")] * 20)
    _empty(broker)
    if point is not None:
        commits.run_to(point, 1, 2, "a:11:1000")
        if point == "amid-publish":
            declared = Stage(commits.staging, "query").declared(1)
            assert declared is not None
            assert declared.after == {"a": known + 20}
    commits.run(1, 1, "a:11:1000")
    assert numbers(broker, "a") == list(range(11, 1001))


def test_others_publish_first_to_a_stream_without_retained_messages(commits: Commits) -> None:
    broker = commits.broker
    with Client(broker.endpoint, "a") as client:
        client.publish_many(("other", b"-1") for _ in range(20))
        client.flush(10)
        _empty(broker)
        commits.run_to("before-publish", 0, 2, "a:1:1000")
        client.publish("other", b"-2")
        client.flush(10)
    commits.run(0, 1, "a:1:1000")
    assert numbers(broker, "a") == [-2, *range(1, 1001)]


def test_removed_messages_of_a_declared_epoch_are_an_error(commits: Commits) -> None:
    broker = commits.broker
    commits.run_to("amid-publish", 0, 2, "a:1:1000")
    _empty(broker)
    publish_rows(broker.endpoint, "a", [("other", b"-1")])
    before = broker.rows("a")
    process = commits.start(0, 1, "a:1:1000")
    process.join(60)
    assert process.exitcode == 1
    assert broker.rows("a") == before


def _empty(broker: KillableBroker) -> None:
    """Remove all messages of the stream by retention."""
    broker.kill()
    store = JournalStore(broker.data, sync="os", retain_seconds=1)
    for _ in range(2):
        store.open("a").retain(2**62)
    store.close()
    assert broker.rows("a") == []
    broker.start()


def test_a_broker_with_keys_is_published_to_with_keys(tmp_path: Path) -> None:
    server, secret = make_certificates(tmp_path, "broker")
    _, own = make_certificates(tmp_path / "clients", "spark")
    config = Config(transport=RouterOptions(curve=CurveOptions(secret, tmp_path / "clients")))
    with EmbeddedBroker(config=config) as broker:
        given = {"zeps.endpoint": broker.endpoint, "zeps.serverKey": str(server), "zeps.key": str(own)}
        options = write_options(given, streaming=False)
        publish(options.broker, "a", [("k", b"1"), ("k", b"2")], 0, resumed=False, patience=Patience())
        assert last_sequence(options.broker, "a") == 2
