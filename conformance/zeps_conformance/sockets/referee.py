"""Referee of a socket's connections: judges all bytes that the implementation sends, in every case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from zeps_conformance.common.dialects import V3_1
from zeps_conformance.wire.zmtp_codec import Wire
from zeps_conformance.wire.zmtp_side import CONTEXT_MAX, SHORT_MAX, Fault, Item, SideReader

__all__ = ["ConnectionReferee"]

PUBLISHERS, SUBSCRIBERS = ("PUB", "XPUB"), ("SUB", "XSUB")
#: Forms of subscriptions and cancellations: the command of version 3.1, the first byte of the message of 3.0, and the
#: rules of the two.
FORMS = (("SUBSCRIBE", b"\x01", "ZMTP-S-3", "ZMTP-S-1"), ("CANCEL", b"\x00", "ZMTP-S-4", "ZMTP-S-2"))


class ConnectionReferee:
    """One connection. Call :meth:`sent` with the bytes of the suite before they are written, and :meth:`received` with
    those of the implementation, whose socket has one of `types`. What only follows from valid bytes of the suite is
    judged as long as the suite has sent valid bytes. `earlier` are the connections whose subscriptions may remain
    because the implementation has connected again.
    """

    def __init__(
        self, wire: Wire, name: str, types: Sequence[str], earlier: Sequence[ConnectionReferee] = ()
    ) -> None:
        self.name = name
        self._types = types
        self._earlier = earlier
        self._suite = SideReader(wire, self._suite_sent)
        self._peer = SideReader(wire, self._peer_sent)
        self._faults: list[Fault] = []
        self._pings: Counter[bytes] = Counter()
        self._any_pong = False  # whether the suite sent a PING that violates ZMTP
        self._topics: set[bytes] = set()
        self._any_message = False  # whether the suite sent what may be a subscription to anything

    def sent(self, data: bytes) -> None:
        """Records bytes that the suite sends."""
        self._suite.feed(data)

    def received(self, data: bytes) -> None:
        """Judges bytes of the implementation."""
        self._peer.feed(data)

    def faults(self) -> Iterator[Fault]:
        """Yields the violations up to now, the first of each rule; none if the suite did not speak ZMTP 3."""
        if self._suite.result.stopped and not self._suite.result.mechanism:
            return
        rules: set[str] = set()
        for fault in (*self._peer.result.faults, *self._faults, *self._greeting_faults()):
            if fault.rule not in rules:
                rules.add(fault.rule)
                yield fault

    def _greeting_faults(self) -> Iterator[Fault]:
        """Yields what is a fault only if the suite has announced version 3 or higher."""
        peer = self._peer.result
        if self._suite.result.version[0] < 3:
            return
        if peer.stopped.startswith("it does not begin"):
            yield Fault("ZMTP-G-1", "a greeting of ZMTP", "other bytes", 0, 1)
        elif peer.stopped.startswith("it speaks"):
            yield Fault("ZMTP-G-2", "version 3.0 or 3.1", peer.stopped, 0, 1)
        kind = peer.socket_type
        if kind and kind not in self._types:
            yield Fault("ZMTP-N-7", f"the Socket-Type {' or '.join(self._types)}", repr(kind), 0, 1)

    # The suite's side ---------------------------------------------------------------------------------------

    def _suite_sent(self, item: Item) -> None:
        if item.name == "PING":
            self._pings[item.context] += 1
            self._any_pong = self._any_pong or not item.is_sound or len(item.context) > CONTEXT_MAX
        elif item.name.upper() == "SUBSCRIBE":
            self._topics.add(item.parts[0][1 + len(item.name) :])
        elif len(item.parts) > 1:
            self._any_message = self._any_message or any(part[:1] == b"\x01" for part in item.parts)
        elif not item.name and item.parts[0].startswith(b"\x01"):
            self._topics.add(item.parts[0][1:])
        elif item.name.upper().startswith("SUBSCRIBE") or item.parts[0].startswith(b"\x02"):
            self._any_message = True

    # The implementation's side ------------------------------------------------------------------------------

    def _peer_sent(self, item: Item) -> None:
        kind = self._peer.result.socket_type
        if item.name == "PONG":
            self._pong(item)
        elif kind in SUBSCRIBERS:
            self._subscriber_sent(item, kind)
        elif kind in PUBLISHERS and not item.name:
            self._publisher_sent(item)

    def _pong(self, item: Item) -> None:
        if self._any_pong or self._suite.result.stopped:
            return
        if self._pings[item.context] > 0:
            self._pings[item.context] -= 1
            return
        answered = item.context in self._pings
        seen = f"PONG with the context {item.context.hex(' ') or 'of no bytes'}"
        seen += ", of a PING that was answered" if answered else ""
        self._fault("ZMTP-H-3", "each PONG answers a PING of the same context", seen, item)

    def _subscriber_sent(self, item: Item, kind: str) -> None:
        """Judges the form of subscriptions and cancellations; XSUB also sends any messages of its application."""
        if not self._suite.result.mechanism:
            return
        newer = min(self._suite.result.version, self._peer.result.version) >= V3_1.value
        for command, head, rule_3_1, rule_3_0 in FORMS:
            is_command = item.name == command
            is_message = kind == "SUB" and not item.name and item.parts[0].startswith(head)
            if is_command and not newer:
                expected = f"a message that begins with {head.hex()} and has a single frame"
                self._fault(rule_3_0, expected, f"the command {command}", item)
            if is_message and newer:
                self._fault(
                    rule_3_1, f"the command {command}", f"a message that begins with {head.hex()}", item
                )
            elif is_message and len(item.parts) > 1:
                self._fault(
                    rule_3_0, "a message of one frame", f"a message of {len(item.parts)} frames", item
                )
            if (is_command or is_message) and item.long:
                expected, seen = f"a size of one byte for up to {SHORT_MAX} bytes", "a size of eight bytes"
                self._fault("ZMTP-S-6", expected, seen, item)

    def _publisher_sent(self, item: Item) -> None:
        known = (self, *self._earlier)
        if any(referee._any_message or referee._suite.result.stopped for referee in known):
            return
        if not any(item.parts[0].startswith(topic) for referee in known for topic in referee._topics):
            seen = f"a message that begins with {item.parts[0][:16].hex(' ') or 'no byte'}"
            self._fault("ZMTP-S-7", "only messages of the topics that were subscribed to", seen, item)

    def _fault(self, rule: str, expected: str, seen: str, item: Item) -> None:
        self._faults.append(Fault(rule, expected, seen, item.start, item.end))
