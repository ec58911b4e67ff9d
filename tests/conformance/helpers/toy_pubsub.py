"""A small publish-subscribe implementation that follows the specifications, with its own adapter: python toy_pubsub.py

It counts subscriptions, as RFC 37 requires and libzmq does not, so that the suite is measured against an implementation
that passes, and against the same with one defect (``toy_faults.py``). It accepts filters by kind, but knows no kind. A
proxy is its XSUB and its XPUB, each the application of the other. Versions before 3.0 and options are not supported.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from zeps_conformance.common.dialects import V3_0, V3_1, Dialect
from zeps_conformance.wire.zmtp_codec import Properties
from zeps_conformance.wire.zmtp_engine import (
    Engine,
    Event,
    Ready,
    ReceivedCommand,
    ReceivedMessage,
    ZmtpError,
)

Parts = tuple[bytes, ...]
Filter = tuple[int, bytes]

FULL = 1 << 20  # bytes queued for a peer, beyond which its messages are dropped
AGAIN = 0.05  # seconds until a lost connection is retried


class UnsupportedError(Exception):
    """An unsupported feature."""


class Link:
    """One connection of a socket."""

    def __init__(self, owner: Socket, writer: asyncio.StreamWriter) -> None:
        self.owner = owner
        self.engine = owner.engine(owner.type.encode(), identity=None, properties=owner.properties)
        self.topics: Counter[bytes] = Counter()
        self.filters: Counter[Filter] = Counter()
        self.kinds = b""
        self.ready = False
        self._writer = writer

    @property
    def dialect(self) -> Dialect:
        return V3_1 if min(self.engine.version, self.engine.other) >= V3_1.value else V3_0

    def write(self, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)

    @property
    def full(self) -> bool:
        return self._writer.transport.get_write_buffer_size() > FULL

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Serves the connection until it ends."""
        self.write(self.engine.opening())
        try:
            while data := await reader.read(1 << 16):
                for event in self.engine.feed(data):
                    self._take(event)
                self.write(bytes(self.engine.answers))
                self.engine.answers.clear()
        except (ZmtpError, OSError):
            pass
        finally:
            self.ready = False
            self.owner.gone(self)
            self._writer.close()

    def _take(self, event: Event) -> None:
        if isinstance(event, Ready):
            self.write(bytes(self.engine.answers))
            self.engine.answers.clear()
            if event.properties.get("socket-type", b"").decode("latin-1") not in self.owner.fitting:
                self.write(self.engine.wire.command("ERROR", reason=b"Invalid socket type"))
                raise ZmtpError("another type")
            self.ready = True
            self.kinds = event.properties.get("x-filters", b"")
            self.owner.joined(self)
        elif not self.ready and not self.owner.serves_early:
            raise ZmtpError("a message or a command before READY")
        elif isinstance(event, ReceivedMessage):
            self.owner.received(self, event.parts)
        elif isinstance(event, ReceivedCommand):
            self.owner.commanded(self, event.name, event.data)


class Socket:
    """A socket of either kind; a fault is a subclass. `TYPES` are the types of this kind, `fitting` those of its peers,
    `engine` the engine of its connections, `properties` those of its READY in addition to Socket-Type, and
    `serves_early` whether it accepts messages and commands before READY.
    """

    TYPES: ClassVar[tuple[str, ...]] = ()
    fitting: ClassVar[tuple[str, ...]] = ()
    engine: ClassVar[type[Engine]] = Engine
    properties: ClassVar[Properties] = ()
    serves_early: ClassVar[bool] = False

    def __init__(self, kind: str) -> None:
        self.type = kind
        self.links: list[Link] = []
        self.queues: dict[Link, deque[Parts]] = {}
        self.arrived = asyncio.Event()
        self._servers: list[asyncio.Server] = []
        self._connecting: dict[str, asyncio.Task[None]] = {}

    async def bind(self) -> str:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._servers.append(server)
        return "tcp://{}:{}".format(*server.sockets[0].getsockname())

    def connect(self, endpoint: str) -> None:
        self._connecting[endpoint] = asyncio.create_task(self._keep_connected(endpoint))

    def disconnect(self, endpoint: str) -> None:
        self._connecting.pop(endpoint).cancel()

    def close(self) -> None:
        for server in self._servers:
            server.close()
        for task in self._connecting.values():
            task.cancel()
        for link in list(self.links):
            link._writer.close()

    async def recv(self, seconds: float) -> Parts | None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.queues:
                    self.arrived.clear()
                    await self.arrived.wait()
        return self.take() if self.queues else None

    def take(self) -> Parts:
        """Returns the first message of the next queue in turn."""
        link, queue = next(iter(self.queues.items()))
        parts = queue.popleft()
        del self.queues[link]
        if queue:
            self.queues[link] = queue
        return parts

    def deliver(self, link: Link, parts: Parts) -> None:
        self.queues.setdefault(link, deque()).append(parts)
        self.arrived.set()

    def joined(self, link: Link) -> None:
        """Handles a completed handshake."""
        self.links.append(link)

    def gone(self, link: Link) -> None:
        """Handles the end of a connection."""
        if link in self.links:
            self.links.remove(link)

    def received(self, link: Link, parts: Parts) -> None:
        """Handles a message."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        """Handles a command outside the handshake."""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await Link(self, writer).serve(reader)

    async def _keep_connected(self, endpoint: str) -> None:
        host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(host, int(port))
                await Link(self, writer).serve(reader)
            await asyncio.sleep(AGAIN)


class PublisherSocket(Socket):
    """PUB and XPUB."""

    TYPES = ("PUB", "XPUB")
    fitting = ("SUB", "XSUB")
    properties = ((b"X-Filters", b""),)

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.topics: Counter[bytes] = Counter()
        self.filters: Counter[Filter] = Counter()

    def send(self, parts: Parts) -> None:
        for link in self.links:
            if self.matches(link, parts) and not link.full:
                link.write(link.engine.wire.message(*parts))

    def matches(self, link: Link, parts: Parts) -> bool:
        return bool(link.filters) or any(parts[0].startswith(topic) for topic in link.topics)

    def received(self, link: Link, parts: Parts) -> None:
        ways: Mapping[bytes, Callable[[Link, bytes], None]] = {
            b"\0": self.cancelled,
            b"\1": self.subscribed,
            b"\2": self.filtered,
            b"\3": self.unfiltered,
        }
        way = ways.get(parts[0][:1]) if len(parts) == 1 else None
        if way is not None:
            way(link, parts[0][1:])
        elif self.type == "XPUB":
            self.deliver(link, parts)

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        if name == "SUBSCRIBE":
            self.subscribed(link, data)
        elif name == "CANCEL":
            self.cancelled(link, data)
        elif name == "SUBSCRIBE-X":
            self.filtered(link, data)
        elif name == "CANCEL-X":
            self.unfiltered(link, data)

    def filtered(self, link: Link, data: bytes) -> None:
        topic_filter = data[0], data[1:]
        link.filters[topic_filter] += 1
        self.filters[topic_filter] += 1
        if self.filters[topic_filter] == 1:
            self.notify_filter("subscribe", topic_filter)

    def unfiltered(self, link: Link, data: bytes) -> None:
        topic_filter = data[0], data[1:]
        if link.filters[topic_filter] > 0:
            self.drop_filter(link, topic_filter, 1)

    def drop_filter(self, link: Link, topic_filter: Filter, count: int) -> None:
        for counter in (link.filters, self.filters):
            counter[topic_filter] -= count
            if not counter[topic_filter]:
                del counter[topic_filter]
        if topic_filter not in self.filters:
            self.notify_filter("cancel", topic_filter)

    def notify_filter(self, way: str, topic_filter: Filter) -> None:
        """Notifies a proxy of filters; XPUB's application does not receive them."""

    def subscribed(self, link: Link, topic: bytes) -> None:
        link.topics[topic] += 1
        self.topics[topic] += 1
        if self.topics[topic] == 1:
            self.notify(link, b"\1", topic)

    def cancelled(self, link: Link, topic: bytes) -> None:
        if link.topics[topic] <= 0:
            del link.topics[topic]
            return
        link.topics[topic] -= 1
        if not link.topics[topic]:
            del link.topics[topic]
        self.forget(link, topic, 1)

    def gone(self, link: Link) -> None:
        super().gone(link)
        for topic, count in link.topics.items():
            self.forget(link, topic, count)
        for topic_filter, count in list(link.filters.items()):
            self.drop_filter(link, topic_filter, count)

    def forget(self, link: Link, topic: bytes, count: int) -> None:
        self.topics[topic] -= count
        if not self.topics[topic]:
            del self.topics[topic]
            self.notify(link, b"\0", topic)

    def notify(self, link: Link, way: bytes, topic: bytes) -> None:
        if self.type == "XPUB":
            self.deliver(link, (way + topic,))


class SubscriberSocket(Socket):
    """SUB and XSUB."""

    TYPES = ("SUB", "XSUB")
    fitting = ("PUB", "XPUB")

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.topics: Counter[bytes] = Counter()

    def subscribe(self, topic: bytes) -> None:
        self.topics[topic] += 1
        if self.topics[topic] == 1:
            for link in self.links:
                self.say(link, "subscribe", topic)

    def unsubscribe(self, topic: bytes) -> None:
        if not self.topics[topic]:
            return
        self.topics[topic] -= 1
        if not self.topics[topic]:
            del self.topics[topic]
            for link in self.links:
                self.say(link, "cancel", topic)

    def say(self, link: Link, way: str, topic: bytes) -> None:
        wire = link.engine.wire
        link.write((wire.subscribe if way == "subscribe" else wire.cancel)(topic, link.dialect))

    def send(self, parts: Parts) -> None:
        if self.type == "SUB":
            raise UnsupportedError("SUB sends nothing")
        for link in self.links:
            link.write(link.engine.wire.message(*parts))

    def joined(self, link: Link) -> None:
        super().joined(link)
        for topic in self.topics:
            self.say(link, "subscribe", topic)

    def received(self, link: Link, parts: Parts) -> None:
        if any(parts[0].startswith(topic) for topic in self.topics):
            self.deliver(link, parts)


class Front(SubscriberSocket):
    """The side of a proxy that faces publishers."""

    TYPES = ("PROXY XSUB",)

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.back: Back
        self.filters: set[Filter] = set()

    def received(self, link: Link, parts: Parts) -> None:
        self.back.send(parts)

    def joined(self, link: Link) -> None:
        super().joined(link)
        for topic_filter in self.filters:
            if self.knows(link, topic_filter):
                self.say_filter(link, "subscribe", topic_filter)
        if self.unknown(link):
            self.say(link, "subscribe", b"")

    def knows(self, link: Link, topic_filter: Filter) -> bool:
        return topic_filter[0] in link.kinds or 0xFF in link.kinds

    def unknown(self, link: Link) -> bool:
        """Returns whether there are filters that the publisher does not know."""
        return not all(self.knows(link, topic_filter) for topic_filter in self.filters)

    def say_filter(self, link: Link, way: str, topic_filter: Filter) -> None:
        wire = link.engine.wire
        link.write(
            (wire.subscribe_filter if way == "subscribe" else wire.cancel_filter)(*topic_filter, link.dialect)
        )

    def filter_changed(self, way: str, topic_filter: Filter) -> None:
        before = {link: self.unknown(link) for link in self.links}
        (self.filters.add if way == "subscribe" else self.filters.remove)(topic_filter)
        for link in self.links:
            if self.knows(link, topic_filter):
                self.say_filter(link, way, topic_filter)
            elif self.unknown(link) != before[link]:
                self.say(link, way, b"")


class Back(PublisherSocket):
    """The side of a proxy that faces subscribers."""

    TYPES = ("PROXY XPUB",)
    properties = ((b"X-Filters", b"\xff"),)

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.front: Front

    def notify(self, link: Link, way: bytes, topic: bytes) -> None:
        (self.front.subscribe if way == b"\1" else self.front.unsubscribe)(topic)

    def notify_filter(self, way: str, topic_filter: Filter) -> None:
        self.front.filter_changed(way, topic_filter)

    def deliver(self, link: Link, parts: Parts) -> None:
        self.front.send(parts)


Kinds = Mapping[str, Callable[[str], Any]]
KINDS: Mapping[str, type[Socket]] = {
    name: kind for kind in (PublisherSocket, SubscriberSocket, Front, Back) for name in kind.TYPES
}


class Adapter:
    """Answers requests. The sockets that it opens have the defect that the last ``become`` named, if it is known."""

    def __init__(self, faults: Mapping[str, Kinds]) -> None:
        self._faults = faults
        self._kinds: Kinds = KINDS
        self._sockets: dict[str, Any] = {}
        self._made: list[Any] = []

    async def answer(self, line: bytes) -> Mapping[str, object]:
        request = json.loads(line)
        try:
            return {"ok": True, **await self._do(request["op"], request)}
        except UnsupportedError as error:
            return {"ok": False, "unsupported": str(error)}
        except Exception as error:
            return {"ok": False, "error": repr(error)}

    async def _do(self, op: str, request: Mapping[str, Any]) -> Mapping[str, object]:
        if op == "hello":
            return {"name": "toy", "version": "3.1", "types": ["PUB", "XPUB", "SUB", "XSUB", "PROXY"]}
        if op == "open":
            if set(request["options"]) - {"linger"}:
                raise UnsupportedError("options")
            self._sockets[request["socket"]] = self._make(request["type"], request["type"])
            return {}
        socket = self._sockets.get(request.get("socket", ""))
        match op:
            case "become":
                self.become(request["fault"])
            case "bind":
                return {"endpoint": await socket.bind()}
            case "connect" | "disconnect":
                getattr(socket, op)(request["endpoint"])
            case "subscribe" | "unsubscribe":
                getattr(socket, op)(bytes.fromhex(request["topic"]))
            case "send":
                socket.send(tuple(bytes.fromhex(part) for part in request["parts"]))
            case "recv":
                parts = await socket.recv(request["timeout"] / 1000)
                return {"parts": None if parts is None else [part.hex() for part in parts]}
            case "proxy":
                return await self._proxy(request.get("connect"))
            case "proxy_close":
                for side in self._sockets.pop(request["proxy"]):
                    side.close()
            case "close":
                self._sockets.pop(request["socket"]).close()
            case _:
                raise UnsupportedError(op)
        return {}

    def become(self, fault: str) -> None:
        """Closes every socket; those that are opened afterwards have the defect."""
        for made in self._made:
            made.close()
        self._made.clear()
        self._kinds = {**KINDS, **self._faults.get(fault, {})}

    def _make(self, kind: str, socket_type: str) -> Any:
        self._made.append(self._kinds[kind](socket_type))
        return self._made[-1]

    async def _proxy(self, connect: str | None) -> Mapping[str, object]:
        front, back = self._make("PROXY XSUB", "XSUB"), self._make("PROXY XPUB", "XPUB")
        front.back, back.front = back, front
        self._sockets["proxy"] = front, back
        if connect is not None:
            front.connect(connect)
        frontend = None if connect is not None else await front.bind()
        return {"proxy": "proxy", "frontend": frontend, "backend": await back.bind()}


async def serve(adapter: Adapter) -> None:
    """Answers the requests on standard input, until its end."""
    reader = asyncio.StreamReader(limit=1 << 26)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        print(json.dumps(await adapter.answer(line)), flush=True)


def main(faults: Mapping[str, Kinds], arguments: list[str]) -> None:
    adapter = Adapter(faults)
    for name in arguments:
        adapter.become(name)
    asyncio.run(serve(adapter))


if __name__ == "__main__":
    main({}, sys.argv[1:])
