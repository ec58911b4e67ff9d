"""The implementation's socket in its application, controlled through the adapter."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from zeps_conformance.common.verdicts import FailureError, UnsupportedError
from zeps_conformance.sockets.adapter import RefusedError
from zeps_conformance.sockets.markers import Parts, is_marker, is_marker_notice, show, show_all
from zeps_conformance.sockets.pubsub.adapter_context import AdapterContext

__all__ = ["App"]

NOTICE_HEADS = {True: b"\x01", False: b"\x00"}
PAUSE = 0.01  # seconds until an application that could not receive tries again
SLICE = 0.25  # maximum seconds of one request to wait


class App:
    """One socket, opened on creation. Its methods raise FailureError if the library refuses a request; a refusal to
    receive counts as no message. Messages of barriers and checks are removed from the application's input.
    """

    def __init__(
        self, trial: AdapterContext, name: str, socket_type: str, options: Mapping[str, int]
    ) -> None:
        self.trial = trial
        self.name = name
        self.type = socket_type
        self.is_open = True
        self._inbox: deque[Parts] = deque()
        self._marked: set[Parts] = set()
        self._do("open", type=socket_type, options=dict(options))

    # Endpoints ----------------------------------------------------------------------------------------------

    def bind(self) -> str:
        """Binds to a free port. Returns the endpoint."""
        return str(self._do("bind")["endpoint"])

    def connect(self, endpoint: str) -> None:
        self._do("connect", endpoint=endpoint)

    def disconnect(self, endpoint: str) -> None:
        self._do("disconnect", endpoint=endpoint)

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self._do("close")

    # Sending ------------------------------------------------------------------------------------------------

    def subscribe(self, *topics: bytes) -> None:
        for topic in topics:
            self._do("subscribe", topic=topic.hex())

    def unsubscribe(self, *topics: bytes) -> None:
        for topic in topics:
            self._do("unsubscribe", topic=topic.hex())

    def send(self, *parts: bytes) -> bool:
        """Sends a message. Returns False if the library reports that it would block."""
        return not self._do("send", parts=[part.hex() for part in parts]).get("again", False)

    def try_send(self, *parts: bytes) -> str | None:
        """As :meth:`send`, but returns the library's error or ``it would block``; None if it took the message."""
        return self._try("send", parts=[part.hex() for part in parts])

    def try_subscribe(self, topic: bytes) -> str | None:
        """As :meth:`subscribe`, but returns the text of the library's error, or None on success."""
        return self._try("subscribe", topic=topic.hex())

    def try_unsubscribe(self, topic: bytes) -> str | None:
        """As :meth:`unsubscribe`, but returns the text of the library's error, or None on success."""
        return self._try("unsubscribe", topic=topic.hex())

    # Receiving ----------------------------------------------------------------------------------------------

    def recv(self, timeout: float | None = None) -> Parts | None:
        """Returns the next message, or None if no message arrives within `timeout` seconds, by default the run's."""
        deadline = time.monotonic() + (self.trial.options.timeout if timeout is None else timeout)
        while not self._inbox:
            left = max(deadline - time.monotonic(), 0.0)
            if not self._hear(min(left, SLICE)) and left <= SLICE:
                return None
        return self._inbox.popleft()

    def try_recv(self) -> Parts | str | None:
        """As :meth:`recv` with one request of at most the run's `grace`, but returns the text of a refusal; None also
        for messages of barriers.
        """
        timeout = self.trial.options.grace
        if self._inbox:
            return self._inbox.popleft()
        try:
            answer = self._ask("recv", True, timeout, timeout=int(self.trial.within(timeout) * 1000))["parts"]
        except (RefusedError, UnsupportedError) as error:
            return str(error) or "it is refused"
        return None if answer is None or not self._take(answer) else self._inbox.popleft()

    def collect(self) -> list[Parts]:
        """Removes and returns all messages that have arrived, oldest first."""
        while self._hear(0.0):
            pass
        messages = list(self._inbox)
        self._inbox.clear()
        return messages

    def take(self, count: int, within: float | None = None) -> list[Parts]:
        """Returns the next `count` messages, or fewer if none arrives for `within` seconds or the run's timeout."""
        messages: list[Parts] = []
        while len(messages) < count and (parts := self.recv(within)) is not None:
            messages.append(parts)
        return messages

    def expect(self, *parts: bytes, rule: str | None = None, libzmq: str | None = None) -> None:
        """Checks that the next message is `parts`; `libzmq` describes libzmq's deviation, if it does not arrive."""
        seen = self.recv()
        known = libzmq if seen is None else None
        self.trial.check(seen == parts, f"the application receives {show(parts)}", show(seen), rule, known)

    def expect_any_order(self, *messages: Parts, rule: str | None = None) -> None:
        """Checks that the next messages are `messages`, in any order."""
        seen: list[Parts] = []
        while len(seen) < len(messages) and (parts := self.recv()) is not None:
            seen.append(parts)
        expected = f"the application receives, in any order, {show_all(messages)}"
        self.trial.check(sorted(seen) == sorted(messages), expected, show_all(seen), rule)

    def expect_nothing(self, why: str, rule: str | None = None, grace: float | None = None) -> None:
        """Checks that no message arrives for `grace` seconds, by default the run's."""
        stray = self.recv(self.trial.options.grace if grace is None else grace)
        seen = [] if stray is None else [stray, *self.collect()]
        self.trial.check(not seen, f"the application receives nothing: {why}", show_all(seen), rule)

    def expect_notice(self, subscribe: bool, topic: bytes, rule: str | None = None) -> None:
        """XPUB: checks that the next message is the notice of a subscription to `topic`, or of its cancellation."""
        seen = self.recv()
        what = "subscription to" if subscribe else "cancellation of"
        expected = f"the application receives the notice of the {what} {show((topic,))}"
        self.trial.check(seen == (NOTICE_HEADS[subscribe] + topic,), expected, show(seen), rule)

    # Markers ------------------------------------------------------------------------------------------------

    def await_marker(self, message: Parts, timeout: float) -> bool:
        """Returns whether the marker `message` arrives within `timeout` seconds; other messages are kept."""
        deadline = time.monotonic() + timeout
        while message not in self._marked:
            left = max(deadline - time.monotonic(), 0.0)
            if not self._hear(min(left, SLICE)) and left <= SLICE:
                return False
        self._marked.discard(message)
        return True

    def listen(self) -> None:
        """Reads one message if it is available, without waiting. Does nothing if the socket is closed."""
        if self.is_open:
            self._hear(0.0)

    @property
    def has_notices(self) -> bool:
        """Whether it receives notices of subscriptions."""
        return self.type == "XPUB"

    # Internal -----------------------------------------------------------------------------------------------

    def _hear(self, timeout: float) -> bool:
        """Waits for one message for at most the given time; returns whether it arrived. A refusal counts as none."""
        wait = int(self.trial.within(timeout) * 1000)
        try:
            answer = self._ask("recv", True, timeout, timeout=wait)["parts"]
        except RefusedError as error:
            self.trial.log.note(self.name, "app", f"recv is refused: {error}")
            time.sleep(min(timeout, PAUSE))
            return False
        if answer is not None:
            self._take(answer)
        return answer is not None

    def _take(self, answer: Sequence[str]) -> bool:
        """Stores a message, given as hexadecimal parts. Returns whether it belongs to the case, not to a barrier."""
        parts = tuple(bytes.fromhex(part) for part in answer)
        self.trial.log.note(self.name, "app", f"recv {show(parts)}")
        if is_marker(parts) or is_marker_notice(parts):
            self._marked.add(parts)
            return False
        self._inbox.append(parts)
        return True

    def _try(self, op: str, /, **fields: Any) -> str | None:
        try:
            taken = self._ask(op, **fields)
        except (RefusedError, UnsupportedError) as error:
            return str(error) or "it is refused"
        return "it would block" if taken.get("again") else None

    def _do(self, op: str, /, quiet: bool = False, patience: float = 2.0, **fields: Any) -> Mapping[str, Any]:
        try:
            return self._ask(op, quiet, patience, **fields)
        except RefusedError as error:
            raise FailureError(f"the library accepts {op}", f"its error: {error}") from error

    def _ask(
        self, op: str, /, quiet: bool = False, patience: float = 2.0, **fields: Any
    ) -> Mapping[str, Any]:
        if not quiet:
            self.trial.log.note(self.name, "app", _told(op, fields))
        if op != "close":
            self.trial.within(patience)  # a library that delays each request would delay the run
        return self.trial.adapter.ask(op, patience, socket=self.name, **fields)


def _told(op: str, fields: Mapping[str, Any]) -> str:
    """Formats a request."""
    match op:
        case "send":
            return f"send {show(tuple(bytes.fromhex(part) for part in fields['parts']))}"
        case "subscribe" | "unsubscribe":
            return f"{op} {show((bytes.fromhex(fields['topic']),))}"
        case "open":
            options = "".join(f" {name}={value}" for name, value in fields["options"].items())
            return f"open {fields['type']}{options}"
        case _:
            return f"{op} {fields.get('endpoint', '')}".rstrip()
