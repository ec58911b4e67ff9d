"""Session of a case: one connection, with the operations that cases consist of."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from zeps_conformance.broker.context import BrokerContext
from zeps_conformance.broker.expected import Expected
from zeps_conformance.broker.peer import ATTENTION, BrokerPeer, ConnectionLostError
from zeps_conformance.broker.reason import NOTICES, Reason, codes_for
from zeps_conformance.broker.referee import CREDIT_MAX
from zeps_conformance.broker.series import Item, Series
from zeps_conformance.common.verdicts import FailureError, LostError
from zeps_conformance.model.interpreter import Decoded, MalformedFrameError, Value, render

__all__ = ["ALL", "NEW", "PLENTY", "Item", "Session"]

ALL = 0
NEW = CREDIT_MAX
PLENTY = 1 << 40  # bytes of credit that no case uses up
MALFORMED = ("malformed",)
WINDOW = 8192  # messages of a series that are published at a time

RULE_OF_CODE = {
    "truncated": "ZEPS-FRAME-5",
    "trailing": "ZEPS-FRAME-4",
    "bad-signature": "ZEPS-FRAME-7",
    "unknown-message": "ZEPS-FRAME-6",
    "bad-text": "ZEPS-TEXT-2",
    "too-long": "ZEPS-PUBLISH-7",
}


Result = TypeVar("Result")


class Session:
    """A connection and the known state of its session. The suite's codec decodes arriving frames, and the referee
    checks them. The broker's PING is counted (`pinged`), and answered unless `answers_pings` is False or the commands
    under way may have ended the session (ZEPS-PING-2, ZEPS-INVALID-2). Operations raise FailureError if the broker
    violates a rule, and its subclass LostError if the connection has ended. `offended`: it has sent invalid
    input or was refused. `left`: the case has closed it. `may_lose`: retention may remove due messages at any time.
    """

    def __init__(
        self, trial: BrokerContext, name: str, peer: BrokerPeer, stream: str, routing_id: bytes = b""
    ) -> None:
        self.trial = trial
        self.name = name
        self.peer = peer
        self.stream = stream
        self.answers_pings = True
        self.only_answers = False  # whether it sends heartbeats only as answers when a case is idle
        self.pinged = 0
        self.offended = False
        self.left = False
        self.may_lose = False
        self.may_close = False  # INVALID has ended the session, or refused one (ZEPS-SESSION-6)
        self._inbox: deque[tuple[Decoded, Reason | None]] = deque()
        self._routing_id = routing_id
        self._referee = trial.referee(bool(routing_id))
        self._spoke = time.monotonic()
        self._sending = False

    # Sending ------------------------------------------------------------------------------------------------

    def send(self, name: str, /, **values: Value) -> None:
        """Sends a valid command, or an invalid one if `values` override a constant or are not valid text."""
        self.send_frame(self.trial.codec.encode(name, **values))

    def send_frame(self, frame: bytes) -> None:
        """Sends one frame as a message of its own, valid or not; the referee expects INVALID if it does not decode."""
        self._announce(frame)
        self._guarded(lambda: self.peer.send(frame))

    def begin(self, frame: bytes) -> bytes:
        """Returns the ZMTP bytes of a one-frame message for :meth:`send_piece`; the frame counts as sent now."""
        self._announce(frame)
        return self.peer.begin(frame)

    def send_piece(self, data: bytes) -> None:
        """Sends the next bytes of the message that :meth:`begin` returned."""
        self._guarded(lambda: self.peer.write(data))

    def send_parts(self, *parts: bytes) -> None:
        """Sends one message of several parts, which a broker must refuse."""
        self._referee.sent_bad(MALFORMED)
        self.offended = True
        self._guarded(lambda: self.peer.send(*parts))

    def send_together(self, frames: list[bytes]) -> None:
        """Sends several frames in one write, each as a message of its own."""
        for frame in frames:
            self._announce(frame)
        self._guarded(lambda: self.peer.send_together(frames))

    def publish(self, key: str, body: bytes) -> None:
        self.send("PUBLISH", key=key, body=body)

    def publish_many(self, messages: Sequence[tuple[str, bytes]]) -> None:
        """Publishes `messages`, key and body, in one write, without waiting."""
        encode = self.trial.codec.encode
        self.send_together([encode("PUBLISH", key=key, body=body) for key, body in messages])

    def publish_series(self, series: Series, first: int, last: int) -> None:
        """Publishes the messages `first` to `last` of `series`, without waiting."""
        for start in range(first, last + 1, WINDOW):
            end = min(start + WINDOW - 1, last)
            self._referee.sent(Decoded("PUBLISH", {}, 0))
            self.trial.log.note(self.name, "note", f"PUBLISHes {start} to {end}")
            data = series.publishes(start, end)
            self._guarded(lambda data=data: self.peer.write(data))  # type: ignore[misc]
            self.trial.keep_alive()

    def grant(self, credit: int) -> None:
        """Sends CREDIT for `credit` more bytes; messages that arrived before are judged by the earlier credit."""
        self.absorb()
        self.send("CREDIT", credit=credit)

    # Receiving ----------------------------------------------------------------------------------------------

    def next(self, timeout: float | None = None) -> Decoded | None:
        """Returns the next frame that is not a PING, or None after `timeout` seconds, by default the run's."""
        received = self._next(timeout)
        return None if received is None else received[0]

    def receive(self, expected: str, rule: str | None = None) -> tuple[Decoded, Reason | None]:
        """Returns the next frame that is not a PING, with the reason of INVALID. Raises FailureError under `rule` if
        none arrives within the run's timeout; `expected` is for the report.
        """
        try:
            received = self._next()
        except LostError as error:
            raise LostError(f"{self.name} receives {expected}", error.seen, rule) from error
        except FailureError as error:
            both = f"{self.name} receives {expected}, and {error.expected}"
            raise FailureError(both, error.seen, error.rule or rule) from error
        if received is None:
            seen = f"nothing within {self.trial.options.timeout:g} s"
            raise FailureError(f"{self.name} receives {expected}", seen, rule)
        return received

    def _next(self, timeout: float | None = None) -> tuple[Decoded, Reason | None] | None:
        """As :meth:`next`, with the reason of INVALID."""
        deadline = time.monotonic() + (self.trial.options.timeout if timeout is None else timeout)
        while not self._inbox:
            left = deadline - time.monotonic()
            parts = self._receive(max(left, 0.0))
            if parts is None:
                return None
            self._take(parts)
        return self._inbox.popleft()

    def absorb(self) -> None:
        """Reads and judges available input without waiting, for :meth:`next`. A lost connection is not an error."""
        with contextlib.suppress(ConnectionLostError, LostError):
            while (parts := self.peer.receive(0.0)) is not None:
                self._take(parts)

    def expect(self, name: str, rule: str | None = None, /, **values: Value) -> Decoded:
        """Returns the next frame, which must be `name` with `values`; other fields may be anything. Raises FailureError
        under `rule` otherwise, and if nothing arrives within the run's timeout.
        """
        expected = render(Decoded(name, values, 0))
        message, _ = self.receive(expected, rule)
        right = message.name == name and all(message[field] == value for field, value in values.items())
        self.trial.check(right, f"{self.name} receives {expected}", render(message), rule)
        return message

    def expect_any(self, *names: str) -> Decoded:
        """Returns the next frame, which must be one of `names` and arrive within the run's timeout."""
        expected = " or ".join(names)
        message, _ = self.receive(expected)
        self.trial.check(message.name in names, f"{self.name} receives {expected}", render(message))
        return message

    def expect_items(self, items: Sequence[Item], rule: str | None = None) -> None:
        """Checks that the next frames deliver exactly `items`, in this order; each within the run's timeout."""
        for index, item in enumerate(items):
            where = f" as message {index + 1} of {len(items)}" if len(items) > 1 else ""
            self._expect_item(item, where, rule)
        count = f"{len(items)} messages" if len(items) != 1 else "1 message"
        numbers = f", sequence {_runs([item.sequence for item in items])}" if items else ""
        self.trial.observe(f"{self.name} receives {count}{numbers}", "exactly these, in order")

    def expect_series(self, series: Series, first: int, last: int, rule: str | None = None) -> None:
        """As :meth:`expect_items` for the messages `first` to `last` of `series`, which are sequences of the stream."""
        at = first
        while at <= last:
            arrived = 0
            if not self._inbox and self.peer.idle:
                arrived = self._match(Expected(series.delivers(at, last), series.deliver_bytes))
            for number in range(at, at + arrived):
                self._referee.received(series.delivered(number))
            at += arrived
            if at <= last:  # a PING, or a message that differs, or none
                self._expect_item(series.item(at), f" of {first} to {last}", rule)
                at += 1
        self.trial.observe(f"{self.name} receives {last - first + 1:,} messages", "exactly these, in order")

    def _match(self, expected: Expected) -> int:
        """Reads until `expected` has arrived, or other input, or no input within the run's timeout. Returns the number
        of messages that have arrived as expected.
        """
        timeout = self.trial.options.timeout
        deadline = time.monotonic() + self.trial.within(timeout)
        self.peer.expect_bytes(expected)
        while expected.open and self.peer.lost is None and (left := deadline - time.monotonic()) > 0:
            before = expected.at
            self.trial.keep_alive()
            self.peer.pump(min(left, ATTENTION))
            if expected.at > before:
                deadline = time.monotonic() + self.trial.within(timeout)
        self.peer.stop_expecting()
        self.trial.log.note(self.name, "note", f"{expected.messages} DELIVERs of a series, as expected")
        return expected.messages

    def _expect_item(self, item: Item, where: str, rule: str | None) -> None:
        expected = render(Decoded("DELIVER", item._asdict(), 0))
        message, _ = self.receive(expected, rule)
        if message.name != "DELIVER" or tuple(message.values.values()) != tuple(item):
            self.trial.check(False, f"{self.name} receives {expected}{where}", render(message), rule)

    def expect_invalid(self, rule: str | None = None, what: str = "", code: str | None = None) -> Reason:
        """Returns the reason of the next frame, which must be INVALID, with `code` if it is given; the session then
        counts as offended. `what` describes for the report what is refused.
        """
        expected = f"INVALID {code or ''}".strip() + (f" for {what}" if what else "")
        message, reason = self.receive(expected, rule)
        right = reason is not None and code in (None, reason.code)
        self.trial.check(right, f"{self.name} receives {expected}", render(message), rule)
        assert reason is not None
        self.offended = True
        return reason

    def expect_message_or_notice(
        self, expected: str, rule: str | None = None
    ) -> tuple[Decoded, Reason | None]:
        """Returns DELIVER and None, or an INVALID that announces a gap and its reason. `expected` is for reports."""
        message, reason = self.receive(expected, rule)
        right = message.name == "DELIVER" or (reason is not None and reason.code in NOTICES)
        if not right:
            self.trial.check(False, f"{self.name} receives {expected}", render(message), rule)
        return message, reason

    # Operations ---------------------------------------------------------------------------------------------

    @property
    def attached(self) -> bool:
        """Whether the broker has opened a session here, and neither it nor the suite's DETACH-OK has ended it."""
        return self._referee.attached

    def attach(self, stream: str | None = None, rule: str | None = "ZEPS-ATTACH-1") -> None:
        """Sends ATTACH for `stream`, by default the one before, and receives ATTACH-OK; skips DELIVERs of an earlier
        session. Reconnects first if the broker has closed the connection after a refusal.
        """
        self.stream = self.stream if stream is None else stream
        self.unless_closed(lambda: self._attach(rule))

    def _attach(self, rule: str | None) -> None:
        had_session = self.attached
        self.send("ATTACH", stream=self.stream)
        message, _ = self.receive("ATTACH-OK", rule)
        while had_session and message.name == "DELIVER":
            message, _ = self.receive("ATTACH-OK", rule)
        self.trial.check(
            message.name == "ATTACH-OK", f"{self.name} receives ATTACH-OK", render(message), rule
        )
        self.may_close = False

    def subscribe(self, pattern: str = "", latest: int = ALL) -> None:
        """Sends SUBSCRIBE and receives SUBSCRIBE-OK. Messages after the sequence `latest` are delivered: `ALL` means
        from the first, `NEW` only later ones.
        """
        self.send("SUBSCRIBE", pattern=pattern, latest=latest)
        self.expect("SUBSCRIBE-OK", "ZEPS-SUBSCRIBE-1")

    def read(
        self, pattern: str = "", latest: int = ALL, stream: str | None = None, rule: str = "ZEPS-ATTACH-1"
    ) -> None:
        """Calls :meth:`attach` and :meth:`subscribe`, and grants more credit than any case uses."""
        self.attach(stream, rule)
        self.subscribe(pattern, latest)
        self.grant(PLENTY)

    def store(self, messages: Sequence[tuple[str, bytes]]) -> None:
        """Publishes `messages`, key and body, in one write, and waits with a :meth:`barrier` until they are stored."""
        self.publish_many(messages)
        self.barrier()

    def barrier(self, rule: str = "ZEPS-PING-1") -> None:
        """Sends PING, and checks that the next frame is PING-OK: every earlier command is processed (ZEPS-PING-12).
        Another frame violates `rule`.
        """
        self.send("PING")
        self.expect("PING-OK", rule)

    def barrier_amid_deliveries(self) -> None:
        """As :meth:`barrier`, if messages may arrive before PING-OK; they are checked and dropped."""
        self.send("PING")
        while self.expect_any("DELIVER", "PING-OK").name == "DELIVER":
            pass

    def quiet(self, why: str, rule: str | None = None) -> None:
        """Checks that two PINGs get only PING-OK, and then nothing arrives for `grace` seconds; `why` is reported. If
        `may_lose`, announcements of removed messages may arrive, which the referee judges.
        """
        for _ in range(2):
            self.send("PING")
            message = self._after_losses(lambda: self.receive("PING-OK", rule))
            assert message is not None
            if message.name != "PING-OK":
                self.trial.check(False, f"nothing for {self.name}: {why}", render(message), rule)
        stray = self._after_losses(lambda: self._next(self.trial.options.grace))
        seen = render(stray) if stray is not None else "nothing but PING-OK"
        self.trial.check(stray is None, f"nothing for {self.name}: {why}", seen, rule)

    def _after_losses(self, receive: Callable[[], tuple[Decoded, Reason | None] | None]) -> Decoded | None:
        """Returns the next frame of `receive`; if `may_lose`, the first that does not announce a gap."""
        received = receive()
        while self.may_lose and received and received[1] is not None and received[1].code in NOTICES:
            received = receive()
        return received[0] if received else None

    def detach(self) -> None:
        """Sends DETACH and receives DETACH-OK; skips DELIVERs under way, and announcements of gaps if `may_lose`."""
        self.send("DETACH")
        message: Decoded | None = None
        while message is None or message.name == "DELIVER":
            message = self._after_losses(lambda: self.receive("DETACH-OK", "ZEPS-DETACH-1"))
        right = message.name == "DETACH-OK"
        self.trial.check(right, f"{self.name} receives DETACH-OK", render(message), "ZEPS-DETACH-1")

    def refused(self, frame: bytes, rule: str | None, what: str, code: str | None = None) -> Reason:
        """Sends `frame`, which must get INVALID. Returns its reason, which must have `code` if it is given. Reconnects
        if the broker has closed the connection after an earlier refusal.
        """

        def move() -> Reason:
            self.send_frame(frame)
            self.offended = True
            return self.expect_invalid(rule, what, code)

        return self.unless_closed(move)

    def expect_no_session(self, rule: str | None = "ZEPS-INVALID-2") -> None:
        """Checks that PING gets INVALID (ZEPS-SESSION-1), or the connection is closed. Raises LostError if it is closed
        and no INVALID has ended or refused a session on it.
        """
        may_close = self.may_close
        try:
            self.send("PING")
            self.expect_invalid(rule, "PING, because the session has ended", "no-session")
        except LostError as error:
            if not may_close:
                raise
            self.trial.observe(f"{self.name} does not have a session", error.seen)

    def unless_closed(self, move: Callable[[], Result]) -> Result:
        """Returns the result of `move`, retried over a new connection if a refusal closed it (ZEPS-SESSION-6)."""
        if self.may_close:
            with contextlib.suppress(LostError):
                return move()
            self.reconnect()
        return move()

    def reconnect(self) -> None:
        """Replaces the connection by a new one, without a session; drops input that was not returned."""
        self.peer.close()
        self.peer = self.trial.peer(self.name, self._routing_id)
        self._inbox.clear()
        self._referee = self.trial.referee(bool(self._routing_id))
        self.may_close = False

    def forgotten(self) -> None:
        """Informs the referee that the broker has ended the session without a frame (ZEPS-PING-6)."""
        self._referee.forgotten()

    def leave(self) -> None:
        """Closes the connection without DETACH, for the rest of the case."""
        self.left = True
        self.peer.close()

    def vanish(self) -> None:
        """Resets the connection (RST), for the rest of the case."""
        self.left = True
        self.peer.reset()

    # Internal -----------------------------------------------------------------------------------------------

    def _announce(self, frame: bytes) -> None:
        try:
            self._referee.sent(self.trial.codec.decode(frame))
        except MalformedFrameError as error:
            self.offended = True
            self._referee.sent_bad(codes_for(error))

    def _guarded(self, send: Callable[[], None]) -> None:
        self._sending = True
        try:
            send()
        except ConnectionLostError as error:
            raise LostError(f"the connection of {self.name} stays open", str(error)) from error
        finally:
            self._sending = False
            self._spoke = time.monotonic()

    def keep_alive(self, interval: float) -> None:
        """Sends PING-OK, which has no answer, if nothing was sent in an open session for `interval` seconds. Not if
        `answers_pings` is False or `only_answers` is True, nor while a command is being sent.
        """
        if self._sending:
            return
        idle = time.monotonic() - self._spoke >= interval
        if idle and self.answers_pings and not self.only_answers and not self.left and self._referee.settled:
            self.send("PING-OK")

    def _receive(self, timeout: float) -> tuple[bytes, ...] | None:
        deadline = time.monotonic() + self.trial.within(timeout)
        while True:
            self.trial.keep_alive()
            left = max(deadline - time.monotonic(), 0.0)
            try:
                parts = self.peer.receive(min(left, ATTENTION))
            except ConnectionLostError as error:
                raise LostError(f"the connection of {self.name} stays open", str(error)) from error
            if parts is not None:
                return parts
            if left <= ATTENTION:
                self.trial.check_time()
                return None

    def _take(self, parts: tuple[bytes, ...]) -> None:
        message = self._understand(parts)
        reason = self._referee.received(message)
        if message.name != "PING":
            self._inbox.append((message, reason))
            self.may_close = self.may_close or (reason is not None and not self.attached)
            return
        self.pinged += 1
        if self.answers_pings and self._referee.settled:
            self.send("PING-OK")

    def _understand(self, parts: tuple[bytes, ...]) -> Decoded:
        if len(parts) != 1:
            raise FailureError("messages of one part", f"a message of {len(parts)} parts", "ZEPS-FRAME-3")
        try:
            return self.trial.codec.decode(parts[0])
        except MalformedFrameError as error:
            seen = f"{parts[0][:32].hex(' ')} ({error})"
            raise FailureError("frames that decode", seen, RULE_OF_CODE.get(error.code)) from error


def _runs(numbers: list[int]) -> str:
    """Formats ascending numbers with their runs joined, at most eight: ``1 to 5, 7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    texts = [str(first) if first == last else f"{first} to {last}" for first, last in runs[:8]]
    return ", ".join(texts) + (" …" if len(runs) > 8 else "")
