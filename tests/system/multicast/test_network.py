"""NORM and PGM over UDP between two machines with a lossy cable. Publishers use the broker's ipc endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zmq
from harness import PATIENCE, BrokerProcess, eventually
from multicast_programs import STREAM, Network, Program, Receiver, Stream, by_multicast, group

from zeps_client import ALL

pytestmark = [pytest.mark.xdist_group("multicast"), pytest.mark.timeout(900)]

Run = Callable[..., Program]


@pytest.fixture(params=["norm", "epgm"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def stream(
    tmp_path: Path, launch: Callable[..., BrokerProcess], run: Run, network: Network, scheme: str
) -> Iterator[Stream]:
    """A broker and a sender that are `here`."""
    bind = (f"ipc://{tmp_path}/broker", "tcp://10.77.0.1:5670")
    broker = launch("--sync", "os", bind=bind, prefix=("ip", "netns", "exec", network.here))
    made = Stream(broker, run, f"{scheme}://wire;{group()}", inside=network.here)
    yield made
    made.client.close()


def test_a_receiver_elsewhere_through_losses_and_an_outage(
    stream: Stream, network: Network, receive: Callable[..., Receiver]
) -> None:
    receiver = receive("tcp://10.77.0.1:5670", STREAM, stream.multicast, ALL, inside=network.there)
    by_multicast(stream, receiver)

    network.lose("-m statistic --mode nth --every 5 --packet 0")
    while network.lost() < 20:  # the library decides how many messages share a packet
        receiver.has(stream.publish(100, 1000))
    network.lose_nothing()

    network.lose()
    last = stream.publish(500, 1000)
    receiver.has(last)
    receiver.until("history", history=True)
    network.lose_nothing()

    by_multicast(stream, receiver)
    assert receiver.given == stream.expected
    assert receiver.status["garbled"] == 0


def test_a_forwarder_elsewhere(network: Network, run: Run, scheme: str, tmp_path: Path) -> None:
    """PUB, a forwarder `here`, multicast, a forwarder `there`, SUB: only subscribed messages leave the second."""
    with (
        zmq.Context() as context,
        context.socket(zmq.XPUB) as publisher,
        context.socket(zmq.SUB) as subscriber,
    ):
        publisher.bind(f"ipc://{tmp_path}/publisher")
        multicast = f"{scheme}://wire;{group()}"
        down = ("--upstream", multicast, "--downstream", f"ipc://{tmp_path}/below")
        below = run("forward", *down, inside=network.there)
        below.ready()
        up = ("--upstream", f"ipc://{tmp_path}/publisher", "--downstream", multicast)
        above = run("forward", *up, inside=network.here)
        assert above.ready() == multicast
        publisher.rcvtimeo = subscriber.rcvtimeo = round(PATIENCE * 1000)
        assert publisher.recv() == b"\1"
        subscriber.connect(f"ipc://{tmp_path}/below")
        subscriber.subscribe(b"A")

        def joined() -> bool:
            """PGM begins with messages sent after a receiver has joined, so the test finds this out first."""
            publisher.send_multipart([b"A0", b"hello"])
            return bool(subscriber.poll(100))

        eventually("a first message", joined)
        for number in range(1, 101):
            publisher.send_multipart([b"A%d" % number, b"", b"body"])
            publisher.send_multipart([b"B%d" % number, b"", b"body"])
        got = [subscriber.recv_multipart()]
        while got[-1] != [b"A100", b"", b"body"]:
            got.append(subscriber.recv_multipart())
        assert [frames for frames in got if frames != [b"A0", b"hello"]] == [
            [b"A%d" % number, b"", b"body"] for number in range(1, 101)
        ]
        assert publisher.poll(0) == 0  # subscriptions below multicast do not go up
        assert (above.stop(), below.stop()) == (0, 0)
