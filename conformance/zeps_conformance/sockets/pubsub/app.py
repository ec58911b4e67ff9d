"""The implementation's socket as its application sees it, by way of the adapter."""

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
SLICE = 0.25  # seconds that an adapter is asked to wait at a time


class App:
    """One socket. Each call is one request, and FailureError if the library refuses it.

    What barriers and brackets send is taken out of what the application receives.
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

    # Where it is --------------------------------------------------------------------------------------------

    def bind(self) -> str:
        """Bind to a free port. Returns the endpoint."""
        return str(self._do("bind")["endpoint"])

    def unbind(self, endpoint: str) -> None:
        self._do("unbind", endpoint=endpoint)

    def connect(self, endpoint: str) -> None:
        self._do("connect", endpoint=endpoint)

    def disconnect(self, endpoint: str) -> None:
        self._do("disconnect", endpoint=endpoint)

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self._do("close")

    # Saying -------------------------------------------------------------------------------------------------

    def subscribe(self, topic: bytes) -> None:
        self._do("subscribe", topic=topic.hex())

    def unsubscribe(self, topic: bytes) -> None:
        self._do("unsubscribe", topic=topic.hex())

    def send(self, *parts: bytes) -> bool:
        """A message. False if the library says that it would block."""
        return not self._do("send", parts=[part.hex() for part in parts]).get("again", False)

    def try_send(self, *parts: bytes) -> str | None:
        """As :meth:`send`, but the text of the library's error is returned; None if it took the message."""
        return self._try("send", parts=[part.hex() for part in parts])

    def try_subscribe(self, topic: bytes) -> str | None:
        """As :meth:`subscribe`, but the text of the library's error is returned; None if there is none."""
        return self._try("subscribe", topic=topic.hex())

    def try_unsubscribe(self, topic: bytes) -> str | None:
        """As :meth:`unsubscribe`, but the text of the library's error is returned; None if there is none."""
        return self._try("unsubscribe", topic=topic.hex())

    # Hearing ------------------------------------------------------------------------------------------------

    def recv(self, timeout: float | None = None) -> Parts | None:
        """The next message; None if none comes within `timeout` seconds, by default the run's."""
        deadline = time.monotonic() + (self.trial.options.timeout if timeout is None else timeout)
        while not self._inbox:
            left = max(deadline - time.monotonic(), 0.0)
            if not self._hear(min(left, SLICE)) and left <= SLICE:
                return None
        return self._inbox.popleft()

    def try_recv(self, timeout: float = 0.15) -> Parts | str | None:
        """As :meth:`recv`, but that the library cannot, or will not, is returned as its text."""
        if self._inbox:
            return self._inbox.popleft()
        try:
            answer = self._ask("recv", True, timeout, timeout=int(self.trial.within(timeout) * 1000))["parts"]
        except (RefusedError, UnsupportedError) as error:
            return str(error) or "it is refused"
        return None if answer is None or not self._take(answer) else self._inbox.popleft()

    def collect(self) -> list[Parts]:
        """All messages that have come."""
        while self._hear(0.0):
            pass
        found = list(self._inbox)
        self._inbox.clear()
        return found

    def take(self, count: int, within: float | None = None) -> list[Parts]:
        """The next `count` messages, or as many as come before nothing has come for `within` seconds."""
        found: list[Parts] = []
        while len(found) < count and (parts := self.recv(within)) is not None:
            found.append(parts)
        return found

    def expect(self, *parts: bytes, rule: str | None = None, libzmq: str | None = None) -> None:
        """The next message has to be `parts`; that there is none may be what libzmq does, if `libzmq` says so."""
        seen = self.recv()
        known = libzmq if seen is None else None
        self.trial.check(seen == parts, f"the application receives {show(parts)}", show(seen), rule, known)

    def expect_any_order(self, *messages: Parts, rule: str | None = None) -> None:
        """The next messages have to be `messages`, in whatever order."""
        seen: list[Parts] = []
        while len(seen) < len(messages) and (parts := self.recv()) is not None:
            seen.append(parts)
        expected = f"the application receives, in any order, {show_all(messages)}"
        self.trial.check(sorted(seen) == sorted(messages), expected, show_all(seen), rule)

    def expect_nothing(
        self,
        why: str,
        rule: str | None = None,
        libzmq: tuple[str, Sequence[Parts]] | None = None,
        grace: float | None = None,
    ) -> None:
        """Nothing waits, and nothing comes within `grace` seconds. `libzmq`: what it does, and what then comes."""
        stray = self.recv(self.trial.options.grace if grace is None else grace)
        seen = [] if stray is None else [stray, *self.collect()]
        known = libzmq[0] if libzmq is not None and seen == list(libzmq[1]) else None
        self.trial.check(not seen, f"the application receives nothing: {why}", show_all(seen), rule, known)

    def expect_notice(self, subscribe: bool, topic: bytes, rule: str | None = None) -> None:
        """XPUB: the next message has to tell of a subscription to `topic`, or of its end."""
        seen = self.recv()
        what = "subscription to" if subscribe else "cancellation of"
        expected = f"the application is told of the {what} {show((topic,))}"
        self.trial.check(seen == (NOTICE_HEADS[subscribe] + topic,), expected, show(seen), rule)

    # Markers ------------------------------------------------------------------------------------------------

    def await_marker(self, message: Parts, timeout: float) -> bool:
        """Whether the marker `message` comes within `timeout` seconds; what else comes is kept."""
        deadline = time.monotonic() + timeout
        while message not in self._marked:
            left = max(deadline - time.monotonic(), 0.0)
            if not self._hear(min(left, SLICE)) and left <= SLICE:
                return False
        self._marked.discard(message)
        return True

    def listen(self) -> None:
        """Take in what has come, without waiting, as an application does that is idle."""
        if self.is_open:
            self._hear(0.0)

    @property
    def has_notices(self) -> bool:
        """Whether it is told of subscriptions."""
        return self.type == "XPUB"

    # Within -------------------------------------------------------------------------------------------------

    def _hear(self, timeout: float) -> bool:
        """Take in one message, waiting at most so long; whether there was one.

        That the library cannot receive is as if nothing had come: it may say so only because a connection was lost.
        """
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
        """Take in a message; whether it is one for the case."""
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
            raise FailureError(f"the library takes {op}", f"its error: {error}") from error

    def _ask(
        self, op: str, /, quiet: bool = False, patience: float = 2.0, **fields: Any
    ) -> Mapping[str, Any]:
        if not quiet:
            self.trial.log.note(self.name, "app", _told(op, fields))
        if op != "close":
            self.trial.within(patience)  # a library that holds up each request would hold up the run
        return self.trial.adapter.ask(op, patience, socket=self.name, **fields)


def _told(op: str, fields: Mapping[str, Any]) -> str:
    """A request for a reader."""
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
