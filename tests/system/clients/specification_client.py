"""A client of the publish-subscribe protocol ZEPS/1, written from its specification alone.

`Client` publishes to one stream and subscribes to it, over as many sessions as it takes. It has no thread: it
answers PING in `publish`, `receive` and `step` only. Numbers in comments are sections of the specification.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import zmq

ATTACH, ATTACH_OK, SUBSCRIBE, SUBSCRIBE_OK, CREDIT, PUBLISH = range(1, 7)
DELIVER, PING, PING_OK, DETACH, DETACH_OK, INVALID = range(7, 13)
BODY_MAX, DELIVER_MAX = 16_777_216, 16_777_487
NEW, ASK_END = 2**64 - 1, 2**64 - 2  # as `latest`: new messages only (9.1); asks for the end (20.8)
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
REASON = re.compile("([a-z][a-z-]*)(?: ([0-9]{1,20}) ([0-9]{1,20}))? .+")
SUBSCRIBE_CODES = {"bad-pattern", "too-many-subscriptions", "not-retained", "beyond-end"}
GAP_CODES = {"not-retained", "retention", "damage", "missing"}
FAULT_CODES = {"malformed", "unknown-command", "routing-id"}
FINAL_CODES = {"unsupported-protocol", "unsupported-version", "stream-name"}
ATTACH_SECONDS, HEARTBEAT_SECONDS, CONFIRM_SECONDS, PAUSE_SECONDS, PAUSE_MAX = 5.0, 2.5, 0.02, 0.05, 2.0
IDLE_SECONDS, RATE_MIN, UNANSWERED_MAX, FAULTS_MAX = 0.1, 65_536, 3, 3  # 11.2, ZEPS-PING-11, 12.4, 14.4
UNCONFIRMED_MAX, UNCONFIRMED_OCTETS_MAX, RECEIVED_MAX, WINDOW = 1000, 8_388_608, 65_536, 262_144


class ProtocolError(Exception):
    """The broker sent what the protocol does not allow; the client treats it as lost."""


class RefusedError(Exception):
    """The broker has refused the client for good."""


class Message(NamedTuple):
    sequence: int
    key: str
    body: bytes


# With a code of GAP_CODES: first to last are lost (`missing`: without an announcement). beyond-end: what is
# from first on does not exist; it is another stream (9.4). Other codes: a pattern was refused, and dropped.
class News(NamedTuple):
    code: str
    first: int
    last: int
    text: str


def string(text: str) -> bytes:
    """Encode a string; raise ValueError if the protocol has no encoding for it."""
    octets = text.encode("utf-8")
    if len(octets) > 255 or CONTROL.search(text):
        raise ValueError(f"more than 255 octets, or a control character: {text!r}")
    return bytes([len(octets)]) + octets


def decode(parts: list[bytes]) -> tuple[int, int, str, bytes]:
    """Decode what a broker may send: the command's number, and sequence, text (key or reason) and body."""
    frame, number, sequence, text, body, at = parts[0], 0, 0, "", b"", 3
    try:
        number = frame[2]
        if number == DELIVER:
            sequence, at = int.from_bytes(frame[3:11], "big"), 11
        if number in (DELIVER, INVALID):  # a field that is cut off leaves `at` behind the end of the frame
            text = frame[at + 1 : at + 1 + frame[at]].decode("utf-8")
            at += 1 + frame[at]
        if number == DELIVER:
            size = int.from_bytes(frame[at : at + 4], "big")
            body, at = frame[at + 4 : at + 4 + size], at + 4 + size
    except (IndexError, UnicodeDecodeError):
        number = 0
    if (
        len(parts) != 1
        or frame[:2] != b"\xaa\xa5"
        or at != len(frame)
        or len(body) > BODY_MAX
        or CONTROL.search(text)
        or number in (0, ATTACH, SUBSCRIBE, CREDIT, PUBLISH)
        or number > INVALID
        or (number == DELIVER and not 0 < sequence < ASK_END)
    ):
        raise ProtocolError(f"a frame that is not a command of a broker: {frame[:40]!r}")
    return number, sequence, text, body


def parse_reason(reason: str) -> tuple[str, int, int]:
    """Return the code of a reason, and its sequences or zeros. A reason without the form has the code ''."""
    form = REASON.fullmatch(reason)
    if not form or form[1] not in GAP_CODES | {"beyond-end"}:
        return form[1] if form else "", 0, 0
    first, last = int(form[2] or 0), int(form[3] or 0)
    return (form[1], first, last) if 0 < first <= last <= NEW else ("", 0, 0)


@dataclass
class Subscription:
    """A pattern of the application, with the state of section 9.4; a bound of NEW is not known."""

    pattern: str
    point: int
    bound: int = NEW
    asked: bool = False
    granted: bool = False


class Session:
    """What a connection has, and what is gone with it. Its socket does not reconnect by itself (5.1)."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str) -> None:
        self.socket = context.socket(zmq.DEALER)
        for option, value in (
            (zmq.RECONNECT_IVL, -1),
            (zmq.LINGER, 0),
            (zmq.SNDHWM, 2000),
            (zmq.MAXMSGSIZE, DELIVER_MAX),
        ):
            self.socket.setsockopt(option, value)
        self.monitor = self.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED | zmq.EVENT_CLOSED)
        self.socket.connect(endpoint)
        self.began = self.last_sent = self.last_received = time.monotonic()
        self.last_ping = self.unmarked_since = self.credit_used = 0.0
        self.pending = deque[tuple[Subscription, int]]()  # SUBSCRIBEs without an answer, and `latest`
        self.marks = deque[tuple[bool, int]]()  # PINGs without an answer: a barrier or not, the last PUBLISH
        self.unanswered = self.marked = self.credit = 0  # marked: the last PUBLISH before a PING
        self.attached = self.granting = self.end_unknown = False

    def send(self, number: int, *fields: bytes) -> bool:
        """Send a command without blocking; False if the socket does not take it."""
        try:
            self.socket.send(b"\xaa\xa5" + bytes([number]) + b"".join(fields), zmq.DONTWAIT)
        except zmq.Again:
            return False
        self.last_sent = time.monotonic()
        return True

    def close(self, linger: int = 0) -> None:
        """Close the connection; `linger`: milliseconds in which a last frame may leave."""
        self.socket.disable_monitor()
        self.monitor.close(0)
        self.socket.close(linger)


class Client:
    """A client of one stream. Give `report` to see the client's own news, such as a lost session."""

    def __init__(
        self,
        endpoint: str,
        stream: str,
        window: int = WINDOW,
        largest: int = DELIVER_MAX,
        report: Callable[[str], None] = lambda text: None,
        on_confirmed: Callable[[int], None] = lambda number: None,
    ) -> None:
        """`window`: octets to buffer; `largest`: of the largest DELIVER, to which the window may grow."""
        if not 0 < window < 2**63:
            raise ValueError("the window is too small or too large")
        self.endpoint, self.stream, self.window, self.largest = endpoint, string(stream), window, largest
        self.report, self.on_confirmed = report, on_confirmed
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.session: Session | None = None
        self.attempts = self.faults = self.floor = self.hole = 0
        self.unsent, self.inflight = deque[tuple[int, bytes]](), deque[tuple[int, bytes]]()  # 8.2
        self.published = self.publish_octets = self.suspect = self.suspect_count = self.single_until = 0
        self.refused, self.subscriptions = list[int](), list[Subscription]()
        self.received, self.lost = (
            set[int](),
            list[tuple[int, int]](),
        )  # given, after `floor`; reported as lost
        self.events = deque[tuple[Message | News, int]]()
        self.buffered, self.raised, self.attempt_at = 0, window, 0.0

    def subscribe(self, pattern: str, latest: int = 0) -> None:
        """Want the messages of a pattern after `latest`; 0: all that are retained, NEW: new ones only."""
        string(pattern)
        if not self.floor <= latest <= NEW or pattern in [each.pattern for each in self.subscriptions]:
            raise ValueError("latest is out of range, or the pattern is subscribed already")
        self.subscriptions.append(Subscription(pattern, min(latest, ASK_END - 1) if latest < NEW else NEW))

    def publish(self, key: str, body: bytes) -> int:
        """Publish a message; wait while too many are not confirmed. Return its number, counted from 1."""
        if len(body) > BODY_MAX:
            raise ValueError(f"a body has at most {BODY_MAX} octets")
        fields = string(key) + len(body).to_bytes(4, "big") + body
        while self.unconfirmed >= UNCONFIRMED_MAX or self.publish_octets >= UNCONFIRMED_OCTETS_MAX:
            self.step(0.1)
        self.published += 1
        self.unsent.append((self.published, fields))
        self.publish_octets += len(fields)
        self.step(0)
        return self.published

    @property
    def unconfirmed(self) -> int:
        """How many published messages are not confirmed."""
        return len(self.unsent) + len(self.inflight)

    def receive(self, timeout: float) -> Message | News | None:
        """Return the next message or news of the subscriptions, or None after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        self.step(0)
        while not self.events:
            if time.monotonic() >= deadline:
                return None
            self.step(deadline - time.monotonic())
        event, octets = self.events.popleft()
        self.buffered -= octets
        self._grant()
        return event

    def close(self, wait: float = 2.0) -> None:
        """Detach and close. What is not confirmed is dropped: wait until nothing is unconfirmed before."""
        if self.session:
            deadline, socket = time.monotonic() + wait, self.session.socket
            leaving = self.session.attached and self.session.send(DETACH)
            while leaving and (left := deadline - time.monotonic()) > 0 and socket.poll(int(left * 1000)):
                leaving = socket.recv_multipart() != [b"\xaa\xa5\x0b"]  # DETACH-OK; the rest is dropped
            self.session.close()
        self.context.term()

    def step(self, timeout: float) -> None:
        """Do what is due, and wait at most `timeout` seconds. Raise RefusedError after a permanent refusal."""
        if self.session is None:
            pause = max(self.attempt_at - time.monotonic(), 0)
            time.sleep(max(min(pause, timeout), 0))
            if pause > timeout:
                return
            self.session = Session(self.context, self.endpoint)
            self.session.send(ATTACH, string("ZEPS"), (1).to_bytes(2, "big"), self.stream)
        session = self.session
        self._work(session)
        milliseconds = int(max(min(timeout, CONFIRM_SECONDS if self.inflight else IDLE_SECONDS), 0) * 1000)
        zmq.zmq_poll([(session.socket, zmq.POLLIN), (session.monitor, zmq.POLLIN)], milliseconds)
        gone = session.monitor.poll(0) != 0
        for _ in range(500):
            if self.session is not session or not session.socket.poll(0):
                break
            parts = session.socket.recv_multipart()
            session.last_received = time.monotonic()
            try:
                self._take(session, parts)
            except ProtocolError as error:
                self._lose(session, f"the broker breaks the protocol: {error}")
                self._blame("", str(error))
        if gone and self.session is session:
            self._lose(session, "the connection has ended")
        for work in (self._timers, self._work):
            if self.session is session:
                work(session)

    def _lose(self, session: Session, why: str, linger: int = 0) -> None:
        """End the session, keep what the next one needs, and choose when to try again (12.4)."""
        self.report(f"session lost: {why}")
        session.close(linger)
        self.session = None
        self.unsent.extendleft(reversed(self.inflight))
        self.inflight.clear()
        for each in self.subscriptions:
            each.asked, each.granted, each.bound = False, False, NEW
        part = random.uniform(0.5, 1) if self.attempts else random.random()
        self.attempt_at = time.monotonic() + part * min(
            PAUSE_SECONDS * 2 ** min(self.attempts, 16), PAUSE_MAX
        )
        self.attempts += 1

    def _take(self, session: Session, parts: list[bytes]) -> None:
        """Act on a command of the broker."""
        number, sequence, text, body = decode(parts)
        octets = len(parts[0])
        if number == PING:
            session.send(PING_OK)
        elif number == DETACH:
            session.send(DETACH_OK)
            self._lose(session, "the broker has detached the client", linger=200)
        elif number == INVALID:
            self._take_invalid(session, text)
        elif number == ATTACH_OK and not session.attached:
            session.attached = True
        elif number == SUBSCRIBE_OK and session.pending:
            self.attempts = 0
            self._answered(session, "", 0, 0, text)
        elif number == PING_OK and session.marks:
            self.attempts = self.faults = session.unanswered = 0
            mark = session.marks.popleft()[1]
            while self.inflight and self.inflight[0][0] <= mark:
                confirmed, fields = self.inflight.popleft()
                self.publish_octets -= len(fields)
                if confirmed == mark:
                    self.on_confirmed(confirmed)
        elif number == DELIVER and octets <= session.credit:  # credit is 0 before ATTACH-OK
            self.attempts, self.raised = 0, self.window
            session.credit -= octets
            session.credit_used = time.monotonic()
            self._take_message(session, Message(sequence, text, body), octets)
        else:
            raise ProtocolError(f"command {number} out of turn, or a DELIVER that exceeds the credit")

    def _take_invalid(self, session: Session, reason: str) -> None:
        """Act on an INVALID by its code (14.4)."""
        code, first, last = parse_reason(reason)
        if code in FINAL_CODES:
            raise RefusedError(reason)
        if session.attached and code in SUBSCRIBE_CODES:
            self._answered(session, code, first, last, reason)
        elif session.attached and code in ("retention", "damage"):
            self._take_gap(first, last, code, reason)
            self._raise_points(last)
        elif session.attached and code == "unexpected":
            self.report(f"the broker reports an error of this client: {reason}")
        else:
            if code in FAULT_CODES:
                self._blame(code, reason)
            self._lose(session, reason)

    def _blame(self, code: str, reason: str) -> None:
        """Count the sessions in a row that an error has ended (14.4); find the PUBLISH that does it (8.2)."""
        if code != "malformed" or not self.inflight:
            self.faults += 1
            if self.faults > FAULTS_MAX:
                raise RefusedError(reason)
            return
        head = self.inflight[0][0]
        self.suspect, self.suspect_count = head, self.suspect_count + 1 if self.suspect == head else 1
        if self.suspect_count >= FAULTS_MAX:
            self.suspect_count = 0
            if head > self.single_until:
                self.single_until = self.inflight[-1][0]
            else:
                self.publish_octets -= len(self.inflight.popleft()[1])
                self.refused.append(head)
                self.report(f"message {head} is refused: {reason}")

    def _timers(self, session: Session) -> None:
        """Give up what takes too long, and send heartbeats (12.4)."""
        now = time.monotonic()
        if not session.attached and now - session.began >= ATTACH_SECONDS:
            return self._lose(session, "no answer to ATTACH")
        quiet = now - max(session.last_received, session.last_ping) if session.unanswered else 0
        if not session.attached or max(quiet, now - session.last_sent) < HEARTBEAT_SECONDS:
            return None
        if session.unanswered < UNANSWERED_MAX:
            return self._ping(session, False)
        under_way = session.credit + sum(3 + len(fields) for _, fields in self.inflight)
        if now - max(session.last_received, session.last_ping) >= under_way / RATE_MIN:
            self._lose(session, f"{session.unanswered} PINGs without an answer")
        return None

    def _ping(self, session: Session, barrier: bool) -> None:
        """Send PING, and mark the last PUBLISH before it."""
        if session.send(PING):
            session.marked = self.inflight[-1][0] if self.inflight else session.marked
            session.marks.append((barrier, session.marked))
            session.last_ping, session.unanswered = session.last_sent, session.unanswered + 1

    def _work(self, session: Session) -> None:
        """Send what can be sent in the session."""
        if not session.attached:
            return
        self._subscribe(session)
        self._grant()
        while self.unsent and not (self.inflight and self.inflight[0][0] <= self.single_until):
            if not session.send(PUBLISH, self.unsent[0][1]):
                break
            if not self.inflight or self.inflight[-1][0] <= session.marked:
                session.unmarked_since = session.last_sent
            self.inflight.append(self.unsent.popleft())
        if not self.inflight or self.inflight[-1][0] <= session.marked or any(b for b, _ in session.marks):
            return
        if (
            self.unconfirmed >= UNCONFIRMED_MAX // 2
            or self.publish_octets >= UNCONFIRMED_OCTETS_MAX // 2
            or time.monotonic() - session.unmarked_since >= CONFIRM_SECONDS
        ):
            self._ping(session, True)

    def _subscribe(self, session: Session) -> None:
        """Send the SUBSCRIBEs of a session, each round after the answers to the last; then allow credit."""
        if session.pending:
            return
        granted = [each for each in self.subscriptions if each.granted]
        fresh = sorted((each for each in self.subscriptions if not each.asked), key=lambda each: each.point)
        unknown = fresh[-1].point == NEW if fresh else any(each.bound == NEW for each in granted)
        # The question for the end repeats a pattern, which a full session allows (9.4); it is not kept.
        question = Subscription(granted[0].pattern if granted else "", ASK_END)
        for each in [question] if unknown and not session.end_unknown else fresh:
            each.asked = session.send(SUBSCRIBE, string(each.pattern), each.point.to_bytes(8, "big"))
            session.pending.extend([(each, each.point)] if each.asked else [])
        session.granting = session.granting or bool(granted and not fresh and not session.pending)

    def _answered(self, session: Session, code: str, first: int, last: int, reason: str) -> None:
        """The oldest SUBSCRIBE without an answer is granted (code '') or refused (9.4)."""
        subscription, latest = session.pending.popleft() if session.pending else (Subscription("", -1), -1)
        if (
            latest < 0
            or (code in ("not-retained", "beyond-end") and latest not in (first - 1, last))
            or (latest == ASK_END and code in ("", "not-retained"))
        ):
            raise ProtocolError(f"an answer that does not fit a SUBSCRIBE: {reason}")
        if latest == ASK_END:
            session.end_unknown = code != "beyond-end"
            for each in self.subscriptions if not session.end_unknown else []:
                each.point = first - 1 if each.point == NEW else each.point
                each.bound = first - 1 if each.granted and each.bound == NEW else each.bound
        elif code == "":
            subscription.bound = NEW if any(each.granted for each in self.subscriptions) else 0
            subscription.granted = True
        elif code == "not-retained":
            self._take_gap(first, last, code, reason)
            subscription.point, subscription.asked = last, False
        elif code == "beyond-end":
            self.events.append((News(code, first, last, reason), 0))
            self.received, self.lost = {n for n in self.received if n < first}, []
            self.floor = min(self.floor, first - 1)
            for each in self.subscriptions:
                each.point = first - 1 if first <= each.point < NEW else each.point
            subscription.asked = False
        else:
            self.subscriptions.remove(subscription)
            self.events.append((News(code, 0, 0, reason), 0))

    def _take_message(self, session: Session, message: Message, octets: int) -> None:
        """Give a message to the application, once, and raise the points."""
        only = self.subscriptions[0] if len(self.subscriptions) == 1 else None
        if only and not only.pattern and 0 < only.point < message.sequence - 1:  # left out silently (9.5)
            if self.hole != only.point + 1:
                self.hole = only.point + 1
                return self._lose(session, f"neither {self.hole} nor a gap, but {message.sequence}")
            self._take_gap(self.hole, message.sequence - 1, "missing", "missing without an announcement")
        if message.sequence > self.floor and message.sequence not in self.received:
            self.received.add(message.sequence)
            self.events.append((message, octets))
            self.buffered += octets
        self._raise_points(message.sequence)
        return None

    def _take_gap(self, first: int, last: int, code: str, reason: str) -> None:
        """Report the part of a gap that the application was neither given nor has in an earlier report."""
        if last >= ASK_END:
            raise ProtocolError(f"a gap up to what is not a sequence: {reason}")
        if not any(start <= first and last <= end for start, end in self.lost):
            given = sorted(n for n in self.received if first <= n <= last)
            edges = [max(first - 1, self.floor), *given, last + 1]
            for before, after in itertools.pairwise(edges):
                self.events.extend([(News(code, before + 1, after - 1, reason), 0)] * (after - before > 1))
            self.lost.append((first, last))

    def _raise_points(self, sequence: int) -> None:
        """A sequence has arrived or is announced as lost: move where the next session resumes."""
        for each in self.subscriptions:
            if each.bound < sequence and (each.point < sequence or each.point == NEW):
                each.point = sequence
        if len(self.received) > RECEIVED_MAX:
            self.floor = max(self.floor, min(each.point for each in self.subscriptions))
            self.received = {n for n in self.received if n > self.floor}

    def _grant(self) -> None:
        """Grant what the application has consumed, and more if a message may wait for it (11.2)."""
        session = self.session
        if session is None or not session.granting:
            return
        outstanding, octets = session.credit + self.buffered, 0
        if self.window - outstanding >= (self.window + 1) // 2:
            octets = self.window - outstanding
        elif not self.events and time.monotonic() - session.credit_used >= IDLE_SECONDS:
            if outstanding >= self.raised < self.largest:
                self.raised = min(self.raised * 4, self.largest)
            octets = max(self.raised - outstanding, 0)
        if octets and session.send(CREDIT, octets.to_bytes(8, "big")):
            session.credit += octets
            session.credit_used = time.monotonic()


def run(client: Client, options: argparse.Namespace) -> int:
    """Publish until all is confirmed, or print messages and gaps; return the exit code."""
    if options.command == "publish":
        string(f"{options.prefix}/{options.count}")
        for number in range(1, options.count + 1):
            client.publish(f"{options.prefix}/{number}", f"{number} ".encode().ljust(options.size, b"."))
        while client.unconfirmed:
            client.step(0.1)
        return 1 if client.refused else 0
    while options.count > 0:
        event = client.receive(1.0)
        if isinstance(event, Message):
            options.count -= 1
            print(event.sequence, event.key, len(event.body), flush=True)
        elif event and event.code in GAP_CODES:
            print("gap", event.first, event.last, event.code, flush=True)
        elif event:
            client.report(event.text)
            if event.code != "beyond-end":
                return 1
    return 0


def main(arguments: list[str]) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(prog="specification_client.py", description="A client of ZEPS/1.")
    commands = parser.add_subparsers(dest="command", required=True)
    publish = commands.add_parser("publish", help="publish COUNT messages; 'confirmed N': 1 to N are stored")
    subscribe = commands.add_parser("subscribe", help="print COUNT messages and the gaps before them")
    for name in ("endpoint", "stream", "pattern", "count"):
        for each in (publish, subscribe) if name != "pattern" else (subscribe,):
            each.add_argument(name, type=int if name == "count" else str)
    publish.add_argument("--prefix", default="key", help="the keys are PREFIX/1 to PREFIX/COUNT")
    publish.add_argument("--size", type=int, default=16, help="octets of each body (default: 16)")
    subscribe.add_argument(
        "--from",
        dest="latest",
        type=int,
        default=0,
        metavar="SEQUENCE",
        help="the last known sequence; 0 (the default): all that are retained",
    )
    subscribe.add_argument("--credit", type=int, default=WINDOW, metavar="BYTES", help="the window")
    options = parser.parse_args(arguments)
    client = None
    try:
        client = Client(
            options.endpoint,
            options.stream,
            getattr(options, "credit", WINDOW),
            report=lambda text: print(f"specification_client: {text}", file=sys.stderr, flush=True),
            on_confirmed=lambda number: print(f"confirmed {number}", flush=True),
        )
        if options.command == "subscribe":
            client.subscribe(options.pattern, options.latest)
        return run(client, options)
    except ValueError as error:
        parser.error(str(error))
    except (RefusedError, zmq.ZMQError, KeyboardInterrupt) as error:
        print(f"specification_client: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    finally:
        if client:
            client.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
