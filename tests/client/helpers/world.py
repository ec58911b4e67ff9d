"""A client's session, a model broker and the links between them, in virtual time."""

from __future__ import annotations

import itertools
import random
from collections import deque
from typing import TypeVar

from model_broker import ModelBroker, invalid

from zeps_client.events import Event, Message
from zeps_client.results import SubscribeResult
from zeps_client.session import ClientSession
from zeps_client.settings import Settings
from zeps_wire import zeps

T = TypeVar("T")


class World:
    """Nothing happens by itself: every method is one step that a schedule may take."""

    def __init__(self, settings: Settings | None = None, seed: int = 0, stream: str = "s") -> None:
        self.now = 1000.0
        self.broker = ModelBroker()
        self.session = ClientSession(stream, settings or Settings(), self.now, random.Random(seed))
        self.up: deque[bytes] = deque()
        self.down: deque[bytes] = deque()
        self.line = 0
        """The connection's name; every connection is a new peer of the broker."""
        self.alive = False
        """True if the connection works; a dead connection swallows everything."""
        self.reachable = True
        self.generation = -1
        self.messages: list[Message] = []
        self.events: list[Event] = []
        self.sent: list[bytes] = []
        self.waiting = 0

    def settle(self) -> None:
        """Does the work of a host between two waits, without moving frames."""
        session = self.session
        if session.generation != self.generation:
            self.generation = session.generation
            self.drop()
            session.final_frames.clear()
        if session.connect_at is not None and session.connect_at <= self.now:
            self.line += 1
            self.alive = self.reachable
            session.connected(self.now)
            self.generation = session.generation
        session.tick(self.now)
        if session.generation != self.generation:
            self.settle()
        messages, sizes = session.take_messages()
        self.messages += messages
        self.waiting += sum(sizes)
        self.events += session.take_events()

    def drop(self) -> None:
        """Kills the connection and everything under way. The broker forgets the session; the client is not notified."""
        self.up.clear()
        self.down.clear()
        self.alive = False
        self.broker.forget(self.line)

    def hang_up(self) -> None:
        """Breaks the connection, and notifies the client."""
        self.drop()
        self.session.disconnected(self.now, "the connection broke")
        self.settle()

    def reconnect(self) -> None:
        """Advances the time to the client's next attempt, which it makes."""
        assert self.session.connect_at is not None
        self.now = self.session.connect_at
        self.settle()

    def refuse(self, reason: str = "no") -> None:
        """The client receives INVALID, whatever it has sent."""
        self.session.receive(self.now, [invalid(reason)])
        self.settle()

    def subscribe(self, pattern: str = "", latest: int = 0, seconds: float = 1.0) -> SubscribeResult:
        """The client subscribes; then everything moves for some time."""
        result = self.session.subscribe(self.now, pattern, latest)
        self.run(seconds)
        return result

    def publish(self, *bodies: bytes, key: str = "k") -> None:
        """The application publishes; nothing moves yet."""
        self.session.publish([zeps.Publish(key, body).encode() for body in bodies])

    def send(self, count: int = 1000) -> None:
        """Moves frames from the client to its connection."""
        for _ in range(min(count, len(self.session.outbox))):
            frame = self.session.outbox.popleft()
            self.sent.append(frame)
            if self.alive:
                self.up.append(frame)

    def serve(self, count: int = 1000) -> None:
        """The broker handles commands."""
        for _ in range(min(count, len(self.up))):
            self.down.extend(self.broker.handle(self.line, self.up.popleft()))

    def deliver(self, count: int = 1000) -> None:
        """The broker delivers messages."""
        for _ in range(count):
            frame = self.broker.deliver(self.line) if self.alive else None
            if frame is None:
                break
            self.down.append(frame)

    def receive(self, count: int = 1000) -> None:
        """The client reads frames."""
        frames = [self.down.popleft() for _ in range(min(count, len(self.down)))]
        if frames:
            self.session.receive(self.now, frames)
        self.settle()

    def consume(self) -> None:
        """The application takes all messages."""
        if self.waiting:
            self.session.acknowledge(self.now, self.waiting)
        self.waiting = 0

    def run(self, seconds: float = 0.0, *, consume: bool = True) -> None:
        """Moves everything until nothing moves, for some time."""
        end = self.now + seconds
        for turns in itertools.count():
            assert turns < 50 + 1000 * (1 + seconds), "a host would be busy without work"
            while True:
                self.settle()
                before = (len(self.sent), len(self.messages), len(self.events))
                self.send()
                self.serve()
                self.deliver()
                self.receive()
                if consume:
                    self.consume()
                self.settle()
                moved = before != (len(self.sent), len(self.messages), len(self.events))
                if not (moved or self.up or self.down or self.session.outbox):
                    break
            due = self.session.deadline()
            if due is None or due > end:
                self.now = max(self.now, end)
                self.settle()
                return
            self.now = max(self.now, due)

    def drained(self, seconds: float = 60.0) -> None:
        """Ends all faults: waits until all work is done."""
        self.reachable = True
        self.run(seconds)

    def sent_messages(self) -> list[zeps.Message]:
        """Returns the messages that the client has sent."""
        return [zeps.decode(frame) for frame in self.sent]

    def events_of(self, *kinds: type[T]) -> list[T]:
        """Returns the client's events of these kinds."""
        return [event for event in self.events if isinstance(event, kinds)]

    @property
    def sequences(self) -> list[int]:
        """The sequences of the messages that the application was given, in order."""
        return [message.sequence for message in self.messages]


def opened(**settings: object) -> World:
    """Returns a world in which the client has a session."""
    world = World(Settings(**settings))  # type: ignore[arg-type]
    world.run()
    return world
