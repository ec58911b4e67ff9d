"""The toy broker with one mistake each. `killed_by` names the cases that have to notice it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import ClassVar

from toy_broker import CREDIT_MAX, Place, Stored, ToyBroker

from zeps_conformance.interpreter import Decoded, Interpreter, MalformedFrameError
from zeps_conformance.raw.listener import Remote


class Mutant(ToyBroker):
    killed_by: ClassVar[tuple[str, ...]] = ()


# Credit


class CreditOneOctetTooMuch(Mutant):
    killed_by = ("credit.counts-octets", "credit.never-beyond")

    def covered(self, place: Place, cost: int) -> bool:
        return cost <= place.credit + 1

    def spend(self, place: Place, cost: int) -> None:
        place.credit = max(place.credit - cost, 0)


class CreditOneOctetTooLittle(Mutant):
    killed_by = ("credit.counts-octets", "credit.counts-octets-live")

    def covered(self, place: Place, cost: int) -> bool:
        return cost < place.credit


class CreditCountsBodies(Mutant):
    killed_by = ("credit.counts-octets", "credit.counts-octets-live")

    def cost(self, stored: Stored) -> int:
        return len(stored.body)


class CreditCountsPublishFrames(Mutant):
    killed_by = ("credit.counts-octets",)

    def cost(self, stored: Stored) -> int:
        return super().cost(stored) - 8


class CreditReplaces(Mutant):
    killed_by = ("credit.adds-up", "credit.before-subscribing")

    def grant(self, place: Place, octets: int) -> None:
        place.credit = octets


class CreditWraps(Mutant):
    killed_by = ("credit.saturates",)

    def grant(self, place: Place, octets: int) -> None:
        place.credit = (place.credit + octets) % (CREDIT_MAX + 1)


class CreditIsNotSpent(Mutant):
    killed_by = ("credit.counts-octets", "gears.one-at-a-time")

    def spend(self, place: Place, cost: int) -> None:
        pass


class CreditStartsAtSomething(Mutant):
    killed_by = ("credit.starts-at-zero",)

    def attach(self, remote: Remote, message: Decoded) -> None:
        super().attach(remote, message)
        if remote in self.places:
            self.places[remote].credit = 20


class CreditLetsSmallOnesOvertake(Mutant):
    killed_by = ("credit.none-overtakes",)

    def pump(self, remote: Remote, place: Place) -> None:
        for stored in self.log(place.stream):
            if self.due(place, stored) and self.covered(place, self.cost(stored)):
                self.spend(place, self.cost(stored))
                self.mark(place, stored)
                self.deliver(remote, place, stored)


class CreditIgnoredWhenLive(Mutant):
    killed_by = ("credit.starts-at-zero", "credit.counts-octets-live")

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        for there in self.places.values():
            there.credit = max(there.credit, 300)
        super().publish(remote, place, key, body)


# Sessions


class AttachKeepsCredit(Mutant):
    killed_by = ("opening.again-forgets-credit",)

    def attach(self, remote: Remote, message: Decoded) -> None:
        before = self.places.get(remote)
        super().attach(remote, message)
        if before is not None and remote in self.places:
            self.places[remote].credit = before.credit


class AttachKeepsSubscriptions(Mutant):
    killed_by = ("opening.again-forgets-subscriptions",)

    def attach(self, remote: Remote, message: Decoded) -> None:
        before = self.places.get(remote)
        super().attach(remote, message)
        if before is not None and remote in self.places:
            self.places[remote].subscriptions = before.subscriptions


class InvalidDoesNotEndTheSession(Mutant):
    killed_by = ("invalid.ends-session", "framing.unknown-command")

    def refuse(self, remote: Remote, reason: str) -> None:
        self.say(remote, "INVALID", reason=reason)


class InvalidKeepsCredit(Mutant):
    """The session ends, but what it had comes back with the next ATTACH."""

    killed_by = ("invalid.ends-session",)

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.kept: dict[Remote, int] = {}

    def refuse(self, remote: Remote, reason: str) -> None:
        if remote in self.places:
            self.kept[remote] = self.places[remote].credit
        super().refuse(remote, reason)

    def attach(self, remote: Remote, message: Decoded) -> None:
        super().attach(remote, message)
        if remote in self.places:
            self.places[remote].credit = self.kept.pop(remote, 0)


class InvalidWithoutReason(Mutant):
    killed_by = ("invalid.one-each", "invalid.broker-only-deliver")

    def refuse(self, remote: Remote, reason: str) -> None:
        super().refuse(remote, "")


class InvalidEndsOtherSessions(Mutant):
    killed_by = ("invalid.others-unmoved",)

    def refuse(self, remote: Remote, reason: str) -> None:
        stream = self.places[remote].stream if remote in self.places else ""
        super().refuse(remote, reason)
        for other in [one for one, place in self.places.items() if place.stream == stream]:
            self.end(other)


class HangsUpOnBadInput(Mutant):
    killed_by = ("framing.signature", "sessions.none-for-ping")

    def refuse(self, remote: Remote, reason: str) -> None:
        self.hang_up(remote)


class IgnoresBadInput(Mutant):
    killed_by = ("framing.signature", "sessions.none-for-ping")

    def refuse(self, remote: Remote, reason: str) -> None:
        self.end(remote)


class PingWithoutSessionAnswered(Mutant):
    killed_by = ("sessions.none-for-ping", "invalid.ends-session")

    def without_session(self, remote: Remote, message: Decoded) -> None:
        if message.name == "PING":
            self.say(remote, "PING-OK")
        else:
            super().without_session(remote, message)


class CreditWithoutSessionIgnored(Mutant):
    killed_by = ("sessions.none-for-credit",)

    def without_session(self, remote: Remote, message: Decoded) -> None:
        if message.name != "CREDIT":
            super().without_session(remote, message)


class DetachKeepsDelivering(Mutant):
    killed_by = ("closing.ends-delivery",)

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "DETACH":
            self.say(remote, "DETACH-OK")
        else:
            super().in_session(remote, place, message)


class DetachUnanswered(Mutant):
    killed_by = ("closing.answered",)

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "DETACH":
            self.end(remote)
        else:
            super().in_session(remote, place, message)


class SessionsShareCredit(Mutant):
    killed_by = ("sessions.independent-credit",)

    def grant(self, place: Place, octets: int) -> None:
        for there in self.places.values():
            if there.stream == place.stream:
                super().grant(there, octets)


class ForgetsNobody(Mutant):
    killed_by = ("heartbeat.forgets-the-silent",)

    def expired(self, place: Place, now: float) -> bool:
        return False


class OnlyPingIsASignOfLife(Mutant):
    killed_by = ("heartbeat.signs-of-life",)

    def sign_of_life(self, place: Place, message: Decoded) -> None:
        if message.name == "PING":
            place.heard = time.monotonic()


# Subscriptions


class LatestIgnored(Mutant):
    killed_by = ("subscribe.after-n", "subscribe.only-new")

    def start_of(self, place: Place, latest: int) -> int:
        return 0


class LatestIsRepeated(Mutant):
    killed_by = ("subscribe.after-n", "gears.resume")

    def start_of(self, place: Place, latest: int) -> int:
        return max(super().start_of(place, latest) - 1, 0)


class LatestIsSkipped(Mutant):
    killed_by = ("subscribe.after-n", "subscribe.only-new")

    def start_of(self, place: Place, latest: int) -> int:
        return super().start_of(place, latest) + (1 if latest else 0)


class LatestBeyondTheEndWaits(Mutant):
    killed_by = ("subscribe.beyond-end",)

    def start_of(self, place: Place, latest: int) -> int:
        return super().start_of(place, latest) if latest == CREDIT_MAX else latest


class UnionDeliversTwice(Mutant):
    killed_by = ("subscribe.union-live", "subscribe.union-replayed")

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        for pattern, start in place.subscriptions:
            if stored.sequence > start and self.matches(pattern, stored.key):
                super().deliver(remote, place, stored)


class OlderLatestRepeats(Mutant):
    killed_by = ("subscribe.older-adds", "subscribe.older-same-pattern")

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        place.had.clear()
        super().subscribe(remote, place, pattern, latest)


class LastSubscriptionWins(Mutant):
    killed_by = ("subscribe.union-live", "subscribe.newer-takes-nothing")

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        place.subscriptions.clear()
        place.done = CREDIT_MAX
        super().subscribe(remote, place, pattern, latest)


class AnswersAfterTheMessages(Mutant):
    killed_by = ("subscribe.answered-first",)

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        start = self.start_of(place, latest)
        place.subscriptions.append((pattern, start))
        place.done = min(place.done, start)
        self.pump(remote, place)
        self.say(remote, "SUBSCRIBE-OK")


class MatchesAnywhere(Mutant):
    killed_by = ("subscribe.prefix",)

    def matches(self, pattern: str, key: str) -> bool:
        return pattern in key


class MatchesWithoutCase(Mutant):
    killed_by = ("subscribe.prefix", "subscribe.octets")

    def matches(self, pattern: str, key: str) -> bool:
        return key.lower().startswith(pattern.lower())


class StarIsAWildcard(Mutant):
    killed_by = ("subscribe.no-syntax",)

    def matches(self, pattern: str, key: str) -> bool:
        return key.startswith(pattern.removesuffix("*"))


class EmptyPatternMatchesNothing(Mutant):
    killed_by = ("subscribe.empty-pattern",)

    def matches(self, pattern: str, key: str) -> bool:
        return bool(pattern) and super().matches(pattern, key)


class CreditAloneSubscribes(Mutant):
    killed_by = ("subscribe.none", "opening.again-forgets-subscriptions")

    def grant(self, place: Place, octets: int) -> None:
        super().grant(place, octets)
        place.subscriptions = place.subscriptions or [("", len(self.log(place.stream)))]


# Sequences, streams, order


class SequenceFromZero(Mutant):
    killed_by = ("sequence.from-one",)

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        self.say(remote, "DELIVER", sequence=stored.sequence - 1, key=stored.key, body=stored.body)


class SequencePerSession(Mutant):
    killed_by = ("sequence.unsubscribed-counts", "subscribe.prefix")

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        self.say(remote, "DELIVER", sequence=len(place.had), key=stored.key, body=stored.body)


class StreamsLeak(Mutant):
    killed_by = ("streams.isolated",)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        super().publish(remote, place, key, body)
        stored = self.log(place.stream)[-1]
        for other, there in self.places.items():
            if there.stream != place.stream and there.subscriptions and there.credit > 1000:
                self.deliver(other, there, stored)


class StreamsWithoutCase(Mutant):
    killed_by = ("streams.names-differ",)

    def log(self, stream: str) -> list[Stored]:
        return super().log(stream.lower())


class PathsAreCleaned(Mutant):
    killed_by = ("streams.names-differ",)

    def log(self, stream: str) -> list[Stored]:
        return super().log(stream.rstrip("/"))


class NewestFirst(Mutant):
    killed_by = ("deliver.ascending", "subscribe.everything")

    def pump(self, remote: Remote, place: Place) -> None:
        for stored in reversed(self.log(place.stream)):
            if self.due(place, stored) and self.covered(place, self.cost(stored)):
                self.spend(place, self.cost(stored))
                self.mark(place, stored)
                self.deliver(remote, place, stored)


class EqualMessagesAreOne(Mutant):
    killed_by = ("publish.twice-is-two",)

    def store(self, stream: str, key: str, body: bytes) -> None:
        log = self.log(stream)
        if not log or (log[-1].key, log[-1].body) != (key, body):
            super().store(stream, key, body)


class LosesOneAtTheGearSwitch(Mutant):
    """The message at which credit ran out is never sent."""

    killed_by = ("gears.starve-and-refill", "credit.counts-octets-live")

    def pump(self, remote: Remote, place: Place) -> None:
        super().pump(remote, place)
        log = self.log(place.stream)
        if 0 < place.credit < 60 and place.done < len(log) and self.due(place, log[place.done]):
            place.done += 1


class RepeatsOneAtTheGearSwitch(Mutant):
    """Fresh credit makes the last message come again."""

    killed_by = ("gears.one-at-a-time", "gears.starve-and-refill")

    def grant(self, place: Place, octets: int) -> None:
        super().grant(place, octets)
        if place.had:
            last = max(place.had)
            place.had.discard(last)
            place.done = min(place.done, last - 1)


class PublisherIsNotServed(Mutant):
    killed_by = ("publish.own",)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        self.store(place.stream, key, body)
        for other, there in list(self.places.items()):
            if there.stream == place.stream and other is not remote:
                self.pump(other, there)
        place.done = len(self.log(place.stream))


class PublishNeedsASubscription(Mutant):
    killed_by = ("publish.needs-nothing",)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        if place.subscriptions:
            super().publish(remote, place, key, body)


class PublishIsAnswered(Mutant):
    killed_by = ("publish.no-answer",)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        super().publish(remote, place, key, body)
        self.say(remote, "PING-OK")


class BodiesAreText(Mutant):
    killed_by = ("chunk.any-octets",)

    def store(self, stream: str, key: str, body: bytes) -> None:
        super().store(stream, key, body.decode("utf-8", "replace").encode())


class BodiesAreCut(Mutant):
    killed_by = ("chunk.sizes",)

    def store(self, stream: str, key: str, body: bytes) -> None:
        super().store(stream, key, body[:65_535])


class PingOkIsAnswered(Mutant):
    killed_by = ("heartbeat.pong-unasked",)

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        super().in_session(remote, place, message)
        if message.name == "PING-OK":
            self.say(remote, "PING-OK")


class PingOvertakesPublish(Mutant):
    """PING is answered at once; what was published waits for the loop's next turn."""

    killed_by = ("heartbeat.in-order",)

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


# Decoding


class PartsAreIgnored(Mutant):
    killed_by = ("framing.one-part",)

    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        return self.codec.decode(parts[0])


class PartsAreJoined(Mutant):
    killed_by = ("framing.one-part",)

    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        return self.codec.decode(b"".join(parts))


class _Lenient(Mutant):
    """Takes a frame that is refused with one code, repaired."""

    code: ClassVar[str] = ""

    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        try:
            return super().decode(parts)
        except MalformedFrameError as error:
            if error.code == self.code and len(parts) == 1:
                return self.repaired(parts[0], error)
            raise

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        raise NotImplementedError


class TrailingOctetsAccepted(_Lenient):
    killed_by = ("framing.trailing-ping", "framing.trailing-attach")
    code = "trailing"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        return self.codec.decode(frame[: error.offset])


class TruncatedIsPadded(_Lenient):
    killed_by = ("framing.truncated-publish", "framing.truncated-credit")
    code = "truncated"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if error.message is None:
            raise error
        for padding in range(1, 20):
            try:
                return self.codec.decode(frame + bytes(padding))
            except MalformedFrameError:
                continue
        raise error


class SecondOctetNotLookedAt(_Lenient):
    killed_by = ("framing.signature",)
    code = "bad-signature"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if frame[:1] != self.codec.signature[:1]:
            raise error
        return self.codec.decode(frame[:1] + self.codec.signature[1:] + frame[2:])


class UnknownCommandsIgnored(_Lenient):
    killed_by = ("framing.unknown-command",)
    code = "unknown-message"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        return self.codec.decode(self.codec.encode("PING-OK"))


class VersionNotLookedAt(_Lenient):
    killed_by = ("opening.other-version",)
    code = "bad-constant"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if error.field != "version":
            raise error
        return self.codec.decode(frame[: error.offset] + b"\x00\x01" + frame[error.offset + 2 :])


class ProtocolNotLookedAt(_Lenient):
    killed_by = ("opening.other-protocol",)
    code = "bad-constant"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if error.field != "protocol":
            raise error
        end = error.offset + 1 + frame[error.offset]
        return self.codec.decode(frame[: error.offset] + b"\x04ZEPS" + frame[end:])


class TextNotLookedAt(_Lenient):
    """What is no text passes for some."""

    killed_by = ("text.not-utf8-publish", "text.control-subscribe", "text.not-utf8-attach")
    code = "bad-text"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        messages = tuple(
            replace(
                message,
                fields=tuple(
                    replace(field, text="octets" if field.value is None else field.text)
                    for field in message.fields
                ),
            )
            for message in self.codec.model.messages
        )
        message = Interpreter(replace(self.codec.model, messages=messages)).decode(frame)
        values = {
            name: value.decode("utf-8", "replace") if isinstance(value, bytes) and name != "body" else value
            for name, value in message.values.items()
        }
        return Decoded(message.name, values, message.size)


class ControlsAllowed(_Lenient):
    killed_by = ("text.control-publish",)
    code = "bad-text"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        at = error.offset
        if frame[2:3] != b"\x06":
            raise error
        try:
            frame[4 : 4 + frame[3]].decode("utf-8")
        except UnicodeDecodeError:
            raise error from None
        return (
            self.codec.decode(frame[:4] + b"?" * frame[3] + frame[4 + frame[3] :])
            if at
            else super().decode((frame,))
        )


class EmptyStreamAccepted(Mutant):
    killed_by = ("opening.empty-stream", "opening.bad-attach-ends-session")

    def attach(self, remote: Remote, message: Decoded) -> None:
        self.places[remote] = Place(str(message["stream"]), heard=time.monotonic())
        self.say(remote, "ATTACH-OK")


class LongBodiesAccepted(_Lenient):
    killed_by = ("chunk.too-long",)
    code = "too-long"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if len(frame) < 1 << 24:
            raise error
        return self.codec.decode(self.codec.encode("PUBLISH", key="too long", body=b"cut"))


class BrokersCommandsAccepted(Mutant):
    killed_by = ("invalid.broker-only-deliver",)

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name != "DELIVER":
            super().in_session(remote, place, message)


class BadPublishTakesASequence(Mutant):
    killed_by = ("invalid.bad-publish-stores-nothing", "invalid.harms-nothing-stored")

    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        try:
            return super().decode(parts)
        except MalformedFrameError as error:
            if error.message == "PUBLISH":
                for place in self.places.values():
                    self.store(place.stream, "", b"")
            raise


# Mistakes that show only in a corner


class FillIgnoresCredit(Mutant):
    """What a second subscription adds from the past is sent whatever the credit."""

    killed_by = ("subscribe.fill-under-credit",)

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        super().subscribe(remote, place, pattern, latest)
        if len(place.subscriptions) > 1:
            place.credit += 100


class OnlyTheFirstPatternIsLookedAt(Mutant):
    """A message is matched with the first subscription that covers its sequence, and with no other."""

    killed_by = ("subscribe.union-replayed", "subscribe.older-adds")

    def due(self, place: Place, stored: Stored) -> bool:
        for pattern, start in place.subscriptions:
            if stored.sequence > start:
                return stored.sequence not in place.had and self.matches(pattern, stored.key)
        return False


class ThreeSubscriptionsAtMost(Mutant):
    killed_by = ("text.neighbours",)

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        if len(place.subscriptions) < 3:
            super().subscribe(remote, place, pattern, latest)
        else:
            self.say(remote, "SUBSCRIBE-OK")


class CreditOfNothingRefused(Mutant):
    killed_by = ("credit.starts-at-zero", "credit.adds-up")

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "CREDIT" and not message["credit"]:
            self.refuse(remote, "no credit in this CREDIT")
        else:
            super().in_session(remote, place, message)


class LongKeysRefused(Mutant):
    killed_by = ("text.lengths",)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        if len(key.encode()) > 254:
            self.refuse(remote, "the key is too long")
        else:
            super().publish(remote, place, key, body)


class EmptyKeysDropped(Mutant):
    killed_by = ("subscribe.empty-pattern", "text.lengths")

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        if key:
            super().publish(remote, place, key, body)


class GreatestBodyRefused(Mutant):
    killed_by = ("chunk.greatest",)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        if len(body) >= 1 << 24:
            self.refuse(remote, "the body is too long")
        else:
            super().publish(remote, place, key, body)


class DeleteIsText(_Lenient):
    """U+007F and U+0080 to U+009F pass for text: only ASCII's own controls are looked for."""

    killed_by = ("text.control-publish",)
    code = "bad-text"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if frame[2:3] != b"\x06":
            raise error
        text = frame[4 : 4 + frame[3]]
        try:
            low = any(ord(char) < 0x20 for char in text.decode("utf-8"))
        except UnicodeDecodeError:
            raise error from None
        if low:
            raise error
        return self.codec.decode(frame[:4] + b"?" * frame[3] + frame[4 + frame[3] :])


class HighCommandsIgnored(_Lenient):
    killed_by = ("framing.unknown-command",)
    code = "unknown-message"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if frame[2] < 128:
            raise error
        return self.codec.decode(self.codec.encode("PING-OK"))


class TwoInvalidsForOne(Mutant):
    killed_by = ("invalid.one-each", "framing.signature")

    def refuse(self, remote: Remote, reason: str) -> None:
        super().refuse(remote, reason)
        self.say(remote, "INVALID", reason=reason)


class DetachDropsWhatWasJustPublished(Mutant):
    killed_by = ("closing.published-before",)

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "DETACH" and self.log(place.stream):
            self.log(place.stream).pop()
        super().in_session(remote, place, message)


class SilenceEndsOnlyTheSubscription(Mutant):
    killed_by = ("heartbeat.forgets-the-silent",)

    def expired(self, place: Place, now: float) -> bool:
        if super().expired(place, now):
            place.subscriptions.clear()
        return False


class OtherStreamKeepsTheOldSubscription(Mutant):
    """ATTACH to another stream goes on serving the first."""

    killed_by = ("opening.again-other-stream",)

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.before: dict[Remote, Place] = {}

    def attach(self, remote: Remote, message: Decoded) -> None:
        if remote in self.places:
            self.before[remote] = self.places[remote]
        super().attach(remote, message)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        super().publish(remote, place, key, body)
        for other, there in self.before.items():
            if there.stream == place.stream and other in self.places and not other.closed:
                self.pump(other, there)


class RefusedPublishIsStoredAllTheSame(Mutant):
    killed_by = ("sessions.publish-needs-one",)

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.last: dict[Remote, str] = {}

    def attach(self, remote: Remote, message: Decoded) -> None:
        self.last[remote] = str(message["stream"])
        super().attach(remote, message)

    def without_session(self, remote: Remote, message: Decoded) -> None:
        body = message.values.get("body")
        if message.name == "PUBLISH" and remote in self.last and isinstance(body, bytes):
            self.store(self.last[remote], str(message["key"]), body)
        super().without_session(remote, message)


class VanishedPublishersTakeTheirLastMessage(Mutant):
    killed_by = ("sequence.no-reuse-after-vanishing",)

    def gone(self, remote: Remote) -> None:
        place = self.places.get(remote)
        if place is not None and not place.subscriptions and self.log(place.stream):
            self.log(place.stream).pop()
        super().gone(remote)


class GreatCreditGoesUnnoticed(Mutant):
    """The counter is signed."""

    killed_by = ("credit.saturates",)

    def covered(self, place: Place, cost: int) -> bool:
        return cost <= place.credit < 1 << 63


class PublishersOwnOrderTurned(Mutant):
    """Of two messages that arrive together, the second is stored first."""

    killed_by = ("publish.keeps-order", "heartbeat.in-order")

    def store(self, stream: str, key: str, body: bytes) -> None:
        super().store(stream, key, body)
        log = self.log(stream)
        if len(log) > 60 and log[-2].key == key:
            log[-2].body, log[-1].body = log[-1].body, log[-2].body


class LiveAndReplayedDiffer(Mutant):
    killed_by = ("deliver.same-for-all", "subscribe.prefix-live")

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        live = stored is self.log(place.stream)[-1]
        body = stored.body if live or not stored.body else stored.body[:-1] + b"!"
        self.say(remote, "DELIVER", sequence=stored.sequence, key=stored.key, body=body)


def _leaves(kind: type[Mutant]) -> list[type[Mutant]]:
    found = [kind] if kind.killed_by else []
    for heir in kind.__subclasses__():
        found += _leaves(heir)
    return found


MUTANTS: dict[str, type[Mutant]] = {kind.__name__: kind for kind in _leaves(Mutant)}
