"""Mutants with defects in INVALID's reason, in refusals, and in the scope of sessions."""

from __future__ import annotations

from mutant import Mutant, killed_by
from toy_broker import CREDIT_MAX, SUBSCRIPTIONS_MAX, Asked, Fill, Place, Refusal

from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.interpreter import Decoded, MalformedFrameError
from zeps_conformance.wire.router_server import Remote

# The reason of INVALID


@killed_by("invalid.one-each", "subscribe.beyond-end", "sessions.none-for-ping")
class ReasonWithoutCode(Mutant):
    def invalid(self, remote: Remote, code: str, text: str) -> None:
        self.say(remote, "INVALID", reason=text)


@killed_by("invalid.one-each", "framing.signature", "sessions.none-for-ping")
class ReasonWithoutText(Mutant):
    def invalid(self, remote: Remote, code: str, text: str) -> None:
        self.say(remote, "INVALID", reason=code)


@killed_by("framing.unknown-command")
class CodeOfItsOwn(Mutant):
    def code_of(self, error: MalformedFrameError) -> str:
        return "bad-command" if error.code == "unknown-message" else super().code_of(error)


@killed_by("invalid.reason-stays-text", alone=True)
class ReasonQuotesTheInput(Mutant):
    """Copies the protocol's name into the reason, and cuts that to 255 bytes, also within a letter."""

    name = b""

    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        name = parts[0][4 : 4 + parts[0][3]] if len(parts[0]) > 3 else b""
        self.name = name if name.decode("utf-8", "backslashreplace").isprintable() else b"?"
        return super().decode(parts)

    def invalid(self, remote: Remote, code: str, text: str) -> None:
        if code == "unsupported-protocol":
            self.say(remote, "INVALID", reason=(f"{code} not ZEPS: ".encode() + self.name)[:255])
        else:
            super().invalid(remote, code, text)


@killed_by("opening.other-protocol", alone=True)
class OtherProtocolHasAnotherCode(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        first = remote not in self.places and code == "unsupported-protocol"
        super().refuse(remote, "unsupported-version" if first else code, text)


@killed_by("opening.other-version", alone=True)
class OtherVersionHasAnotherCode(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        first = remote not in self.places and code == "unsupported-version"
        super().refuse(remote, "malformed" if first else code, text)


@killed_by("opening.empty-stream", alone=True)
class EmptyStreamHasAnotherCode(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        first = remote not in self.places and code == "stream-name"
        super().refuse(remote, "stream-unavailable" if first else code, text)


@killed_by("opening.bad-attach-ends-session", alone=True)
class BadAttachInASessionIsMalformed(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        attached = remote in self.places and code.startswith("unsupported-")
        super().refuse(remote, "malformed" if attached else code, text)


@killed_by("invalid.broker-only-deliver", "closing.detach-ok-unasked")
class UnexpectedEndsTheSession(Mutant):
    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        self.refuse(remote, "malformed", f"{name} is not for a broker")


@killed_by("invalid.broker-only-deliver", "closing.detach-ok-unasked")
class UnexpectedDropsTheCredit(Mutant):
    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        place.credit = 0
        super().unexpected(remote, place, name)


@killed_by("invalid.broker-only-deliver", "subscribe.beyond-end", "closing.detach-ok-unasked")
class ClosesAfterAnyInvalid(Mutant):
    """Closes the connection also after an INVALID that leaves the session open."""

    def decline(self, remote: Remote, code: str, text: str, first: int = 0, last: int = 0) -> None:
        super().decline(remote, code, text, first, last)
        self.hang_up(remote)


@killed_by("invalid.may-close", "framing.signature")
class DeafAfterInvalid(Mutant):
    """Keeps the connection open after an INVALID that ends the session, but answers nothing."""

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, code, text)
        self.kept[remote] = True

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        if remote not in self.kept:
            super().received(remote, parts)


@killed_by("closing.detach-ok-unasked", alone=True)
class DetachOkEndsTheSession(Mutant):
    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        if name == "DETACH-OK":
            self.end(remote)
        else:
            super().unexpected(remote, place, name)


@killed_by("closing.detach-ok-unasked", alone=True)
class DetachOkIsIgnored(Mutant):
    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        if name != "DETACH-OK":
            super().unexpected(remote, place, name)


# The scope of a session


@killed_by("sessions.bound-to-connection", alone=True)
class CreditOutlivesTheConnection(Mutant):
    """Transfers the credit left by a closed connection to later sessions; the streams differ in the last part."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.left: dict[str, int] = {}
        self.publishers: set[Remote] = set()

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        self.publishers.add(remote)
        super().publish(remote, place, key, body)

    def gone(self, remote: Remote) -> None:
        place = self.places.get(remote)
        if place is not None and place.subscriptions and remote not in self.publishers:
            self.left[place.stream.rpartition("/")[0]] = place.credit
        super().gone(remote)

    def attach(self, remote: Remote, message: Decoded) -> None:
        super().attach(remote, message)
        if remote in self.places:
            self.places[remote].credit = self.left.get(str(message["stream"]).rpartition("/")[0], 0)


@killed_by("sessions.own-routing-id", alone=True)
class OwnRoutingIdAccepted(Mutant):
    def has_own_id(self, remote: Remote) -> bool:
        return False


@killed_by("sessions.own-routing-id", alone=True)
class OwnRoutingIdHasAnotherCode(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, "malformed" if code == "routing-id" else code, text)


@killed_by("sessions.own-routing-id", alone=True)
class OwnRoutingIdRefusesOnlyAttach(Mutant):
    def has_own_id(self, remote: Remote) -> bool:
        return False

    def attach(self, remote: Remote, message: Decoded) -> None:
        if super().has_own_id(remote):
            self.refuse(remote, "routing-id", "leave the routing id to the broker")
        else:
            super().attach(remote, message)


# The start of a subscription


@killed_by("subscribe.beyond-end", "subscribe.refused-changes-nothing")
class BeyondTheEndMeansNew(Mutant):
    def refusal(self, place: Place, pattern: str, latest: int) -> Refusal | None:
        refusal = super().refusal(place, pattern, latest)
        return None if refusal is not None and refusal.code == "beyond-end" else refusal


@killed_by("subscribe.beyond-end", "subscribe.refused-changes-nothing")
class BeyondTheEndMeansEverything(BeyondTheEndMeansNew):
    def start_of(self, place: Place, latest: int) -> int:
        return 0 if self.log(place.stream).end < latest < CREDIT_MAX else super().start_of(place, latest)


@killed_by("subscribe.beyond-end", alone=True)
class BeyondTheEndNamesTheEnd(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        first = refusal.first - (refusal.code == "beyond-end" and refusal.first > 1)
        super().declined(remote, place, asked, refusal._replace(first=first))


@killed_by("subscribe.beyond-end", alone=True)
class BeyondTheEndSubscribesAllTheSame(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        super().declined(remote, place, asked, refusal)
        if refusal.code == "beyond-end" and not place.subscriptions:
            self.add(place, asked.pattern, self.start_of(place, asked.latest))


@killed_by("subscribe.beyond-end", alone=True)
class EmptyStreamsHaveNoEnd(Mutant):
    def refusal(self, place: Place, pattern: str, latest: int) -> Refusal | None:
        refusal = super().refusal(place, pattern, latest)
        return (
            None if refusal is not None and refusal.code == "beyond-end" and refusal.first == 1 else refusal
        )


@killed_by("subscribe.end-just-moved", alone=True)
class EndOfTheLastTurn(Mutant):
    """Compares `latest` with the end of the stream before the current input."""

    def store(self, stream: str, key: str, body: bytes) -> None:
        super().store(stream, key, body)
        self.kept[stream] = self.kept.get(stream, 0) + 1

    def turn(self, now: float) -> None:
        super().turn(now)
        self.kept.clear()

    def refusal(self, place: Place, pattern: str, latest: int) -> Refusal | None:
        end = self.log(place.stream).end - self.kept.get(place.stream, 0)
        if 0 < end < latest < CREDIT_MAX:
            return Refusal("beyond-end", end + 1, latest)
        return super().refusal(place, pattern, latest)


# The effects of a refused subscription


@killed_by("subscribe.refused-changes-nothing", "subscribe.beyond-end", "subscribe.too-many")
class RefusedSubscribeEndsTheSession(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        super().declined(remote, place, asked, refusal)
        self.end(remote)


@killed_by("subscribe.refused-changes-nothing", alone=True)
class RefusedSubscribeDropsTheCredit(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        super().declined(remote, place, asked, refusal)
        place.credit = 0 if refusal.code == "beyond-end" else place.credit


@killed_by("subscribe.refused-changes-nothing", alone=True)
class RefusedSubscribeDropsTheOthers(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        super().declined(remote, place, asked, refusal)
        if refusal.code == "beyond-end":
            place.subscriptions.clear()


@killed_by("subscribe.refused-changes-nothing", alone=True)
class RefusedSubscribeLosesWhatFollows(Mutant):
    """Discards each PUBLISH behind a refused SUBSCRIBE that arrived together with it."""

    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        super().declined(remote, place, asked, refusal)
        self.kept[remote] = True

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if remote not in self.kept or message.name != "PUBLISH":
            super().in_session(remote, place, message)

    def turn(self, now: float) -> None:
        super().turn(now)
        self.kept.clear()


@killed_by("subscribe.too-many", alone=True)
class TooManyIsNotSaid(Mutant):
    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        if len(place.subscriptions) < SUBSCRIPTIONS_MAX:
            super().subscribe(remote, place, pattern, latest)
        elif SUBSCRIPTIONS_MAX <= len(place.subscriptions) < SUBSCRIPTIONS_MAX + 20:
            place.subscriptions.append(("no key", CREDIT_MAX))
            self.say(remote, "SUBSCRIBE-OK")
        else:
            super().subscribe(remote, place, pattern, latest)


@killed_by("subscribe.too-many", alone=True)
class TooManyReplacesTheFirst(Mutant):
    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if len(place.subscriptions) == SUBSCRIPTIONS_MAX:
            place.subscriptions[0] = ("no key", CREDIT_MAX)


@killed_by("subscribe.too-many", alone=True)
class TooManyHasAnotherCode(Mutant):
    def refusal(self, place: Place, pattern: str, latest: int) -> Refusal | None:
        refusal = super().refusal(place, pattern, latest)
        return Refusal("bad-pattern") if refusal == Refusal("too-many-subscriptions") else refusal


@killed_by("subscribe.bad-pattern", alone=True)
class BadPatternsMatchNothing(Mutant):
    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        refusal = self.refusal(place, pattern, latest)
        if refusal is not None and refusal.code == "bad-pattern":
            self.say(remote, "SUBSCRIBE-OK")
        else:
            super().subscribe(remote, place, pattern, latest)


@killed_by("subscribe.bad-pattern", alone=True)
class BadPatternEndsTheSession(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        super().declined(remote, place, asked, refusal)
        if refusal.code == "bad-pattern":
            self.end(remote)


# The messages that older subscriptions add


@killed_by("subscribe.older-first", alone=True)
class FillsAreMerged(Mutant):
    """Delivers the messages that several subscriptions add in one ascending run."""

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if place.fills:
            place.done = min(place.done, place.fills.popleft().done)


@killed_by("subscribe.older-first", alone=True)
class NewestFillFirst(Mutant):
    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if len(place.fills) > 1:
            place.fills.appendleft(place.fills.pop())


@killed_by("subscribe.older-first", alone=True)
class LaterMessagesGoOnAmidAFill(Mutant):
    """Interrupts a fill by the main flow after a few messages."""

    def pump(self, remote: Remote, place: Place) -> None:
        waiting, end = place.fills, self.log(place.stream).end
        if waiting and place.done < end and len(place.had) % 3 == 2:
            place.done = self.run(remote, place, place.subscriptions, place.done, place.done + 1)
        super().pump(remote, place)


@killed_by("subscribe.older-adds")
class FillStopsShort(Mutant):
    """Ends a fill one message before the position of the main flow."""

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if place.fills:
            fill = place.fills.pop()
            place.fills.append(Fill(fill.pattern, fill.done, max(fill.upto - 1, fill.done)))


# Heartbeats and storage


@killed_by("heartbeat.asks-the-silent", alone=True, verdict=Verdict.WARN)
class NeverAsks(Mutant):
    def ask(self, remote: Remote, place: Place, now: float) -> None:
        place.asked = now


@killed_by("heartbeat.asks-the-silent", "heartbeat.signs-of-life")
class AnswersToPingAreNoSignOfLife(Mutant):
    def sign_of_life(self, place: Place, message: Decoded) -> None:
        if message.name != "PING-OK":
            super().sign_of_life(place, message)


@killed_by("heartbeat.slow-message", alone=True)
class OnlyWholeMessagesAreSignsOfLife(Mutant):
    def advanced(self, remote: Remote, size: int) -> None:
        """Does nothing."""


@killed_by("timers.restarts-ping-ok", alone=True)
class PingOkStopsTheTimer(Mutant):
    """Never ends a session whose last command is PING-OK."""

    def sign_of_life(self, place: Place, message: Decoded) -> None:
        super().sign_of_life(place, message)
        self.kept[id(place)] = message.name

    def expired(self, place: Place, now: float) -> bool:
        return super().expired(place, now) and self.kept.get(id(place)) != "PING-OK"


@killed_by("timers.restarts-publish")
class EndsEarly(Mutant):
    """Ends a silent session after three quarters of its timeout."""

    def expired(self, place: Place, now: float) -> bool:
        return super().expired(place, now + self.client_timeout / 4)


@killed_by("timers.restarts-subscribe")
class SubscribeIsNoSignOfLife(Mutant):
    def sign_of_life(self, place: Place, message: Decoded) -> None:
        if message.name != "SUBSCRIBE":
            super().sign_of_life(place, message)


@killed_by("publish.exactly-once", alone=True)
class StoresAgainOnReturn(Mutant):
    """Stores the last message of a stream again when its publisher returns from another stream."""

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        super().publish(remote, place, key, body)
        self.kept.setdefault(remote, {})[place.stream] = key, body

    def attach(self, remote: Remote, message: Decoded) -> None:
        before = self.places.get(remote)
        super().attach(remote, message)
        stream = str(message["stream"])
        if before is not None and before.stream != stream and stream in self.kept.get(remote, {}):
            self.store(stream, *self.kept[remote][stream])


@killed_by("gears.fair", alone=True)
class LongReplaysGoFirst(Mutant):
    """Serves no other session of the stream during a long replay, while its connection accepts more."""

    def pump(self, remote: Remote, place: Place) -> None:
        stream = place.stream
        first = self.kept.get(stream)
        waits = first is not None and first is not remote and first in self.places and not first.closed
        if waits and first is not None and (first in self.behind or first.outbox):
            self.behind[remote] = place
            return
        if place.subscriptions and place.credit and self.log(stream).end - place.done > 500:
            self.kept[stream] = remote
        super().pump(remote, place)
