"""One attempt at one case of an implementation: its sockets, and the peers that the suite plays towards them."""

from __future__ import annotations

import contextlib

from zeps_conformance.common.dialects import V3_1, Dialect
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.context import Opposite
from zeps_conformance.sockets.peer import Peer
from zeps_conformance.sockets.pubsub.adapter_context import AdapterContext
from zeps_conformance.sockets.pubsub.app import App
from zeps_conformance.sockets.pubsub.publisher import Publisher
from zeps_conformance.sockets.pubsub.subscriber import Subscriber
from zeps_conformance.sockets.trial import SocketTrial
from zeps_conformance.wire.zmtp_codec import Properties

__all__ = ["PubSubTrial"]

PUBLISHERS = ("PUB", "XPUB")


class PubSubTrial(AdapterContext, SocketTrial):
    """The argument of a case's function that judges one socket: PUB, XPUB, SUB or XSUB."""

    _app: App | None = None
    _endpoint = ""

    # The implementation's sockets ---------------------------------------------------------------------------

    @property
    def app(self) -> App:
        """The judged socket, opened on first use."""
        return self._app or self.open()

    @property
    def opposite(self) -> Opposite:
        """The other side, which barriers use."""
        return self.app

    def listen(self) -> None:
        """Lets the application read one message if it is available, without waiting."""
        if self._app is not None:
            self._app.listen()

    def open(self, **options: int) -> App:
        """Opens the judged socket with options of the adapter. Raises ValueError if it is open."""
        if self._app is not None:
            raise ValueError("the socket is open: options must be set before its first use")
        self._app = self.socket("app", **options)
        self.on_open()
        return self._app

    def socket(self, name: str, **options: int) -> App:
        """Opens a further socket of the judged type; it is closed at the end."""
        made = App(self, name, self.type, options)
        self.cleanups.append(made.close)
        return made

    @property
    def endpoint(self) -> str:
        """The endpoint of the judged socket, which is bound on first use."""
        app = self.app
        self._endpoint = self._endpoint or app.bind()
        return self._endpoint

    def nudge(self) -> None:
        if self._app is None or self._app.is_open:
            with contextlib.suppress(FailureError):
                self.app.connect(self.listener().endpoint)

    # Peers --------------------------------------------------------------------------------------------------

    def dial(self, name: str, endpoint: str | None = None) -> Connection:
        """Connects to the judged socket, or to `endpoint`. Returns the connection, before the greetings."""
        return self.keep(Connection(self, self.dial_to(endpoint or self.endpoint, name), name))

    def subscriber(
        self,
        name: str,
        dialect: Dialect | None = None,
        socket_type: str = "SUB",
        properties: Properties = (),
        *,
        endpoint: str | None = None,
        opposite: Opposite | None = None,
    ) -> Subscriber:
        """Returns a subscriber that connects to the implementation and completes the handshake."""
        link = self.dial_to(endpoint or self.endpoint, name)
        peer = self.keep(Subscriber(self, link, name, opposite))
        peer.introduce(dialect, socket_type, properties)
        return peer

    def publisher(
        self,
        name: str,
        dialect: Dialect | None = None,
        socket_type: str = "PUB",
        properties: Properties = (),
        *,
        dial: bool = False,
    ) -> Publisher:
        """Returns a publisher after its handshake. With `dial` it connects, else the implementation connects to it."""
        if dial:
            peer = self.keep(Publisher(self, self.dial_to(self.endpoint, name), name))
            peer.introduce(dialect, socket_type, properties)
            return peer
        listener = self.listener()
        self.app.connect(listener.endpoint)
        return Publisher.accept(listener, name, dialect, socket_type, properties)

    def peer(self, name: str, dialect: Dialect | None = None) -> Peer:
        if self.type in PUBLISHERS:
            return self.subscriber(name, dialect)
        return self.publisher(name, dialect, dial=True)

    # Methods for cases of zmtp_any, where the implementation's socket is a publisher ------------------------

    @property
    def peer_type(self) -> str:
        return "SUB"

    @property
    def misfit(self) -> str:
        return "REQ"

    def adopt(self, connection: Connection, dialect: Dialect | None = None) -> Subscriber:
        return Subscriber.of(connection, dialect)

    def serve(self, peer: Peer, tag: bytes = b"served", rule: str | None = None) -> None:
        """Subscribes `peer` to `tag`, and checks that a matching message arrives, and another does not."""
        assert isinstance(peer, Subscriber)
        peer.subscribe(tag)
        peer.barrier()
        self.app.send(b"not " + tag)
        self.app.send(tag + b" first", b"part")
        self.compare(f"{peer.name} receives", [(tag + b" first", b"part")], peer.collect(), rule)

    def newcomer(self, name: str) -> Peer:
        """Returns a peer of the opposite kind; the implementation's socket is a new one if the case has closed it."""
        app = self.app if self.app.is_open else self.socket(name)
        if self.type in PUBLISHERS:
            endpoint = self.endpoint if app is self.app else app.bind()
            return self.subscriber(name, endpoint=endpoint, opposite=app)
        listener = self.listener()
        app.connect(listener.endpoint)
        return Publisher.accept(listener, name, opposite=app)

    def traffic(self, dialect: Dialect) -> bytes:
        topics = [self.random_bytes(self.rng.randint(0, 20)) for _ in range(4)]
        data = b"".join(self.wire.subscribe(topic, dialect) for topic in topics)
        data += self.wire.command("PING", ttl=0, context=self.random_bytes(4)) if dialect is V3_1 else b""
        data += self.wire.subscribe(self.random_bytes(300), dialect) + self.wire.message(b"hello", b"world")
        return data + b"".join(self.wire.cancel(topic, dialect) for topic in topics[:2])
