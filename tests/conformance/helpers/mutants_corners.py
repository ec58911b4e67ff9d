"""Mutants with defects in corner cases."""

from __future__ import annotations

from mutant import Lenient, Mutant, killed_by
from toy_broker import Place, Stored

from zeps_conformance.model.interpreter import Decoded, MalformedFrameError
from zeps_conformance.wire.router_server import Remote


@killed_by("subscribe.fill-under-credit")
class FillIgnoresCredit(Mutant):
    """Adds 100 bytes to the credit at each subscription after the first of a session."""

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        super().subscribe(remote, place, pattern, latest)
        if len(place.subscriptions) > 1:
            place.credit += 100


@killed_by("subscribe.union-replayed")
class OnlyTheFirstPatternIsLookedAt(Mutant):
    """Matches a message only with the first subscription that covers its sequence."""

    def due(self, place: Place, subscriptions: list[tuple[str, int]], stored: Stored) -> bool:
        for pattern, start in subscriptions:
            if stored.sequence > start:
                return stored.sequence not in place.had and self.matches(pattern, stored.key)
        return False


@killed_by("text.neighbours")
class ThreeSubscriptionsAtMost(Mutant):
    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        if len(place.subscriptions) < 3:
            super().subscribe(remote, place, pattern, latest)
        else:
            self.say(remote, "SUBSCRIBE-OK")


@killed_by("credit.starts-at-zero", "credit.adds-up")
class CreditOfNothingRefused(Mutant):
    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "CREDIT" and not message["credit"]:
            self.refuse(remote, "malformed", "no credit in this CREDIT")
        else:
            super().in_session(remote, place, message)


@killed_by("text.lengths")
class LongKeysRefused(Mutant):
    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        if len(key.encode()) > 254:
            self.refuse(remote, "malformed", "the key is too long")
        else:
            super().publish(remote, place, key, body)


@killed_by("subscribe.empty-pattern", "text.lengths")
class EmptyKeysDropped(Mutant):
    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        if key:
            super().publish(remote, place, key, body)


@killed_by("chunk.greatest")
class GreatestBodyRefused(Mutant):
    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        if len(body) >= 1 << 24:
            self.refuse(remote, "malformed", "the body is too long")
        else:
            super().publish(remote, place, key, body)


@killed_by("text.control-publish")
class DeleteIsText(Lenient):
    """Accepts U+007F to U+009F in the key of PUBLISH: only control characters below U+0020 are refused."""

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


@killed_by("framing.unknown-command")
class HighCommandsIgnored(Lenient):
    code = "unknown-message"

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        if frame[2] < 128:
            raise error
        return self.codec.decode(self.codec.encode("PING-OK"))


@killed_by("invalid.one-each", "framing.signature")
class TwoInvalidsForOne(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, code, text)
        self.invalid(remote, code, text)


@killed_by("closing.published-before")
class DetachDropsWhatWasJustPublished(Mutant):
    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "DETACH" and self.log(place.stream).end:
            self.log(place.stream).messages.pop()
        super().in_session(remote, place, message)


@killed_by("heartbeat.forgets-the-silent")
class SilenceEndsOnlyTheSubscription(Mutant):
    def expired(self, place: Place, now: float) -> bool:
        if super().expired(place, now):
            place.subscriptions.clear()
        return False


@killed_by("opening.again-other-stream")
class OtherStreamKeepsTheOldSubscription(Mutant):
    """Keeps serving the previous stream after ATTACH to another."""

    def attach(self, remote: Remote, message: Decoded) -> None:
        if remote in self.places:
            self.kept[remote] = self.places[remote]
        super().attach(remote, message)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        super().publish(remote, place, key, body)
        for other, there in self.kept.items():
            if there.stream == place.stream and other in self.places and not other.closed:
                self.pump(other, there)


@killed_by("sessions.publish-needs-one")
class RefusedPublishIsStoredAllTheSame(Mutant):
    def attach(self, remote: Remote, message: Decoded) -> None:
        self.kept[remote] = str(message["stream"])
        super().attach(remote, message)

    def without_session(self, remote: Remote, message: Decoded) -> None:
        body = message.values.get("body")
        if message.name == "PUBLISH" and remote in self.kept and isinstance(body, bytes):
            self.store(self.kept[remote], str(message["key"]), body)
        super().without_session(remote, message)


@killed_by("sequence.no-reuse-after-vanishing")
class VanishedPublishersTakeTheirLastMessage(Mutant):
    def gone(self, remote: Remote) -> None:
        place = self.places.get(remote)
        if place is not None and not place.subscriptions and self.log(place.stream).end:
            self.log(place.stream).messages.pop()
        super().gone(remote)


@killed_by("credit.saturates")
class GreatCreditGoesUnnoticed(Mutant):
    """Uses a signed counter."""

    def covered(self, place: Place, cost: int) -> bool:
        return cost <= place.credit < 1 << 63


@killed_by("publish.keeps-order", "heartbeat.in-order")
class PublishersOwnOrderTurned(Mutant):
    """Swaps the bodies of the last two messages of a stream, if their keys are equal, from its 61st message on."""

    def store(self, stream: str, key: str, body: bytes) -> None:
        super().store(stream, key, body)
        messages = self.log(stream).messages
        if len(messages) > 60 and messages[-2].key == key:
            messages[-2].body, messages[-1].body = messages[-1].body, messages[-2].body


@killed_by("deliver.same-for-all", "subscribe.prefix-live")
class LiveAndReplayedDiffer(Mutant):
    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        live = stored is self.log(place.stream).messages[-1]
        body = stored.body if live or not stored.body else stored.body[:-1] + b"!"
        self.say(remote, "DELIVER", sequence=stored.sequence, key=stored.key, body=body)
