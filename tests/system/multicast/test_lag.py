"""A sender that has fallen behind continues at the stream's end (ZEPS-MULTICAST-2), and receivers lose nothing."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from harness import BrokerProcess
from multicast_programs import PACKETS, STREAM, Listener, Program, Receiver, Stream, by_multicast

from zeps_client import ALL

pytestmark = [pytest.mark.xdist_group("multicast"), pytest.mark.timeout(900)]

Launch = Callable[..., BrokerProcess]
Started = tuple[Stream, Listener, Callable[..., Receiver]]
NO_SILENCE = 10_000
"""Seconds: such a receiver asks for history only because a message is missing."""


@pytest.fixture
def start(
    launch: Launch, run: Callable[..., Program], receive: Callable[..., Receiver], norm: str, tmp_path: Path
) -> Iterator[Callable[..., Started]]:
    """`start(*options)` returns a stream whose sender has these options, a listener, and a factory of receivers."""

    def made(*options: str) -> Started:
        broker = launch("--sync", "os", bind=(f"ipc://{tmp_path}/broker",))
        listener = run(norm, kind=Listener)
        listener.ready()
        assert isinstance(listener, Listener)
        stream = Stream(broker, run, norm, *options)
        ends.callback(stream.client.close)
        return stream, listener, partial(receive, broker.endpoint, STREAM, norm, ALL)

    with ExitStack() as ends:
        yield made


def test_a_sender_that_was_stopped_sends_no_history(start: Callable[..., Started]) -> None:
    """No message is published after it continues: the repeated last message shows its receiver what is missing."""
    stream, listener, receive = start("--lag", "0.5")
    patient, witness = receive(NO_SILENCE), receive()
    by_multicast(stream, patient, witness)
    stream.sender.signal(signal.SIGSTOP)
    first = len(stream.expected) + 1
    last = stream.publish(3000, PACKETS)
    witness.has(last)  # by history, after two seconds of silence
    stream.sender.signal(signal.SIGCONT)
    patient.has(last)
    assert patient.given == witness.given == stream.expected
    by_multicast(stream, patient)
    assert listener.sequences & set(range(first, last)) == set()


def test_a_sender_whose_rate_is_too_low_sends_what_is_new(start: Callable[..., Started]) -> None:
    """14 seconds' worth of messages at its rate."""
    stream, listener, receive = start("--lag", "0.5", "--rate", "400")
    patient = receive(NO_SILENCE)
    by_multicast(stream, patient)
    first = len(stream.expected) + 1
    last = stream.publish(500, PACKETS)
    patient.has(last)
    assert patient.given == stream.expected
    assert len(listener.sequences & set(range(first, last))) < 250
    by_multicast(stream, patient)
