"""Limits on the memory and time of the network that one connection, and all together, can use."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from typing import Any

import pytest
from raw_peer import GREETING, Raw, message, ping, ready, unconnected
from transport_helpers import LONG, Clock, address_of, read_until
from waiting import until

from zeps_broker.frame_batch import FrameBatch
from zeps_broker.memory import Shares
from zeps_broker.ports import Gone, Malformed, Output, Peer, Received
from zeps_broker.service.embedded import EmbeddedBroker
from zeps_broker.transport.options import RouterOptions
from zeps_broker.transport.zmtp.connection import FRAMES_AT_ONCE, Limits
from zeps_broker.transport.zmtp.frames import join_command
from zeps_broker.transport.zmtp.router_transport import RouterTransport
from zeps_wire import zeps, zmtp
from zeps_wire.zeps import EndingCode

MIB = 1 << 20
HELLO = GREETING + ready()

Start = Callable[..., RouterTransport]
Dial = Callable[[RouterTransport], Raw]


@pytest.fixture
def start(stack: ExitStack) -> Start:
    def make(
        options: RouterOptions | None = None,
        *,
        attached: Callable[[Peer], bool] = lambda peer: True,
        clock: Callable[[], float] = time.monotonic,
        incoming: int = 100 * MIB,
        outgoing: int = 100 * MIB,
        log: logging.Logger | None = None,
    ) -> RouterTransport:
        shares = Shares(incoming, outgoing, 0, 0, 0, 0, 0, 0)
        bind = ["tcp://127.0.0.1:*"]
        router = RouterTransport(bind, options, clock, is_attached=attached, shares=shares, log=log)
        return stack.enter_context(closing(router))

    return make


def opened(router: RouterTransport, dial: Dial) -> Raw:
    peer = dial(router)
    peer.send(HELLO)
    peer.expect(GREETING)
    until(
        lambda: all(connection.open for connection in router._hub.connections.values()),
        lambda: router.receive(0.01),
    )
    return peer


@pytest.fixture
def attached() -> set[Peer]:
    """The connections that have a session, for `start` and for the test."""
    return set()


# Work


def test_a_read_of_many_frames_is_taken_apart_in_several_turns(start: Start, dial: Dial) -> None:
    router = start()
    flood, other = opened(router, dial), opened(router, dial)
    sizes = [number % 3 for number in range(20_000)]  # adjacent sizes differ: no runs
    flood.send(b"".join(message(bytes(size)) for size in sizes))
    other.send(message(b"other"))
    turns = read_until(router, lambda got: len(got) == 20_001)
    assert max(map(len, turns)) <= FRAMES_AT_ONCE + 2, "a part of the flood, and the other"
    where = next(place for place, batch in enumerate(turns) if any(data == b"other" for _, data in batch))
    assert where <= 1, "it waits for one part of the flood, not for all of it"
    assert [len(data) for batch in turns for _, data in batch if data != b"other"] == sizes


def test_one_of_few_words_waits_for_one_part_of_each_flood(start: Start, dial: Dial) -> None:
    router = start()
    floods, other = [opened(router, dial) for _ in range(3)], opened(router, dial)
    for flood in floods:
        flood.send(b"".join(message(bytes(number % 3)) for number in range(20_000)))
    read_until(router, lambda got: len({peer for peer, _ in got}) == len(floods))
    other.send(message(b"other"))
    turns = read_until(router, lambda got: any(data == b"other" for _, data in got))
    assert len(turns) <= 2 * len(floods), "more turns than the connections already due, and one round"


def test_the_messages_of_a_turn_are_bounded(start: Start, dial: Dial) -> None:
    router = start()
    flood = opened(router, dial)
    flood.send(message(b"") * 100_000)

    def count(got: list[Received]) -> int:
        return sum(len(data) if isinstance(data, FrameBatch) else 1 for _, data in got)

    turns = read_until(router, lambda got: count(got) == 100_000)
    assert max(map(count, turns)) <= 1000 + FRAMES_AT_ONCE + 16_384


def test_commands_of_zmtp_are_answered_a_bounded_number_at_a_time(start: Start, dial: Dial) -> None:
    router = start()
    flood, other = opened(router, dial), opened(router, dial)
    flood.send(ping() * 10_000)
    other.send(message(b"other"))
    turns = read_until(router, bool)
    assert len(turns) <= 3
    pong = join_command(zmtp.Pong(context=b"").encode())
    flood.expect(ready(b"ROUTER", (b"Identity", b"")) + pong * 10_000)


def test_nothing_is_read_of_a_peer_that_is_held(start: Start, dial: Dial) -> None:
    router = start()
    peer = opened(router, dial)
    peer.send(message(b"1"))
    held = True
    for _ in range(5):
        assert router.receive(0.01, lambda connection: held) == []
    held = False
    assert [data for _, data in router.receive(LONG, lambda connection: held)] == [b"1"]


# Incomplete frames


def test_without_a_session_little_of_a_frame_is_held() -> None:
    attached = False
    with unconnected(Limits(16 * MIB, 64 * MIB, MIB, lambda peer: attached), said=HELLO) as (connection, _):
        highest = 0

        def feed(data: bytes, size: int) -> list[Any]:
            nonlocal highest
            items = []
            for at in range(0, len(data), size):
                items += connection.feed(data[at : at + size])
                highest = max(highest, connection.partial_bytes)
            return items

        assert connection.read_bytes <= 8192
        frame = message(zeps.Publish("k", bytes(10 * MIB)).encode())
        assert feed(frame, 8192) == [Malformed("a command without a session", EndingCode.NO_SESSION)]
        assert [item.code for item in feed(message(bytes(MIB)), 8192)] == [EndingCode.MALFORMED]
        assert highest <= 8192
        attached = True
        assert [len(body) for body in feed(frame, 1 << 16)] == [len(frame) - 9]


def test_a_long_message_right_behind_attach_passes() -> None:
    """It is sent without waiting for the answer, so that the broker reads its beginning before a session exists."""
    body = bytes(3 * MIB)
    with EmbeddedBroker() as broker:
        with socket.create_connection(address_of(broker.endpoint), LONG) as link:
            commands = (zeps.Attach("s"), zeps.Publish("k", body), zeps.Detach())
            link.sendall(HELLO + b"".join(message(command.encode()) for command in commands))
            got = b""
            while message(zeps.DetachOk().encode()) not in got:
                got += link.recv(65_536)
        assert message(zeps.AttachOk().encode()) in got
        assert broker.figures()["published"] == 1


def test_a_frame_that_comes_octet_by_octet_takes_no_more_memory() -> None:
    with unconnected(Limits(16 * MIB, 64 * MIB, MIB), said=HELLO) as (connection, _):
        frame = message(bytes(200_000))
        for octet in range(150_000):
            assert connection.feed(frame[octet : octet + 1]) == []
        assert len(connection._early) == connection.partial_bytes == 150_000
        assert connection.feed(frame[150_000:]) == [bytes(200_000)]


def test_incomplete_frames_share_a_budget(start: Start, dial: Dial) -> None:
    """The connection that holds the most for the longest is closed; a frame that keeps arriving is accepted."""
    clock = Clock()
    router = start(incoming=10 * MIB, clock=clock)
    greedy = [opened(router, dial) for _ in range(5)]
    long = message(bytes(8 * MIB))
    for peer in greedy:
        clock.now += 1.0
        peer.send(long[: 3 * MIB])
        router_reads(router, 3 * MIB)
        assert router._hub._incoming.used <= 10 * MIB
    assert router.figures["frames_dropped"] == 2
    greedy[0].expect_closed()
    honest = opened(router, dial)
    clock.now += 5.0
    honest.socket.setblocking(False)
    sent = 0

    def received() -> list[Received]:
        nonlocal sent
        with suppress(BlockingIOError):
            sent += honest.socket.send(long[sent : sent + 100_000]) if sent < len(long) else 0
        return [pair for pair in router.receive(0.0) if not isinstance(pair[1], Gone)]

    whole = until(received, lambda: None)
    assert [len(data) for _, data in whole if isinstance(data, bytes)] == [8 * MIB]
    assert router._hub._incoming.used <= 10 * MIB


def router_reads(router: RouterTransport, byte_count: int) -> None:
    """Receives until a peer's bytes have been read."""
    for _ in range(byte_count // (1 << 16) + 8):
        router.receive(0.01)


# Queues


def test_queues_share_a_budget(start: Start, dial: Dial) -> None:
    """The less memory is free, the shorter are the queues; a starved peer is notified when memory is free again."""
    router = start(RouterOptions(send_bytes_max=4 * MIB), outgoing=8 * MIB)
    peers = [opened(router, dial) for _ in range(20)]
    connections = [*router._hub.connections.values()]
    frames = [bytes(100_000)]
    refused: set[Peer] = set()
    for _ in range(100):
        for connection in connections:
            undelivered = router.send([Output((connection,), frames)])
            refused |= {refusal.peer for refusal in undelivered}
    assert refused == {*connections}
    assert router._hub._queues._budget.used <= 8 * MIB + 20 * 164_000, (
        "each may have a little, whatever others have"
    )
    room: set[Peer] = set()
    for peer in peers:
        peer.socket.setblocking(False)

    def read() -> None:
        for peer in peers:
            with suppress(BlockingIOError):
                peer.socket.recv(MIB)
        router.receive(0.0)
        room.update(router.writable())

    until(lambda: room == refused, read)
    for peer in peers:
        peer.close()
    read_until(router, lambda got: sum(isinstance(data, Gone) for _, data in got) == 20)
    assert router._hub._queues._budget.used == 0


def test_a_message_that_has_left_in_part_counts_whole(start: Start, dial: Dial) -> None:
    """Its memory is held until all of it has been sent."""
    router = start(RouterOptions(send_bytes_max=4 * MIB), outgoing=16 * MIB)
    peers = [opened(router, dial) for _ in range(20)]
    for connection in [*router._hub.connections.values()]:
        router.send([Output((connection,), [bytes(4 * MIB)])])
    waiting = [view for link in router._hub.connections.values() for view in link.outbox]
    assert len(peers) == 20
    assert 0 < sum(map(len, waiting)) < sum(len(view.obj) for view in waiting), "something has left"
    assert sum(len(view.obj) for view in waiting) <= 16 * MIB + 4096


def test_what_many_are_sent_counts_once(start: Start, dial: Dial) -> None:
    router = start(RouterOptions(send_bytes_max=4 * MIB), outgoing=8 * MIB)
    peers = [opened(router, dial) for _ in range(20)]
    connections = [*router._hub.connections.values()]
    frames = [bytes(7 * MIB)]
    assert router.send([Output(tuple(connections), frames)]) == []
    assert router._hub._queues._budget.used <= 8 * MIB
    assert len(peers) == 20


# Unused connections


def test_a_connection_without_a_session_is_closed(start: Start, dial: Dial, attached: set[Peer]) -> None:
    clock = Clock()
    router = start(RouterOptions(attach_seconds_max=5.0), clock=clock, attached=attached.__contains__)
    used = opened(router, dial)
    attached.update(router._hub.connections.values())
    unused = opened(router, dial)
    clock.now += 4.9
    router.receive(0.0)
    assert len(router._hub.connections) == 2
    clock.now += 0.2
    unused.expect_closed()
    assert router.figures["connections_unused"] == 1
    clock.now += 20.0
    router.receive(0.0)
    assert len(router._hub.connections) == 1
    attached.clear()
    clock.now += 5.0
    router.receive(0.0)
    assert len(router._hub.connections) == 1, "its session has ended; another may begin"
    clock.now += 5.1
    used.expect_closed()


def test_at_the_limit_of_connections_those_without_a_session_make_place(
    start: Start, dial: Dial, attached: set[Peer], caplog: pytest.LogCaptureFixture
) -> None:
    options, log = RouterOptions(connections_max=3), logging.getLogger("test")
    router = start(options, clock=Clock(), attached=attached.__contains__, log=log)
    used = opened(router, dial)
    attached.update(router._hub.connections.values())
    unused = [opened(router, dial) for _ in range(2)]
    newcomer = opened(router, dial)
    unused[0].expect_closed()
    assert router.figures == {
        "connections": 3,
        "connections_refused": 0,
        "connections_unused": 1,
        "frames_dropped": 0,
        "incoming_bytes": 0,
        "outgoing_bytes": 0,
    }
    attached.update(router._hub.connections.values())
    refused = dial(router)
    refused.expect_closed()
    assert router.figures["connections_refused"] == 1
    records = [record for record in caplog.records if record.__dict__["zeps"]["event"] == "connections-full"]
    assert len(records) == 1, "it is logged now and then"
    for peer in (used, newcomer, unused[1]):
        peer.send(message(b"here"))
    read_until(router, lambda got: [data for _, data in got].count(b"here") == 3)
