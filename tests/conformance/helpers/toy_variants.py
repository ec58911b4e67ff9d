"""Variants of the toy implementation that do what the rules allow: unusual, slow, or both."""

from __future__ import annotations

import asyncio
import time
from typing import ClassVar

from toy_pubsub import Front, Kinds, Link, Parts, PublisherSocket, SubscriberSocket
from toy_registry import Kind, affected, name_of

from zeps_conformance.wire.zmtp_codec import Frame
from zeps_conformance.wire.zmtp_engine import Engine, Event, ZmtpError

__all__ = ["VARIANTS"]

VARIANTS: dict[str, Kinds] = {}
"""The sockets by the name of the variant, see :func:`~toy_registry.name_of`."""


def variant(kind: Kind) -> Kind:
    """Registers a socket or an engine."""
    VARIANTS[name_of(kind)] = affected(kind)
    return kind


@variant
class AsksForMore(Front):
    """Subscribes to a topic that no subscriber requested."""

    def joined(self, link: Link) -> None:
        super().joined(link)
        self.say(link, "subscribe", b"more")


@variant
class PingsAtOnce(PublisherSocket):
    """Sends PING as soon as the handshake is complete."""

    def joined(self, link: Link) -> None:
        super().joined(link)
        link.write(link.engine.wire.command("PING", ttl=0, context=b"first"))


@variant
class DetectsOlderPeers(Engine):
    """Sends the rest of its greeting only to a peer of version 3, and closes the connection of another after 0.6 s."""

    def opening(self) -> bytes:
        return super().opening()[:11]

    def feed(self, data: bytes) -> list[Event]:
        try:
            return super().feed(data)
        except ZmtpError:
            time.sleep(0.6)
            raise

    def _greet(self) -> bool:
        greeted = super()._greet()
        if greeted:
            self.answers[:0] = super().opening()[11:]
        return greeted


@variant
class ClosesLate(Engine):
    """Closes a connection 1.2 s after an error."""

    def feed(self, data: bytes) -> list[Event]:
        try:
            return super().feed(data)
        except ZmtpError:
            time.sleep(1.2)
            raise


@variant
class LateGreeting(Engine):
    """Sends its greeting after 0.4 s."""

    def opening(self) -> bytes:
        time.sleep(0.4)
        return super().opening()


@variant
class LaterGreeting(Engine):
    """Sends its greeting after 1.2 s."""

    def opening(self) -> bytes:
        time.sleep(1.2)
        return super().opening()


class LatePongEngine(Engine):
    def feed(self, data: bytes) -> list[Event]:
        events = super().feed(data)
        if b"PONG" in self.answers:
            time.sleep(0.25)
        return events


@variant
class LatePong(PublisherSocket):
    """Sends PONG after 0.25 s, and closes the connection when the time to live has passed since PING."""

    engine = LatePongEngine

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        super().commanded(link, name, data)
        if name == "PING" and any(data[:2]):
            left = int.from_bytes(data[:2], "big") / 10 - 0.25
            asyncio.get_running_loop().call_later(left, link._writer.close)


@variant
class DropsInterrupted(Engine):
    """Drops a message with a command between its frames."""

    dropping = False

    def take_frame(self, answers_pings: bool = True) -> Frame | None:
        frame = super().take_frame(answers_pings)
        if frame is None or frame.command:
            self.dropping = self.dropping or (frame is not None and bool(self._parts))
        elif self.dropping:
            self.dropping = frame.more
            self._parts.clear()
            return self.take_frame(answers_pings)
        return frame


@variant
class WaitsForWork(SubscriberSocket):
    """Serves a connection that it opened when the next one is requested, as JeroMQ at times."""

    waiting: ClassVar[list[asyncio.Event]] = []

    def connect(self, endpoint: str) -> None:
        for event in self.waiting:
            event.set()
        super().connect(endpoint)

    async def _keep_connected(self, endpoint: str) -> None:
        self.waiting.append(asyncio.Event())
        host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        await self.waiting[-1].wait()
        await Link(self, writer).serve(reader)


@variant
class SmallQueue(SubscriberSocket):
    """Does not filter messages, and drops those for a queue of 1,000."""

    def received(self, link: Link, parts: Parts) -> None:
        if len(self.queues.get(link, ())) < 1000:
            self.deliver(link, parts)
