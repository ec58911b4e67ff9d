"""Raw connection with an implementation: sends any bytes, receives greeting and frames."""

from __future__ import annotations

import contextlib
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar

from zeps_conformance.common.dialects import V3_0, V3_1, Dialect
from zeps_conformance.common.traffic import End
from zeps_conformance.common.verdicts import FailureError, LostError, UnservedError
from zeps_conformance.model.interpreter import Decoded, Value
from zeps_conformance.sockets.context import SocketContext
from zeps_conformance.wire.link import ConnectionLostError, Link
from zeps_conformance.wire.zmtp_codec import Frame, Properties
from zeps_conformance.wire.zmtp_engine import Engine, ZmtpError

__all__ = ["Connection"]

NUDGE = 0.4  # seconds of silence after which an implementation that has connected is given other work
FRAMES_RULE = "ZMTP-F-2"
UNASKED = 0.3  # seconds for an implementation to send its version before it has received the suite's


class Connection(Link):
    """One connection. It sends only what a case sends, except PONG after the handshake. After the greeting, input is
    frames. Waits end after `within` seconds, by default the run's timeout. Unexpected input raises FailureError, under
    `rule` or the case's first rule; the end of the connection raises LostError where more input is required.
    """

    OTHER: ClassVar[str] = "the implementation"
    ASKS: ClassVar[str] = ""  # direction of subscriptions in the wire log, if it is known

    def __init__(self, trial: SocketContext, link: socket.socket, name: str) -> None:
        super().__init__(link, name, trial.log)
        self.trial = trial
        self.referee = trial.referee(name, link)
        self.greeting: Decoded | None = None
        self.greeting_bytes = b""
        self.properties: dict[str, bytes] = {}
        self.dialect: Dialect = V3_1
        self.answers_pings = True
        self._engine = Engine(wire=trial.wire)
        self._nudge: Callable[[], None] | None = None
        self._nudge_at = 0.0
        self._inbox: deque[Frame] = deque()

    # Sending ------------------------------------------------------------------------------------------------

    def send_raw(self, data: bytes, text: str = "", *, may_fail: bool = False) -> None:
        """Sends bytes unchanged, without a frame; `text` is for the log. With `may_fail`, LostError is not raised."""
        self.log.frame(self.name, ">", "raw", data, text or "octets")
        with contextlib.suppress(LostError) if may_fail else contextlib.nullcontext():
            self._put(data)

    def send_slowly(self, data: bytes, gap: float = 0.005) -> None:
        """Sends one byte at a time, with `gap` seconds after each."""
        self.log.frame(self.name, ">", "raw", data, "byte by byte")
        for octet in data:
            self._put(bytes((octet,)))
            time.sleep(gap)

    def send_greeting(self, version: tuple[int, int] | None = None, **fields: Value) -> None:
        """Sends a greeting, by default of the case's dialect; `fields` as for :meth:`Wire.greeting`."""
        greeting = self.trial.wire.greeting(version or self.trial.dialect.value, **fields)  # type: ignore[arg-type]
        said = self.trial.wire.take_greeting(greeting).values
        self.log.frame(self.name, ">", "greeting", greeting, self.trial.wire.describe_greeting(said))
        self._put(greeting)

    def send_ready(self, socket_type: str, properties: Properties = ()) -> None:
        """Sends READY with Socket-Type and `properties`."""
        self._put_frames(self.trial.wire.ready(socket_type.encode(), properties))

    def send_frame(
        self, body: bytes, *, more: bool = False, command: bool = False, long: bool | None = None
    ) -> None:
        """Sends one frame; by default it is long only if `body` has more than 255 bytes."""
        self._put_frames(self.trial.wire.frame(body, more=more, command=command, long=long))

    def send_command(self, name: str, /, *, long: bool | None = None, **fields: Value) -> None:
        """Sends the models' command `name` with `fields`; `long` as for :meth:`send_frame`."""
        self._put_frames(self.trial.wire.command(name, long=long, **fields))

    def send_message(self, *parts: bytes) -> None:
        """Sends a message of one or more parts, in one write."""
        self._put_frames(self.trial.wire.message(*parts))

    def greet_suitably(self) -> None:
        """Exchanges greetings in the implementation's own version, 3.1 at most, and records that in its `announced`. If
        it is not known, sends the bytes up to the major version first, and the rest after its greeting or 0.3 s.
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

    def finish_handshake(self) -> Frame:
        """Reads READY, the next frame, into `properties` (names in lower case), and returns it; from then on PINGs are
        answered.
        """
        ready = self.expect_command("READY")
        try:
            self.properties = self._engine.accept_ready(ready)
        except ZmtpError as error:
            raise FailureError("a READY that decodes", ready.body.hex(" "), "ZMTP-N-3") from error
        return ready

    # Receiving ----------------------------------------------------------------------------------------------

    @property
    def announced(self) -> tuple[int, int]:
        """The version that the implementation announced, major and minor; reads its greeting if necessary."""
        greeting = self.read_greeting()
        return greeting["major"], greeting["minor"]

    def read_exactly(self, count: int) -> bytes:
        """Returns exactly `count` bytes; only before the greeting was read. Raises FailureError if fewer arrive."""
        self._wait(lambda: len(self._engine.incoming) >= count, None, f"{count} bytes")
        data = self._engine.incoming.take(count)
        self.log.frame(self.name, "<", "raw", data, "octets")
        return data

    def read_available(self, seconds: float, count: int | None = None, *, keep: bool = False) -> bytes:
        """Returns the bytes that arrive within the given seconds, or until there are `count`, or the connection ends.
        With `keep` they can be read again, as a greeting. After the greeting was read, only waits: the result is empty.
        """
        incoming = self._engine.incoming
        self._wait_quietly(lambda: count is not None and len(incoming) >= count, self.trial.within(seconds))
        if self._engine.greeted:
            return b""
        size = len(incoming) if count is None else count
        data = incoming.peek(size) if keep else incoming.take(size)
        if data and not keep:
            self.log.frame(self.name, "<", "raw", data, "octets")
        return data

    def ends(self, within: float | None = None) -> bool:
        """Waits until the implementation ends the connection; returns whether it did. Frames remain readable."""
        self._wait_quietly(lambda: False, self._patience(within))
        return self.lost is not None

    def read_greeting(self, within: float | None = None) -> Decoded:
        """Returns the implementation's greeting, which is read once. Raises FailureError if it is not of ZMTP 3."""
        if self.greeting is None:
            self._wait(self._greet, within, "the implementation's greeting")
        assert self.greeting is not None
        return self.greeting

    def read_frame(self, within: float | None = None) -> Frame | None:
        """Returns the next frame that :meth:`heard` keeps, or None if none arrives in time; LostError at the end."""
        self.read_greeting(within)
        self._wait_quietly(lambda: bool(self._inbox), self._patience(within))
        if self._inbox:
            return self._inbox.popleft()
        if self.lost is not None:
            raise LostError(f"the connection of {self.name} stays open", self.lost)
        return None

    def expect_command(self, name: str, rule: str | None = None, within: float | None = None) -> Frame:
        """Returns the next frame, which must be the command `name`; raises FailureError under `rule` otherwise."""
        expected = f"{self.name} receives {name}"
        try:
            frame = self.read_frame(within)
        except FailureError as error:
            raise type(error)(expected, error.seen, error.rule or rule) from error
        if frame is None or not frame.command or frame.name != name:
            seen = "nothing" if frame is None else self.trial.wire.describe(frame)
            raise FailureError(expected, seen, rule)
        self.trial.observe(expected, self.trial.wire.describe(frame))
        return frame

    def expect_closed(
        self, within: float | None = None, rule: str | None = None, why: str = ""
    ) -> list[Frame]:
        """Checks that the implementation ends the connection in time; returns the unread frames that arrived before."""
        closed = self.ends(within)
        expected = f"the implementation ends the connection of {self.name}{': ' if why else ''}{why}"
        self.trial.check(closed, expected, self.lost or "it is open", rule)
        frames = list(self._inbox)
        self._inbox.clear()
        return frames

    def expect_open(self, seconds: float | None = None, rule: str | None = None, why: str = "") -> None:
        """Checks that the implementation keeps the connection for `seconds`, by default the run's `grace`."""
        self._wait_quietly(lambda: False, self.trial.options.grace if seconds is None else seconds)
        expected = f"the implementation keeps the connection of {self.name}{': ' if why else ''}{why}"
        self.trial.check(self.lost is None, expected, self.lost or "it is open", rule)

    def shut_down_sending(self) -> None:
        """Shuts down the sending direction (FIN)."""
        self.log.note(self.name, "close", "the suite shut down its sending direction")
        if self.lost is None:
            try:
                self._link.shutdown(socket.SHUT_WR)
            except OSError as error:
                self.end(f"lost: {error.strerror or error}", End.LOST)

    # Internal -----------------------------------------------------------------------------------------------

    def nudge_unless_greeted(self, nudge: Callable[[], None]) -> None:
        """Makes later waits call `nudge` once, if nothing has arrived for `NUDGE` (0.4) seconds from now."""
        self._nudge, self._nudge_at = nudge, time.monotonic() + NUDGE

    def pump(self, wait: float) -> None:
        left = self._nudge_at - time.monotonic()
        if self._nudge is not None and left <= 0:
            nudge, self._nudge = self._nudge, None
            self.log.note(self.name, "note", "nothing has arrived: the implementation is given other work")
            nudge()
        super().pump(wait if self._nudge is None else min(wait, max(left, 0.0)))

    def arrived(self, data: bytes) -> None:
        self._nudge = None
        self.referee.received(data)
        self._engine.incoming.feed(data)
        if self._engine.greeted:
            self._take_frames()

    def heard(self, frame: Frame) -> None:
        """Handles a received frame: keeps it for :meth:`read_frame`. PING has already been answered."""
        self._inbox.append(frame)

    def hand_over(self) -> socket.socket:
        """Returns the socket, for use in another object; this connection then counts as ended."""
        if self.lost is not None:
            raise LostError(f"the connection of {self.name} stays open", self.lost)
        self.lost = "the connection was handed over"
        return self._link

    def take_over(self, other: Connection) -> None:
        """Continues where `other` was handed over. Further input is frames, even if its greeting was read as bytes."""
        self.greeting, self.properties, self.dialect = other.greeting, other.properties, other.dialect
        self.trial.referees.remove(self.referee)
        self.referee = other.referee
        self.answers_pings = other.answers_pings
        self._engine = other._engine
        self._engine.greeted = self._engine.ready = True
        for frame in other._inbox:
            self.heard(frame)
        self._take_frames()

    def unserved(self, expected: str, seen: str, rule: str | None = None) -> UnservedError:
        """Returns the error for a valid peer that is not served."""
        return UnservedError(f"{self.name}: {expected}", seen, rule)

    def _greet(self) -> bool:
        greeting = self._engine.incoming.peek(self.trial.wire.greeting_size)
        try:
            values = self._engine.take_greeting()
        except ZmtpError as error:
            raise FailureError("a greeting of ZMTP 3", str(error), "ZMTP-G-1") from error
        if values is None:
            return False
        self.greeting, self.greeting_bytes = Decoded("GREETING", values, len(greeting)), greeting
        self.log.frame(self.name, "<", "greeting", greeting, self.trial.wire.describe_greeting(values))
        if self._engine.other < V3_1.value:
            self.dialect = V3_0
        self._take_frames()
        return True

    def _take_frames(self) -> None:
        try:
            while (frame := self._engine.take_frame(self._engine.ready and self.answers_pings)) is not None:
                kind = "command" if frame.command else "frame"
                self.log.frame(self.name, "<", kind, frame.encoded, self._describe(frame, "<"))
                if self._engine.answers:
                    self.log.frame(self.name, ">", "command", bytes(self._engine.answers), "PONG")
                    self.referee.sent(bytes(self._engine.answers))
                    self._outbox += self._engine.answers
                    self._engine.answers.clear()
                self.heard(frame)
        except ZmtpError as error:
            self.end("over")
            raise FailureError(f"frames to {self.name} that decode", str(error), FRAMES_RULE) from error

    def _put_frames(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            frame = self.trial.wire.take_frame(data[at:])
            kind = "command" if frame.command else "frame"
            self.log.frame(self.name, ">", kind, frame.encoded, self._describe(frame, ">"))
            at += len(frame.encoded)
        self._put(data)

    def _put(self, data: bytes) -> None:
        self.referee.sent(data)
        try:
            self.write(data, self.trial.within(30.0))
        except ConnectionLostError as error:
            raise LostError(f"the connection of {self.name} stays open", str(error)) from error

    def _describe(self, frame: Frame, direction: str) -> str:
        wire = self.trial.wire
        return wire.describe_subscription(frame) if direction == self.ASKS else wire.describe(frame)

    def _patience(self, within: float | None) -> float:
        return self.trial.within(self.trial.options.timeout if within is None else within)

    def _wait(self, done: Callable[[], bool], within: float | None, what: str) -> None:
        """Waits until `done`. Raises FailureError on timeout, and LostError if the connection ends before."""
        try:
            self.wait_until(done, self._patience(within), what)
        except ConnectionLostError as error:
            lost = LostError if self.lost else FailureError
            raise lost(f"{self.name} receives {what}", str(error)) from error

    def _wait_quietly(self, done: Callable[[], bool], seconds: float) -> None:
        """Waits until `done`, or until the connection ends, at most `seconds`."""
        deadline = time.monotonic() + seconds
        self.pump_if_open(0.0)
        while self.lost is None and not done():
            left = deadline - time.monotonic()
            if left <= 0:
                return
            self.pump_if_open(left)

    def pump_if_open(self, wait: float) -> None:
        """Reads and writes once, if the connection is open, after waiting at most `wait` seconds for the socket."""
        if self.lost is None:
            self.pump(wait)
