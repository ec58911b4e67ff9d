"""The rows of docs/limits.md about connections and turns of the loop; see `test_limit_rows.py`."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from attacker_links import GREETING, frame, head, opening
from harness import eventually
from limited_broker import (
    CREDIT_MAX,
    KERNEL_BYTES_MAX,
    LimitedBroker,
    RawClient,
    overtakes,
    read_without_gap,
    serving,
)

from zeps_broker.service.logs import EventLog
from zeps_broker.transport.certificates import make_certificates
from zeps_broker.transport.errors import TransportError
from zeps_broker.transport.options import COMMAND_BYTES_MAX
from zeps_wire import zeps, zmtp
from zeps_wire.zeps import Deliver, Invalid, Ping, PingOk, Publish

pytestmark = pytest.mark.slow

ENGINES = pytest.mark.parametrize("engine", ["native", "libzmq"])
READ_MESSAGES_MAX, READ_BYTES = 17_408, 256 << 10
"""Amount by which the last read of a turn may exceed the turn's limits, as documented in their rows."""


def transport(engine: str, **limits: float) -> str:
    """Returns the section of the network's settings."""
    lines = [f"{name} = {value}" for name, value in limits.items()]
    stop = "[broker]\nstop_seconds_max = 0.5\n" if engine == "libzmq" else ""
    return "\n".join([f'{stop}[transport]\nengine = "{engine}"', *lines])


# For each connection


def test_limits_malformed_max() -> None:
    with serving("[limits]\nmalformed_max = 2", 2) as (_, client, other):
        for peer in (client, other):
            for _ in range(2):
                peer.send(frame(b"???"))
                assert peer.refused() == "malformed"
            peer.attach()
        client.send(frame(b""))
        (refusal,) = client.until_closed()
        assert isinstance(refusal, Invalid)
        other.barrier()
    with serving(transport("libzmq") + "\n[limits]\nmalformed_max = 2") as (_, client):
        for _ in range(4):
            client.send(frame(b"???"))
            assert client.refused() == "malformed"
        client.send(frame(b"???") + frame(zeps.Attach("dropped").encode()))
        assert client.refused() == "malformed"
        client.attach()
        client.detach()


@ENGINES
def test_transport_frame_bytes_max(engine: str) -> None:
    with serving(transport(engine, frame_bytes_max=1000), 2, attached=1) as (_, client, other):
        rest = len(Publish("k", b"").encode())
        client.publish(Publish("k", bytes(1000 - rest)))
        client.send(frame(bytes(1000)))
        assert client.refused() == "malformed"
        client.send(head(1001))
        assert client.until_closed() == []
        other.attach()
        other.detach()


def test_fixed_command_bytes_max() -> None:
    with serving(attached=1) as (_, client):
        client.send(frame(bytes(COMMAND_BYTES_MAX + 1)))
        assert client.refused() == "malformed"
        client.attach()
        longest = Publish("k" * 255, bytes(16 << 20))
        client.say(longest)
        client.read_all()
        delivered = client.expect(Deliver)
        assert len(delivered.encode()) == COMMAND_BYTES_MAX
        client.barrier()


MESSAGE_BYTES = 4000


def test_transport_send_bytes_max(tmp_path: Path) -> None:
    count, at_once, limit = 1500, 10, 1 << 17
    waited, lost = read_without_gap(
        transport("native", send_bytes_max=limit), tmp_path, MESSAGE_BYTES, count, at_once
    )
    assert lost
    assert waited * MESSAGE_BYTES >= limit
    assert waited * MESSAGE_BYTES <= limit + at_once * MESSAGE_BYTES + KERNEL_BYTES_MAX
    waited, _ = read_without_gap(transport("native"), tmp_path, MESSAGE_BYTES, count, at_once)
    assert waited * MESSAGE_BYTES >= 4 << 20, "the default"


def test_transport_send_messages_max(tmp_path: Path) -> None:
    count = 500
    waited, lost = read_without_gap(
        transport("libzmq", send_messages_max=10), tmp_path, MESSAGE_BYTES, count, 10
    )
    assert lost
    assert waited <= 10 + KERNEL_BYTES_MAX // MESSAGE_BYTES
    assert read_without_gap(transport("libzmq"), tmp_path, MESSAGE_BYTES, count, 10) == (count, 0)


def test_transport_shared_bytes_max(tmp_path: Path) -> None:
    count, size, limit = 100, 32 << 10, 200_000
    waited, lost = read_without_gap(transport("libzmq", shared_bytes_max=limit), tmp_path, size, count, 1)
    assert lost
    assert waited * size <= limit + KERNEL_BYTES_MAX
    assert read_without_gap(transport("libzmq"), tmp_path, size, count, 1) == (count, 0)


def test_transport_receive_messages_max(tmp_path: Path) -> None:
    """While the broker cannot write its log it does not receive; then a client cannot send more than the limit."""
    sent = {}
    for limit in (10, 1000):
        stuck, goes_on = threading.Event(), threading.Event()

        def write(line: str, stuck: threading.Event = stuck, goes_on: threading.Event = goes_on) -> None:
            if '"stats"' in line:
                stuck.set()
                goes_on.wait()

        text = transport("libzmq", receive_messages_max=limit).replace(
            "[broker]", "[broker]\nstats_seconds = 0.2"
        )
        log = EventLog("info", "json", write)
        with serving(text, attached=1, endpoints=[f"ipc://{tmp_path}/{limit}"], log=log) as (broker, client):
            assert stuck.wait(100)
            message = frame(Publish("k", bytes(MESSAGE_BYTES)).encode())
            client.socket.settimeout(0.5)
            sent[limit] = 0
            try:
                while sent[limit] < 10_000 * len(message):
                    sent[limit] += client.socket.send(message[sent[limit] % len(message) :])
            except TimeoutError:
                pass
            finally:
                goes_on.set()
            client.socket.settimeout(100)
            client.send(message[sent[limit] % len(message) :] if sent[limit] % len(message) else b"")
            client.barrier()
            assert broker.figures()["published"] == -(-sent[limit] // len(message))
            client.detach()
    assert sent[10] <= 10 * MESSAGE_BYTES + KERNEL_BYTES_MAX
    assert sent[1000] >= 500 * MESSAGE_BYTES


def test_transport_handshake_seconds_max() -> None:
    """However busy the peer is."""
    with (
        LimitedBroker(transport("native", handshake_seconds_max=0.3)) as broker,
        RawClient(broker.endpoint) as complete,
        RawClient(broker.endpoint, b"") as silent,
        RawClient(broker.endpoint, GREETING + head(100_000, 4)) as slow,
    ):
        complete.attach()
        slow.send_until_closed(b"x")
        assert silent.until_closed() == []
        complete.barrier()


def test_transport_attach_seconds_max() -> None:
    """However busy the peer is."""
    text = transport("native", attach_seconds_max=0.3)
    with serving(text, 3, attached=1) as (broker, attached, silent, talking):
        talking.send_until_closed(frame(zmtp.Ping(ttl=0, context=b"").encode(), 4))
        assert silent.until_closed() == []
        attached.barrier()
        assert broker.figures()["connections_unused"] == 2


def test_transport_topics_max(tmp_path: Path) -> None:
    gateway = f'[gateways.s]\nsubscribers = ["ipc://{tmp_path}/plain"]\n'
    first = opening(socket_type=b"SUB")
    with (
        LimitedBroker(gateway + transport("native", topics_max=3)) as broker,
        RawClient(broker.gateway_endpoints[0][1], first) as greedy,
        RawClient(broker.gateway_endpoints[0][1], first) as modest,
    ):
        for client in (greedy, modest):
            client.send(frame(b"\x01a") + frame(b"\x01b") + frame(b"\x01a"))
        greedy.send(frame(b"\x01c"))
        assert eventually("it is closed", greedy.is_closed)
        modest.send(frame(b"\x00a") + frame(b"\x01c"))
        eventually("one is left", lambda: broker.figures()["sessions"] == 1)
        assert broker.figures()["gateway_over_limit"] == 1
        assert broker.log("over-limit")[0]["reason"] == "more than 3 subscriptions"
    with (
        LimitedBroker(gateway + "[limits]\nmemory_bytes_max = 67_108_864") as broker,
        RawClient(broker.gateway_endpoints[0][1], first) as greedy,
    ):
        greedy.send(b"".join(frame(b"\x01%d" % number) for number in range(4000)))
        assert eventually("it is closed", greedy.is_closed)
        (record,) = eventually("the log says why", lambda: broker.log("over-limit"))
        assert record["reason"].startswith("topics of more than ")


def test_fixed_unattached_bytes_max() -> None:
    """Four clients without sessions omit the last byte of large messages, more than all together may hold."""
    body = bytes(15 << 20)
    begun = frame(Publish("k", body).encode())[:-1]
    with LimitedBroker("[limits]\nmemory_bytes_max = 67_108_864") as broker:
        clients = [RawClient(broker.endpoint) for _ in range(4)]
        for client in clients:
            client.send(begun)
        for client in clients:
            client.send(b"\0")
            assert client.refused() == "no-session"
        assert broker.figures()["frames_dropped"] == 0
        for client in clients:
            client.attach()
            client.close()


def test_fixed_unread_bytes_max(tmp_path: Path) -> None:
    ping = frame(zmtp.Ping(ttl=0, context=b"0123456789abcdef").encode(), 4)
    text = transport("native", send_bytes_max=1)
    with serving(text, 2, attached=2, endpoints=[f"ipc://{tmp_path}/broker"]) as (_, deaf, reading):
        count = 0
        try:
            while count < 10**6:
                deaf.send(ping * 100)
                count += 100
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert count * len(ping) <= 10 * ((64 << 10) + KERNEL_BYTES_MAX)
        for rounds in range(1, 51):
            reading.send(ping * 1000)
            reading.barrier()
            assert reading.commands == 1 + 1000 * rounds


def test_fixed_zmtp_command_bytes_max() -> None:
    unknown = b"\x07UNKNOWN"
    with serving(attached=1) as (_, client):
        client.send(frame(unknown + bytes((128 << 10) - len(unknown)), 4))
        client.barrier()
        client.send(head((128 << 10) + 1, 4))
        assert client.until_closed() == []


CURVE_GREETING = GREETING.replace(b"NULL\0", b"CURVE")


def test_fixed_handshake_bytes_max(tmp_path: Path) -> None:
    _, secret = make_certificates(tmp_path, "broker")
    with LimitedBroker(f'[curve]\nsecret_key = "{secret}"') as broker:
        with RawClient(broker.endpoint, CURVE_GREETING + head(4097, 4)) as client:
            assert client.until_closed() == []
        with RawClient(broker.endpoint, CURVE_GREETING + head(4096, 4)) as client:
            eventually("it is there", lambda: broker.figures()["connections"] == 1)
            assert not client.is_closed()


def test_fixed_key_file_bytes_max(tmp_path: Path) -> None:
    _, secret = make_certificates(tmp_path, "broker")
    text = secret.read_text()
    secret.write_text(text + "#" * ((64 << 10) - len(text)))
    config = f'[curve]\nsecret_key = "{secret}"'
    LimitedBroker(config).__enter__().stop()
    with secret.open("a") as file:
        file.write("#")
    with pytest.raises(TransportError, match="more than 65536 bytes"):
        LimitedBroker(config).start()


# For each turn of the loop


def flood(broker: LimitedBroker, data: bytes, answers: int, clients: int = 5) -> None:
    """Several clients send `data` at once and wait for this many answers each."""
    made = [RawClient(broker.endpoint) for _ in range(clients)]
    for client in made:
        client.attach()
    for client in made:
        client.send(data)
    for client in made:
        for _ in range(answers):
            client.expect(PingOk)
        client.detach()
        client.close()


PING = frame(Ping().encode())


def test_limits_turn_steps_max() -> None:
    highest = []
    for limit in (10, 100_000):
        with LimitedBroker(f"[limits]\nturn_steps_max = {limit}\npeer_steps_max = 100_000") as broker:
            flood(broker, PING * 1000, 1000)
            highest.append(broker.figures()["turn_steps_highest"])
    assert highest[0] == 10
    assert highest[1] > 10


def largest_turn(engine: str, limit: int, count: int, clients: int = 5) -> int:
    """Returns the maximum number of messages of a turn, while `clients` published `count` messages each."""
    with LimitedBroker(transport(engine, turn_messages_max=limit)) as broker:
        flood(broker, frame(Publish("k", b"").encode()) * count + PING, 1, clients)
        figures = broker.figures()
        assert figures["published"] == clients * count
        return figures["turn_messages_highest"]


def test_transport_turn_messages_max() -> None:
    assert largest_turn("libzmq", 1, 1000) == 1
    assert largest_turn("native", 1, 20_000) <= 1 + READ_MESSAGES_MAX
    eventually("so it is", lambda: largest_turn("native", 65_536, 20_000, 20) > 1 + READ_MESSAGES_MAX)


@ENGINES
def test_transport_turn_bytes_max(engine: str) -> None:
    size = 10_000
    message = frame(Publish("k", bytes(size)).encode())
    with LimitedBroker(transport(engine, turn_bytes_max=1)) as broker:
        flood(broker, message * 100 + PING, 1)
        figures = broker.figures()
        assert figures["published"] == 500
        most = 2 * size if engine == "libzmq" else READ_BYTES + 2 * size
        assert figures["turn_bytes_highest"] <= most


def test_limits_peer_steps_max() -> None:
    assert not overtakes("turn_steps_max = 1_000_000\npeer_steps_max = 1_000_000")
    eventually("so it is", lambda: overtakes("turn_steps_max = 1_000_000\npeer_steps_max = 1"))


HISTORY, HISTORY_BYTES = 200, 200_000
READING_BYTES = HISTORY_BYTES // 8 + 2000
"""The cost of finding the messages of the history, with one message more than a limit allows."""


def largest_replay(limits: str, live: int = 0) -> int:
    """Returns the most bytes that one turn of a broker read and delivered to 5 clients, which got the whole history.

    While they read, `live` messages are published with one write.
    """
    message = Publish("k", bytes(HISTORY_BYTES // HISTORY))
    with serving(f"[limits]\n{limits}", attached=1) as (broker, publisher):
        publisher.say(*[message] * HISTORY)
        publisher.barrier()
        readers = [RawClient(broker.endpoint) for _ in range(5)]
        for reader in readers:
            reader.attach()
        for reader in readers:
            reader.say(zeps.Subscribe("", zeps.LATEST_ALL), CREDIT_MAX)
        if live:
            publisher.say(*[message] * live)
        for reader in readers:
            reader.expect(zeps.SubscribeOk)
            got = [reader.expect(Deliver).sequence for _ in range(HISTORY + live)]
            assert got == [*range(1, HISTORY + live + 1)]
            reader.close()
        return broker.figures()["turn_low_gear_bytes_highest"]


def test_limits_low_gear_bytes() -> None:
    assert largest_replay("low_gear_bytes = 20_000\nlow_gear_turn_bytes = 1") <= 20_000 + READING_BYTES
    assert largest_replay("low_gear_turn_bytes = 1") > 20_000 + READING_BYTES


def test_limits_low_gear_turn_bytes() -> None:
    assert largest_replay("low_gear_bytes = 1\nlow_gear_turn_bytes = 20_000") <= 20_000 + READING_BYTES
    assert largest_replay("low_gear_bytes = 1") > HISTORY_BYTES


def test_limits_low_gear_bytes_max() -> None:
    """A quarter of the history is published once more while clients read it a message at a time."""
    limits, live = "low_gear_bytes = 1\nlow_gear_turn_bytes = 1\nlow_gear_bytes_max = ", HISTORY // 4
    most = 20_000 + 2 * live * (HISTORY_BYTES // HISTORY + 20) + 2 * READING_BYTES
    assert largest_replay(f"{limits}20_000", live) <= most
    eventually("so it is", lambda: largest_replay(f"{limits}67_108_864", live) > most)
