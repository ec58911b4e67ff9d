"""A sender that does not receive its own messages any more is reopened. The test plays the group."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
import zmq

from zeps_client.multicast import output
from zeps_client.multicast.output import MulticastOutput
from zeps_multicast import MulticastOptions
from zeps_wire.zeps import Deliver

Context = zmq.Context["zmq.Socket[bytes]"]
LONG = 60_000  # milliseconds
NORM = "norm://lo;239.192.0.1:5671"


class Group:
    """Forwards a sender's messages while it works."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.senders = 0
        self._sent = context.socket(zmq.SUB)
        self._sent.subscribe(b"")
        self._heard = context.socket(zmq.XPUB)
        self._heard.bind("inproc://heard")

    def sender(self, *_: object) -> zmq.Socket[bytes]:
        self.senders += 1
        made = self._context.socket(zmq.XPUB)
        made.linger = 0
        made.bind(f"inproc://sent-{self.senders}")
        self._sent.connect(f"inproc://sent-{self.senders}")
        assert made.poll(LONG)
        return made

    def receiver(self, *_: object) -> zmq.Socket[bytes]:
        made = self._context.socket(zmq.SUB)
        made.subscribe(b"")
        made.connect("inproc://heard")
        assert self._heard.poll(LONG)
        return made

    def carry(self) -> None:
        """Returns sent messages to the sender; there must be some."""
        assert self._sent.poll(LONG)
        while self._sent.poll(0):
            self._heard.send_multipart(self._sent.recv_multipart())

    def close(self) -> None:
        self._sent.close(0)
        self._heard.close(0)


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Iterator[Group]:
    context: Context = zmq.Context()
    made = Group(context)
    monkeypatch.setattr(output, "open_sender", made.sender)
    monkeypatch.setattr(output, "open_receiver", made.receiver)
    yield made
    made.close()
    context.destroy(linger=0)


@pytest.fixture
def socket(group: Group) -> Iterator[MulticastOutput]:
    with closing(MulticastOutput(NORM, zmq.Context.instance(), MulticastOptions(), stall=2.0)) as made:
        yield made


def sent(socket: MulticastOutput, now: float, sequence: int) -> None:
    socket.send(now, sequence, [Deliver(sequence, "key", b"").encode()])


def test_what_comes_back_in_time_needs_nothing(group: Group, socket: MulticastOutput) -> None:
    for second in range(10):
        sent(socket, float(second), second + 1)
        group.carry()
        assert not socket.look(second + 0.5)
    assert (socket.renewed, group.senders) == (0, 1)


def test_what_does_not_come_back_makes_it_begin_anew_once(group: Group, socket: MulticastOutput) -> None:
    sent(socket, 0.0, 1)
    group.carry()
    assert not socket.look(0.1)
    sent(socket, 1.0, 2)
    sent(socket, 2.9, 3)
    assert not socket.look(2.9)
    assert socket.look(3.1)
    assert (socket.renewed, group.senders) == (1, 2)
    assert not socket.look(10.0)  # nothing was sent since
    sent(socket, 10.0, 4)
    group.carry()
    assert not socket.look(11.0)


def test_who_never_heard_himself_does_not_begin_anew_for_ever(group: Group, socket: MulticastOutput) -> None:
    """The machine's interface may not loop back its messages."""
    sent(socket, 0.0, 1)
    assert not socket.look(100.0)
    assert group.senders == 1


def test_pgm_does_not_listen_to_itself(group: Group) -> None:
    socket = MulticastOutput("epgm://lo;239.192.0.1:5671", zmq.Context.instance(), MulticastOptions())
    sent(socket, 0.0, 1)
    assert not socket.look(100.0)
    socket.close()
