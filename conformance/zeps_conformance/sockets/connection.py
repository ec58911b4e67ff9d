"""A raw connection with an implementation: any octets out, greeting and frames in."""

from __future__ import annotations

import contextlib
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar

from zeps_conformance.common.dialects import V3_0, V3_1, Dialect
from zeps_conformance.common.verdicts import FailureError, LostError, UnservedError
from zeps_conformance.model.interpreter import Decoded, Value
from zeps_conformance.sockets.context import SocketContext
from zeps_conformance.wire.link import ConnectionLostError, Link
from zeps_conformance.wire.zmtp_codec import Frame, Properties
from zeps_conformance.wire.zmtp_engine import Engine, ZmtpError

__all__ = ["Connection"]

NUDGE = (
    0.4  # seconds of silence after which an implementation that has connected is given something else to do
)
FRAMES_RULE = "ZMTP-F-2"
UNASKED = 0.3  # seconds for an implementation to tell its version before it has been told ours


class Connection(Link):
    """One connection. Nothing is said on it but what a case says, except for PONG once there was a handshake.

    Until the greeting is read, what arrives is octets; from then on it is frames, which are logged as they come. All
    waits end after the run's timeout, or after `within` seconds. FailureError if something else comes than is waited
    for, under `rule` or the case's own.
    """

    OTHER: ClassVar[str] = "the implementation"
    ASKS: ClassVar[str] = ""  # the direction of the wire log in which subscriptions go, if it is known

    def __init__(self, trial: SocketContext, link: socket.socket, name: str) -> None:
        super().__init__(link, name, trial.log)
        self.trial = trial
        self.greeting: Decoded | None = None
        self.greeting_octets = b""
        self.properties: dict[str, bytes] = {}
        self.dialect: Dialect = V3_1
        self.answers_pings = True
        self._engine = Engine(wire=trial.wire)
        self._nudge: Callable[[], None] | None = None
        self._nudge_at = 0.0
        self._inbox: deque[Frame] = deque()

    # Saying -------------------------------------------------------------------------------------------------

    def send_raw(self, octets: bytes, text: str = "", *, may_fail: bool = False) -> None:
        """Octets as they are, in one write. With `may_fail` the implementation may have ended the connection before."""
        self.log.frame(self.name, ">", "raw", octets, text or "octets")
        with contextlib.suppress(LostError) if may_fail else contextlib.nullcontext():
            self._put(octets)

    def send_slowly(self, octets: bytes, gap: float = 0.005) -> None:
        """One octet at a time."""
        self.log.frame(self.name, ">", "raw", octets, "octet by octet")
        for octet in octets:
            self._put(bytes((octet,)))
            time.sleep(gap)

    def send_greeting(self, version: tuple[int, int] | None = None, **fields: Value) -> None:
        """A greeting, by default of the case's dialect; `fields` as :meth:`Wire.greeting` has them."""
        octets = self.trial.wire.greeting(version or self.trial.dialect.value, **fields)  # type: ignore[arg-type]
        said = self.trial.wire.take_greeting(octets).values
        self.log.frame(self.name, ">", "greeting", octets, self.trial.wire.describe_greeting(said))
        self._put(octets)

    def send_ready(self, socket_type: str, properties: Properties = ()) -> None:
        """READY with Socket-Type and `properties`."""
        self._put_frames(self.trial.wire.ready(socket_type.encode(), properties))

    def send_frame(
        self, body: bytes, *, more: bool = False, command: bool = False, long: bool | None = None
    ) -> None:
        """One frame; long if `body` is too large for a short one, unless told."""
        self._put_frames(self.trial.wire.frame(body, more=more, command=command, long=long))

    def send_command(self, name: str, /, *, long: bool | None = None, **fields: Value) -> None:
        """A command that the models know."""
        self._put_frames(self.trial.wire.command(name, long=long, **fields))

    def send_message(self, *parts: bytes) -> None:
        """A message of one or more parts, in one write."""
        self._put_frames(self.trial.wire.message(*parts))

    def handshake(
        self,
        socket_type: str,
        version: tuple[int, int] | None = None,
        properties: Properties = (),
        within: float | None = None,
    ) -> None:
        """The handshake: a greeting each, READY each. Ours is said without waiting for theirs."""
        self.send_greeting(version)
        self.read_greeting(within)
        self.send_ready(socket_type, properties)
        self.finish_handshake(within)

    def greet_suitably(self) -> None:
        """A greeting with the implementation's own version, 3.1 at most, and theirs.

        An implementation that was not heard before gets the octets up to the major version first, which is enough for
        it to tell its own, and the others once it has, or has waited for them too long.
        """
        known, role = self.trial.implementation.announced, self.trial.type
        if role not in known:
            first = self.trial.wire.greeting()[: self.trial.wire.major_at + 1]
            self.send_raw(first, "the beginning of a greeting")
            self._wait_quietly(lambda: self.greeting is not None or self._greet(), UNASKED)
        else:
            first = b""
        version = known.get(role, V3_1.value if self.greeting is None else self.announced)
        self.send_raw(self.trial.wire.greeting(min(version, V3_1.value))[len(first) :], "a greeting")
        self.read_greeting()
        known[role] = self.announced

    def finish_handshake(self, within: float | None = None) -> None:
        """READY of the implementation, which has to be the next frame; from then on its PINGs are answered."""
        ready = self.expect_command("READY", within=within)
        try:
            self.properties = self._engine.accept_ready(ready)
        except ZmtpError as error:
            raise FailureError("a READY that decodes", ready.body.hex(" "), "ZMTP-N-3") from error

    # Hearing ------------------------------------------------------------------------------------------------

    @property
    def announced(self) -> tuple[int, int]:
        """The version that the implementation announced."""
        greeting = self.read_greeting()
        return greeting["major"], greeting["minor"]

    def read_octets(self, count: int, within: float | None = None) -> bytes:
        """Exactly `count` octets, before anything was read as a greeting."""
        self._wait(lambda: len(self._engine.incoming) >= count, within, f"{count} octets")
        octets = self._engine.incoming.octets(count)
        self.log.frame(self.name, "<", "raw", octets, "octets")
        return octets

    def read_available(self, seconds: float, count: int | None = None, *, keep: bool = False) -> bytes:
        """The octets that come within so many seconds, or until there are `count`, or the connection is over.

        Nothing is amiss if none come. With `keep` they can be read again, as a greeting. Once the greeting was read
        there are no octets any more, and this only waits.
        """
        incoming = self._engine.incoming
        self._wait_quietly(lambda: count is not None and len(incoming) >= count, self.trial.within(seconds))
        if self._engine.greeted:
            return b""
        wanted = len(incoming) if count is None else count
        octets = incoming.peek(wanted) if keep else incoming.octets(wanted)
        if octets and not keep:
            self.log.frame(self.name, "<", "raw", octets, "octets")
        return octets

    def ends(self, within: float | None = None) -> bool:
        """Whether the implementation ends the connection in time. Frames that come before are kept."""
        self._wait_quietly(lambda: False, self._patience(within))
        return self.lost is not None

    def read_greeting(self, within: float | None = None) -> Decoded:
        """The implementation's greeting, read once."""
        if self.greeting is None:
            self._wait(self._greet, within, "the implementation's greeting")
        assert self.greeting is not None
        return self.greeting

    def read_frame(self, within: float | None = None) -> Frame | None:
        """The next frame; None if none comes in time. FailureError if the connection is over."""
        self.read_greeting(within)
        self._wait_quietly(lambda: bool(self._inbox), self._patience(within))
        if self._inbox:
            return self._inbox.popleft()
        if self.lost is not None:
            raise LostError(f"the connection of {self.name} stays open", self.lost)
        return None

    def expect_command(self, name: str, rule: str | None = None, within: float | None = None) -> Frame:
        """The next frame, which has to be that command."""
        expected = f"{self.name} receives {name}"
        try:
            found = self.read_frame(within)
        except FailureError as error:
            raise type(error)(expected, error.seen, error.rule or rule) from error
        if found is None or not found.command or found.name != name:
            seen = "nothing" if found is None else self.trial.wire.describe(found)
            raise FailureError(expected, seen, rule)
        self.trial.observe(expected, self.trial.wire.describe(found))
        return found

    def expect_closed(
        self, within: float | None = None, rule: str | None = None, why: str = "", libzmq: str | None = None
    ) -> list[Frame]:
        """The implementation ends the connection. Returns the frames that came before.

        That it keeps it may be what libzmq does, if `libzmq` says so.
        """
        self._wait_quietly(lambda: False, self._patience(within))
        expected = f"the implementation ends the connection of {self.name}{': ' if why else ''}{why}"
        self.trial.check(self.lost is not None, expected, self.lost or "it is open", rule, libzmq)
        frames = list(self._inbox)
        self._inbox.clear()
        return frames

    def expect_open(self, seconds: float | None = None, rule: str | None = None, why: str = "") -> None:
        """The implementation keeps the connection for so long."""
        self._wait_quietly(lambda: False, self.trial.options.grace if seconds is None else seconds)
        expected = f"the implementation keeps the connection of {self.name}{': ' if why else ''}{why}"
        self.trial.check(self.lost is None, expected, self.lost or "it is open", rule)

    def shut_down_sending(self) -> None:
        """Close our direction only (FIN)."""
        self.log.note(self.name, "close", "the suite sends no more")
        if self.lost is None:
            self._link.shutdown(socket.SHUT_WR)

    # Within -------------------------------------------------------------------------------------------------

    def nudge_unless_greeted(self, nudge: Callable[[], None]) -> None:
        """Call `nudge` once if nothing has arrived for a while."""
        self._nudge, self._nudge_at = nudge, time.monotonic() + NUDGE

    def pump(self, wait: float) -> None:
        left = self._nudge_at - time.monotonic()
        if self._nudge is not None and left <= 0:
            nudge, self._nudge = self._nudge, None
            self.log.note(
                self.name, "note", "nothing has arrived: the implementation is given something else to do"
            )
            nudge()
        super().pump(wait if self._nudge is None else min(wait, max(left, 0.0)))

    def arrived(self, octets: bytes) -> None:
        self._nudge = None
        self._engine.incoming.feed(octets)
        if self._engine.greeted:
            self._take_frames()

    def heard(self, found: Frame) -> None:
        """A frame arrived; PING was answered."""
        self._inbox.append(found)

    def hand_over(self) -> socket.socket:
        """The socket, for another object to use in place of this one. LostError if the connection is over."""
        if self.lost is not None:
            raise LostError(f"the connection of {self.name} stays open", self.lost)
        self.lost = "the connection was handed over"
        return self._link

    def take_over(self, other: Connection) -> None:
        """Go on where `other` has handed over. What follows is frames, even if its greeting was read as octets."""
        self.greeting, self.properties, self.dialect = other.greeting, other.properties, other.dialect
        self.answers_pings = other.answers_pings
        self._engine = other._engine
        self._engine.greeted = self._engine.ready = True
        for found in other._inbox:
            self.heard(found)
        self._take_frames()

    def unserved(self, expected: str, seen: str, rule: str | None = None) -> UnservedError:
        """That the implementation does not do for a peer without fault what every peer needs."""
        return UnservedError(f"{self.name}: {expected}", seen, rule)

    def _greet(self) -> bool:
        octets = self._engine.incoming.peek(self.trial.wire.greeting_size)
        try:
            values = self._engine.take_greeting()
        except ZmtpError as error:
            raise FailureError("a greeting of ZMTP 3", str(error), "ZMTP-G-1") from error
        if values is None:
            return False
        self.greeting, self.greeting_octets = Decoded("GREETING", values, len(octets)), octets
        self.log.frame(self.name, "<", "greeting", octets, self.trial.wire.describe_greeting(values))
        if self._engine.other < V3_1.value:
            self.dialect = V3_0
        self._take_frames()
        return True

    def _take_frames(self) -> None:
        try:
            while (found := self._engine.take_frame(self._engine.ready and self.answers_pings)) is not None:
                kind = "command" if found.command else "frame"
                self.log.frame(self.name, "<", kind, found.octets, self._describe(found, "<"))
                if self._engine.answers:
                    self.log.frame(self.name, ">", "command", bytes(self._engine.answers), "PONG")
                    self._outbox += self._engine.answers
                    self._engine.answers.clear()
                self.heard(found)
        except ZmtpError as error:
            self.end("over")
            raise FailureError(f"{self.name} receives frames that decode", str(error), FRAMES_RULE) from error

    def _put_frames(self, octets: bytes) -> None:
        at = 0
        while at < len(octets):
            found = self.trial.wire.take_frame(octets[at:])
            kind = "command" if found.command else "frame"
            self.log.frame(self.name, ">", kind, found.octets, self._describe(found, ">"))
            at += len(found.octets)
        self._put(octets)

    def _put(self, octets: bytes) -> None:
        try:
            self.write(octets, self.trial.within(30.0))
        except ConnectionLostError as error:
            raise LostError(f"the connection of {self.name} stays open", str(error)) from error

    def _describe(self, found: Frame, direction: str) -> str:
        wire = self.trial.wire
        return wire.describe_subscription(found) if direction == self.ASKS else wire.describe(found)

    def _patience(self, within: float | None) -> float:
        return self.trial.within(self.trial.options.timeout if within is None else within)

    def _wait(self, done: Callable[[], bool], within: float | None, what: str) -> None:
        """Wait for what the implementation has to send. FailureError if it does not."""
        try:
            self.wait_until(done, self._patience(within), what)
        except ConnectionLostError as error:
            lost = LostError if self.lost else FailureError
            raise lost(f"{self.name} receives {what}", str(error)) from error

    def _wait_quietly(self, done: Callable[[], bool], seconds: float) -> None:
        """Wait so long at most, or until the connection is over."""
        deadline = time.monotonic() + seconds
        self.pump_if_open(0.0)
        while self.lost is None and not done():
            left = deadline - time.monotonic()
            if left <= 0:
                return
            self.pump_if_open(left)

    def pump_if_open(self, wait: float) -> None:
        """Read and write if there is a connection."""
        if self.lost is None:
            self.pump(wait)
