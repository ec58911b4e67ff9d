"""The examples of specifications: their octets are what they claim, and the broker's core does what they say."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import pytest
from specifications import ZEPS, ZMTP, section

from zeps_broker.core.broker import Broker
from zeps_broker.core.settings import Settings
from zeps_broker.ports import Peer
from zeps_broker.sim.disk import Platter, SimStore
from zeps_client.reasons import Reason
from zeps_wire import zeps, zmtp, zmtp_frame


@dataclass(frozen=True, slots=True)
class Item:
    """A command of an example: who sends it, its text and its octets. Without a sender it is a comment."""

    sender: str
    text: str
    data: bytes = b""


def example(page: str, title: str) -> list[Item]:
    block = re.search(r"^```\n(.*?)^```$", section(page, title), re.MULTILINE | re.DOTALL)
    assert block is not None, title
    items: list[Item] = []
    for line in filter(None, block[1].splitlines()):
        if line.startswith("; "):
            items.append(Item("", line[2:]))
        elif line.startswith("   "):
            last = items.pop()
            items.append(Item(last.sender, last.text, last.data + bytes.fromhex(line)))
        else:
            items.append(Item(line[0], line[3:]))
    return items


def titles(page: str) -> list[str]:
    """The subsections of the worked examples."""
    part = page.partition(" Worked examples\n\n")[2].partition("\n## ")[0]
    return re.findall(r"^### [\d.]+ (.+)$", part, re.MULTILINE)


def command(text: str) -> tuple[str, int]:
    """The command and the size that an example claims."""
    match = re.fullmatch(r"(.+?)  ; (\d+) octets", text)
    assert match is not None, text
    return match[1], int(match[2])


@pytest.mark.parametrize("title", titles(ZEPS))
def test_bytes_of_an_example(title: str) -> None:
    for item in example(ZEPS, title):
        if item.sender:
            claimed, size = command(item.text)
            message = zeps.decode(item.data)
            values = [
                f'{name}="{value.decode() if isinstance(value, bytes) else value}"'
                if isinstance(value, str | bytes)
                else f"{name}={value}"
                for name in message.__slots__
                for value in (getattr(message, name),)
            ]
            assert " ".join([message.NAME, *values]) == claimed
            assert size == len(item.data)


class Whole:
    """A transport that knows all of each frame that is under way."""

    unseen_bytes = 0

    def advanced(self, peer: Peer) -> int:
        return 0


class Bench:
    """A broker on a simulated disk, the client of an example, and another client that publishes."""

    def __init__(self) -> None:
        self.now = 0.0
        self.platter = Platter()
        self.client = 0
        """The client's connection."""
        self.got: deque[bytes] = deque()
        self.start()
        self.say("other", zeps.Attach("prices").encode())

    def start(self) -> None:
        """Start the broker; one that ran was killed."""
        self.connect()
        settings = Settings(matching=(("logs", "regex"),))
        self.broker = Broker(SimStore(self.platter), settings, Whole())

    def connect(self) -> None:
        """Gives the client a new connection."""
        self.client += 1

    def say(self, peer: Peer, frame: bytes) -> None:
        self.broker.handle(self.now, 0, [(peer, frame)])
        self.settle()

    def settle(self) -> None:
        while True:
            for output in self.broker.poll_output():
                if self.client in output.peers:
                    self.got += output.frames
            if self.broker.timeout(self.now) > 0:
                return
            self.broker.tick(self.now, 0)

    def publish(self, *bodies: str) -> None:
        for body in bodies:
            self.say("other", zeps.Publish("t", body.encode()).encode())

    def wait(self, seconds: int) -> None:
        for _ in range(seconds):
            self.now += 1
            self.say("other", zeps.Ping().encode())
            self.broker.tick(self.now, 0)
            self.settle()
        assert self.broker.poll_closing() == [self.client]
        self.connect()

    def stop(self) -> None:
        self.broker.shutdown(self.now)
        self.settle()


Action = Callable[[Bench], object]


@dataclass(frozen=True, slots=True)
class Setup:
    """What is stored when an example begins, what its comments mean, and the last sequence at its end."""

    stored: tuple[str, ...]
    last: int
    comments: Mapping[str, Action] = field(default_factory=dict)


SETUPS = {
    "A late joiner": Setup(
        ("20.5", "20.6"),
        3,
        {
            "Another client publishes a third message, which is delivered live.": lambda b: b.publish("20.7"),
        },
    ),
    "A credit of 100 octets": Setup(
        ("20.1", "20.2", "20.3", "20.4", "20.5"),
        5,
        {"One octet is missing, so the message waits.": lambda b: None},
    ),
    "Falling into low gear": Setup(
        (),
        4,
        {
            "Another client publishes three messages.": lambda b: b.publish("20.1", "20.2", "20.3"),
            "Another client publishes a message, which is delivered live.": lambda b: b.publish("20.4"),
        },
    ),
    "Publishing reliably": Setup(
        (),
        4,
        {
            "The broker is killed. The third message is in doubt; the client connects and attaches again, and sends it "
            "once more.": lambda b: b.start(),
        },
    ),
    "A crossing of DETACH": Setup((), 0, {"The broker stops.": lambda b: b.stop()}),
    "A lost session": Setup(
        ("20.5", "20.6"),
        3,
        {
            "The client says nothing for 20 seconds.": lambda b: b.wait(20),
            "Another client publishes a third message.": lambda b: b.publish("20.7"),
        },
    ),
    "A refused pattern": Setup((), 0),
    "Asking for the end of a stream": Setup(("20.5", "20.6"), 2),
}


def without_text(frame: bytes) -> object:
    """The frame; of INVALID instead the code and the sequences that its reason has for programs."""
    message = zeps.decode(frame)
    if isinstance(message, zeps.Invalid):
        reason = Reason.parse(message.reason)
        assert reason.text
        return reason.code, reason.sequences
    return frame


def test_each_example_is_played() -> None:
    assert list(SETUPS) == titles(ZEPS)


@pytest.mark.parametrize("title", SETUPS)
def test_the_broker_does_what_an_example_says(title: str) -> None:
    setup, bench = SETUPS[title], Bench()
    bench.publish(*setup.stored)
    for item in example(ZEPS, title):
        if not item.sender:
            setup.comments[item.text](bench)
        elif item.sender == "C":
            assert not bench.got, "the broker sent more before this"
            bench.say(bench.client, item.data)
        else:
            assert bench.got, item.text
            assert without_text(bench.got.popleft()) == without_text(item.data), item.text
    assert not bench.got
    track = bench.platter.tracks.get("prices")
    assert (track.last if track is not None else 0) == setup.last


def test_an_example_changes_gears() -> None:
    bench = Bench()
    for item in example(ZEPS, "Falling into low gear"):
        if item.sender == "C":
            bench.say(bench.client, item.data)
        elif not item.sender:
            SETUPS["Falling into low gear"].comments[item.text](bench)
    stats = bench.broker.stats()
    assert (stats["gear_falls"], stats["gear_climbs"]) == (1, 1)


def test_a_fill_without_credit() -> None:
    """What "The position of a session" says: the reason why points have bounds."""
    bench = Bench()

    def subscribe(pattern: str, latest: int) -> None:
        bench.say(bench.client, zeps.Subscribe(pattern, latest).encode())

    bench.say(bench.client, zeps.Attach("prices").encode())
    subscribe("a", 0)
    bench.say("other", zeps.Publish("c", b"").encode())
    bench.say("other", zeps.Publish("b", b"").encode())
    subscribe("b", 0)
    subscribe("c", 0)
    subscribe("c", 2**64 - 2)
    bench.say("other", zeps.Publish("c", b"").encode())
    bench.say(bench.client, zeps.Credit(1000).encode())
    *answers, refusal, second, first, third = [zeps.decode(frame) for frame in bench.got]
    assert [answer.NAME for answer in answers] == ["ATTACH-OK", *["SUBSCRIBE-OK"] * 3]
    assert isinstance(refusal, zeps.Invalid)
    assert Reason.parse(refusal.reason).sequences == (3, 2**64 - 2)
    assert (second, first) == (zeps.Deliver(2, "b", b""), zeps.Deliver(1, "c", b""))
    assert third == zeps.Deliver(3, "c", b"")


def zmtp_parts(data: bytes) -> Iterator[tuple[str, list[str]]]:
    """What octets of a connection after the greeting hold: frames, and the commands and subscriptions in them."""
    frame = zmtp_frame.decode(data)
    yield frame.NAME, []
    yield zmtp.decode(frame.body).NAME, []


@pytest.mark.parametrize("title", titles(ZMTP))
def test_bytes_of_an_example_of_zmtp(title: str) -> None:
    for item in example(ZMTP, title):
        if not item.sender:
            continue
        claimed, size = command(item.text)
        assert size == len(item.data)
        outer, _, inner = claimed.partition("(")
        if outer.startswith("GREETING"):
            message = zmtp.decode(item.data)
            assert isinstance(message, zmtp.Greeting)
            assert (message.major, f"minor={message.minor} " in claimed) == (3, True)
        elif inner and inner.split(" ")[0].rstrip(")").isupper():
            names = [name for name, _ in zmtp_parts(item.data)]
            assert names == [outer, inner.split(" ")[0].rstrip(")")]
        else:
            assert outer.split(" ")[0] == zmtp_frame.decode(item.data).NAME
