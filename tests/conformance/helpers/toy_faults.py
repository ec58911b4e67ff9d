"""The toy implementation with one defect each, which at least one case must detect.

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
    """Ends every subscription to the topic at one cancellation, as libzmq does."""

    def cancelled(self, link: Link, topic: bytes) -> None:
        for _ in range(link.topics[topic]):
            super().cancelled(link, topic)


class Exact(PublisherSocket):
    """Compares topics with the whole first frame."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return parts[0] in link.topics


class AnyFrame(PublisherSocket):
    """Matches every frame."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(part.startswith(topic) for part in parts for topic in link.topics)


class NoEmptyTopic(PublisherSocket):
    """Never matches the empty topic."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(topic and parts[0].startswith(topic) for topic in link.topics)


class UpToNul(PublisherSocket):
    """Ends topics at their first zero byte."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(parts[0].startswith(topic.split(b"\0")[0]) for topic in link.topics)


class ToAll(PublisherSocket):
    """Sends every message to every subscriber."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return True


class PerSubscription(PublisherSocket):
    """Sends a message once for each matching subscription."""

    def send(self, parts: Parts) -> None:
        for link in self.links:
            for topic in link.topics:
                if parts[0].startswith(topic):
                    link.write(link.engine.wire.message(*parts))


class Overwhelmed(PublisherSocket):
    """Sends everything to other subscribers while one has more than 64 topics."""

    def matches(self, link: Link, parts: Parts) -> bool:
        greedy = any(64 < len(each.topics) < 1000 for each in self.links if each is not link)
        return greedy or super().matches(link, parts)


class BackOverwhelmed(Overwhelmed, Back):
    """As Overwhelmed, for a proxy."""


class LosesFrames(PublisherSocket):
    """Drops the last frame of messages with three or more frames."""

    def send(self, parts: Parts) -> None:
        super().send(parts[:-1] if len(parts) > 2 else parts)


class ShortensFrames(PublisherSocket):
    """Truncates frames to 255 bytes."""

    def send(self, parts: Parts) -> None:
        super().send(tuple(part[:255] for part in parts))


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


class OnlyMessages(PublisherSocket):
    """Ignores the commands of version 3.1."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        pass


class Debts(PublisherSocket):
    """Counts a cancellation without a subscription against a later subscription."""

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
    """Keeps the subscriptions of a closed connection."""

    def forget(self, link: Link, topic: bytes, count: int) -> None:
        if link in self.links:
            super().forget(link, topic, count)


class TellsNothing(PublisherSocket):
    """Does not deliver subscriptions to XPUB's application."""

    def notify(self, link: Link, way: bytes, topic: bytes) -> None:
        pass


class HidesMessages(PublisherSocket):
    """Does not deliver other messages to XPUB's application."""

    def received(self, link: Link, parts: Parts) -> None:
        if parts[0][:1] in (b"\0", b"\1") and len(parts) == 1:
            super().received(link, parts)


class ListsTwice(PublisherSocket):
    """Lists a kind twice in X-Filters."""

    def __init__(self, kind: str, version: tuple[int, int]) -> None:
        super().__init__(kind, version)
        self.properties = ((b"X-Filters", b"\x07\x07"),)


class FiltersAsTopics(PublisherSocket):
    """Treats a non-empty filter of an unknown kind as a topic."""

    def filtered(self, link: Link, data: bytes) -> None:
        if data[1:]:
            self.subscribed(link, data[1:])
        else:
            super().filtered(link, data)


class KeepsFilters(PublisherSocket):
    """Ignores the cancellation of a filter."""

    def unfiltered(self, link: Link, data: bytes) -> None:
        pass


class SetOfFilters(PublisherSocket):
    """Ends every subscription with a filter at one cancellation."""

    def drop_filter(self, link: Link, one: Filter, count: int) -> None:
        super().drop_filter(link, one, link.filters[one])


class TopicsCancelFilters(PublisherSocket):
    """Cancels the subscriptions with filters when the empty topic is cancelled."""

    def cancelled(self, link: Link, topic: bytes) -> None:
        super().cancelled(link, topic)
        if not topic:
            link.filters.clear()


class AnyFilterOfTheKind(PublisherSocket):
    """Cancels any filter of the same kind."""

    def unfiltered(self, link: Link, data: bytes) -> None:
        alike = [one for one in link.filters if one[0] == data[0]]
        super().unfiltered(link, data[:1] + alike[0][1] if alike else data)


class HangsUp(PublisherSocket):
    """Closes the connection on an unknown command."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        if name not in ("SUBSCRIBE", "CANCEL", "SUBSCRIBE-X", "CANCEL-X", "PING", "PONG"):
            raise ZmtpError(f"an unknown command {name!a}")
        super().commanded(link, name, data)


class EverythingInstead(Front):
    """Requests everything from publishers that list a filter's kind, unless they know every kind."""

    def knows(self, link: Link, one: Filter) -> bool:
        return 0xFF in link.kinds


class AnyIsAKind(Front):
    """Treats %xFF in X-Filters as one more kind."""

    def knows(self, link: Link, one: Filter) -> bool:
        return one[0] in link.kinds


class ToEveryPublisher(Front):
    """Forwards filters to publishers that do not know them."""

    def knows(self, link: Link, one: Filter) -> bool:
        return True


class OneReason(Front):
    """Requests everything once, and cancels it when the first of several reasons ends."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        if topic == b"" and way == "subscribe" and b"" in self.wanted and self.filters:
            return
        super().say(link, way, topic)


class BringsNothing(Back):
    """Forwards a filter upstream, but no message downstream."""

    def matches(self, link: Link, parts: Parts) -> bool:
        return any(parts[0].startswith(topic) for topic in link.topics)


class KeepsMessages(Back):
    """Does not forward messages of subscribers."""

    def deliver(self, link: Link, parts: Parts) -> None:
        pass


class BackHangsUp(Back, HangsUp):
    """As HangsUp, for a proxy."""


class AnyType(PublisherSocket):
    """Accepts every socket type as a subscriber."""

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
    """Reads all messages of one publisher before those of another."""

    def take(self) -> Parts:
        link = next(iter(self.queues))
        parts = self.queues[link].popleft()
        if not self.queues[link]:
            del self.queues[link]
        return parts


class AlwaysMessages(SubscriberSocket):
    """Sends subscriptions as messages in every version."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        link.write(link.engine.wire.message((b"\1" if way == "subscribe" else b"\0") + topic))


class AlwaysCommands(SubscriberSocket):
    """Sends subscriptions as commands in every version."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        link.write(link.engine.wire.command("SUBSCRIBE" if way == "subscribe" else "CANCEL", topic=topic))


class NeverCancels(SubscriberSocket):
    """Never cancels subscriptions."""

    def say(self, link: Link, way: str, topic: bytes) -> None:
        if way == "subscribe":
            super().say(link, way, topic)


class CancelsEarly(SubscriberSocket):
    """Ends a subscription at the first of two cancellations."""

    def unsubscribe(self, topic: bytes) -> None:
        self.wanted[topic] = min(self.wanted[topic], 1)
        super().unsubscribe(topic)


class Forgets(SubscriberSocket):
    """Sends no subscriptions to a publisher that connects later or returns."""

    def joined(self, link: Link) -> None:
        self.links.append(link)


class OneFrame(SubscriberSocket):
    """Delivers only the first frame of a message."""

    def received(self, link: Link, parts: Parts) -> None:
        super().received(link, parts[:1])


class ShowsCommands(SubscriberSocket):
    """Delivers commands to the application as messages."""

    def commanded(self, link: Link, name: str, data: bytes) -> None:
        self.deliver(link, (name.encode(), data))


class Lenient(Engine):
    """Accepts every mechanism as NULL."""

    def _greet(self) -> bool:
        buffer = self.incoming._buffer
        if len(buffer) >= 32:
            buffer[12:32] = b"NULL".ljust(20, b"\0")
        return super()._greet()


class Deaf(Engine):
    """Does not answer PING."""

    def feed(self, octets: bytes) -> list[Event]:
        events = super().feed(octets)
        if b"PONG" in self.answers:
            self.answers.clear()
        return events


class Forgetful(Engine):
    """Sends PONG without the context of PING."""

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
    """Returns sockets of either kind whose connections use `engine`."""

    def changed(kind: Any) -> Any:
        class Changed(kind):  # type: ignore[misc]
            def __init__(self, name: str, version: tuple[int, int]) -> None:
                super().__init__(name, version)
                self.engine = engine

        return Changed

    return {name: changed(kind) for name, kind in KINDS.items()}


#: The faulty sockets, by the name of the defect.
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
