"""Plain SUB and PUB sockets as sessions of a stream: each connection translates between ZMTP and ZEPS.

To the core such a connection is an ordinary client with unlimited credit, so all guarantees of sessions apply: a
subscriber that does not read is served from the journal when it reads again. A topic is a prefix of keys. ZEPS cannot
cancel a subscription, so messages of cancelled topics are dropped here.
"""

from __future__ import annotations

import codecs
import socket
from collections.abc import Sequence
from typing import Any

from zeps_broker.core.reasons import parse
from zeps_broker.ports import Output
from zeps_broker.topics.budget import TopicBudget, TopicLimitError
from zeps_broker.topics.subscriptions import Filter, SubscriptionChange, Subscriptions
from zeps_broker.transport.options import GatewayOptions
from zeps_broker.transport.zmtp.connection import MORE, Limits
from zeps_broker.transport.zmtp.frames import LONG, join
from zeps_broker.transport.zmtp.pubsub import PublishingConnection, SubscribingConnection, Whole
from zeps_wire import zeps
from zeps_wire.errors import EncodeError

__all__ = ["Gateway", "GatewayPublisher", "GatewaySubscriber", "answers"]

_ANSWERS = {zeps.PING_HEAD: zeps.PING_OK_HEAD, zeps.DETACH_HEAD: zeps.DETACH_OK_HEAD}
_GAPS = (zeps.OpenCode.RETENTION, zeps.OpenCode.DAMAGE)
_CREDIT = zeps.Credit(2**64 - 1).encode()
_KEY_MAX = 255


class Gateway:
    """The gateway of one stream: converts messages and frames, and counts messages that cannot be converted."""

    def __init__(self, options: GatewayOptions, budget: TopicBudget) -> None:
        """`budget` limits the topics of SUB sockets at all gateways that share it."""
        self.options = options
        self.budget = budget
        self.attach = zeps.Attach(options.stream).encode()
        self.refused = 0
        """Messages of PUB sockets that the stream cannot hold."""
        self._dressed: tuple[Sequence[bytes], bytes] = ((), b"")

    def encode_for_sub(self, frames: Sequence[bytes]) -> bytes:
        """Encodes DELIVER frames for a SUB; b"" without frames. Keeps the last result for peers with the same list."""
        if self._dressed[0] is not frames:
            self._dressed = frames, b"".join(map(self._message, map(_delivered, frames)))
        return self._dressed[1]

    def encode_matching(self, frames: Sequence[bytes], topics: Subscriptions) -> bytes:
        """Encodes the messages of these DELIVER frames whose keys match `topics`; b"" if no key does."""
        delivered = map(_delivered, frames)
        return b"".join(self._message(message) for message in delivered if topics.match(message.key.encode()))

    def _message(self, delivered: zeps.Deliver) -> bytes:
        key, body = delivered.key.encode(), delivered.body
        if self.options.frames == "any":
            if not body:
                return bytes(join([key]))
            if _is_rest(body):
                return bytes((MORE, len(key))) + key + body
        return bytes((MORE, len(key))) + key + bytes(join([body]))

    def publish(self, message: Whole) -> bytes | None:
        """Encodes a PUB's message as PUBLISH. Returns None, and counts it in `refused`, if the stream cannot hold it:
        the key is not valid text, a part is too long, or it has more than two frames and `frames` is "two".
        """
        first, whole = message
        rest = whole[(9 if whole[0] & LONG else 2) + len(first) :]
        if self.options.frames == "two" and rest:
            if rest[0] & MORE:
                self.refused += 1
                return None
            rest = rest[9 if rest[0] & LONG else 2 :]
        try:
            return zeps.Publish(first.decode(), rest).encode()
        except (UnicodeDecodeError, EncodeError):
            self.refused += 1
            return None

    def pattern(self, topic: bytes) -> str | None:
        """Returns a pattern that matches all keys that begin with `topic`, and few others; "" (all keys) if the
        stream's patterns are not prefixes; None if no key can begin with `topic`.
        """
        if len(topic) > _KEY_MAX:
            return None
        try:
            # A topic may end in the middle of a character.
            text = codecs.getincrementaldecoder("utf-8")().decode(topic)
            zeps.Subscribe(text, zeps.LATEST_NEW).encode()
        except (UnicodeDecodeError, EncodeError):
            return None
        return text if self.options.prefix else ""


class GatewaySubscriber(PublishingConnection):
    """A connection of a SUB. Yields the ZEPS frames of its session: ATTACH, unlimited CREDIT, and SUBSCRIBEs."""

    __slots__ = ("_asked", "_attached", "_exact", "_gateway", "_topics")

    def __init__(self, link: socket.socket, name: str, limits: Limits, gateway: Gateway) -> None:
        self._gateway = gateway
        self._attached = False
        self._topics = Subscriptions(budget=gateway.budget)
        self._asked: set[bytes] = set()
        """The patterns of the session."""
        self._exact = True  # True if the session's patterns equal the socket's topics
        super().__init__(link, name, limits)

    def feed(self, data: bytes = b"") -> list[Any]:
        changes = [item for item in super().feed(data) if isinstance(item, SubscriptionChange)]  # ZMTP-P-7
        said: list[bytes] = []
        if self.open and not self._attached:
            self._attached = True
            said += [self._gateway.attach, _CREDIT]
        try:
            for change in changes:
                self._heed(change, said)
        except TopicLimitError as error:
            self.exceed(str(error))
        if changes:
            self._exact = len(self._asked) == len(self._topics) and all(
                self._topics.has(self, pattern) for pattern in self._asked
            )
        return said

    def end(self) -> None:
        super().end()
        self._topics.remove(self)

    def _heed(self, change: SubscriptionChange, said: list[bytes]) -> None:
        if not change.subscribe:
            self._topics.cancel(self, change.topic)
            return
        self._topics.subscribe(self, change.topic)
        # A filter of another kind subscribes to everything (ZMTP-E-4).
        pattern = "" if isinstance(change.topic, Filter) else self._gateway.pattern(change.topic)
        if pattern is None or pattern.encode() in self._asked or b"" in self._asked:
            return
        if len(self._asked) + 1 >= self._gateway.options.patterns:
            pattern = ""
        self._asked.add(pattern.encode())
        said.append(zeps.Subscribe(pattern, zeps.LATEST_NEW).encode())

    def encode_for_sub(self, output: Output) -> bytes:
        """Encodes the deliveries that match the socket's topics; b"" if none does."""
        if self._exact:
            return self._gateway.encode_for_sub(output.frames)
        return self._gateway.encode_matching(output.frames, self._topics)


class GatewayPublisher(SubscribingConnection):
    """A PUB's connection, asked for everything. Yields ATTACH, and a PUBLISH for each message the stream can hold."""

    __slots__ = ("_attached", "_gateway")

    def __init__(self, link: socket.socket, name: str, limits: Limits, gateway: Gateway) -> None:
        self._gateway = gateway
        self._attached = False
        super().__init__(link, name, limits)

    def feed(self, data: bytes = b"") -> list[Any]:
        messages = super().feed(data)
        said: list[bytes] = []
        if self.open and not self._attached:
            self._attached = True
            said.append(self._gateway.attach)
            try:
                self.ask([SubscriptionChange(True, b"")])
            except OSError as error:
                self.broken = f"lost: {error.strerror}"
        said += filter(None, map(self._gateway.publish, messages))
        return said

    def encode_for_sub(self, output: Output) -> bytes:
        """Returns nothing: its session has no subscription."""
        return b""


def answers(frames: Sequence[bytes]) -> list[bytes] | None:
    """Returns a session's answers to these control frames, PING-OK and DETACH-OK; None if INVALID shows that the
    session has ended or lacks a requested subscription. Gaps (ZEPS-RETAIN-1, ZEPS-DAMAGE-1) are not reported to plain
    sockets.
    """
    refusals = (zeps.decode(frame) for frame in frames if frame.startswith(zeps.INVALID_HEAD))
    if any(
        isinstance(refusal, zeps.Invalid) and parse(refusal.reason)[0] not in _GAPS for refusal in refusals
    ):
        return None
    return [_ANSWERS[frame] for frame in frames if frame in _ANSWERS]


def _delivered(frame: bytes) -> zeps.Deliver:
    message = zeps.decode(frame)
    assert isinstance(message, zeps.Deliver)
    return message


def _is_rest(data: bytes) -> bool:
    """Returns whether these bytes are exactly the further frames of a message: at least one, the last without MORE."""
    at, end, more = 0, len(data), True
    while more and end - at >= 2:
        flags = data[at]
        head = 9 if flags & LONG else 2
        if flags & ~(LONG | MORE) or end - at < head:
            return False
        at += head + int.from_bytes(data[at + 1 : at + head])
        more = bool(flags & MORE)
    return at == end and not more
