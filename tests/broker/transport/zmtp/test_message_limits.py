"""The cost of an incomplete message for its receiver, however many parts it has."""

from __future__ import annotations

import tracemalloc
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
from raw_peer import GREETING_3_0, ready, unconnected

from zeps_broker.transport.zmtp.connection import Limits
from zeps_broker.transport.zmtp.frames import join_parts
from zeps_broker.transport.zmtp.pubsub import PublishingConnection, SubscribingConnection

LIMITS = Limits(1 << 20, 8 << 20, 1 << 20)
Connection = PublishingConnection | SubscribingConnection


@pytest.fixture(params=[(SubscribingConnection, b"PUB"), (PublishingConnection, b"SUB")])
def receiver(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Returns a connection after the handshake."""
    make, kind = request.param
    with unconnected(LIMITS, make, GREETING_3_0 + ready(kind)) as (made, _):
        assert made.open
        yield made


def feed(receiver: Connection, chunk: bytes, times: int) -> list[Any]:
    messages: list[Any] = []
    for _ in range(times):
        if receiver.broken is None:
            messages += receiver.feed(chunk)
        while receiver.unparsed and receiver.broken is None:
            messages += receiver.feed()
    return messages


def test_a_message_of_empty_parts_that_never_ends_is_cut_off(receiver: Connection) -> None:
    tracemalloc.start()
    messages = feed(receiver, b"\1\0" * 4096, 64)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert messages == []
    assert receiver.broken is not None
    assert receiver.broken.startswith("a message of more than 8388608 bytes")
    assert receiver.over_limit
    assert peak < 4 << 20


def test_the_parts_of_an_incomplete_message_count_as_held(receiver: Connection) -> None:
    """Else the connections of many publishers together hold more than their share."""
    part = join_parts([bytes(100_000)])
    feed(receiver, b"\3" + part[1:], 20)
    assert 2_000_000 < receiver.partial_bytes < 2_200_000
    feed(receiver, part, 1)
    assert receiver.partial_bytes == 0
    feed(receiver, b"\3" + part[1:], 1)
    receiver.end()
    assert receiver.partial_bytes == 0


def test_a_large_first_part_is_held_once(receiver: Connection) -> None:
    part = b"\3" + join_parts([bytes(1_000_000)])[1:]
    tracemalloc.start()
    feed(receiver, part, 1)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1.25 * receiver.partial_bytes


def test_the_end_of_a_connection_frees_the_message_under_way(receiver: Connection) -> None:
    tracemalloc.start()
    feed(receiver, b"\1\xff" + bytes(255), 10_000)
    receiver.end()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1 << 20


def test_a_message_of_many_parts_is_received_whole(receiver: Connection) -> None:
    parts = [b"\7first", *[b"", b"x", bytes(300)] * 10_000, b"last"]
    message = join_parts(parts)
    messages: list[Any] = []
    for at in range(0, len(message), 50_001):
        messages += feed(receiver, message[at : at + 50_001], 1)
    messages += feed(receiver, join_parts([b"\7a", b""]) + join_parts([b"\7b"]), 1)
    assert receiver.broken is None
    assert not receiver.over_limit
    assert messages == [
        (b"\7first", message),
        (b"\7a", join_parts([b"\7a", b""])),
        (b"\7b", join_parts([b"\7b"])),
    ]


def test_a_part_that_makes_a_message_too_long_is_refused_when_it_is_announced(receiver: Connection) -> None:
    feed(receiver, b"\1\0" + b"\2" + (8 << 20).to_bytes(8, "big"), 1)
    assert receiver.over_limit


def test_a_message_of_one_part_may_have_the_whole_limit(receiver: Connection) -> None:
    body = b"\7" * (8 << 20)
    messages = receiver.feed(b"\2" + len(body).to_bytes(8, "big") + body)
    assert [first for first, _ in messages] == [body]


@pytest.fixture
def asking() -> Iterator[SubscribingConnection]:
    """Returns a connection to a publisher that does not read after the handshake."""
    limits = Limits(1 << 20, 1 << 20, 1 << 20)
    with unconnected(limits, SubscribingConnection, GREETING_3_0 + ready(b"PUB")) as (made, _):
        yield made


def test_what_a_slow_publisher_is_asked_waits_in_few_buffers(asking: SubscribingConnection) -> None:
    """Its queue is bounded in bytes, and a buffer for each of many short topics costs twenty times its bytes."""
    steps = [(True, b"%d" % number) for number in range(1_000_000)]
    taken = asking.ask(steps)
    assert 0 < taken < len(steps)
    assert asking.refused
    assert (1 << 20) <= asking.unsent_bytes < (1 << 20) + 100
    assert len(asking.outbox) < 50


class Counting(deque[memoryview]):
    """Counts accesses."""

    looked_at = 0

    def __iter__(self) -> Iterator[memoryview]:
        for view in super().__iter__():
            Counting.looked_at += 1
            yield view


def test_sending_does_not_look_at_all_that_waits(asking: SubscribingConnection) -> None:
    while not asking.outbox:
        assert asking.write(bytes(1 << 16))
    for _ in range(5_000):
        assert asking.write(b"x")
    asking.outbox = Counting(asking.outbox)
    asking.flush()
    assert Counting.looked_at < 200
