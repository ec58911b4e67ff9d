"""Bad input of every kind, and another session that must not be affected (ZEPS-INVALID-3, ZEPS-INVALID-4)."""

from __future__ import annotations

import random
import socket
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attacker_links import GREETING, commands, frames, opening
from campaigns import random_of, sized
from harness import SHORT, BrokerProcess, Peer, Peers, eventually, replay

from zeps_wire import zeps

STREAM = "bystanders"
FRAMES = sized(2_000, 20_000)
VALID = commands(STREAM)

PATIENT = "[broker]\nclient_timeout_seconds = 3600\n[limits]\nmalformed_max = 1_000_000\n"
"""A connection stays open however much of its input is malformed, and a session however long it is silent."""


class Witness:
    """A publisher and a subscriber that must not be affected."""

    def __init__(self, broker: BrokerProcess, peers: Peers) -> None:
        self.broker = broker
        self.publisher = peers.connect(broker.endpoint, STREAM)
        self.subscriber = peers.connect(broker.endpoint, STREAM)
        self.subscriber.subscribe("witness", zeps.LATEST_NEW, 2**63)
        self.seen: list[zeps.Deliver] = []

    def check(self) -> None:
        """Checks that both work."""
        for _ in range(3):
            body = b"%d" % len(self.seen)
            self.publisher.publish("witness", body)
            message = self.subscriber.expect(zeps.Deliver)
            assert (message.key, message.body) == ("witness", body)
            self.seen.append(message)
        self.publisher.barrier()
        self.subscriber.barrier()
        assert self.broker.running.poll() is None
        assert not [record for record in self.broker.log() if record["level"] == "error"]


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Witness]:
    """One broker for all tests of this module; in the end it must have stored the witness's messages, each once."""
    broker = BrokerProcess(tmp_path_factory.mktemp("bad-input"), "--sync", "os", config=PATIENT)
    peers = Peers()
    try:
        broker.start()
        witness = Witness(broker, peers)
        yield witness
        witness.check()
        stored = [
            message for message in replay(peers.connect(broker.endpoint), STREAM) if message.key == "witness"
        ]
        assert stored == witness.seen
        peers.close()
        assert broker.stop() == 0
    finally:
        peers.close()
        broker.end()


@pytest.fixture(autouse=True)
def unmoved(witness: Witness) -> Iterator[None]:
    """Checks the witness before and after each test."""
    witness.check()
    yield
    witness.check()


@pytest.fixture
def bad(witness: Witness, connect: Callable[..., Peer]) -> Peer:
    """An attached client that sends bad input."""
    return connect(witness.broker.endpoint, STREAM)


def mutated(chance: random.Random) -> bytes:
    """Returns an almost valid or completely invalid frame."""
    frame = bytearray(chance.choice(VALID).encode())
    kind = chance.randrange(6)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return b"\xaa\xa5" + bytes([chance.randrange(16)]) + chance.randbytes(chance.randrange(40))
    if kind == 2:
        return bytes(frame[: chance.randrange(len(frame))])
    if kind == 3:
        return bytes(frame) + chance.randbytes(1 + chance.randrange(10))
    for _ in range(1 + chance.randrange(3)):
        frame[chance.randrange(len(frame))] = chance.randrange(256)
    return bytes(frame)


@pytest.mark.parametrize("seed", range(4))
def test_random_frames(bad: Peer, seed: int) -> None:
    """Each connection sends anything; the broker sends a decodable answer, or nothing."""
    chance = random_of(seed)
    for _ in range(FRAMES // 100):
        for _ in range(25):
            # A key of its own, so that accidentally valid messages are not taken for the witness's.
            bad.send(mutated(chance).replace(b"witness", b"nowhere"))
            if chance.random() < 0.2:
                bad.send(zeps.Attach(STREAM))
        while bad.receive(0) is not None:
            pass
    bad.send(zeps.Attach(STREAM), zeps.Detach())
    while not isinstance(bad.receive(), zeps.DetachOk):
        pass


@pytest.mark.parametrize("seed", range(8))
def test_bytes_that_are_not_even_zmtp(witness: Witness, seed: int) -> None:
    chance = random_of(seed)
    start = [b"", b"\xff", GREETING[:30], GREETING, GREETING + b"\x04\x26\x05READY"][seed % 5]
    host, port = witness.broker.endpoint.removeprefix("tcp://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        try:
            connection.sendall(start + chance.randbytes(100_000))
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
        except OSError:
            pass  # the broker closed the connection


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"", "truncated"),
        (b"\xaa", "truncated"),
        (b"\xaa\xa5", "truncated"),
        (b"\xaa\xa6\x08", "bad-signature"),
        (b"\xaa\xa5\x00", "unknown-message"),
        (b"\xaa\xa5\x0d", "unknown-message"),
        (b"\xaa\xa5\x08\x00", "trailing"),
        (b"\xaa\xa5\x01\x04ZEPT\x00\x01\x01s", "bad-constant"),
        (b"\xaa\xa5\x01\x04ZEPS\x00\x02\x01s", "bad-constant"),
        (b"\xaa\xa5\x06\x01\x07\x00\x00\x00\x00", "bad-text"),
        (b"\xaa\xa5\x06\x02\xc3\x28\x00\x00\x00\x00", "bad-text"),
        (b"\xaa\xa5\x06\x01k\xff\xff\xff\xff", "too-long"),
        (b"\xaa\xa5\x06\x01k\x00\x00\x00\x02x", "truncated"),
        (zeps.Attach("").encode(), "stream name is empty"),
    ],
)
def test_bad_frames_get_a_reason_and_end_the_session(bad: Peer, frame: bytes, reason: str) -> None:
    assert reason in bad.refused(frame)
    assert bad.refused(zeps.Ping()).startswith("no-session ")
    bad.attach(STREAM)
    bad.barrier()


@pytest.mark.parametrize("message", [zeps.Deliver(1, "witness", b"forged"), zeps.AttachOk()])
def test_a_command_that_a_client_does_not_send_is_refused_alone(bad: Peer, message: zeps.Message) -> None:
    """It was decoded, so the session stays open."""
    assert bad.refused(message).startswith("unexpected ")
    bad.barrier()


@pytest.mark.parametrize("parts", [2, 3, 100])
def test_a_message_of_several_parts(bad: Peer, parts: int) -> None:
    """ZEPS-FRAME-8. Each part would be a command."""
    bad.socket.send_multipart([zeps.Publish("witness", b"forged").encode()] * parts)
    assert f"{parts} parts" in bad.refused()


def test_a_peer_that_chooses_its_own_routing_id(witness: Witness, peers: Peers) -> None:
    """It would lose messages whenever it reconnects, without notice."""
    peer = peers.connect(witness.broker.endpoint, routing_id=b"mine")  # type: ignore[arg-type]
    assert "routing id" in peer.refused(zeps.Attach(STREAM))


def test_the_longest_body_and_one_octet_more(bad: Peer) -> None:
    """ZEPS-PUBLISH-7."""
    body = random.Random(1).randbytes(1 << 24)
    bad.subscribe("long", zeps.LATEST_NEW, 1 << 25)
    bad.publish("long", body)
    assert bad.expect(zeps.Deliver).body == body
    head = zeps.PUBLISH_HEAD + b"\x04long" + struct.pack(">I", len(body) + 1)
    assert "too-long" in bad.refused(head + body + b"x")


def test_a_frame_of_64_mib(bad: Peer, witness: Witness) -> None:
    """It gets an answer, and its bytes are not kept."""
    before = witness.broker.memory()
    size = (64 << 20) - 9
    for _ in range(3):
        assert "too-long" in bad.refused(zeps.PUBLISH_HEAD + b"\x01k" + struct.pack(">I", size) + bytes(size))
    assert witness.broker.memory() - before < 300 << 20


def test_a_frame_beyond_every_limit_ends_its_connection_alone(bad: Peer) -> None:
    """It is not even read; the client reconnects as another peer, and learns this from the answer."""
    bad.send(bytes(80 << 20))
    assert bad.refused(zeps.Ping()).startswith("no-session ")


@pytest.mark.parametrize("key", ["k" * 255, "ä" * 127, "€" * 85])
def test_the_longest_key(bad: Peer, key: str) -> None:
    bad.subscribe(key, zeps.LATEST_NEW, 1 << 20)
    bad.publish(key, b"body")
    assert bad.expect(zeps.Deliver).key == key


def test_credit_overflow(bad: Peer) -> None:
    """ZEPS-CREDIT-4."""
    bad.subscribe("credit", zeps.LATEST_NEW)
    for _ in range(5):
        bad.send(zeps.Credit(2**64 - 1))
    bad.send(zeps.Credit(1))
    for number in range(10):
        bad.publish("credit", b"%d" % number)
    assert [message.body for message in bad.deliveries(10)] == [b"%d" % number for number in range(10)]


@pytest.mark.parametrize(
    "stream", ["../../../etc/passwd", ".", "..", "/", "a/b", "%2e%2e", "x" * 255, "ä" * 127, "con", "\u202e"]
)
def test_a_stream_named_like_a_path(
    witness: Witness, connect: Callable[..., Peer], stream: str, tmp_path: Path
) -> None:
    """ZEPS-STREAM-2: a name like any other; its files stay in the data folder."""
    peer = connect(witness.broker.endpoint, stream)
    peer.store("k", stream.encode())
    assert [message.body for message in replay(peer, stream)] == [stream.encode()]


def test_a_client_that_reads_nothing(witness: Witness, connect: Callable[..., Peer]) -> None:
    """Its pipe fills; then it is served from the journal, in order and without a gap, while others continue."""
    slow = connect(witness.broker.endpoint, "flood", rcvhwm=10)
    slow.subscribe(credit=2**63)
    publisher = connect(witness.broker.endpoint, "flood")
    count = 40_000
    before = witness.broker.memory()
    for number in range(count):
        publisher.publish("k", b"%08d" % number * 100)
        if number % 2000 == 0:
            publisher.barrier()
    publisher.barrier()
    witness.check()
    assert witness.broker.memory() - before < 300 << 20
    for number, message in enumerate(slow.deliveries(count), 1):
        assert message.sequence == number
        assert message.body == b"%08d" % (number - 1) * 100
    slow.barrier()


def test_a_client_that_reads_no_answers(witness: Witness, connect: Callable[..., Peer]) -> None:
    """The broker's memory grows by less than 100 MiB, and other clients are still served."""
    peer = connect(witness.broker.endpoint, STREAM, rcvhwm=1, rcvbuf=4096)
    before = witness.broker.memory()
    for _ in range(200_000):
        peer.send(zeps.Ping())
    time.sleep(0.5)
    witness.check()
    assert witness.broker.memory() - before < 100 << 20


def test_sessions_that_attach_and_vanish(launch: Callable[..., BrokerProcess]) -> None:
    """10,000 of them, on connections that close without DETACH; their memory is freed."""
    broker = launch("--stats-seconds", "0.2", config=SHORT)
    assert vanish(broker, 3000) == 3000  # memory kept for the maximum number so far is not a leak
    eventually("expiry", lambda: _sessions(broker) == 0)
    settled = broker.memory()
    assert vanish(broker, 10_000) == 10_000
    eventually("expiry", lambda: _sessions(broker) == 0)
    assert broker.memory() - settled < 24 << 20
    assert broker.stop() == 0


def vanish(broker: BrokerProcess, count: int, wave: int = 500) -> int:
    """Attaches `count` sessions by plain TCP, in waves, and cuts the connections; returns how many."""
    host, port = broker.endpoint.removeprefix("tcp://").split(":")
    attach, granted = frames(zeps.Attach("vanishing")), frames(zeps.AttachOk())
    attached = 0
    for start in range(0, count, wave):
        connections = [socket.create_connection((host, int(port))) for _ in range(min(wave, count - start))]
        for connection in connections:
            connection.settimeout(20)
            connection.sendall(opening())
        for connection in connections:
            until(connection, b"READY")  # libzmq takes no message before it has sent READY
            connection.sendall(attach)
        for connection in connections:
            until(connection, granted)
            attached += 1
        for number, connection in enumerate(connections):
            if number % 2:  # half of them with a reset
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
    return attached


def until(connection: socket.socket, expected: bytes) -> None:
    """Reads until `expected` have arrived."""
    got = b""
    while expected not in got:
        more = connection.recv(4096)
        assert more, "the broker hung up"
        got += more


def _sessions(broker: BrokerProcess) -> int:
    """Returns the sessions in the newest line of figures."""
    figures = broker.log("stats")
    return int(figures[-1]["sessions"]) if figures else -1
