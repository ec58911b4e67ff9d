"""A subscriber that the suite plays towards a publisher."""

from __future__ import annotations

import socket
import time
from collections import Counter
from typing import ClassVar

from zeps_conformance.sockets.context import Opposite, SocketContext
from zeps_conformance.sockets.markers import Parts, is_marker, show, show_all
from zeps_conformance.sockets.peer import MessagePeer, parts_of
from zeps_conformance.wire.zmtp_codec import Frame

__all__ = ["Subscriber"]

FIRST_WAIT = 0.01  # seconds after which a barrier's marker is sent again; the wait grows
PATIENCE_FOR_CANCEL = 0.3  # seconds in which a cancellation under way takes effect
QUICKLY = 0.5  # seconds after which a missing message is checked by a barrier
NOTICED = 0.5  # seconds in which an application that receives notices has received one
SETTLE = 0.1  # seconds in which a subscription without an observable effect takes effect


class Subscriber(MessagePeer):
    """A SUB towards a publisher."""

    SOCKET_TYPE: ClassVar[str] = "SUB"
    ASKS: ClassVar[str] = ">"

    def __init__(
        self, trial: SocketContext, link: socket.socket, name: str, opposite: Opposite | None = None
    ) -> None:
        super().__init__(trial, link, name, opposite)
        self._marked: set[Parts] = set()
        self._topics: Counter[bytes] = Counter()

    def subscribe(self, *topics: bytes, long: bool | None = None) -> None:
        """Subscribes to each topic, in the connection's dialect. It takes effect later: see :meth:`barrier`."""
        for topic in topics:
            self._topics[topic] += 1
            self._put_frames(self.trial.wire.subscribe(topic, self.dialect, long))

    def cancel(self, *topics: bytes, long: bool | None = None) -> None:
        """Cancels one subscription to each topic, in the connection's dialect."""
        for topic in topics:
            self._topics[topic] -= 1
            self._put_frames(self.trial.wire.cancel(topic, self.dialect, long))

    def require_filters(self) -> bytes:
        """The kinds of filters in READY. Raises UnsupportedError without X-Filters, UnservedError for another type."""
        kind = self.properties.get("socket-type", b"")
        if kind not in (b"PUB", b"XPUB"):
            raise self.unserved("READY of a publisher", f"Socket-Type {kind!a}", "ZMTP-N-8")
        if "x-filters" not in self.properties:
            self.trial.unsupported(
                "the implementation's READY has no X-Filters: it does not support filters by kind"
            )
        return self.properties["x-filters"]

    def subscribe_filter(self, kind: int, data: bytes) -> None:
        """As :meth:`subscribe`, with a filter of an unknown kind, which matches every message."""
        self._topics[b""] += 1
        self._put_frames(self.trial.wire.subscribe_filter(kind, data, self.dialect))

    def cancel_filter(self, kind: int, data: bytes) -> None:
        """As :meth:`cancel`, for such a filter."""
        self._topics[b""] -= 1
        self._put_frames(self.trial.wire.cancel_filter(kind, data, self.dialect))

    def next_message(self, within: float | None = None) -> Parts | None:
        """Returns the next message; None if none arrives in time, or the connection ends."""
        frames = self.next_frames(within)
        return None if frames is None else parts_of(frames)

    def next_frames(self, within: float | None = None) -> list[Frame] | None:
        """As :meth:`next_message`, but returns the message's frames."""
        self._wait_quietly(lambda: bool(self.messages), self._patience(within))
        return self.messages.popleft() if self.messages else None

    def expect_message(
        self, *parts: bytes, rule: str | None = None, libzmq: str | None = None
    ) -> list[Frame]:
        """Checks that the next message is `parts`; it must arrive within 0.5 s or up to a barrier. Returns its frames.
        `libzmq` describes libzmq's deviation, if the message does not arrive.
        """
        expected = f"{self.name} receives {show(parts)}"
        frames = self.next_frames(QUICKLY)
        if frames is None and self.lost is None:
            self.barrier()
            frames = self.next_frames(0.0)
        seen = None if frames is None else parts_of(frames)
        seen_text = self.lost if seen is None and self.lost else show(seen)
        known = libzmq if seen is None and self.lost is None else None
        self.trial.check(seen == parts, expected, seen_text, rule, known)
        return frames or []

    def expect_nothing(self, why: str, rule: str | None = None) -> None:
        """Checks that no message is unread up to a barrier, or arrives for the run's `grace` after it."""
        seen = self.collect()
        self._wait_quietly(lambda: bool(self.messages), self.trial.options.grace)
        seen += self._drain()
        self.trial.check(not seen, f"nothing for {self.name}: {why}", show_all(seen), rule)

    def collect(self) -> list[Parts]:
        """Removes and returns all unread messages, also those that arrive up to a barrier, oldest first."""
        self.barrier()
        return self._drain()

    def _pass_barrier(self, timeout: float) -> None:
        """Receives a marker's messages, each after a message of a topic without subscribers: a marker alone shows that
        the subscription is active, and that everything before it was processed.
        """
        marker, probe = self.trial.markers.topic(), self.trial.markers.topic(b"probe")
        self._put_frames(self.trial.wire.subscribe(marker, self.dialect))
        number = self._until_marked(marker, probe, self.trial.within(timeout))
        self._put_frames(self.trial.wire.cancel(marker, self.dialect))
        self._marked = {message for message in self._marked if not message[0].startswith((marker, probe))}
        self.trial.log.note(self.name, "note", f"barrier passed, after {number}")

    def await_marker(self, message: Parts, timeout: float) -> bool:
        """Returns whether the marker `message` arrives within `timeout` seconds; other messages are kept."""
        self._wait_quietly(lambda: message in self._marked, self._patience(timeout))
        arrived = message in self._marked
        self._marked.discard(message)
        return arrived

    def heard_message(self, frames: list[Frame]) -> None:
        parts = parts_of(frames)
        if is_marker(parts):
            self._marked.add(parts)
        else:
            super().heard_message(frames)

    def _until_marked(self, marker: bytes, probe: bytes, timeout: float) -> int:
        subscribed = any(marker.startswith(topic) for topic, count in self._topics.items() if count > 0)
        patience = time.monotonic() + (0.0 if subscribed else PATIENCE_FOR_CANCEL)
        wait, number = FIRST_WAIT, 0
        deadline = time.monotonic() + timeout
        while True:
            number += 1
            last, other = (marker + b"%d" % number,), (probe + b"%d" % number,)
            self.opposite.send(*other)
            self.opposite.send(*last)
            self._wait_quietly(lambda last=last: last in self._marked, wait)  # type: ignore[misc]
            if last in self._marked and other not in self._marked:
                return number
            if last in self._marked and time.monotonic() > patience:
                self._settle(marker)
                return number
            if self.lost is not None or time.monotonic() > deadline:
                raise self.unserved(
                    "receives messages of a topic that it subscribes to", self.lost or "nothing arrived"
                )
            wait = min(2 * wait, 0.2)

    def _settle(self, marker: bytes) -> None:
        """Handles a peer with a subscription that matches every message: uses the application's notices, or waits."""
        noticed = self.opposite.has_notices and self.opposite.await_marker((b"\x01" + marker,), NOTICED)
        if not noticed:  # the cases of notices judge that, not every barrier
            self._wait_quietly(lambda: False, SETTLE)
        last = (marker + b"last",)
        self.opposite.send(*last)
        self._wait_quietly(lambda: last in self._marked, self._patience(None))

    def _drain(self) -> list[Parts]:
        messages = [parts_of(frames) for frames in self.messages]
        self.messages.clear()
        return messages
