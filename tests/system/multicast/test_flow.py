"""A stream's real time by NORM on the loopback interface, with processes that stop, die and come back."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import PATIENCE, BrokerProcess, eventually
from multicast_programs import PACKETS, STREAM, Program, Receiver, Stream, body, by_multicast

from zeps_client import ALL, NEW

pytestmark = [pytest.mark.xdist_group("multicast"), pytest.mark.timeout(900)]

Run = Callable[..., Program]
Receive = Callable[..., Receiver]
Launch = Callable[..., BrokerProcess]


@pytest.fixture
def stream(launch: Launch, run: Run, norm: str, tmp_path: Path) -> Iterator[Stream]:
    """A stream of a broker whose endpoint stays the same after a kill."""
    made = Stream(launch("--sync", "os", bind=(f"ipc://{tmp_path}/broker",)), run, norm)
    yield made
    made.client.close()


def test_real_time_goes_by_multicast_to_all(stream: Stream, receive: Receive) -> None:
    stream.publish(50)
    everything = receive(stream.broker.endpoint, STREAM, stream.multicast, ALL)
    new = receive(stream.broker.endpoint, STREAM, stream.multicast, NEW)
    by_multicast(stream, everything, new)
    last = stream.publish(300)
    for receiver in (everything, new):
        receiver.has(last)
    assert everything.given == stream.expected
    assert new.given == stream.expected[50:]


def test_messages_longer_than_a_packet_come_whole(stream: Stream, receive: Receive) -> None:
    receiver = receive(stream.broker.endpoint, STREAM, stream.multicast, ALL)
    by_multicast(stream, receiver)
    for padding_size in (2000, 2100, 100_000):
        by_multicast(stream, receiver, padding_size=padding_size)
    assert receiver.given == stream.expected


def test_a_receiver_that_was_stopped_asks_for_what_it_missed(stream: Stream, receive: Receive) -> None:
    receiver, witness = (receive(stream.broker.endpoint, STREAM, stream.multicast, ALL) for _ in range(2))
    by_multicast(stream, receiver, witness)

    def asked() -> bool:
        """On a busy machine the witness may be ahead of a sender that then repairs everything."""
        before = receiver.status["from_history"]
        receiver.signal(signal.SIGSTOP)
        last = stream.publish(3000, PACKETS)  # more than a NORM sender keeps for repairs
        witness.has(last)
        receiver.signal(signal.SIGCONT)
        receiver.has(last)
        assert receiver.given == witness.given == stream.expected
        return bool(receiver.status["from_history"] > before)

    eventually("history for what was missed", asked)

    by_multicast(stream, receiver)
    assert receiver.given == stream.expected


def test_a_broker_that_was_killed_loses_and_repeats_nothing(stream: Stream, receive: Receive) -> None:
    receiver = receive(stream.broker.endpoint, STREAM, stream.multicast, ALL)
    receiver.has(stream.publish(100))
    stream.client.publish_many(("key", body(number)) for number in range(500))
    stream.broker.kill()
    stream.broker.start()
    stream.client.flush(PATIENCE)
    stream.client.publish("end", b"")
    stream.client.flush(PATIENCE)
    receiver.eventually("the last message", lambda: receiver.given and receiver.given[-1][1] == "end")
    assert receiver.sequences == list(range(1, len(receiver.given) + 1))
    assert len(receiver.given) >= 601
    receiver.on_multicast()


def test_a_sender_that_was_killed_is_replaced_by_history_and_comes_back(
    stream: Stream, receive: Receive
) -> None:
    receiver = receive(stream.broker.endpoint, STREAM, stream.multicast, ALL)
    by_multicast(stream, receiver)
    stream.sender.signal(signal.SIGKILL)
    stream.sender.wait()
    receiver.has(stream.publish(10))
    receiver.until("history", history=True)
    stream.send()
    by_multicast(stream, receiver)
    assert receiver.given == stream.expected


def test_the_command(stream: Stream, run: Run) -> None:
    last = stream.publish(20)
    places = ("--multicast", stream.multicast, "--endpoint", stream.broker.endpoint)
    printed = run("sub", STREAM, "key.1", *places, "--from", "all", "--count", "20")
    printed.eventually("the past", lambda: len(printed.lines) == 7)
    stream.publish(60 - last)
    assert printed.wait() == 0
    assert printed.lines == [
        f"{number} key.1 {number} " + "\\x00" * 20 for number in range(1, 61) if number % 3 == 1
    ]
    assert stream.sender.stop() == 0
