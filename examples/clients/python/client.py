"""A ZEPS client over pyzmq, on the generated client machine.

    client.py ENDPOINT STREAM COUNT [PATTERN [LATEST]]

It attaches to STREAM, subscribes to PATTERN (default: demo/) after the sequence LATEST (default: 0, all messages),
publishes COUNT messages with keys demo/1, demo/2, ..., receives them all back, detaches, and prints their number and
their first and last sequence. The machine decides which messages a client may send and when; this program is its host.
It owns the socket and the clock. Steps that follow from actions wait until the machine has finished its step.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import deque
from collections.abc import Callable

import zmq

from zeps_wire import zeps
from zeps_wire.errors import DecodeError
from zeps_wire.zeps import OpenCode
from zeps_wire.zeps_client import ClientMachine, Event, State

PREFIX = "demo/"
WINDOW = 1 << 16  # bytes of credit
QUIET_MS = 1_000
SEND_MS = 10_000
ANSWER_SECONDS = 3  # for ATTACH or DETACH
SILENCE_SECONDS = 30
REASON = re.compile(r"([a-z-]+)(?: (\d{1,20}) (\d{1,20}))? (.*)")
REFUSALS = {OpenCode.BAD_PATTERN, OpenCode.TOO_MANY_SUBSCRIPTIONS, OpenCode.NOT_RETAINED, OpenCode.BEYOND_END}


class ClientError(Exception):
    """The client failed; its message is printed."""


class Session:
    """One run of the client, over several sessions and connections if some are lost."""

    def __init__(self, endpoint: str, stream: str, count: int, pattern: str, latest: int) -> None:
        self.endpoint, self.stream, self.count = endpoint, stream, count
        self.pattern = pattern
        self.latest = latest  # last sequence that was delivered or is lost; subscribing resumes after it
        # Of own messages; number is that of the last one.
        self.taken = self.number = self.first = self.last = 0
        self.context = zmq.Context()
        self.machine = ClientMachine(self)
        self.next: deque[Callable[[], object]] = deque()
        self.tag = f"{os.getpid()} {time.time_ns()} "  # prefix of this run's bodies
        # Code, first, last and reason of the last INVALID.
        self.notice: tuple[str, int, int, str] = ("", 0, 0, "")
        self.used = 0  # bytes of credit used since the last grant
        self.has_gap = False  # since the last own message
        self.over = False
        self.socket = self.connect()

    # --- actions of the machine

    def send(self, message: zeps.Message) -> None:
        try:
            self.socket.send(message.encode())
        except zmq.Again:
            raise ClientError("the socket cannot send: the connection is lost") from None

    def attached(self, message: zeps.AttachOk) -> None:
        self.subscribe()

    def attach_refused(self, message: zeps.Invalid) -> None:
        raise ClientError(f"the broker refused: {message.reason}")

    def subscribed(self, message: zeps.SubscribeOk) -> None:
        self.used = 0
        self.next.append(lambda: self.machine.grant(WINDOW))
        self.next.append(self.publish)

    def take_message(self, message: zeps.Deliver) -> None:
        self.used += message.size()
        if self.used > WINDOW // 2:
            byte_count, self.used = self.used, 0
            self.next.append(lambda: self.machine.grant(byte_count))
        if self.latest != zeps.LATEST_NEW and message.sequence <= self.latest:
            raise ClientError(
                f"received sequence {message.sequence} after {self.latest}: sequences must ascend"
            )
        self.latest = message.sequence
        if message.body.startswith(self.tag.encode()):
            self.take_ours(int(message.body[len(self.tag) :]), message)

    def take_ours(self, number: int, message: zeps.Deliver) -> None:
        if number <= self.number:
            return  # a duplicate: published again after the session was lost
        if number > self.number + 1 and not self.has_gap:
            raise ClientError(f"received {message.key} after {PREFIX}{self.number}: a message is missing")
        self.number, self.has_gap = number, False
        self.taken += 1
        self.first, self.last = self.first or message.sequence, message.sequence
        if number == self.count:
            self.next.append(self.machine.close)

    def read_notice(self, message: zeps.Invalid) -> None:
        """Handle INVALID by its code: a gap, a refused SUBSCRIBE, another notice, or the end of the session."""
        match = REASON.fullmatch(message.reason)
        code, first, last, _ = match.groups() if match else ("", None, None, "")
        if max(int(first or 0), int(last or 0)) > zeps.LATEST_NEW:
            code = ""
        self.notice = (code, int(first or 0), int(last or 0), message.reason)
        if code in (OpenCode.RETENTION, OpenCode.DAMAGE):
            self.miss()
        elif code in REFUSALS:
            self.machine.fail(Event.ON_SUBSCRIBE_REFUSED)
        elif code in set(OpenCode):
            print(f"client: notice from the broker: {message.reason}", file=sys.stderr)
        else:
            self.machine.fail(Event.ON_ENDED)

    def refused(self, message: None) -> None:
        """Subscribe again, by the code: after the lost range, at the stream's end, or else to every key; prints which.
        Raises ClientError if the client subscribed to every key already.
        """
        code, first, _, reason = self.notice
        if code == OpenCode.NOT_RETAINED:
            self.miss()
        elif code == OpenCode.BEYOND_END:
            print(f"reset {first - 1}", flush=True)
            self.latest = first - 1
        elif self.pattern:
            print(f"refused {self.pattern}: {reason}", flush=True)
            self.pattern = ""  # matches every key
        else:
            raise ClientError(f"the broker refused: {reason}")
        self.subscribe()

    def session_lost(self, message: None) -> None:
        """Drop the pending steps; the machine attaches again, over the same socket."""
        print(f"client: the session is lost: {self.notice[3]}", file=sys.stderr)
        self.next.clear()

    def broker_lost(self, message: zeps.Message | None) -> None:
        print("client: the broker is lost", file=sys.stderr)
        self.next.clear()
        self.next.append(self.attach_anew)

    def answered(self, message: zeps.PingOk) -> None: ...

    def detached(self, message: zeps.Message | None) -> None:
        self.over = True

    # --- steps of the client

    def connect(self) -> zmq.Socket[bytes]:
        socket = self.context.socket(zmq.DEALER)
        socket.setsockopt(zmq.SNDTIMEO, SEND_MS)
        socket.connect(self.endpoint)
        self.asked = time.monotonic()
        return socket

    def attach_anew(self) -> None:
        """Attach over a new connection: data that is queued in the old one does not reach the new session."""
        self.socket.close(linger=0)
        self.socket = self.connect()
        self.machine.open(self.stream)

    def subscribe(self) -> None:
        self.next.append(lambda: self.machine.follow(self.pattern, self.latest))

    def publish(self) -> None:
        """Publish the messages that were not received back yet; if all were, detach."""
        for number in range(self.number + 1, self.count + 1):
            self.machine.post(f"{PREFIX}{number}", f"{self.tag}{number}".encode())
        if self.number == self.count:
            self.machine.close()

    def miss(self) -> None:
        code, first, last, _ = self.notice
        print(f"missing {first} {last} {code}", flush=True)
        self.latest = last if self.latest == zeps.LATEST_NEW else max(self.latest, last)
        self.has_gap = True

    def run(self) -> None:
        """Receive until the session is over; send PING, or attach again, if the broker is silent. Raises ClientError if
        it is silent for SILENCE_SECONDS, or if the session ended before all messages came back.
        """
        heard = time.monotonic()
        self.machine.open(self.stream)
        while not self.over:
            if self.socket.poll(QUIET_MS):
                heard = self.asked = time.monotonic()
                self.receive(self.socket.recv())
            elif time.monotonic() - heard > SILENCE_SECONDS:
                raise ClientError("the broker does not answer")
            elif self.machine.state is State.OPEN or time.monotonic() - self.asked < ANSWER_SECONDS:
                self.machine.heartbeat()
            else:
                self.machine.expired()
            while self.next:
                self.next.popleft()()
        if self.number != self.count:
            raise ClientError(f"detached after {self.number} of {self.count} messages")

    def receive(self, frame: bytes) -> None:
        try:
            message = zeps.decode(frame)
        except DecodeError:
            self.machine.malformed()
        else:
            self.machine.receive(message)


def main() -> int:
    arguments = sys.argv[1:]
    if not 3 <= len(arguments) <= 5 or not all(text.isdecimal() for text in (arguments[2], *arguments[4:])):
        print("usage: client.py ENDPOINT STREAM COUNT [PATTERN [LATEST]]", file=sys.stderr)
        return 2
    endpoint, stream, count, pattern, latest = (*arguments, *(PREFIX, "0")[len(arguments) - 3 :])
    session = Session(endpoint, stream, int(count), pattern, int(latest))
    try:
        session.run()
    except ClientError as failure:
        print(f"client: {failure}", file=sys.stderr)
        return 1
    finally:
        session.context.destroy(linger=10_000)
    print(f"received {session.taken} messages, sequences {session.first}..{session.last}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
