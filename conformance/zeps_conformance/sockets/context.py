"""Context of connections in an attempt: wire, rules, checks and waits."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from zeps_conformance.common.case import Case
from zeps_conformance.common.dialects import V3_1, Dialect
from zeps_conformance.common.narration import Narration
from zeps_conformance.common.verdicts import DeviationError, FailureError, RefereeError, RobustnessError
from zeps_conformance.model.rulebook import Rulebook
from zeps_conformance.sockets.markers import Markers, Parts, show_all
from zeps_conformance.sockets.referee import ConnectionReferee
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.zmtp_codec import Wire

__all__ = ["ImplementationUnderTest", "Opposite", "Settings", "SocketContext", "ZmtpProtocol"]

PROXY_TYPES = ("PUB", "XPUB", "SUB", "XSUB")

C = TypeVar("C", bound="Kept")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run. `timeout` limits the wait for an answer, `grace` is the silence required after a barrier, both
    in seconds; `seed` determines all random input. `record`: the bytes of all connections are recorded.
    """

    timeout: float = 3.0
    grace: float = 0.15
    seed: int = 0
    record: bool = False

    @property
    def leaving(self) -> float:
        """The time within which an implementation must disconnect a refused peer: a third of `timeout`."""
        return self.timeout / 3


@dataclass(frozen=True, slots=True)
class ZmtpProtocol:
    """The wire format and the rules of ZMTP, from the models."""

    wire: Wire
    rulebook: Rulebook


class ImplementationUnderTest(Protocol):
    """The implementation under test; `announced` are the versions, major and minor, that its sockets sent, by type.
    `beyond`: the results of probes of version 3.1 against types that announce a lower version.
    """

    announced: dict[str, tuple[int, int]]
    beyond: dict[str, str]

    @property
    def alive(self) -> bool:
        """Whether it runs, as far as that is known."""


class Opposite(Protocol):
    """The other side of the implementation: the application, or peers on a proxy's other side."""

    def send(self, *parts: bytes) -> bool: ...

    def subscribe(self, topic: bytes, /) -> None: ...

    def unsubscribe(self, topic: bytes, /) -> None: ...

    def await_marker(self, message: Parts, timeout: float) -> bool: ...

    def listen(self) -> None: ...

    @property
    def has_notices(self) -> bool: ...


class Closable(Protocol):
    def close(self) -> None: ...


class Kept(Closable, Protocol):
    """A connection that is read once more at the end of a case, and then closed."""

    def pump_if_open(self, wait: float) -> None: ...


class SocketContext(Narration):
    """Context of connections in an attempt. `type` is the judged role, `dialect` the case's, by default 3.1. A subclass
    calls `on_open` once, as soon as a peer can be served.
    """

    def __init__(
        self,
        case: Case,
        socket_type: str,
        implementation: ImplementationUnderTest,
        protocol: ZmtpProtocol,
        options: Settings,
    ) -> None:
        super().__init__(case, options.seed, options.record)
        self.type = socket_type
        self.implementation = implementation
        self.wire = protocol.wire
        self.rulebook = protocol.rulebook
        self.options = options
        self.dialect: Dialect = case.dialect or V3_1
        self.markers = Markers()
        self.on_open: Callable[[], None] = lambda: None
        self.referees: list[ConnectionReferee] = []
        self.accepted: list[socket.socket] = []  # connections that the implementation has opened
        self._sockets: list[Closable] = []
        self._connections: list[Kept] = []

    def begin(self) -> None:
        """Called before the case's first step."""

    @property
    def opposite(self) -> Opposite:
        """The other side, which barriers use."""
        raise NotImplementedError

    def listen(self) -> None:
        """Lets the implementation's application, if any, receive once: some libraries work only in its calls."""

    def memory(self) -> int | None:
        """Resident bytes of the implementation's process and its descendants; None if the process is not known."""
        raise NotImplementedError

    @property
    def peer_type(self) -> str:
        """A socket type that is compatible with the implementation's type."""
        raise NotImplementedError

    @property
    def misfit(self) -> str:
        """An incompatible socket type."""
        raise NotImplementedError

    # Connections --------------------------------------------------------------------------------------------

    def dial_to(self, endpoint: str, name: str) -> socket.socket:
        """Returns a socket connected to `endpoint`, which the caller closes; `name` is for the log. Raises FailureError
        if it is not connected within the run's timeout.
        """
        try:
            link = parse_endpoint(endpoint).connect(self.within(self.options.timeout))
        except OSError as error:
            raise FailureError(
                "the implementation accepts a connection", str(error.strerror or error)
            ) from error
        self.log.note(name, "open", f"connected to {endpoint}")
        return link

    def keep(self, connection: C) -> C:
        """Returns `connection`, after registering it to be closed at the end."""
        self._connections.append(connection)
        return connection

    def referee(self, name: str, link: socket.socket) -> ConnectionReferee:
        """Returns the referee of the new connection of `link`; :meth:`judge_traffic` asks it."""
        types = PROXY_TYPES if self.type == "PROXY" else (self.type,)
        earlier = self.referees[:] if any(known is link for known in self.accepted) else []
        made = ConnectionReferee(self.wire, name, types, earlier)
        self.referees.append(made)
        return made

    def nudge(self) -> None:
        """Gives the implementation other work: a library may ignore a new connection until then (JeroMQ's poller)."""

    # Checks -------------------------------------------------------------------------------------------------

    def level(self, rule: str | None) -> str:
        """Returns the level of `rule`, or of the case's first rule."""
        return self.rulebook.rule(rule or self.case.rules[0]).level

    def check(
        self, ok: bool, expected: str, seen: str, rule: str | None = None, libzmq: str | None = None
    ) -> None:
        """Records a check. If it is not `ok`, raises FailureError under `rule`, or the case's first rule. `libzmq`
        describes libzmq's deviation, if it matches: then the error is DeviationError. If the rule's level is
        UNSPECIFIED, or MAY and it is not `ok`, the result is recorded as an observation instead.
        """
        blamed = rule or self.case.rules[0]
        level = self.level(blamed)
        if level == "UNSPECIFIED" or (level == "MAY" and not ok):
            self.observations.append(f"{expected}: {'yes' if ok else f'no, {seen}'}")
            self.observe(expected, seen)
            self.left_open = self.left_open or level == "MAY"
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
        """Checks that `seen` equals `expected`, as :meth:`check`; `libzmq` is its deviation and the value then seen."""
        known = libzmq[0] if libzmq is not None and seen == libzmq[1] else None
        self.check(seen == expected, f"{what} {_told(expected)}", _told(seen), rule, known)

    def check_memory(self, before: int | None, growth_max: int, peak: int | None = None) -> None:
        """Checks that resident memory, or its `peak`, is at most `growth_max` bytes above `before`. Raises
        RobustnessError otherwise; a process that is not known or cannot be read is not checked.
        """
        after = self.memory() if peak is None else peak
        if not before or not after:
            reason = "the implementation's process is not known or cannot be read"
            self.observe("memory", f"not measured: {reason}")
            return
        grown = after - before
        expected, seen = f"at most {growth_max >> 10:,} KiB more memory", f"{grown >> 10:,} KiB more"
        if grown > growth_max:
            raise RobustnessError(expected, seen)
        self.observe(expected, seen)

    def observed(self, text: str) -> None:
        """Records the implementation's behaviour where the rules leave it open."""
        self.observations.append(text)
        self.observe("the implementation's own choice", text)

    # The end ------------------------------------------------------------------------------------------------

    def judge_traffic(self) -> None:
        """Raises RefereeError for the first violation in what the implementation sent, of a MUST if there is one."""
        for connection in self._connections:
            with contextlib.suppress(FailureError):
                connection.pump_if_open(0.0)
        faults = [(referee.name, fault) for referee in self.referees for fault in referee.faults()]
        for name, fault in sorted(faults, key=lambda known: self.level(known[1].rule) != "MUST"):
            seen = f"{fault.seen}, at byte {fault.start} of what it sent to {name}"
            raise RefereeError(f"the implementation sends {fault.expected}", seen, fault.rule)
        self.observe(
            "all bytes that the implementation sent follow the rules", f"{len(self.referees)} connections"
        )

    def close(self) -> None:
        """Closes every connection and every other socket of the suite."""
        for connection in self._connections:
            connection.close()
        for listener in self._sockets:
            listener.close()


def _told(value: object) -> str:
    """Formats messages as text, and other values by their repr, those of a set in order."""
    if isinstance(value, set):
        value = sorted(value)
    if isinstance(value, list) and all(
        isinstance(item, tuple) and item and isinstance(item[0], bytes) for item in value
    ):
        messages: list[Parts] = value
        return show_all(messages)
    return value if isinstance(value, str) else repr(value)
