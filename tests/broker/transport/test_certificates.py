"""A broker with CURVE, on either engine: only authorized clients connect, and the traffic is encrypted."""

from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
import zmq
from transport_helpers import address_of
from zmq.auth.thread import ThreadAuthenticator
from zmq.utils.monitor import recv_monitor_message

from zeps_broker import EmbeddedBroker
from zeps_broker.service.config import Config, ConfigError, parse
from zeps_broker.service.logs import EventLog
from zeps_broker.transport.certificates import AuthorizedKeys, make_certificates
from zeps_broker.transport.engines import open_transport
from zeps_broker.transport.errors import TransportError
from zeps_broker.transport.libzmq_router import LibzmqRouter
from zeps_broker.transport.options import CurveOptions, Engine, RouterOptions
from zeps_broker.transport.zmtp.router_transport import RouterTransport
from zeps_client import AsyncClient, BrokerLost, Client, Curve, Timeout

LONG = 30.0
ZEPS = [sys.executable, "-c", "import sys; from zeps_cli.main import main; sys.exit(main())"]

Keys = Callable[[str], Curve]


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    """Creates a client's keys, which the broker authorizes unless they are moved."""
    server, _ = make_certificates(tmp_path, "broker")

    def make(name: str) -> Curve:
        return Curve.load(server, make_certificates(tmp_path / "clients", name)[1])

    (tmp_path / "clients").mkdir()
    return make


@pytest.fixture
def mallory(tmp_path: Path, keys: Keys) -> Curve:
    """The keys of a client that the broker does not authorize."""
    made = keys("mallory")
    (tmp_path / "clients" / "mallory.key").unlink()
    return made


@pytest.fixture
def known_key(tmp_path: Path) -> bytes:
    """The key in `alice.key`, which is authorized by the folder `tmp_path`."""
    return Curve.load(make_certificates(tmp_path, "alice")[0]).server_key


@pytest.fixture
def endpoint(tmp_path: Path, keys: Keys, engine: Engine) -> Iterator[str]:
    with EmbeddedBroker(config=config(tmp_path, tmp_path / "clients", engine)) as broker:
        yield broker.endpoint


def config(folder: Path, clients: Path | None, engine: Engine, secret: str = "broker.key_secret") -> Config:
    return Config(transport=RouterOptions(engine=engine, curve=CurveOptions(folder / secret, clients)))


def is_let_in(endpoint: str, curve: Curve | None) -> bool:
    with Client(endpoint, "s", curve=curve) as client:
        limit = time.monotonic() + LONG
        while time.monotonic() < limit:
            try:
                client.wait(0.05)
            except Timeout:
                if client.statistics().last_error:
                    return False
            else:
                return True
    raise AssertionError("neither accepted nor refused")


def test_messages_pass(endpoint: str, keys: Keys) -> None:
    with Client(endpoint, "s", curve=keys("alice")) as alice, Client(endpoint, "s", curve=keys("bob")) as bob:
        bob.subscribe("")
        alice.publish("k", b"hello")
        assert bob.receive(LONG).body == b"hello"


def test_the_longest_messages_pass_both_ways(endpoint: str, keys: Keys) -> None:
    body = os.urandom(1 << 20) * 16
    with Client(endpoint, "s", curve=keys("alice")) as alice, Client(endpoint, "s", curve=keys("bob")) as bob:
        bob.subscribe("")
        alice.publish("k", body)
        assert bob.receive(LONG).body == body
        alice.publish("k", b"and another")
        assert bob.receive(LONG).body == b"and another"


def test_the_brokers_own_engine_serves_it_unless_libzmq_is_asked_for(
    keys: Keys, tmp_path: Path, engine: Engine
) -> None:
    options = RouterOptions(engine=engine, curve=CurveOptions(tmp_path / "broker.key_secret"))
    transport = open_transport(["tcp://127.0.0.1:*", "ipc://*"], options)
    transport.close()
    assert type(transport) is (RouterTransport if engine == "native" else LibzmqRouter)
    assert RouterOptions().engine == "native"


def handshake(endpoint: str, server: bytes, public: bytes, secret: bytes) -> tuple[int, int]:
    """Returns the event and its value with which a libzmq socket reports the end of its first handshake."""
    ends = zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED
    ends |= zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    ends |= zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
    with zmq.Context() as context, context.socket(zmq.DEALER) as client:
        client.linger = 0
        client.curve_serverkey, client.curve_publickey, client.curve_secretkey = server, public, secret
        with client.get_monitor_socket(ends) as monitor:
            client.connect(endpoint)
            assert monitor.poll(LONG * 1000)
            event = recv_monitor_message(monitor)
            client.disable_monitor()
    return event["event"], event["value"]


def test_libzmq_reports_why_a_handshake_fails(endpoint: str, keys: Keys, mallory: Curve) -> None:
    alice = keys("alice")
    server, own = alice.server_key, (alice.public_key, alice.secret_key)
    refused = {zmq.EVENT_DISCONNECTED, zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL}
    assert handshake(endpoint, server, *own)[0] == zmq.EVENT_HANDSHAKE_SUCCEEDED
    unknown = handshake(endpoint, server, mallory.public_key, mallory.secret_key)
    assert unknown == (zmq.EVENT_HANDSHAKE_FAILED_AUTH, 400)
    assert handshake(endpoint, server, alice.public_key, mallory.secret_key)[0] in refused
    assert handshake(endpoint, mallory.public_key, *own)[0] in refused


def test_many_who_stop_in_mid_handshake_are_in_nobodys_way(endpoint: str, keys: Keys) -> None:
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"CURVE".ljust(20, b"\0") + bytes(32)
    with ExitStack() as stack:
        for number in range(50):
            idle = stack.enter_context(socket.create_connection(address_of(endpoint)))
            idle.sendall((greeting + b"\x04\xc8\x05HELLO\x01\x00")[: 1 + number * 73 // 49])
        assert is_let_in(endpoint, keys("alice"))


async def test_messages_pass_in_asyncio(endpoint: str, keys: Keys) -> None:
    async with AsyncClient(endpoint, "s", curve=keys("alice")) as client:
        await client.subscribe("")
        await client.publish("k", b"hello")
        assert (await client.receive(LONG)).body == b"hello"


def test_who_is_unknown_stays_outside_and_hears_why(endpoint: str, mallory: Curve) -> None:
    assert not is_let_in(endpoint, mallory)
    with (
        Client(endpoint, "s", curve=mallory, give_up=1.0) as client,
        pytest.raises(BrokerLost, match="the broker rejects this client's key"),
    ):
        client.wait(LONG)
    assert not is_let_in(endpoint, None)


def test_a_broker_that_is_another_is_not_spoken_to(endpoint: str, keys: Keys) -> None:
    alice = keys("alice")
    other, _ = zmq.curve_keypair()
    assert not is_let_in(endpoint, Curve(other, alice.public_key, alice.secret_key))
    assert is_let_in(endpoint, alice)


def test_keys_come_and_go_while_the_broker_runs(endpoint: str, keys: Keys, tmp_path: Path) -> None:
    alice = keys("alice")
    assert is_let_in(endpoint, alice)
    (tmp_path / "clients" / "alice.key").unlink()
    (tmp_path / "clients" / "none.key").write_text("no certificate\n")
    (tmp_path / "clients" / "garbled.key").write_text("public-key: 'x'\n")
    assert not is_let_in(endpoint, alice)
    assert is_let_in(endpoint, keys("bob"))


def test_a_key_in_a_file_of_the_same_size_and_time_is_another(tmp_path: Path) -> None:
    first, second = make_certificates(tmp_path, "first")[0], make_certificates(tmp_path / "new", "first")[0]
    known = AuthorizedKeys(tmp_path)
    old, new = (Curve.load(path).server_key for path in (first, second))
    assert known.callback("zeps", old)
    status = first.stat()
    os.utime(second, ns=(status.st_atime_ns, status.st_mtime_ns))
    second.replace(first)
    assert not known.callback("zeps", old)
    assert known.callback("zeps", new)


def test_a_folder_that_stays_as_it_is_is_not_read_each_time(
    tmp_path: Path, known_key: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = tmp_path / "alice.key"
    os.utime(tmp_path, (0, 0))
    scans: list[Path] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (scans.append(path), scandir(path))[1])
    now = 0.0
    known = AuthorizedKeys(tmp_path, clock=lambda: now)
    assert all(known.callback("zeps", known_key) for _ in range(100))
    assert len(scans) == 1
    written, (other, _) = public.stat(), zmq.curve_keypair()
    public.write_text(public.read_text().replace(known_key.decode(), other.decode()))
    assert public.stat().st_size == written.st_size
    assert known.callback("zeps", known_key)
    now = 1.0
    assert not known.callback("zeps", known_key)
    assert known.callback("zeps", other)


def test_what_cannot_be_read_lets_nobody_in_and_is_said_once(
    tmp_path: Path, known_key: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    known = AuthorizedKeys(tmp_path)
    assert known.callback("zeps", known_key)

    def none_left(path: Path) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), str(path))

    with monkeypatch.context() as scarce:
        scarce.setattr(os, "scandir", none_left)
        (tmp_path / "bob.key").touch()
        assert not any(known.callback("zeps", known_key) for _ in range(3))
    assert [record.getMessage() for record in caplog.records] == [
        f"authorized keys cannot be read: {tmp_path}: Too many open files"
    ]
    assert known.callback("zeps", known_key)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_broker_stops_though_the_thread_that_answers_for_it_has_ended(
    keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the thread ends")

    with EmbeddedBroker(config=config(tmp_path, tmp_path / "clients", "libzmq")) as broker:
        monkeypatch.setattr(ThreadAuthenticator, "handle_zap_message", fail)
        with Client(broker.endpoint, "s", curve=keys("alice")) as client, pytest.raises(Timeout):
            client.wait(1.0)


def test_without_a_folder_whoever_knows_the_broker_may_come(
    keys: Keys, tmp_path: Path, engine: Engine
) -> None:
    with EmbeddedBroker(config=config(tmp_path, None, engine)) as broker:
        assert is_let_in(broker.endpoint, Curve.load(tmp_path / "broker.key"))
        assert not is_let_in(broker.endpoint, None)


def test_nothing_can_be_read_on_the_way(endpoint: str, keys: Keys) -> None:
    seen = bytearray()
    with socket.create_server(("127.0.0.1", 0)) as relay:
        threading.Thread(target=pass_on, args=(relay, endpoint, seen), daemon=True).start()
        host, port = relay.getsockname()
        with Client(f"tcp://{host}:{port}", "a stream's name", curve=keys("alice")) as client:
            client.subscribe("")
            client.publish("a-key", b"a secret text" * 10)
            assert client.receive(LONG).body.startswith(b"a secret")
    assert len(seen) > 500
    assert not any(text in seen for text in (b"a stream's name", b"a-key", b"secret text"))


def pass_on(relay: socket.socket, endpoint: str, seen: bytearray) -> None:
    near, _ = relay.accept()
    far = socket.create_connection(address_of(endpoint))

    def one_way(source: socket.socket, target: socket.socket) -> None:
        while data := source.recv(65536):
            seen.extend(data)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)

    back = threading.Thread(target=one_way, args=(far, near), daemon=True)
    back.start()
    one_way(near, far)
    back.join(LONG)
    near.close()
    far.close()


def test_as_a_user_does_it(tmp_path: Path, engine: Engine) -> None:
    def zeps(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **more}
        return subprocess.run(
            [*ZEPS, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    assert zeps("keys", "broker").stdout == "broker.key\nbroker.key_secret\n"
    assert zeps("keys", "alice", "--folder", "clients").returncode == 0
    again = zeps("keys", "broker")
    assert again.returncode == 1
    assert "already exists" in again.stderr
    assert stat.S_IMODE((tmp_path / "broker.key_secret").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "clients" / "alice.key").stat().st_mode) == 0o644
    (tmp_path / "zeps.toml").write_text(
        '[curve]\nsecret_key = "broker.key_secret"\nauthorized_keys = "clients"\n'
        f'[broker]\nbind = ["tcp://127.0.0.1:*"]\n[transport]\nengine = "{engine}"\n'
    )
    command = [*ZEPS, "broker", "--config", "zeps.toml"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as broker:
        try:
            assert broker.stdout is not None
            known = {
                "ZEPS_ENDPOINT": broker.stdout.readline().removeprefix("ready ").strip(),
                "ZEPS_SERVER_KEY": "broker.key",
            }
            own = ("--client-key", "clients/alice.key_secret")
            published = zeps("pub", "prices", "AAPL", "187", *own, **known)
            assert (published.returncode, published.stderr) == (0, "")
            received = zeps("sub", "prices", "--from", "all", "--count", "1", *own, **known)
            assert received.stdout == "1 AAPL 187\n"
            refused = zeps("pub", "prices", "AAPL", "1", "--connect-timeout", "1", **known)
            assert refused.returncode == 1
            assert "the broker rejects this client's key" in refused.stderr
            wrong = zeps("pub", "prices", "AAPL", "1", "--client-key", "broker.key", **known)
            assert wrong.returncode == 1
            assert "no secret key" in wrong.stderr
            broker.terminate()
            assert broker.wait(LONG) == 0
        finally:
            broker.kill()


@pytest.mark.parametrize(
    ("secret", "clients", "message"),
    [
        ("missing", "clients", "missing: "),
        ("broker.key", "clients", "no secret key"),
        ("broker.key_secret", "nowhere", "the folder of authorized keys does not exist"),
        ("garbage", "clients", "not a certificate"),
        ("halves", "clients", "does not match"),
    ],
)
def test_a_broker_without_its_keys_does_not_start(
    keys: Keys, tmp_path: Path, secret: str, clients: str, message: str, engine: Engine
) -> None:
    (tmp_path / "garbage").write_text("public-key: x\n")
    own = (tmp_path / "broker.key_secret").read_text()
    public = Curve.load(tmp_path / "broker.key").server_key.decode()
    (tmp_path / "halves").write_text(own.replace(public, zmq.curve_keypair()[0].decode()))
    with pytest.raises(TransportError, match=message):
        EmbeddedBroker(config=config(tmp_path, tmp_path / clients, engine, secret)).start()


@pytest.mark.parametrize(
    "text", ["", "public-key: x\n", 'public-key = "x"\n', f'public-key = "{"#" * 40}"\n']
)
def test_what_is_no_key_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "broken.key").write_text(text)
    with pytest.raises(ValueError, match=r"broken\.key: "):
        Curve.load(tmp_path / "broken.key")


def test_a_clients_keys_are_a_pair_in_bytes() -> None:
    (server, _), (public, secret), (other, _) = (zmq.curve_keypair() for _ in range(3))
    Curve(server, public, secret)
    with pytest.raises(ValueError, match="does not match"):
        Curve(server, other, secret)
    with pytest.raises(ValueError, match="40 bytes"):
        Curve(server.decode(), public, secret)  # type: ignore[arg-type]


def test_who_may_connect_is_nothing_without_a_key() -> None:
    with pytest.raises(ConfigError, match=r"curve\.secret_key is missing"):
        parse('[curve]\nauthorized_keys = "clients"\n')


def test_gateways_are_not_served_with_it(keys: Keys, tmp_path: Path, engine: Engine) -> None:
    gateways = parse('[gateways.ticks]\nsubscribers = ["tcp://127.0.0.1:*"]\n').gateways
    with pytest.raises(TransportError, match="gateways need"):
        EmbeddedBroker(config=replace(config(tmp_path, None, engine), gateways=gateways)).start()


NO_SMALL_REGULAR_FILE = pytest.mark.parametrize(
    "make",
    [
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.write_bytes(b"#" * 65_537),
        Path.mkdir,
    ],
    ids=["fifo", "endless", "large", "folder"],
)


@NO_SMALL_REGULAR_FILE
def test_a_key_file_that_is_not_a_small_regular_file_is_passed_over_and_said_once(
    tmp_path: Path, known_key: bytes, make: Callable[[Path], object], caplog: pytest.LogCaptureFixture
) -> None:
    make(tmp_path / "aaa.key")
    known = AuthorizedKeys(tmp_path)
    assert all(known.callback("zeps", known_key) for _ in range(3))
    (record,) = caplog.records
    assert f"{tmp_path}/aaa.key: " in record.getMessage()


@NO_SMALL_REGULAR_FILE
def test_a_secret_key_is_a_small_regular_file(
    tmp_path: Path, make: Callable[[Path], object], engine: Engine
) -> None:
    make(tmp_path / "broker.key_secret")
    text = r"broker.key_secret: (not a regular file|more than 65536 bytes); .*`zeps keys"
    with pytest.raises(TransportError, match=text):
        EmbeddedBroker(config=config(tmp_path, None, engine)).start()


def test_a_key_file_may_be_a_link_to_a_regular_file(tmp_path: Path) -> None:
    public, _ = make_certificates(tmp_path / "elsewhere", "alice")
    (tmp_path / "alice.key").symlink_to(public)
    assert AuthorizedKeys(tmp_path).callback("zeps", Curve.load(public).server_key)


@pytest.mark.parametrize(
    ("mode", "is_exposed"), [(0o600, False), (0o400, False), (0o640, True), (0o604, True)]
)
def test_a_secret_key_that_others_may_read_is_warned_of(
    keys: Keys, tmp_path: Path, mode: int, is_exposed: bool, engine: Engine
) -> None:
    secret = tmp_path / "broker.key_secret"
    secret.chmod(mode)
    written: list[str] = []
    with EmbeddedBroker(config=config(tmp_path, None, engine), log=EventLog("warning", write=written.append)):
        pass
    warnings = [line for line in written if "event=secret-key-exposed" in line]
    assert len(warnings) == is_exposed
    assert all(f"file={secret}" in line and f"its mode is {mode:04o}" in line for line in warnings)


def test_with_keys_no_endpoint_is_warned_of(keys: Keys, tmp_path: Path, engine: Engine) -> None:
    written: list[str] = []
    log = EventLog("warning", write=written.append)
    with EmbeddedBroker(endpoints=["tcp://*:*"], config=config(tmp_path, None, engine), log=log):
        pass
    assert written == []
