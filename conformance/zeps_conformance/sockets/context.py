"""One attempt at one case of a testee: its sockets, and the peers that the suite plays towards them."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from zeps_conformance.common.case import Case
from zeps_conformance.common.dialects import V3_1, Dialect
from zeps_conformance.common.narration import Narration
from zeps_conformance.common.verdicts import DeviationError, FailureError, UnsupportedError
from zeps_conformance.model.rulebook import Rulebook
from zeps_conformance.sockets.adapter import RefusedError, Shim
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.markers import Markers, Parts, show_all
from zeps_conformance.sockets.peer import Opposite, Peer
from zeps_conformance.sockets.pubsub.app import App
from zeps_conformance.sockets.pubsub.listener import Listener
from zeps_conformance.sockets.pubsub.publisher import Publisher
from zeps_conformance.sockets.pubsub.subscriber import Subscriber
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.zmtp_codec import Properties, Wire

__all__ = ["BaseTrial", "Settings", "Subject", "TesteeTrial", "Trial"]

PUBLISHERS = ("PUB", "XPUB")
POLL = 0.01  # seconds between two looks at a condition

C = TypeVar("C", bound=Connection)


@dataclass(frozen=True, slots=True)
class Settings:
    """Times are in seconds.

    `timeout` is how long an answer may take, `grace` how long silence is listened to after a barrier has proved it.
    """

    timeout: float = 3.0
    grace: float = 0.15
    seed: int = 0

    @property
    def leaving(self) -> float:
        """The time within which a testee leaves a peer that it has to leave."""
        return self.timeout / 3


class Subject(Protocol):
    """Whoever is judged, as far as connections with it have to know: `announced` are the versions that its sockets of
    each type have told so far.
    """

    announced: dict[str, tuple[int, int]]

    @property
    def alive(self) -> bool:
        """Whether it has not ended, as far as anybody can tell."""


class BaseTrial(Narration):
    """What every trial over ZMTP has. `type` is the role that is judged.

    `on_open` is called once the testee can be talked to.
    """

    def __init__(
        self,
        case: Case,
        socket_type: str,
        subject: Subject,
        wire: Wire,
        rulebook: Rulebook,
        options: Settings,
    ) -> None:
        super().__init__(case, options.seed, case.limit)
        self.type = socket_type
        self.subject = subject
        self.wire = wire
        self.rulebook = rulebook
        self.options = options
        self.dialect: Dialect = case.dialect or V3_1
        self.markers = Markers()
        self.on_open: Callable[[], None] = lambda: None
        self._listeners: list[Listener] = []
        self._connections: list[Connection] = []

    def begin(self) -> None:
        """Called before the case's first step."""

    @property
    def opposite(self) -> Opposite:
        """What barriers go through."""
        raise NotImplementedError

    def listen(self) -> None:
        """Let the testee's application do what it does when it is idle."""

    def memory(self) -> int | None:
        """Resident octets of the testee's process; None if nobody knows it."""
        raise NotImplementedError

    # What cases of any peer that is dialled share ---------------------------------------------------------------

    @property
    def peer_type(self) -> str:
        """The type of a socket that may talk to the testee's."""
        raise NotImplementedError

    @property
    def misfit(self) -> str:
        """The type of one that may not."""
        raise NotImplementedError

    def dial(self, name: str, endpoint: str | None = None) -> Connection:
        """A connection with the testee's endpoint on which nothing was said."""
        raise NotImplementedError

    def peer(self, name: str, dialect: Dialect | None = None) -> Peer:
        """A peer of :attr:`peer_type` that has dialled the testee and completed the handshake."""
        raise NotImplementedError

    def adopt(self, connection: Connection, dialect: Dialect | None = None) -> Peer:
        """`connection`, whose handshake was completed by hand, as such a peer."""
        raise NotImplementedError

    def serve(self, peer: Peer, tag: bytes = b"served", rule: str | None = None) -> None:
        """Show that `peer` is served. FailureError under `rule` if it is not. `tag` differs from call to call."""
        raise NotImplementedError

    def newcomer(self, name: str) -> Peer:
        """A peer that is to show that the testee serves."""
        raise NotImplementedError

    def traffic(self, dialect: Dialect) -> bytes:
        """What a lively peer sends after its handshake, all kinds of it."""
        raise NotImplementedError

    # Connections --------------------------------------------------------------------------------------------

    def listener(self) -> Listener:
        """A raw endpoint for the testee to connect to."""
        made = Listener(self)
        self._listeners.append(made)
        return made

    def dial_to(self, endpoint: str, name: str) -> socket.socket:
        """A socket connected with the testee. FailureError if it is refused."""
        try:
            link = parse_endpoint(endpoint).connect(self.within(self.options.timeout))
        except OSError as error:
            raise FailureError("the testee accepts a connection", str(error.strerror or error)) from error
        self.log.note(name, "open", f"connected to {endpoint}")
        return link

    def keep(self, connection: C) -> C:
        """`connection`, which will be closed at the end."""
        self._connections.append(connection)
        return connection

    def nudge(self) -> None:
        """Give the testee something else to do: a library may forget a new connection until then (JeroMQ's poller)."""

    # Checks -------------------------------------------------------------------------------------------------

    def level(self, rule: str | None) -> str:
        """The level of `rule`, or of the case's first."""
        return self.rulebook.rule(rule or self.case.rules[0]).level

    def check(
        self, ok: bool, expected: str, seen: str, rule: str | None = None, libzmq: str | None = None
    ) -> None:
        """Record a check. If it is not `ok`: FailureError under `rule`, or the case's first.

        `libzmq` says in words what libzmq does, if that is what was seen: then the error is DeviationError. Where the
        rule's level is UNSPECIFIED nothing is raised: what was seen is told.
        """
        blamed = rule or self.case.rules[0]
        if self.level(blamed) == "UNSPECIFIED":
            self.observations.append(f"{expected}: {'yes' if ok else f'no, {seen}'}")
            self.observe(expected, seen)
        elif ok:
            self.observe(expected, seen)
        elif libzmq is not None:
            raise DeviationError(expected, f"{seen}: {libzmq}", blamed)
        else:
            raise FailureError(expected, seen, blamed)

    def compare(
        self,
        what: str,
        expected: object,
        seen: object,
        rule: str | None = None,
        libzmq: tuple[str, object] | None = None,
    ) -> None:
        """Check that `seen` is `expected`. `libzmq` is what libzmq does, in words, and what is seen if it is that."""
        known = libzmq[0] if libzmq is not None and seen == libzmq[1] else None
        self.check(seen == expected, f"{what} {_told(expected)}", _told(seen), rule, known)

    def observed(self, text: str) -> None:
        """Tell what the testee does where the rules leave it open."""
        self.observations.append(text)
        self.observe("the implementation's own choice", text)

    def wait_for(
        self, condition: Callable[[], bool], what: str, rule: str | None = None, timeout: float | None = None
    ) -> None:
        """Wait until `condition` holds, looking again and again, while every connection is served."""
        patience = self.options.timeout if timeout is None else timeout
        deadline = time.monotonic() + self.within(patience)
        while not (done := condition()) and time.monotonic() < deadline:
            for connection in self._connections:
                connection.pump_if_open(0.0)
            time.sleep(POLL)
        self.check(done, what, "so it is" if done else f"not within {patience:g} s", rule)

    # The end ------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close every connection."""
        for connection in self._connections:
            connection.close()
        for listener in self._listeners:
            listener.close()


class TesteeTrial(BaseTrial):
    """What every trial of a testee has, which is talked to through its `shim` too."""

    def __init__(
        self, case: Case, socket_type: str, shim: Shim, wire: Wire, rulebook: Rulebook, options: Settings
    ) -> None:
        super().__init__(case, socket_type, shim, wire, rulebook, options)
        self.shim = shim

    def memory(self) -> int:
        """Resident octets of the testee's process."""
        return self.shim.memory()

    def clean_up(self, act: Callable[[], object]) -> None:
        """Do what leaves nothing behind. A shim that does not manage that is no finding, and does nothing more."""
        if not self.shim.fit:
            return
        try:
            act()
        except (FailureError, RefusedError, UnsupportedError) as error:
            self.log.note("app", "note", f"not cleaned up: {error}")
            self.shim.retired = True


class Trial(TesteeTrial):
    """What a case function is given that judges one socket: PUB, XPUB, SUB or XSUB."""

    def __init__(
        self, case: Case, socket_type: str, shim: Shim, wire: Wire, rulebook: Rulebook, options: Settings
    ) -> None:
        super().__init__(case, socket_type, shim, wire, rulebook, options)
        self._app: App | None = None
        self._endpoint = ""
        self._sockets: list[App] = []

    # The testee's sockets -----------------------------------------------------------------------------------

    @property
    def app(self) -> App:
        """The socket that is judged, opened on first use."""
        return self._app or self.open()

    @property
    def opposite(self) -> Opposite:
        """What barriers go through."""
        return self.app

    def listen(self) -> None:
        """Let the application take in what has come, without waiting."""
        if self._app is not None:
            self._app.listen()

    def open(self, **options: int) -> App:
        """Open the socket that is judged with options of the shim. ValueError if it is open."""
        if self._app is not None:
            raise ValueError("the socket is open: options come before its first use")
        self._app = self.socket("app", None, **options)
        self.on_open()
        return self._app

    def socket(self, name: str, type: str | None = None, **options: int) -> App:  # noqa: A002
        """A further socket of the testee's."""
        made = App(self, name, type or self.type, options)
        self._sockets.append(made)
        return made

    @property
    def endpoint(self) -> str:
        """Where the socket that is judged is bound; it is bound on first use."""
        app = self.app
        self._endpoint = self._endpoint or app.bind()
        return self._endpoint

    def nudge(self) -> None:
        if self._app is not None and self._app.is_open:
            with contextlib.suppress(FailureError):
                self._app.connect(self.listener().endpoint)

    # Peers --------------------------------------------------------------------------------------------------

    def dial(self, name: str, endpoint: str | None = None) -> Connection:
        """A connection with the testee's endpoint on which nothing was said."""
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
        """A subscriber that dials the testee and completes the handshake."""
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
        opposite: Opposite | None = None,
    ) -> Publisher:
        """A publisher that the testee connects to, or that dials it, and completes the handshake."""
        if dial:
            peer = self.keep(Publisher(self, self.dial_to(self.endpoint, name), name, opposite))
            peer.introduce(dialect, socket_type, properties)
            return peer
        listener = self.listener()
        self.app.connect(listener.endpoint)
        return listener.publisher(name, dialect, socket_type, properties, opposite=opposite)

    # What cases of any peer that is dialled share: the testee's socket is a publisher's ------------------------

    @property
    def peer_type(self) -> str:
        return "SUB"

    @property
    def misfit(self) -> str:
        return "REQ"

    def peer(self, name: str, dialect: Dialect | None = None) -> Subscriber:
        return self.subscriber(name, dialect)

    def adopt(self, connection: Connection, dialect: Dialect | None = None) -> Subscriber:
        return connection.as_subscriber(dialect)

    def serve(self, peer: Peer, tag: bytes = b"served", rule: str | None = None) -> None:
        """Subscribe `peer` to `tag`, and show that a message comes, and one that does not match does not."""
        assert isinstance(peer, Subscriber)
        peer.subscribe(tag)
        peer.barrier()
        self.app.send(b"not " + tag)
        self.app.send(tag + b" first", b"part")
        self.compare(f"{peer.name} receives", [(tag + b" first", b"part")], peer.collect(), rule)

    def newcomer(self, name: str) -> Peer:
        """A peer of the other kind than the testee's socket, which is a fresh one if the case has closed it."""
        app = self.app if self.app.is_open else self.socket(name)
        if self.type in PUBLISHERS:
            endpoint = self.endpoint if app is self.app else app.bind()
            return self.subscriber(name, endpoint=endpoint, opposite=app)
        listener = self.listener()
        app.connect(listener.endpoint)
        return listener.publisher(name, opposite=app)

    def traffic(self, dialect: Dialect) -> bytes:
        topics = [self.octets(self.rng.randint(0, 20)) for _ in range(4)]
        octets = b"".join(self.wire.subscribe(topic, dialect) for topic in topics)
        octets += self.wire.command("PING", ttl=0, context=self.octets(4)) if dialect is V3_1 else b""
        octets += self.wire.subscribe(self.octets(300), dialect) + self.wire.message(b"hello", b"world")
        return octets + b"".join(self.wire.cancel(topic, dialect) for topic in topics[:2])

    def close(self) -> None:
        """Close every connection, and the testee's sockets if it can still be asked."""
        super().close()
        for each in self._sockets:
            self.clean_up(each.close)


def _told(value: object) -> str:
    """Messages as such, anything else as Python shows it."""
    if isinstance(value, list) and all(
        isinstance(one, tuple) and one and isinstance(one[0], bytes) for one in value
    ):
        messages: list[Parts] = value
        return show_all(messages)
    return value if isinstance(value, str) else repr(value)
