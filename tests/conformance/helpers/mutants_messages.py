"""Mutants with defects in subscriptions, sequences, streams and order."""

from __future__ import annotations

import unicodedata

from mutant import Mutant, killed_by
from toy_broker import Log, Place, Stored

from zeps_conformance.model.interpreter import Decoded
from zeps_conformance.wire.router_server import Remote


@killed_by("subscribe.after-n", "subscribe.only-new")
class LatestIgnored(Mutant):
    def start_of(self, place: Place, latest: int) -> int:
        return 0


@killed_by("subscribe.after-n", "gears.resume")
class LatestIsRepeated(Mutant):
    def start_of(self, place: Place, latest: int) -> int:
        return max(super().start_of(place, latest) - 1, 0)


@killed_by("subscribe.after-n", "subscribe.only-new")
class LatestIsSkipped(Mutant):
    def start_of(self, place: Place, latest: int) -> int:
        return super().start_of(place, latest) + (1 if latest else 0)


@killed_by("subscribe.union-live", "subscribe.union-replayed")
class UnionDeliversTwice(Mutant):
    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        for pattern, start in place.subscriptions:
            if stored.sequence > start and self.matches(pattern, stored.key):
                super().deliver(remote, place, stored)


@killed_by("subscribe.older-adds", "subscribe.older-same-pattern")
class OlderLatestRepeats(Mutant):
    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        place.had.clear()
        super().subscribe(remote, place, pattern, latest)


@killed_by("subscribe.union-live", "subscribe.newer-takes-nothing")
class LastSubscriptionWins(Mutant):
    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        place.subscriptions.clear()
        super().subscribe(remote, place, pattern, latest)


@killed_by("subscribe.answered-first")
class AnswersAfterTheMessages(Mutant):
    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        self.add(place, pattern, self.start_of(place, latest))
        self.pump(remote, place)
        self.say(remote, "SUBSCRIBE-OK")


@killed_by("subscribe.prefix")
class MatchesAnywhere(Mutant):
    def matches(self, pattern: str, key: str) -> bool:
        return pattern in key


@killed_by("subscribe.prefix", "subscribe.octets")
class MatchesWithoutCase(Mutant):
    def matches(self, pattern: str, key: str) -> bool:
        return key.lower().startswith(pattern.lower())


@killed_by("subscribe.no-syntax")
class StarIsAWildcard(Mutant):
    def matches(self, pattern: str, key: str) -> bool:
        return key.startswith(pattern.removesuffix("*"))


@killed_by("subscribe.empty-pattern")
class EmptyPatternMatchesNothing(Mutant):
    def matches(self, pattern: str, key: str) -> bool:
        return bool(pattern) and super().matches(pattern, key)


@killed_by("subscribe.none", "opening.again-forgets-subscriptions")
class CreditAloneSubscribes(Mutant):
    def grant(self, place: Place, credit: int) -> None:
        super().grant(place, credit)
        place.subscriptions = place.subscriptions or [("", self.log(place.stream).end)]


@killed_by("sequence.from-one")
class SequenceFromZero(Mutant):
    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        self.say(remote, "DELIVER", sequence=stored.sequence - 1, key=stored.key, body=stored.body)


@killed_by("sequence.unsubscribed-counts", "subscribe.prefix")
class SequencePerSession(Mutant):
    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        self.say(remote, "DELIVER", sequence=len(place.had), key=stored.key, body=stored.body)


@killed_by("streams.isolated")
class StreamsLeak(Mutant):
    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        super().publish(remote, place, key, body)
        stored = self.log(place.stream).messages[-1]
        for other, there in self.places.items():
            if there.stream != place.stream and there.subscriptions and there.credit > 1000:
                self.deliver(other, there, stored)


@killed_by("streams.names-differ")
class StreamsWithoutCase(Mutant):
    def log(self, stream: str) -> Log:
        return super().log(stream.lower())


@killed_by("streams.names-differ")
class PathsAreCleaned(Mutant):
    def log(self, stream: str) -> Log:
        return super().log(stream.rstrip("/"))


@killed_by("deliver.ascending", "subscribe.everything")
class NewestFirst(Mutant):
    def pump(self, remote: Remote, place: Place) -> None:
        for stored in reversed(self.log(place.stream).messages):
            if self.due(place, place.subscriptions, stored) and self.covered(place, self.cost(stored)):
                self.spend(place, self.cost(stored))
                self.mark(place, stored)
                self.deliver(remote, place, stored)


@killed_by("publish.twice-is-two")
class EqualMessagesAreOne(Mutant):
    def store(self, stream: str, key: str, body: bytes) -> None:
        messages = self.log(stream).messages
        if not messages or (messages[-1].key, messages[-1].body) != (key, body):
            super().store(stream, key, body)


@killed_by("gears.starve-and-refill", "credit.counts-octets-live")
class LosesOneAtTheGearSwitch(Mutant):
    """Never sends the message at which the credit ran out."""

    def pump(self, remote: Remote, place: Place) -> None:
        super().pump(remote, place)
        left = self.log(place.stream).messages[place.done :]
        if 0 < place.credit < 60 and left and self.due(place, place.subscriptions, left[0]):
            place.done += 1


@killed_by("gears.one-at-a-time", "gears.starve-and-refill")
class RepeatsOneAtTheGearSwitch(Mutant):
    """Sends the last message again on new credit."""

    def grant(self, place: Place, credit: int) -> None:
        super().grant(place, credit)
        if place.had:
            last = max(place.had)
            place.had.discard(last)
            place.done = min(place.done, last - 1)


@killed_by("publish.own")
class PublisherIsNotServed(Mutant):
    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        self.store(place.stream, key, body)
        for other, there in list(self.places.items()):
            if there.stream == place.stream and other is not remote:
                self.pump(other, there)
        place.done = self.log(place.stream).end


@killed_by("publish.needs-nothing")
class PublishNeedsASubscription(Mutant):
    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        if place.subscriptions:
            super().publish(remote, place, key, body)


@killed_by("publish.no-answer")
class PublishIsAnswered(Mutant):
    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        super().publish(remote, place, key, body)
        self.say(remote, "PING-OK")


@killed_by("chunk.any-octets")
class BodiesAreText(Mutant):
    def store(self, stream: str, key: str, body: bytes) -> None:
        super().store(stream, key, body.decode("utf-8", "replace").encode())


@killed_by("chunk.sizes")
class BodiesAreCut(Mutant):
    def store(self, stream: str, key: str, body: bytes) -> None:
        super().store(stream, key, body[:65_535])


@killed_by("heartbeat.pong-unasked")
class PingOkIsAnswered(Mutant):
    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        super().in_session(remote, place, message)
        if message.name == "PING-OK":
            self.say(remote, "PING-OK")


@killed_by("heartbeat.in-order")
class PingOvertakesPublish(Mutant):
    """Answers PING at once; published messages wait for up to about a second."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.waiting: list[tuple[Remote, Place, str, bytes]] = []

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        self.waiting.append((remote, place, key, body))

    def turn(self, now: float) -> None:
        super().turn(now)
        if not self.remotes() or now % 1 < 0.9:
            return
        for waiting in self.waiting:
            super().publish(*waiting)
        self.waiting.clear()


@killed_by("publish.keeps-order-of-sizes")
class LargeMessagesAreStoredLater(Mutant):
    """Stores a message of more than 4,200 bytes after the next small one."""

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        held = self.kept.pop(remote, None)
        body = message["body"] if message.name == "PUBLISH" else b""
        assert isinstance(body, bytes)
        if message.name == "PUBLISH" and len(body) <= 4200:
            super().in_session(remote, place, message)
        if held is not None:
            super().in_session(remote, place, held)
        if len(body) > 4200:
            self.kept[remote] = message
        elif message.name != "PUBLISH":
            super().in_session(remote, place, message)


@killed_by("publish.octet-for-octet")
class KeysAreNormalized(Mutant):
    """Composes the accents of keys."""

    def store(self, stream: str, key: str, body: bytes) -> None:
        super().store(stream, unicodedata.normalize("NFC", key), body)


@killed_by("publish.beside-the-longest")
class LosesTheMessageBehindTheLongest(Mutant):
    def store(self, stream: str, key: str, body: bytes) -> None:
        if not self.kept.pop(stream, False):
            super().store(stream, key, body)
        self.kept[stream] = len(body) == 1 << 24


@killed_by("subscribe.patterns-in-turn")
class ForgetsPatternsOfMany(Mutant):
    """Does not serve a pattern again after a hundred others on the stream."""

    def add(self, place: Place, pattern: str, start: int) -> None:
        known = self.kept.setdefault(place.stream, {})
        again = len(known) > 100 and pattern in known
        known[pattern] = None
        super().add(place, "\x01" if again else pattern, start)
