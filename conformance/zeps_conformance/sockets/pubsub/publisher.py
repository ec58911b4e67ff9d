"""A publisher that the suite plays towards a subscriber."""

from __future__ import annotations

import socket
import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from zeps_conformance.common.dialects import V3_1, Dialect
from zeps_conformance.common.verdicts import FailureError, UnservedError
from zeps_conformance.sockets.context import Opposite, SocketContext
from zeps_conformance.sockets.markers import Parts, is_marker, show
from zeps_conformance.sockets.peer import Peer
from zeps_conformance.wire.zmtp_codec import Frame, Properties

__all__ = ["Publisher"]

ASKED_AGAIN = (0.1, 0.25, 0.65)  # parts of the timeout after which a barrier subscribes again
LISTENING = 0.02  # seconds after which a waiting application receives once


class Event(NamedTuple):
    """A subscription or a cancellation (`way`, see :meth:`Publisher.next_event`), its form's dialect, and its frame."""

    way: str
    topic: bytes
    dialect: Dialect
    frame: Frame


class Publisher(Peer):
    """A PUB towards a subscriber."""

    SOCKET_TYPE: ClassVar[str] = "PUB"
    ASKS: ClassVar[str] = "<"

    def __init__(
        self, trial: SocketContext, link: socket.socket, name: str, opposite: Opposite | None = None
    ) -> None:
        super().__init__(trial, link, name, opposite)
        self._events: deque[Event] = deque()
        self._marked: set[tuple[str, bytes]] = set()
        self._amid_message = False
        self._takes_filters = False
        self._marker_form: Dialect | None = None

    def introduce(self, dialect: Dialect | None, socket_type: str, properties: Properties) -> None:
        self._takes_filters = any(name.lower() == b"x-filters" for name, _ in properties)
        super().introduce(dialect, socket_type, properties)

    def send(self, *parts: bytes) -> None:
        """Sends a message."""
        self.send_message(*parts)

    def expect_subscribe(
        self, topic: bytes, rule: str | None = None, *, form: bool = False, libzmq: str | None = None
    ) -> Frame:
        """Checks that the next event is a subscription to `topic`; with `form`, in the dialect. Returns the frame.
        `libzmq` describes libzmq's deviation, if it uses the other dialect's form.
        """
        return self._expect("subscribe", topic, rule, form, libzmq)

    def expect_cancel(self, topic: bytes, *, form: bool = False, libzmq: str | None = None) -> Frame:
        """As :meth:`expect_subscribe`, for a cancellation."""
        return self._expect("cancel", topic, None, form, libzmq)

    def expect_filter(self, way: str, kind: int, data: bytes) -> Frame:
        """As :meth:`expect_subscribe` with `form`, for a filter of `kind`; `way` is subscribe or cancel."""
        return self._expect(f"{way}-x", bytes((kind,)) + data, None, True, None)

    def next_event(self, within: float | None = None) -> tuple[str, bytes] | None:
        """Returns the next ``subscribe`` or ``cancel`` with its topic; None if none arrives in time or the connection
        ends. With X-Filters also ``subscribe-x`` and ``cancel-x``, with the kind's byte and the filter.
        """
        event = self._next_event(within)
        return None if event is None else (event.way, event.topic)

    def events(self) -> list[tuple[str, bytes]]:
        """Removes and returns all subscriptions and cancellations up to a barrier, oldest first."""
        self.barrier()
        return self.events_so_far()

    def events_so_far(self) -> list[tuple[str, bytes]]:
        """As :meth:`events`, without a barrier: others may be under way."""
        self.pump_if_open(0.0)
        events = [(event.way, event.topic) for event in self._events]
        self._events.clear()
        return events

    def next_message(self, within: float | None = None) -> Parts | None:
        """Returns the next message that an XSUB sends upstream; None on timeout or if the connection ends."""
        self._wait_listening(self._has_message, within)
        return self._pop_message() if self._has_message() else None

    def expect_message(self, *parts: bytes, rule: str | None = None) -> None:
        """Checks that the next message that an XSUB sends upstream is `parts`."""
        seen = self.next_message()
        seen_text = self.lost if seen is None and self.lost else show(seen)
        self.trial.check(seen == parts, f"{self.name} receives {show(parts)}", seen_text, rule)

    def messages(self) -> list[Parts]:
        """Removes and returns all messages that an XSUB has sent upstream up to a barrier, oldest first."""
        self.barrier()
        messages = []
        while self._has_message():
            messages.append(self._pop_message())
        return messages

    def expect_nothing(self, why: str, rule: str | None = None) -> None:
        """Checks that nothing but PING, PONG and markers is unread, or arrives up to a barrier and for the run's
        `grace` after it.
        """
        seen = self.events()
        self._wait_quietly(lambda: bool(self._events), self.trial.options.grace)
        arrivals = [f"{way} {show((topic,))}" for way, topic in seen]
        arrivals += [f"{event.way} {show((event.topic,))}" for event in self._events]
        arrivals += [self.trial.wire.describe(frame) for frame in self._inbox if frame.name != "PING"]
        self.trial.check(
            not arrivals, f"nothing for {self.name}: {why}", ", ".join(arrivals) or "nothing", rule
        )

    def probe(self, within: float = 1.0) -> str:
        """As for every peer; ``older`` if it is served by subscriptions in the form of a lower version."""
        result = super().probe(within)
        return "older" if result == "served" and self._marker_form is not self.dialect else result

    def _pass_barrier(self, timeout: float) -> None:
        """Makes the application subscribe to a marker, receive its message and cancel: then it has received everything
        from this peer, and this peer everything requested.
        """
        marker = self._marker_asked_for(timeout)
        self._put_frames(self.trial.wire.message(marker))
        if not self.opposite.await_marker((marker,), timeout):
            raise self.unserved("sends a message to its subscribers", "it did not arrive")
        self._let(self.opposite.unsubscribe, marker)
        self.await_marked("cancel", marker, timeout)
        self.trial.log.note(self.name, "note", "barrier passed")

    def _marker_asked_for(self, timeout: float) -> bytes:
        """Returns a marker's topic whose subscription arrived here; tries three: an XSUB may drop one (zmq4)."""
        *early, last = (part * timeout for part in ASKED_AGAIN)
        for patience in early:
            marker = self.trial.markers.topic()
            self._let(self.opposite.subscribe, marker)
            if self._comes("subscribe", marker, patience):
                return marker
            self._let(self.opposite.unsubscribe, marker)
        marker = self.trial.markers.topic()
        self._let(self.opposite.subscribe, marker)
        self.await_marked("subscribe", marker, last)
        return marker

    def _let(self, change: Callable[[bytes], None], topic: bytes) -> None:
        """Changes a subscription. Ignores errors: the library may report that another publisher has disconnected."""
        try:
            change(topic)
        except UnservedError:
            raise
        except FailureError as error:
            self.trial.log.note(self.name, "note", f"the library reports to the application: {error.seen}")

    def heard(self, frame: Frame) -> None:
        subscription = None
        if not self._amid_message:
            subscription = self.trial.wire.subscription(frame, filters=self._takes_filters)
        if not frame.command:
            self._amid_message = frame.more
        if subscription is None:
            super().heard(frame)
            return
        event = Event(*subscription, frame)
        if is_marker((event.topic,)):
            self._marker_form = event.dialect
            self._marked.add((event.way, event.topic))
        else:
            self._events.append(event)

    def _has_message(self) -> bool:
        return any(not frame.command and not frame.more for frame in self._inbox)

    def _pop_message(self) -> Parts:
        """Removes and returns the first message of the inbox, which contains one; drops commands before its end."""
        parts: list[bytes] = []
        while True:
            frame = self._inbox.popleft()
            if not frame.command:
                parts.append(frame.body)
                if not frame.more:
                    return tuple(parts)

    def _listen(self) -> None:
        if self._opposite is not None:
            self._opposite.listen()
        else:
            self.trial.listen()

    def _wait_listening(self, done: Callable[[], bool], within: float | None = None) -> None:
        """Waits until `done`, as :meth:`_wait_quietly`, and lets the application receive meanwhile: some libraries do
        their work in its calls.
        """
        deadline = time.monotonic() + self._patience(within)
        while not done() and self.lost is None and (left := deadline - time.monotonic()) > 0:
            self._wait_quietly(done, min(left, LISTENING))
            if not done():
                self._listen()

    def await_marked(self, way: str, topic: bytes, within: float | None = None) -> None:
        """Waits for the subscription to a marker, or its cancellation; `way` is ``subscribe`` or ``cancel``. Raises
        UnservedError if it does not arrive within `within` seconds, by default the run's timeout.
        """
        if not self._comes(way, topic, within):
            change = "subscription" if way == "subscribe" else "cancellation"
            raise self.unserved(f"receives the application's {change} of a topic", self.lost or "nothing")

    def _comes(self, way: str, marker: bytes, within: float | None) -> bool:
        """Returns whether the subscription to a marker, or its cancellation, arrives in time."""
        self._wait_listening(lambda: (way, marker) in self._marked, within)
        came = (way, marker) in self._marked
        self._marked.discard((way, marker))
        return came

    def _expect(self, way: str, topic: bytes, rule: str | None, form: bool, libzmq: str | None) -> Frame:
        expected, seen = f"{way} {show((topic,))}", self.lost or "nothing"
        event = self._next_event(None)
        if event is not None:
            seen = f"{event.way} {show((event.topic,))}"
        if event is None or (event.way, event.topic) != (way, topic):
            raise FailureError(f"{self.name} receives {expected}", seen, rule)
        if form:
            expected, seen = (
                f"{expected} in the form of ZMTP {self.dialect}",
                f"{seen} in the form of ZMTP {event.dialect}",
            )
            right = event.dialect is self.dialect
            self.trial.check(right, f"{self.name} receives {expected}", seen, self._form_rule(way), libzmq)
        else:
            self.trial.observe(f"{self.name} receives {expected}", seen)
        return event.frame

    def _form_rule(self, way: str) -> str:
        """Returns the rule for the form of a subscription or a cancellation in this dialect."""
        rules = {
            "subscribe": ("ZMTP-S-1", "ZMTP-S-3"),
            "cancel": ("ZMTP-S-2", "ZMTP-S-4"),
            "subscribe-x": ("ZMTP-E-2", "ZMTP-E-1"),
            "cancel-x": ("ZMTP-E-11", "ZMTP-E-10"),
        }
        return rules[way][self.dialect is V3_1]

    def _next_event(self, within: float | None) -> Event | None:
        self._wait_listening(lambda: bool(self._events), within)
        return self._events.popleft() if self._events else None
