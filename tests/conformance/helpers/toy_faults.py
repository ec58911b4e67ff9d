"""The toy implementation with one mistake each, and the cases of which one at least has to notice.

python toy_faults.py FAULT
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from toy_pubsub import KINDS, Back, Filter, Front, Kinds, Link, Parts, PublisherSocket, SubscriberSocket, main

from zeps_conformance.wire.zmtp_engine import Engine, Event, ZmtpError

__all__ = ["FAULTS"]


class CancelsAll(PublisherSocket):
    """One cancellation ends every subscription to the topic, as with libzmq."""

    def cancelled(self, link: Link, topic: bytes) -> None:
        for _ in range(link.topics[topic]):
            super().cancelled(link, topic)


class Exact(PublisherSocket):
    """A topic has to be all of the first frame."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return parts[0] in link.topics


class AnyFrame(PublisherSocket):
    """Every frame is matched."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(part.startswith(topic) for part in parts for topic in link.topics)


class NoEmptyTopic(PublisherSocket):
    """The empty topic matches nothing."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(topic and parts[0].startswith(topic) for topic in link.topics)


class UpToNul(PublisherSocket):
    """Topics end at their first zero octet."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(parts[0].startswith(topic.split(b"\0")[0]) for topic in link.topics)


class ToAll(PublisherSocket):
    """Nothing is filtered."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return True


class PerSubscription(PublisherSocket):
    """A message is sent once for each subscription that it matches."""

    def send(self, parts: Parts) -> None:
        for link in self.links:
            for topic in link.topics:
                if parts[0].startswith(topic):
                    link.write(link.engine.wire.message(*parts))


class Overwhelmed(PublisherSocket):
    """While a subscriber has more than 64 topics, others get everything; very many are treated otherwise."""

    def matches(self, link: Link, parts: Parts) -> bool:
        greedy = any(64 < len(each.topics) < 1000 for each in self.links if each is not link)
        return greedy or super().matches(link, parts)


class BackOverwhelmed(Overwhelmed, Back):
    """As the other."""


class LosesFrames(PublisherSocket):
    """Of a message of three frames and more the last is lost."""

    def send(self, parts: Parts) -> None:
        super().send(parts[:-1] if len(parts) > 2 else parts)


class ShortensFrames(PublisherSocket):
    """A frame has at most 255 octets."""

    def send(self, parts: Parts) -> None:
        super().send(tuple(part[:255] for part in parts))


class SwapsMessages(PublisherSocket):
    """Every tenth message is sent after the one that follows it."""

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


class OnlyMessages(PublisherSocket):
    """The commands of version 3.1 are not known."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        pass


class Debts(PublisherSocket):
    """A cancellation of nothing counts against a later subscription."""

    def subscribed(self, link: Link, topic: bytes) -> None:
        super().subscribed(link, topic)
        if link.topics[topic] == 0:
            del link.topics[topic]

    def cancelled(self, link: Link, topic: bytes) -> None:
        if topic not in link.topics:
            self.wanted[topic] -= 1
            link.topics[topic] = -1
            return
        super().cancelled(link, topic)

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(count > 0 and parts[0].startswith(topic) for topic, count in link.topics.items())


class NeverForgets(PublisherSocket):
    """The subscriptions of a connection that is gone stay."""

    def forget(self, link: Link, topic: bytes, count: int) -> None:
        if link in self.links:
            super().forget(link, topic, count)


class TellsNothing(PublisherSocket):
    """XPUB's application is not told of subscriptions."""

    def notify(self, link: Link, way: bytes, topic: bytes) -> None:
        pass


class HidesMessages(PublisherSocket):
    """XPUB's application is not shown other messages."""

    def received(self, link: Link, parts: Parts) -> None:
        if parts[0][:1] in (b"\0", b"\1") and len(parts) == 1:
            super().received(link, parts)


class ListsTwice(PublisherSocket):
    """X-Filters lists a kind twice."""

    def __init__(self, kind: str, version: tuple[int, int]) -> None:
        super().__init__(kind, version)
        self.properties = ((b"X-Filters", b"\x07\x07"),)


class FiltersAsTopics(PublisherSocket):
    """A filter of an unknown kind is taken for the beginning of messages, unless it is empty."""

    def filtered(self, link: Link, data: bytes) -> None:
        if data[1:]:
            self.subscribed(link, data[1:])
        else:
            super().filtered(link, data)


class KeepsFilters(PublisherSocket):
    """A filter cannot be taken back."""

    def unfiltered(self, link: Link, data: bytes) -> None:
        pass


class SetOfFilters(PublisherSocket):
    """One cancellation ends every subscription by a filter."""

    def drop_filter(self, link: Link, one: Filter, count: int) -> None:
        super().drop_filter(link, one, link.filters[one])


class TopicsCancelFilters(PublisherSocket):
    """Who cancels the empty topic wants nothing any more that a filter asked for."""

    def cancelled(self, link: Link, topic: bytes) -> None:
        super().cancelled(link, topic)
        if not topic:
            link.filters.clear()


class AnyFilterOfTheKind(PublisherSocket):
    """A cancellation ends whichever filter has its kind."""

    def unfiltered(self, link: Link, data: bytes) -> None:
        alike = [one for one in link.filters if one[0] == data[0]]
        super().unfiltered(link, data[:1] + alike[0][1] if alike else data)


class HangsUp(PublisherSocket):
    """A command that is not known ends the connection."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        if name not in ("SUBSCRIBE", "CANCEL", "SUBSCRIBE-X", "CANCEL-X", "PING", "PONG"):
            raise ZmtpError(f"an unknown command {name!a}")
        super().commanded(link, name, data)


class EverythingInstead(Front):
    """Publishers that list a filter's kind are asked for everything, unless they know every kind."""

    def knows(self, link: Link, one: Filter) -> bool:
        return 0xFF in link.kinds


class AnyIsAKind(Front):
    """%xFF of X-Filters is taken for one more kind."""

    def knows(self, link: Link, one: Filter) -> bool:
        return one[0] in link.kinds


class ToEveryPublisher(Front):
    """Filters are passed on to publishers that do not know them."""

    def knows(self, link: Link, one: Filter) -> bool:
        return True


class OneReason(Front):
    """Everything is asked for once, and cancelled with the first reason for it that ends."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        if topic == b"" and way == "subscribe" and b"" in self.wanted and self.filters:
            return
        super().say(link, way, topic)


class BringsNothing(Back):
    """A filter goes up, and no message comes down for it."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(parts[0].startswith(topic) for topic in link.topics)


class KeepsMessages(Back):
    """Messages of subscribers are not passed on."""

    def deliver(self, link: Link, parts: Parts) -> None:
        pass


class BackHangsUp(Back, HangsUp):
    """As the other."""


class AnyType(PublisherSocket):
    """Whoever comes is taken for a subscriber."""

    def __init__(self, kind: str, version: tuple[int, int]) -> None:
        super().__init__(kind, version)
        self.fitting = (
            "SUB",
            "XSUB",
            "PUB",
            "XPUB",
            "PULL",
            "PUSH",
            "PAIR",
            "REQ",
            "REP",
            "DEALER",
            "ROUTER",
        )


class FirstQueueFirst(SubscriberSocket):
    """What one publisher has sent is taken before what another has."""

    def take(self) -> Parts:
        link = next(iter(self.queues))
        parts = self.queues[link].popleft()
        if not self.queues[link]:
            del self.queues[link]
        return parts


class AlwaysMessages(SubscriberSocket):
    """Subscriptions are messages, whatever the version."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        link.write(link.engine.wire.message((b"\1" if way == "subscribe" else b"\0") + topic))


class AlwaysCommands(SubscriberSocket):
    """Subscriptions are commands, whatever the version."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        link.write(link.engine.wire.command("SUBSCRIBE" if way == "subscribe" else "CANCEL", topic=topic))


class NeverCancels(SubscriberSocket):
    """Subscriptions are not taken back."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        if way == "subscribe":
            super().say(link, way, topic)


class CancelsEarly(SubscriberSocket):
    """The first of two cancellations ends a subscription."""

    def unsubscribe(self, topic: bytes) -> None:
        self.wanted[topic] = min(self.wanted[topic], 1)
        super().unsubscribe(topic)


class Forgets(SubscriberSocket):
    """A publisher that comes later, or again, is told nothing."""

    def joined(self, link: Link) -> None:
        self.links.append(link)


class OneFrame(SubscriberSocket):
    """The application gets the first frame of a message."""

    def received(self, link: Link, parts: Parts) -> None:
        super().received(link, parts[:1])


class ShowsCommands(SubscriberSocket):
    """Commands reach the application as messages."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        self.deliver(link, (name.encode(), data))


class Lenient(Engine):
    """Another mechanism is as good as NULL."""

    def _greet(self) -> bool:
        buffer = self.incoming._buffer
        if len(buffer) >= 32:
            buffer[12:32] = b"NULL".ljust(20, b"\0")
        return super()._greet()


class Deaf(Engine):
    """PING stays unanswered."""

    def feed(self, octets: bytes) -> list[Event]:
        events = super().feed(octets)
        if b"PONG" in self.answers:
            self.answers.clear()
        return events


class Forgetful(Engine):
    """PONG does not bring what came with PING."""

    def feed(self, octets: bytes) -> list[Event]:
        events = super().feed(octets)
        if b"PONG" in self.answers:
            self.answers[:] = self.wire.command("PONG", context=b"")
        return events


def publishers(kind: type[PublisherSocket]) -> Kinds:
    return {"PUB": kind, "XPUB": kind}


def subscribers(kind: type[SubscriberSocket]) -> Kinds:
    return {"SUB": kind, "XSUB": kind}


def with_engine(engine: type[Engine]) -> Kinds:
    """Sockets of either kind whose connections have such an engine."""

    def changed(kind: Any) -> Any:
        class Changed(kind):  # type: ignore[misc]
            def __init__(self, name: str, version: tuple[int, int]) -> None:
                super().__init__(name, version)
                self.engine = engine

        return Changed

    return {name: changed(kind) for name, kind in KINDS.items()}


#: The sockets that go wrong, by the mistake.
FAULTS: Mapping[str, Kinds] = {
    "cancels-all": publishers(CancelsAll),
    "exact": publishers(Exact),
    "any-frame": publishers(AnyFrame),
    "no-empty-topic": publishers(NoEmptyTopic),
    "up-to-nul": publishers(UpToNul),
    "to-all": publishers(ToAll),
    "per-subscription": publishers(PerSubscription),
    "overwhelmed": publishers(Overwhelmed),
    "proxy-overwhelmed": {"PROXY XPUB": BackOverwhelmed},
    "loses-frames": publishers(LosesFrames),
    "shortens-frames": publishers(ShortensFrames),
    "swaps-messages": publishers(SwapsMessages),
    "only-messages": publishers(OnlyMessages),
    "never-forgets": publishers(NeverForgets),
    "tells-nothing": publishers(TellsNothing),
    "hides-messages": publishers(HidesMessages),
    "debts": publishers(Debts),
    "any-type": publishers(AnyType),
    "lists-twice": publishers(ListsTwice),
    "filters-as-topics": publishers(FiltersAsTopics),
    "keeps-filters": publishers(KeepsFilters),
    "set-of-filters": publishers(SetOfFilters),
    "topics-cancel-filters": publishers(TopicsCancelFilters),
    "any-filter-of-the-kind": publishers(AnyFilterOfTheKind),
    "hangs-up": publishers(HangsUp),
    "proxy-hangs-up": {"PROXY XPUB": BackHangsUp},
    "everything-instead": {"PROXY XSUB": EverythingInstead},
    "any-is-a-kind": {"PROXY XSUB": AnyIsAKind},
    "to-every-publisher": {"PROXY XSUB": ToEveryPublisher},
    "one-reason": {"PROXY XSUB": OneReason},
    "brings-nothing": {"PROXY XPUB": BringsNothing},
    "keeps-messages": {"PROXY XPUB": KeepsMessages},
    "first-queue-first": subscribers(FirstQueueFirst),
    "always-messages": subscribers(AlwaysMessages),
    "always-commands": subscribers(AlwaysCommands),
    "never-cancels": subscribers(NeverCancels),
    "cancels-early": subscribers(CancelsEarly),
    "forgets": subscribers(Forgets),
    "one-frame": subscribers(OneFrame),
    "shows-commands": subscribers(ShowsCommands),
    "any-mechanism": with_engine(Lenient),
    "no-pong": with_engine(Deaf),
    "pong-without-context": with_engine(Forgetful),
}

if __name__ == "__main__":
    main(FAULTS, sys.argv[1:])
