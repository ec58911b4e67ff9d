"""Trials of a proxy: publishers in front of it, subscribers behind it, and no application between them."""

from __future__ import annotations

from typing import Any

from zeps_conformance.common.dialects import Dialect
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.sockets.adapter import RefusedError
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.context import Opposite
from zeps_conformance.sockets.markers import Parts
from zeps_conformance.sockets.pubsub.adapter_context import AdapterContext
from zeps_conformance.sockets.pubsub.publisher import Publisher
from zeps_conformance.sockets.pubsub.subscriber import Subscriber
from zeps_conformance.sockets.trial import SocketTrial
from zeps_conformance.wire.zmtp_codec import Properties

__all__ = ["ProxyTrial", "Relay"]


class Relay:
    """The other side of a proxy for barriers: a publisher in front, and a subscriber behind."""

    def __init__(self, front: Publisher, back: Subscriber) -> None:
        self._front = front
        self._back = back

    def send(self, *parts: bytes) -> bool:
        self._front.send(*parts)
        return True

    def subscribe(self, topic: bytes) -> None:
        self._back.subscribe(topic)

    def unsubscribe(self, topic: bytes) -> None:
        self._back.cancel(topic)

    def await_marker(self, message: Parts, timeout: float) -> bool:
        return self._back.await_marker(message, timeout)

    def listen(self) -> None:
        """Does nothing: a proxy does not have an application."""

    @property
    def has_notices(self) -> bool:
        return False


class ProxyTrial(AdapterContext, SocketTrial):
    """The argument of a proxy case's function. The proxy is started on first use, with both its sides bound."""

    _name = ""
    _frontend: str | None = None
    _backend = ""
    _relay: Relay | None = None

    @property
    def opposite(self) -> Opposite:
        if self._relay is None and self._name and self._frontend is None:
            self.unsupported(
                "the proxy announces a lower version; another was not tried, because only one publisher is in front"
            )
        return self._relay or self.relay(self.publisher("relay, in front"))

    def start(self, connect: str | None = None) -> None:
        """Starts the proxy: its frontend connects to `connect` if given, else is bound to a free port. If it connects,
        call :meth:`relay` before the first barrier. Raises ValueError if it runs, and FailureError if the library
        refuses.
        """
        if self._name:
            raise ValueError("the proxy runs already")
        self.log.note(
            "proxy", "app", f"proxy from XSUB to XPUB{f', connected to {connect}' if connect else ''}"
        )
        where: dict[str, Any] = {} if connect is None else {"connect": connect}
        try:
            answer = self.adapter.ask("proxy", frontend="XSUB", backend="XPUB", **where)
        except RefusedError as error:
            raise FailureError("the library starts its proxy", f"its error: {error}") from error
        self._name, self._frontend, self._backend = answer["proxy"], answer["frontend"], answer["backend"]
        self.cleanups.append(lambda: self.adapter.ask("proxy_close", proxy=self._name))
        if self._frontend is not None:
            self.on_open()

    def relay(self, front: Publisher) -> Relay:
        """Makes barriers use `front` and a new subscriber of their own from now on, and returns both. If the proxy's
        frontend connects, the first call also calls `on_open`.
        """
        first = self._relay is None
        self._relay = Relay(front, self.subscriber("relay, behind"))
        if first and self._frontend is None:
            self.on_open()
        return self._relay

    def forwarded(self, behind: Subscriber, front: Publisher) -> None:
        """Waits until `front` has received what `behind` requested: a marker is subscribed to and cancelled."""
        marker = self.markers.topic()
        behind.subscribe(marker)
        front.await_marked("subscribe", marker)
        behind.cancel(marker)
        front.await_marked("cancel", marker)

    @property
    def frontend(self) -> str:
        """The endpoint for publishers; starts the proxy if necessary. Raises ValueError if it connects to them."""
        if not self._name:
            self.start()
        if self._frontend is None:
            raise ValueError("the proxy's frontend connects, and does not accept connections")
        return self._frontend

    @property
    def backend(self) -> str:
        """The endpoint for subscribers."""
        if not self._name:
            self.start()
        return self._backend

    def dial(self, name: str, endpoint: str | None = None) -> Connection:
        """Connects to the backend, or to `endpoint`. Returns the connection, before the greetings."""
        return self.keep(Connection(self, self.dial_to(endpoint or self.backend, name), name))

    def newcomer(self, name: str) -> Subscriber:
        return self.subscriber(name)

    def publisher(self, name: str, dialect: Dialect | None = None, properties: Properties = ()) -> Publisher:
        """Returns a publisher that connects to the frontend and completes the handshake."""
        peer = self.keep(Publisher(self, self.dial_to(self.frontend, name), name))
        peer.introduce(dialect, peer.SOCKET_TYPE, properties)
        return peer

    def subscriber(
        self, name: str, dialect: Dialect | None = None, properties: Properties = ()
    ) -> Subscriber:
        """Returns a subscriber that connects to the backend and completes the handshake."""
        peer = self.keep(Subscriber(self, self.dial_to(self.backend, name), name))
        peer.introduce(dialect, peer.SOCKET_TYPE, properties)
        return peer
