"""Mutants with defects that only many messages, patterns, keys, streams or sessions show, or their combination."""

from __future__ import annotations

from collections import deque

from mutant import Mutant, killed_by
from toy_broker import Asked, Fill, Place, Refusal, Stored

from zeps_conformance.model.interpreter import Decoded
from zeps_conformance.wire.router_server import Remote


@killed_by("scale.messages", volume=1.0)
class SequenceHasSixteenBits(Mutant):
    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        self.say(remote, "DELIVER", sequence=stored.sequence & 0xFFFF, key=stored.key, body=stored.body)


@killed_by("scale.messages", "nearby.latest")
class ResumesWithEightBits(Mutant):
    """Compares only the low byte of a latest near 256."""

    def start_of(self, place: Place, latest: int) -> int:
        start = super().start_of(place, latest)
        return start & 0xFF if start in (256, 257) else start


@killed_by("scale.messages")
class ReplayEndsEarly(Mutant):
    """Ends a replay after the batch with the 101st message if more than 200 wait, and continues with new ones."""

    def run(
        self, remote: Remote, place: Place, subscriptions: list[tuple[str, int]], done: int, upto: int
    ) -> int:
        reached = super().run(remote, place, subscriptions, done, upto)
        return upto if upto - reached > 200 and len(place.had) > 100 else reached


@killed_by("scale.patterns", "subscribe.too-many")
class SixtyFourPatternsCount(Mutant):
    """Grants more subscriptions than it compares."""

    def due(self, place: Place, subscriptions: list[tuple[str, int]], stored: Stored) -> bool:
        return super().due(place, subscriptions[:64], stored)


@killed_by("scale.keys", alone=True)
class HundredKeysAreRouted(Mutant):
    """Delivers only the first hundred keys of a stream to sessions with one subscription that is not to everything."""

    def due(self, place: Place, subscriptions: list[tuple[str, int]], stored: Stored) -> bool:
        keys = self.kept.setdefault(place.stream, {})
        number = keys.setdefault(stored.key, len(keys))
        filtered = all(pattern for pattern, _ in subscriptions)
        known = number < 100 or len(subscriptions) > 1 or not filtered
        return known and super().due(place, subscriptions, stored)


@killed_by("scale.streams")
class StreamsShareAfterThirty(Mutant):
    """Takes the thirty-first stream of a connection for its first."""

    def attach(self, remote: Remote, message: Decoded) -> None:
        names = self.kept.setdefault(remote, [])
        if str(message["stream"]) not in names:
            names.append(str(message["stream"]))
        super().attach(remote, message)
        if len(names) > 30 and names.index(str(message["stream"])) == 30:
            self.places[remote].stream = names[0]


@killed_by("scale.sessions", alone=True)
class TwentyReadersOfAStream(Mutant):
    """Delivers a message live only to the first twenty and the last two sessions of a stream."""

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        self.store(place.stream, key, body)
        there = [(other, at) for other, at in self.places.items() if at.stream == place.stream]
        for other, at in there[:20] + there[-2:]:
            self.pump(other, at)


@killed_by("scale.bytes-of-one-session", "combination.large-among-small")
class LargeMessagesGoLast(Mutant):
    """Delivers a message of more than 200,000 bytes after the next one."""

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        held = self.kept.pop(remote, None)
        if held is None and len(stored.body) > 200_000:
            self.kept[remote] = stored
            return
        super().deliver(remote, place, stored)
        if held is not None:
            super().deliver(remote, place, held)


@killed_by("scale.full-pipe", "gears.unread-pipe", volume=0.5)
class FullPipeDropsMessages(Mutant):
    """Drops what it delivers while more than a megabyte waits for a client."""

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        if len(remote.outbox) < 1 << 20:
            super().deliver(remote, place, stored)


@killed_by("combination.fills-and-flow", "subscribe.older-first")
class LaterFillsGoFirst(Mutant):
    """Delivers what the last subscription adds before that of earlier ones."""

    def add(self, place: Place, pattern: str, start: int) -> None:
        count = len(place.fills)
        super().add(place, pattern, start)
        if len(place.fills) > count:
            place.fills.rotate(1)


@killed_by("subscribe.older-in-order")
class FillsGoByTheirStart(Mutant):
    """Delivers what subscriptions add by their starts, lowest first."""

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        place.fills = deque(sorted(place.fills, key=lambda fill: fill.done))


@killed_by("subscribe.fill-under-credit")
class LargeFillIsDropped(Mutant):
    """Skips a message of the past that a subscription adds if it is larger than the credit."""

    def run(
        self, remote: Remote, place: Place, subscriptions: list[tuple[str, int]], done: int, upto: int
    ) -> int:
        reached = super().run(remote, place, subscriptions, done, upto)
        if place.fills and reached < upto and place.credit:
            return self.run(remote, place, subscriptions, reached + 1, upto)
        return reached


@killed_by("credit.none-overtakes")
class LaterMessagesOvertake(Mutant):
    """Delivers a new message that the credit covers while earlier ones wait."""

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        for other, at in self.places.items():
            waits = at.stream == place.stream and at.subscriptions and at.done < self.log(at.stream).end
            self.kept[other] = waits and not at.fills
        self.store(place.stream, key, body)
        stored = self.log(place.stream).messages[-1]
        for other, at in list(self.places.items()):
            cost = self.cost(stored)
            if self.kept[other] and self.due(at, at.subscriptions, stored) and self.covered(at, cost):
                self.spend(at, cost)
                self.mark(at, stored)
                self.deliver(other, at, stored)
            elif at.stream == place.stream:
                self.pump(other, at)


@killed_by("combination.fills-and-flow", "subscribe.older-first")
class FillIsForgottenByAThird(Mutant):
    """Forgets the second of three additions that wait for credit."""

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if len(place.fills) == 3 and place.fills[1].upto - place.fills[1].done > 8:
            del place.fills[1]


@killed_by("combination.patterns-before-credit")
class LastStartCounts(Mutant):
    """Applies the newest start of a session without credit to all of its patterns."""

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if len(place.subscriptions) > 2 and not place.had and not place.credit:
            place.subscriptions[:] = [(name, max(start, begin)) for name, begin in place.subscriptions]


@killed_by("subscribe.further-starts")
class FurtherStartIsThePosition(Mutant):
    """Begins a further subscription where the session is, even if its latest is later."""

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, min(start, place.done) if place.subscriptions else start)


@killed_by("combination.added-during-replay")
class ReplayEndsWhenASubscriptionIsAdded(Mutant):
    """If a subscription is added when over a hundred messages wait, delivers of them only those of the first one."""

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        end = self.log(place.stream).end
        if len(place.subscriptions) > 1 and place.had and end - place.done > 100:
            place.fills.append(Fill(place.subscriptions[0][0], place.done, end))
            place.done = end


@killed_by("scale.sessions")
class FourthReaderSharesCredit(Mutant):
    """Takes the cost of a message to the fifth session of a stream also from the sixth, if there are nine."""

    def spend(self, place: Place, cost: int) -> None:
        super().spend(place, cost)
        there = [other for other in self.places.values() if other.stream == place.stream]
        if len(there) > 8 and place is there[4]:
            there[5].credit = max(there[5].credit - cost, 0)


@killed_by("nearby.stream-names")
class StreamNamesHaveAMaximum(Mutant):
    """Compares the first 250 bytes of a stream's name."""

    def attach(self, remote: Remote, message: Decoded) -> None:
        super().attach(remote, message)
        if remote in self.places:
            place = self.places[remote]
            place.stream = place.stream.encode()[:250].decode(errors="ignore")


@killed_by("nearby.keys-and-patterns")
class PatternsHaveAMaximum(Mutant):
    """Compares the first 127 bytes of patterns and keys."""

    def matches(self, pattern: str, key: str) -> bool:
        return key.encode().startswith(pattern.encode()[:127])


@killed_by("nearby.keys-at-each-length", alone=True)
class RoutesAreKeptByTheBeginningOfAKey(Mutant):
    """Keeps which sessions receive a key of more than 48 bytes live by its first 48 bytes."""

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        self.store(place.stream, key, body)
        there = {other: at for other, at in self.places.items() if at.stream == place.stream}
        matching = {
            other
            for other, at in there.items()
            if any(self.fits(at, name, key) for name, _ in at.subscriptions)
        }
        if len(key.encode()) > 48:
            matching = self.kept.setdefault((place.stream, key.encode()[:48]), matching)
        for other, at in there.items():
            if other not in matching:
                at.had.add(self.log(place.stream).end)
            self.pump(other, at)


@killed_by("nearby.keys-and-patterns")
class PatternsAreCompiledToSums(Mutant):
    """Takes patterns of the same length and the same sum of bytes for the same."""

    def matches(self, pattern: str, key: str) -> bool:
        end = len(pattern.encode())
        return len(key.encode()) >= end and sum(key.encode()[:end]) == sum(pattern.encode())


@killed_by("nearby.credit")
class CreditHasThirtyTwoBits(Mutant):
    def grant(self, place: Place, credit: int) -> None:
        super().grant(place, credit if credit >= 1 << 40 else credit & 0xFFFFFFFF)


@killed_by("nearby.credit")
class CreditSumIsSigned(Mutant):
    """Treats a sum from 2^31 to 2^31 + 999 as negative."""

    def grant(self, place: Place, credit: int) -> None:
        super().grant(place, credit)
        if 0 <= place.credit - (1 << 31) < 1000:
            place.credit = 0


@killed_by("nearby.latest")
class LatestHasThirtyTwoBits(Mutant):
    def refusal(self, place: Place, pattern: str, latest: int) -> Refusal | None:
        refusal = super().refusal(place, pattern, latest)
        fits = 1 << 32 <= latest < 1 << 33 and latest & 0xFFFFFFFF <= self.log(place.stream).end
        return None if fits and refusal is not None and refusal.code == "beyond-end" else refusal


@killed_by("nearby.latest")
class BeyondEndNamesThirtyOneBits(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        if refusal.code == "beyond-end" and 1 << 31 <= refusal.last < 1 << 33:
            refusal = refusal._replace(last=(1 << 31) - 1)
        super().declined(remote, place, asked, refusal)


@killed_by("nearby.routing-ids", alone=True)
class HighRoutingIdsAreGranted(Mutant):
    """Takes a routing id of five bytes with the high bit for its own."""

    def has_own_id(self, remote: Remote) -> bool:
        identity = remote.properties.get("identity", b"")
        return super().has_own_id(remote) and not (len(identity) == 5 and identity[0] & 0x80)
