"""The toy implementation with one defect, or one variant of toy_variants.py, by its name: python toy_faults.py NAME"""

from __future__ import annotations

import sys
from typing import Any

from toy_pubsub import Back, Filter, Front, Link, Parts, PublisherSocket, SubscriberSocket, main
from toy_registry import FAULTS, KILLERS, REFEREED, fault, refereed
from toy_variants import VARIANTS

from zeps_conformance.common.dialects import V3_0
from zeps_conformance.wire.zmtp_engine import Engine, Event, ZmtpError

__all__ = ["FAULTS", "KILLERS", "REFEREED"]


@fault("zmtp-pub.subscriptions.twice-3-1")
class CancelsAll(PublisherSocket):
    """Ends every subscription to the topic at one cancellation, as libzmq does."""

    def cancelled(self, link: Link, topic: bytes) -> None:
        for _ in range(link.topics[topic]):
            super().cancelled(link, topic)


@fault("zmtp-pub.match.binary-3-1")
class Exact(PublisherSocket):
    """Compares topics with the whole first frame."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return parts[0] in link.topics


@fault("zmtp-pub.match.first-frame-3-1")
class AnyFrame(PublisherSocket):
    """Matches every frame."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(part.startswith(topic) for part in parts for topic in link.topics)


@fault("zmtp-pub.match.empty-topic-3-1")
class NoEmptyTopic(PublisherSocket):
    """Never matches the empty topic."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(topic and parts[0].startswith(topic) for topic in link.topics)


@fault("zmtp-pub.match.zero-ends-nothing-3-1")
class UpToNul(PublisherSocket):
    """Ends topics at their first zero byte."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(parts[0].startswith(topic.split(b"\0")[0]) for topic in link.topics)


@fault("zmtp-pub.match.binary-3-1")
class ToAll(PublisherSocket):
    """Sends every message to every subscriber."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return True


@fault("zmtp-pub.delivery.once-3-1")
class PerSubscription(PublisherSocket):
    """Sends a message once for each matching subscription."""

    def send(self, parts: Parts) -> None:
        for link in self.links:
            for topic in link.topics:
                if parts[0].startswith(topic):
                    link.write(link.engine.wire.message(*parts))


@fault("zmtp-pub.subscriptions.greedy-neighbour-3-1")
class Overwhelmed(PublisherSocket):
    """Sends everything to other subscribers while one has more than 64 topics."""

    def matches(self, link: Link, parts: Parts) -> bool:
        greedy = any(64 < len(other.topics) < 1000 for other in self.links if other is not link)
        return greedy or super().matches(link, parts)


@fault("zmtp-proxy.data.greedy-neighbour-3-1")
class ProxyOverwhelmed(Overwhelmed, Back):
    """As Overwhelmed, for a proxy."""


@fault("zmtp-pub.delivery.everyone")
class OnlyTheFirst(PublisherSocket):
    """Sends the message 'all' only to the first subscriber."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return (parts != (b"all",) or link is self.links[0]) and super().matches(link, parts)


@fault("zmtp-pub.connecting.several")
class OnlyTheFirstOfSeveral(OnlyTheFirst):
    """As OnlyTheFirst, for subscribers that it connects to."""


@fault("zmtp-pub.connecting.serves-3-1")
class CancelsEveryTopic(PublisherSocket):
    """Ends the subscriptions to every topic at a cancellation."""

    def cancelled(self, link: Link, topic: bytes) -> None:
        for every in list(link.topics):
            super().cancelled(link, every)


@fault("zmtp-pub.delivery.whole-3-1")
class LosesFrames(PublisherSocket):
    """Drops the last frame of messages with three or more frames."""

    def send(self, parts: Parts) -> None:
        super().send(parts[:-1] if len(parts) > 2 else parts)


@fault("zmtp-pub.framing.sizes-3-1")
class ShortensFrames(PublisherSocket):
    """Truncates frames to 255 bytes."""

    def send(self, parts: Parts) -> None:
        super().send(tuple(part[:255] for part in parts))


@fault("zmtp-pub.delivery.order-3-1")
class SwapsMessages(PublisherSocket):
    """Sends every tenth message after its successor."""

    count = 0
    kept: Parts | None = None

    def send(self, parts: Parts) -> None:
        self.count += 1
        if self.count % 10 == 0:
            self.kept = parts
            return
        super().send(parts)
        if self.kept is not None:
            kept, self.kept = self.kept, None
            super().send(kept)


@fault("zmtp-pub.subscriptions.twice-3-1")
class OnlyMessages(PublisherSocket):
    """Ignores the commands of version 3.1."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        pass


@fault()
class Debts(PublisherSocket):
    """Counts a cancellation without a subscription against a later subscription."""

    def subscribed(self, link: Link, topic: bytes) -> None:
        super().subscribed(link, topic)
        if link.topics[topic] == 0:
            del link.topics[topic]

    def cancelled(self, link: Link, topic: bytes) -> None:
        if topic not in link.topics:
            self.topics[topic] -= 1
            link.topics[topic] = -1
            return
        super().cancelled(link, topic)

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(count > 0 and parts[0].startswith(topic) for topic, count in link.topics.items())


@fault("zmtp-pub.notices.peer-goes-close-3-1")
class NeverForgets(PublisherSocket):
    """Keeps the subscriptions of a closed connection."""

    def forget(self, link: Link, topic: bytes, count: int) -> None:
        if link in self.links:
            super().forget(link, topic, count)


@fault("zmtp-pub.notices.peer-goes-close-3-1")
class TellsNothing(PublisherSocket):
    """Does not deliver subscriptions to XPUB's application."""

    def notify(self, link: Link, way: bytes, topic: bytes) -> None:
        pass


@fault("zmtp-pub.messages.shown-3-1")
class HidesMessages(PublisherSocket):
    """Delivers only subscriptions to XPUB's application, and no other messages."""

    def received(self, link: Link, parts: Parts) -> None:
        if parts[0][:1] in (b"\0", b"\1") and len(parts) == 1:
            super().received(link, parts)


@fault("zmtp-pub.filters.announced")
class ListsTwice(PublisherSocket):
    """Lists a kind twice in X-Filters."""

    properties = ((b"X-Filters", b"\x07\x07"),)


@fault("zmtp-pub.filters.everything-3-1")
class FiltersAsTopics(PublisherSocket):
    """Treats a non-empty filter of an unknown kind as a topic."""

    def filtered(self, link: Link, data: bytes) -> None:
        if data[1:]:
            self.subscribed(link, data[1:])
        else:
            super().filtered(link, data)


@fault("zmtp-pub.filters.until-cancelled-3-0")
class KeepsFilters(PublisherSocket):
    """Ignores the cancellation of a filter."""

    def unfiltered(self, link: Link, data: bytes) -> None:
        pass


@fault("zmtp-pub.filters.twice-3-1")
class SetOfFilters(PublisherSocket):
    """Ends every subscription with a filter at one cancellation."""

    def drop_filter(self, link: Link, topic_filter: Filter, count: int) -> None:
        super().drop_filter(link, topic_filter, link.filters[topic_filter])


@fault("zmtp-pub.filters.beside-topics-3-1")
class TopicsCancelFilters(PublisherSocket):
    """Cancels the subscriptions with filters when the empty topic is cancelled."""

    def cancelled(self, link: Link, topic: bytes) -> None:
        super().cancelled(link, topic)
        if not topic:
            link.filters.clear()


@fault("zmtp-pub.filters.others-cancelled-3-0")
class AnyFilterOfTheKind(PublisherSocket):
    """Cancels any filter of the same kind."""

    def unfiltered(self, link: Link, data: bytes) -> None:
        alike = [topic_filter for topic_filter in link.filters if topic_filter[0] == data[0]]
        super().unfiltered(link, data[:1] + alike[0][1] if alike else data)


@fault("zmtp-pub.filters.unknown-command-3-1")
class HangsUp(PublisherSocket):
    """Closes the connection on an unknown command."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        if name not in ("SUBSCRIBE", "CANCEL", "SUBSCRIBE-X", "CANCEL-X", "PING", "PONG"):
            raise ZmtpError(f"an unknown command {name!a}")
        super().commanded(link, name, data)


@fault("zmtp-proxy.filters.forwarded-3-0")
class EverythingInstead(Front):
    """Requests everything from publishers that list a filter's kind, unless they know every kind."""

    def knows(self, link: Link, topic_filter: Filter) -> bool:
        return 0xFF in link.kinds


@fault("zmtp-proxy.filters.any-kind-3-1")
class AnyIsAKind(Front):
    """Treats %xFF in X-Filters as one more kind."""

    def knows(self, link: Link, topic_filter: Filter) -> bool:
        return topic_filter[0] in link.kinds


@fault("zmtp-proxy.filters.not-known-3-1")
class ToEveryPublisher(Front):
    """Forwards each filter to every publisher, also to one that did not announce the filter's kind in X-Filters."""

    def knows(self, link: Link, topic_filter: Filter) -> bool:
        return True


@fault("zmtp-proxy.filters.two-reasons-3-1")
class OneReason(Front):
    """Requests everything once, and cancels it when the first of several reasons ends."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        if topic == b"" and way == "subscribe" and b"" in self.topics and self.filters:
            return
        super().say(link, way, topic)


@fault("zmtp-proxy.filters.everything-3-0")
class BringsNothing(Back):
    """Forwards a filter upstream, but no message downstream."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(parts[0].startswith(topic) for topic in link.topics)


@fault("zmtp-proxy.filters.messages-upstream-3-1")
class KeepsMessages(Back):
    """Does not forward messages of subscribers."""

    def deliver(self, link: Link, parts: Parts) -> None:
        pass


@fault("zmtp-proxy.filters.unknown-command-3-1")
class ProxyHangsUp(Back, HangsUp):
    """As HangsUp, for a proxy."""


@fault()
class AnyType(PublisherSocket):
    """Accepts every socket type as a subscriber."""

    fitting = ("SUB", "XSUB", "PUB", "XPUB", "PULL", "PUSH", "PAIR", "REQ", "REP", "DEALER", "ROUTER")


@fault("zmtp-sub.queues.in-turn-3-1")
class FirstQueueFirst(SubscriberSocket):
    """Reads all messages of one publisher before those of another."""

    def take(self) -> Parts:
        link = next(iter(self.queues))
        parts = self.queues[link].popleft()
        if not self.queues[link]:
            del self.queues[link]
        return parts


@fault()
class ClosesForAnOlderPeer(Engine):
    """Closes the connection to a peer of a lower version, as ZMTP-G-8 requires of those that cannot speak it."""

    def take_greeting(self) -> dict[str, Any] | None:
        fields = super().take_greeting()
        if fields is not None and self.other < self.version:
            raise ZmtpError("an older version")
        return fields


@fault()
class AnnouncesThreeZero(Engine):
    """Announces version 3.0, and speaks it to every peer."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.version = V3_0.value


@fault("zmtp-sub.subscribe.as-command-3-1")
class AlwaysMessages(SubscriberSocket):
    """Sends subscriptions as messages in every version."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        link.write(link.engine.wire.message((b"\1" if way == "subscribe" else b"\0") + topic))


@fault("zmtp-sub.subscribe.as-message-3-0")
class AlwaysCommands(SubscriberSocket):
    """Sends subscriptions as commands in every version."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        link.write(link.engine.wire.command("SUBSCRIBE" if way == "subscribe" else "CANCEL", topic=topic))


@fault("zmtp-sub.subscribe.balance-3-1")
class NeverCancels(SubscriberSocket):
    """Never cancels subscriptions."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        if way == "subscribe":
            super().say(link, way, topic)


@fault("zmtp-sub.subscribe.one-of-two-3-1")
class CancelsEarly(SubscriberSocket):
    """Ends a subscription at the first of two cancellations."""

    def unsubscribe(self, topic: bytes) -> None:
        self.topics[topic] = min(self.topics[topic], 1)
        super().unsubscribe(topic)


@fault("zmtp-sub.reconnect.closed-3-1")
class Forgets(SubscriberSocket):
    """Sends no subscriptions to a publisher that connects later or returns."""

    def joined(self, link: Link) -> None:
        self.links.append(link)


@fault("zmtp-sub.messages.multipart-3-1")
class OneFrame(SubscriberSocket):
    """Delivers only the first frame of a message."""

    def received(self, link: Link, parts: Parts) -> None:
        super().received(link, parts[:1])


@fault("zmtp-sub.reconnect.others-unharmed-3-1")
class ClearsAllQueues(SubscriberSocket):
    """Discards all queues when one publisher disconnects."""

    def gone(self, link: Link) -> None:
        super().gone(link)
        self.queues.clear()


@fault("zmtp-sub.handshakes.silent")
class MissesTheLate(SubscriberSocket):
    """Drops the message 'late'."""

    def received(self, link: Link, parts: Parts) -> None:
        if parts != (b"late",):
            super().received(link, parts)


@fault("zmtp-sub.messages.many-publishers-3-1")
class Garbles(SubscriberSocket):
    """Changes the last byte of each message."""

    def received(self, link: Link, parts: Parts) -> None:
        if parts[-1][-1:].isdigit():
            parts = (*parts[:-1], parts[-1][:-1] + b"?")
        super().received(link, parts)


@fault("zmtp-sub.hostile.flood")
class GarblesFloods(Garbles):
    """As Garbles, for many messages."""


@fault("zmtp-sub.upstream.between-subscriptions-3-1")
class GarblesUpstream(SubscriberSocket):
    """Sends a byte that is not text before each message of its application, as XSUB."""

    TYPES = ("XSUB",)

    def send(self, parts: Parts) -> None:
        super().send((b"\xff" + parts[0], *parts[1:]))


@fault("zmtp-sub.framing.command-names-3-1")
class ShowsCommands(SubscriberSocket):
    """Delivers commands to the application as messages."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        self.deliver(link, (name.encode(), data))


@fault("zmtp-sub.greeting.mechanisms")
class AnyMechanism(Engine):
    """Accepts every mechanism as NULL."""

    def _greet(self) -> bool:
        buffer = self.incoming._buffer
        if len(buffer) >= 32:
            buffer[12:32] = b"NULL".ljust(20, b"\0")
        return super()._greet()


@fault("zmtp-pub.handshake.ready-form-3-1")
class TruncatedReady(Engine):
    """Sends a READY without its last byte."""

    def _greet(self) -> bool:
        greeted = super()._greet()
        if greeted:
            self.answers[:] = self.wire.frame(b"\x05READY\x0bSocket-Type\0\0\0\x04PUB", command=True)
        return greeted


@fault("zmtp-sub.metadata.own-3-1")
class TruncatedSubscriberReady(TruncatedReady):
    """As TruncatedReady, for a subscriber."""


@fault("zmtp-sub.heartbeat.answered-3-1")
class NoPong(Engine):
    """Does not answer PING."""

    def feed(self, data: bytes) -> list[Event]:
        events = super().feed(data)
        if b"PONG" in self.answers:
            self.answers.clear()
        return events


@fault("zmtp-sub.heartbeat.answered-3-1")
class PongWithoutContext(Engine):
    """Sends PONG without the context of PING."""

    def feed(self, data: bytes) -> list[Event]:
        events = super().feed(data)
        if b"PONG" in self.answers:
            self.answers[:] = self.wire.command("PONG", context=b"")
        return events


@fault()
class ServesBeforeReady(PublisherSocket):
    """Accepts subscriptions before READY."""

    serves_early = True


@refereed("zmtp-pub.match.binary-3-1", "ZMTP-N-1")
class ReadyTwice(PublisherSocket):
    """Sends a second READY when the handshake is complete."""

    def joined(self, link: Link) -> None:
        super().joined(link)
        link.write(link.engine.wire.ready(self.type.encode()))


@refereed("zmtp-sub.messages.multipart-3-1", "ZMTP-H-3")
class UnaskedPong(SubscriberSocket):
    """Sends PONG without a PING."""

    def joined(self, link: Link) -> None:
        super().joined(link)
        link.write(link.engine.wire.command("PONG", context=b"here"))


@refereed("zmtp-sub.heartbeat.many-3-1", "ZMTP-H-3")
class PongsTwice(Engine):
    """Answers each PING twice."""

    def feed(self, data: bytes) -> list[Event]:
        events = super().feed(data)
        if b"PONG" in self.answers:
            self.answers *= 2
        return events


@refereed("zmtp-pub.match.binary-3-1", "ZMTP-H-2")
class ShortPing(PublisherSocket):
    """Sends PING with a time to live of one byte."""

    def joined(self, link: Link) -> None:
        super().joined(link)
        link.write(link.engine.wire.frame(b"\x04PING\0", command=True))


@refereed("zmtp-pub.match.binary-3-1", "ZMTP-N-4")
class PropertyWithSpace(PublisherSocket):
    """Sends a property whose name has a space."""

    properties = ((b"X Y", b""),)


@refereed("zmtp-sub.messages.multipart-3-1", "ZMTP-S-3")
class TwoFrames(SubscriberSocket):
    """Sends a subscription of two frames, as SUB."""

    TYPES = ("SUB",)

    def joined(self, link: Link) -> None:
        super().joined(link)
        link.write(link.engine.wire.message(b"\1hello", b""))


@refereed("zmtp-sub.messages.multipart-3-1", "ZMTP-S-6")
class LongCancels(SubscriberSocket):
    """Sends cancellations with a size of eight bytes."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        if way == "cancel":
            link.write(link.engine.wire.cancel(topic, link.dialect, long=True))
        else:
            super().say(link, way, topic)


@refereed("zmtp-pub.framing.too-large-message-2-to-63", "ZMTP-S-7")
class Greets(PublisherSocket):
    """Sends a message to each subscriber before any subscription."""

    def joined(self, link: Link) -> None:
        super().joined(link)
        link.write(link.engine.wire.message(b"welcome"))


if __name__ == "__main__":
    main(FAULTS | VARIANTS, sys.argv[1:])
