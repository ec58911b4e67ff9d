"""Plain PUB and SUB sockets in a stream, while the broker is killed and stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import zmq
from harness import PATIENCE, BrokerProcess, Peer, replay

Launch = Callable[..., BrokerProcess]
Connect = Callable[..., Peer]
Open = Callable[..., "zmq.Socket[bytes]"]


def gateway(folder: Path) -> tuple[str, str, str]:
    """The endpoints for SUB and for PUB, and their configuration; the same in every start."""
    subscribers, publishers = f"ipc://{folder}/subs", f"ipc://{folder}/pubs"
    return (
        subscribers,
        publishers,
        f'[gateways.s]\nsubscribers = ["{subscribers}"]\npublishers = ["{publishers}"]\n',
    )


def talk(publisher: zmq.Socket[bytes], reader: zmq.Socket[bytes], first: int) -> int:
    """Publishes numbers until one arrives; returns the next number. Then both sides are connected."""
    limit = time.monotonic() + PATIENCE
    while not reader.poll(10):
        assert time.monotonic() < limit
        publisher.send_multipart([b"n", b"%d" % first])
        first += 1
    return first


def numbers(reader: zmq.Socket[bytes], last: int) -> list[int]:
    """Returns the numbers that arrive, up to `last`."""
    got: list[int] = []
    while not got or got[-1] != last:
        key, body = reader.recv_multipart()
        assert key == b"n"
        got.append(int(body))
    return got


def test_a_broker_that_is_killed_keeps_what_went_through_it(
    launch: Launch, connect: Connect, opened: Open, tmp_path: Path
) -> None:
    subscribers, publishers, config = gateway(tmp_path)
    broker = launch(config=config)
    reader, publisher = opened(zmq.SUB, subscribers), opened(zmq.PUB, publishers)
    reader.subscribe(b"n")
    seen: list[int] = []
    number = 0
    for _ in range(3):
        number = talk(publisher, reader, number)
        for _ in range(500):
            publisher.send_multipart([b"n", b"%d" % number])
            number += 1
        seen += numbers(reader, number - 1)
        broker.kill()
        broker.start()
    number = talk(publisher, reader, number)
    seen += numbers(reader, number - 1)
    assert seen == sorted(set(seen))
    stored = [int(message.body) for message in replay(connect(broker.endpoint), "s")]
    assert set(seen) <= set(stored)
    assert stored == sorted(set(stored))


def test_a_clean_stop_waits_for_no_plain_socket(
    launch: Launch, connect: Connect, opened: Open, tmp_path: Path
) -> None:
    subscribers, publishers, config = gateway(tmp_path)
    broker = launch(config=config + "[broker]\nstop_seconds_max = 3600")
    reader, publisher = opened(zmq.SUB, subscribers), opened(zmq.PUB, publishers)
    reader.subscribe(b"n")
    number = talk(publisher, reader, 0)
    for number in range(number, number + 1000):  # noqa: B020
        publisher.send_multipart([b"n", b"%d" % number])
    seen = numbers(reader, number)
    broker.signal(signal.SIGTERM)
    assert broker.wait() == 0
    broker.start()
    stored = [int(message.body) for message in replay(connect(broker.endpoint), "s")]
    assert stored[-len(seen) :] == seen


def test_where_plain_sockets_connect_is_printed(launch: Launch, opened: Open, tmp_path: Path) -> None:
    subscribers, publishers, config = gateway(tmp_path)
    broker = launch(config=config)
    assert broker.endpoints[1:] == [f"subscribers {subscribers} s", f"publishers {publishers} s"]
    (record,) = broker.log("ready")
    assert record["gateways"] == broker.endpoints[1:]
