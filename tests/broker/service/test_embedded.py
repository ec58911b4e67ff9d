"""A broker inside a program."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zmq
from transport_helpers import Context, address_of, socket_of

from zeps_broker import EmbeddedBroker
from zeps_broker.core.settings import Settings
from zeps_broker.journal import JournalStore
from zeps_broker.journal.stream_journal import StreamJournal
from zeps_broker.ports import Block, JournalError
from zeps_broker.service.config import Config, parse
from zeps_broker.service.logs import EventLog, LogFormat, LogLevel
from zeps_broker.transport.errors import TransportError
from zeps_broker.transport.zmtp.endpoints import is_on_network
from zeps_wire import zeps

STREAM = "s"


@pytest.fixture
def written() -> list[str]:
    """The lines that a test's log has written."""
    return []


@contextmanager
def attaching(context: Context, endpoint: str) -> Iterator[zmq.Socket[bytes]]:
    with socket_of(context, zmq.DEALER) as socket:
        socket.connect(endpoint)
        socket.send(zeps.Attach(STREAM).encode())
        yield socket


@contextmanager
def client(context: Context, endpoint: str) -> Iterator[zmq.Socket[bytes]]:
    with attaching(context, endpoint) as socket:
        assert zeps.decode(socket.recv()) == zeps.AttachOk()
        yield socket


def everything(socket: zmq.Socket[bytes], count: int) -> list[bytes]:
    socket.send(zeps.Subscribe("", zeps.LATEST_ALL).encode())
    assert zeps.decode(socket.recv()) == zeps.SubscribeOk()
    socket.send(zeps.Credit(1 << 40).encode())
    bodies = []
    for _ in range(count):
        message = zeps.decode(socket.recv())
        assert isinstance(message, zeps.Deliver)
        bodies.append(message.body)
    return bodies


def publish(socket: zmq.Socket[bytes], *bodies: bytes) -> None:
    for body in bodies:
        socket.send(zeps.Publish("k", body).encode())
    socket.send(zeps.Ping().encode())
    assert zeps.decode(socket.recv()) == zeps.PingOk()


def quick() -> Config:
    return Config(core=Settings(stop_seconds_max=0.2))


def test_it_serves_and_leaves_nothing_behind(context: Context) -> None:
    with EmbeddedBroker(config=quick()) as broker:
        folder = broker.data
        assert folder.is_dir()
        with client(context, broker.endpoint) as socket:
            publish(socket, b"one", b"two")
            assert everything(socket, 2) == [b"one", b"two"]
    assert not folder.exists()


def test_a_folder_of_ones_own_stays(context: Context, tmp_path: Path) -> None:
    broker = EmbeddedBroker(tmp_path / "data", config=quick())
    for turn in range(3):
        with broker, client(context, broker.endpoint) as socket:
            publish(socket, b"%d" % turn)
            assert everything(socket, turn + 1) == [b"%d" % number for number in range(turn + 1)]


def test_inproc(context: Context) -> None:
    endpoints = ["inproc://zeps", "tcp://127.0.0.1:*"]
    with EmbeddedBroker(endpoints=endpoints, context=context, config=quick()) as broker:
        assert broker.endpoints[0] == "inproc://zeps"
        with client(context, broker.endpoints[0]) as near, client(context, broker.endpoints[1]) as far:
            publish(near, b"one")
            assert everything(far, 1) == [b"one"]


def test_the_configuration_is_heeded(context: Context) -> None:
    config = Config(core=Settings(stop_seconds_max=0.2, sessions_max=1))
    with (
        EmbeddedBroker(config=config) as broker,
        client(context, broker.endpoint),
        attaching(context, broker.endpoint) as second,
    ):
        assert isinstance(zeps.decode(second.recv()), zeps.Invalid)


def test_clients_are_detached(context: Context) -> None:
    with EmbeddedBroker(config=quick()) as broker, client(context, broker.endpoint) as socket:
        broker.stop()
        assert zeps.decode(socket.recv()) == zeps.Detach()


def test_it_says_why_it_cannot_start(tmp_path: Path) -> None:
    with EmbeddedBroker(tmp_path / "data") as first:
        with pytest.raises(JournalError, match="in use"):
            EmbeddedBroker(tmp_path / "data").start()
        with pytest.raises(TransportError, match="in use"):
            EmbeddedBroker(tmp_path / "other", endpoints=[first.endpoint]).start()
        with pytest.raises(RuntimeError, match="started already"):
            first.start()
    with EmbeddedBroker(tmp_path / "data"):
        pass  # the failed start has left nothing locked


def test_without_a_start_there_is_no_endpoint() -> None:
    broker = EmbeddedBroker()
    with pytest.raises(RuntimeError, match="is not running"):
        _ = broker.endpoint
    broker.stop()


def failure_of(broker: EmbeddedBroker, written: list[str]) -> str:
    """Stops a broker that has failed; returns the line that it has logged."""
    with pytest.raises(RuntimeError, match="stopped because of a failure"):
        broker.stop()
    (line,) = written
    return line


def failing(error: Exception, monkeypatch: pytest.MonkeyPatch, written: list[str]) -> EmbeddedBroker:
    """Returns a running broker whose journal fails."""

    def append(*_: object) -> None:
        raise error

    monkeypatch.setattr(StreamJournal, "append", append)
    broker = EmbeddedBroker(config=quick(), log=EventLog("error", write=written.append))
    broker.start()
    return broker


def test_a_journal_that_fails_stops_it_and_is_raised_in_the_end(
    context: Context, monkeypatch: pytest.MonkeyPatch, written: list[str]
) -> None:
    broker = failing(JournalError("/data/s: disk full"), monkeypatch, written)
    with client(context, broker.endpoint) as socket:
        socket.send(zeps.Publish("k", b"x").encode())
        assert zeps.decode(socket.recv()) == zeps.Detach()
    line = failure_of(broker, written)
    assert 'event=journal-failed reason="/data/s: disk full" remedy=' in line


@pytest.mark.parametrize("publishes", [True, False])
def test_a_lock_file_that_is_deleted_stops_the_broker(
    context: Context, tmp_path: Path, publishes: bool, written: list[str]
) -> None:
    broker = EmbeddedBroker(tmp_path, log=EventLog("error", write=written.append))
    broker.start()
    with client(context, broker.endpoint) as socket:
        publish(socket, b"stored")
        (tmp_path / "zeps.lock").unlink()
        if publishes:
            socket.send(zeps.Publish("k", b"not stored").encode())
        broker.join()
    line = failure_of(broker, written)
    assert "event=journal-failed" in line
    assert "zeps.lock: the lock file is gone" in line


@pytest.mark.parametrize("engine", ["native", "libzmq"])
@pytest.mark.parametrize(
    ("host", "is_open"),
    [("127.0.0.1", False), ("localhost", False), ("lo", False), ("*", True), ("0.0.0.0", True)],
)
def test_an_endpoint_on_the_network_without_keys_is_warned_of(
    engine: str, host: str, is_open: bool, written: list[str]
) -> None:
    config, log = parse(f'[transport]\nengine = "{engine}"\n'), EventLog("warning", write=written.append)
    with EmbeddedBroker(endpoints=["ipc://*", f"tcp://{host}:*"], config=config, log=log) as broker:
        exposed = broker.endpoints[1]
    assert len(written) == is_open
    assert all(f"level=warning event=open-to-network endpoints={exposed} reason=" in line for line in written)


def test_a_gateway_on_the_network_is_warned_of(written: list[str]) -> None:
    config = parse('[gateways.ticks]\nsubscribers = ["tcp://*:*"]\npublishers = ["tcp://127.0.0.1:*"]\n')
    with EmbeddedBroker(config=config, log=EventLog("warning", write=written.append)) as broker:
        ((_, exposed, _),) = [
            gateway_endpoint
            for gateway_endpoint in broker.gateway_endpoints
            if gateway_endpoint[0] == "subscribers"
        ]
    (line,) = written
    assert f"event=open-to-network endpoints={exposed} " in line


@pytest.mark.parametrize(
    ("endpoint", "is_open"),
    [
        ("tcp://127.8.9.1:5670", False),
        ("tcp://[::1]:5670", False),
        ("tcp://[::]:5670", True),
        ("tcp://10.0.0.1:5670", True),
        ("tcp://a-host:5670", True),
        ("inproc://here", False),
    ],
)
def test_what_other_machines_reach(endpoint: str, is_open: bool) -> None:
    assert is_on_network(endpoint) == is_open


@pytest.mark.parametrize("sync", ["always", "interval"])
def test_a_clock_before_1970_ends_no_broker(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sync: str
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: -1_000_000_000_000)
    config = parse(f'[journal]\nsync = "{sync}"\n')
    with EmbeddedBroker(tmp_path, config=config) as broker, client(context, broker.endpoint) as socket:
        publish(socket, b"stored", b"and the next")
        assert everything(socket, 2) == [b"stored", b"and the next"]
    block = JournalStore(tmp_path, read_only=True).open(STREAM).read(0)
    assert isinstance(block, Block)
    assert list(block.times) == [0, 0]


@pytest.mark.parametrize("style", ["logfmt", "json"])
@pytest.mark.parametrize("level", ["debug", "info"])
def test_a_closed_connection_is_logged_at_debug(
    level: LogLevel, style: LogFormat, written: list[str]
) -> None:
    with (
        EmbeddedBroker(log=EventLog(level, style, written.append)) as broker,
        socket.create_connection(address_of(broker.endpoint)) as peer,
    ):
        peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert peer.recv(1000)[:1] == b"\xff"
        port = peer.getsockname()[1]
        while peer.recv(1000):
            pass
    closed = [line for line in written if "connection-closed" in line]
    if level == "info":
        assert closed == []
        return
    (line,) = closed
    reason = "peer speaks ZMTP 1.0 or does not speak ZMTP"
    if style == "json":
        fields = json.loads(line)
        del fields["time"]
        names = {"level": "debug", "event": "connection-closed", "connection": "connection-1"}
        assert fields == {**names, "peer": f"tcp://127.0.0.1:{port}", "reason": reason}
    else:
        fields = f'connection=connection-1 peer=tcp://127.0.0.1:{port} reason="{reason}"'
        assert line.endswith(f" level=debug event=connection-closed {fields}")


def test_a_fault_of_the_program_is_told_with_its_traceback(
    context: Context, monkeypatch: pytest.MonkeyPatch, written: list[str]
) -> None:
    broker = failing(ZeroDivisionError("oh"), monkeypatch, written)
    with client(context, broker.endpoint) as socket:
        socket.send(zeps.Publish("k", b"x").encode())
        broker.join()
    line = failure_of(broker, written)
    assert "event=internal-error reason=oh traceback=" in line
    assert "ZeroDivisionError" in line
