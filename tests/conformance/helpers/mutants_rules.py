"""Mutants with defects in INVALID's reason, in refusals, and in the scope of sessions."""

from __future__ import annotations

from mutant import Mutant
from toy_broker import CREDIT_MAX, SUBSCRIPTIONS_MAX, Fill, Place

from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.interpreter import Decoded, MalformedFrameError
from zeps_conformance.wire.router_server import Remote

# The reason of INVALID


class ReasonWithoutCode(Mutant):
    killed_by = ("invalid.one-each", "subscribe.beyond-end", "sessions.none-for-ping")

    def invalid(self, remote: Remote, code: str, text: str) -> None:
        self.say(remote, "INVALID", reason=text)


class ReasonWithoutText(Mutant):
    killed_by = ("invalid.one-each", "framing.signature", "sessions.none-for-ping")

    def invalid(self, remote: Remote, code: str, text: str) -> None:
        self.say(remote, "INVALID", reason=code)


class CodeOfItsOwn(Mutant):
    killed_by = ("framing.unknown-command",)

    def code_of(self, error: MalformedFrameError) -> str:
        return "bad-command" if error.code == "unknown-message" else super().code_of(error)


class ReasonQuotesTheInput(Mutant):
    """Copies the protocol's name into the reason unchanged."""

    killed_by = ("invalid.reason-stays-text",)
    alone = True
    name = ""

    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        octets = parts[0][4 : 4 + parts[0][3]] if len(parts[0]) > 3 else b""
        try:
            self.name = octets.decode("utf-8")
        except UnicodeDecodeError:
            self.name = "?"
        return super().decode(parts)

    def invalid(self, remote: Remote, code: str, text: str) -> None:
        quoted = code == "unsupported-protocol" and len(self.name) < 100 and self.name.isprintable()
        super().invalid(remote, code, f"not ZEPS: {self.name}" if quoted else text)


class OtherProtocolHasAnotherCode(Mutant):
    killed_by = ("opening.other-protocol",)
    alone = True

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        first = remote not in self.places and code == "unsupported-protocol"
        super().refuse(remote, "unsupported-version" if first else code, text)


class OtherVersionHasAnotherCode(Mutant):
    killed_by = ("opening.other-version",)
    alone = True

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        first = remote not in self.places and code == "unsupported-version"
        super().refuse(remote, "malformed" if first else code, text)


class EmptyStreamHasAnotherCode(Mutant):
    killed_by = ("opening.empty-stream",)
    alone = True

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        first = remote not in self.places and code == "stream-name"
        super().refuse(remote, "stream-unavailable" if first else code, text)


class BadAttachInASessionIsMalformed(Mutant):
    killed_by = ("opening.bad-attach-ends-session",)
    alone = True

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        attached = remote in self.places and code.startswith("unsupported-")
        super().refuse(remote, "malformed" if attached else code, text)


class UnexpectedEndsTheSession(Mutant):
    killed_by = ("invalid.broker-only-deliver", "closing.detach-ok-unasked")

    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        self.refuse(remote, "malformed", f"{name} is not for a broker")


class UnexpectedDropsTheCredit(Mutant):
    killed_by = ("invalid.broker-only-deliver", "closing.detach-ok-unasked")

    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        place.credit = 0
        super().unexpected(remote, place, name)


class ClosesAfterAnyInvalid(Mutant):
    """Closes the connection also after an INVALID that leaves the session open."""

    killed_by = ("invalid.broker-only-deliver", "subscribe.beyond-end", "closing.detach-ok-unasked")

    def decline(self, remote: Remote, code: str, text: str, first: int = 0, last: int = 0) -> None:
        super().decline(remote, code, text, first, last)
        self.hang_up(remote)


class DeafAfterInvalid(Mutant):
    """Keeps the connection open after an INVALID that ends the session, but answers nothing."""

    killed_by = ("invalid.may-close", "framing.signature")

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.refused: set[Remote] = set()

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, code, text)
        self.refused.add(remote)

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        if remote not in self.refused:
            super().received(remote, parts)


class DetachOkEndsTheSession(Mutant):
    killed_by = ("closing.detach-ok-unasked",)
    alone = True

    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        if name == "DETACH-OK":
            self.end(remote)
        else:
            super().unexpected(remote, place, name)


class DetachOkIsIgnored(Mutant):
    killed_by = ("closing.detach-ok-unasked",)
    alone = True

    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        if name != "DETACH-OK":
            super().unexpected(remote, place, name)


# The scope of a session


class CreditOutlivesTheConnection(Mutant):
    """Transfers the remaining credit of a closed connection to later sessions of other streams."""

    killed_by = ("sessions.bound-to-connection",)
    alone = True

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


class OwnRoutingIdAccepted(Mutant):
    killed_by = ("sessions.own-routing-id",)
    alone = True

    def has_own_id(self, remote: Remote) -> bool:
        return False


class OwnRoutingIdHasAnotherCode(Mutant):
    killed_by = ("sessions.own-routing-id",)
    alone = True

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, "malformed" if code == "routing-id" else code, text)


class OwnRoutingIdRefusesOnlyAttach(Mutant):
    killed_by = ("sessions.own-routing-id",)
    alone = True

    def has_own_id(self, remote: Remote) -> bool:
        return False

    def attach(self, remote: Remote, message: Decoded) -> None:
        if super().has_own_id(remote):
            self.refuse(remote, "routing-id", "leave the routing id to the broker")
        else:
            super().attach(remote, message)


# The start of a subscription


class BeyondTheEndMeansNew(Mutant):
    killed_by = ("subscribe.beyond-end", "subscribe.refused-changes-nothing")

    def refusal(self, place: Place, pattern: str, latest: int) -> tuple[str, int, int] | None:
        found = super().refusal(place, pattern, latest)
        return None if found is not None and found[0] == "beyond-end" else found


class BeyondTheEndMeansEverything(BeyondTheEndMeansNew):
    killed_by = ("subscribe.beyond-end", "subscribe.refused-changes-nothing")

    def start_of(self, place: Place, latest: int) -> int:
        return 0 if self.log(place.stream).end < latest < CREDIT_MAX else super().start_of(place, latest)


class BeyondTheEndNamesTheEnd(Mutant):
    killed_by = ("subscribe.beyond-end",)
    alone = True

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        first -= code == "beyond-end" and first > 1
        super().declined(remote, place, pattern, latest, code, first, last)


class BeyondTheEndSubscribesAllTheSame(Mutant):
    killed_by = ("subscribe.beyond-end",)
    alone = True

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        super().declined(remote, place, pattern, latest, code, first, last)
        if code == "beyond-end" and not place.subscriptions:
            self.add(place, pattern, self.start_of(place, latest))


class EmptyStreamsHaveNoEnd(Mutant):
    killed_by = ("subscribe.beyond-end",)
    alone = True

    def refusal(self, place: Place, pattern: str, latest: int) -> tuple[str, int, int] | None:
        found = super().refusal(place, pattern, latest)
        return None if found is not None and found[0] == "beyond-end" and found[1] == 1 else found


class EndOfTheLastTurn(Mutant):
    """Compares `latest` with the end of the stream before the current input."""

    killed_by = ("subscribe.end-just-moved",)
    alone = True

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.fresh: dict[str, int] = {}

    def store(self, stream: str, key: str, body: bytes) -> None:
        super().store(stream, key, body)
        self.fresh[stream] = self.fresh.get(stream, 0) + 1

    def turn(self, now: float) -> None:
        super().turn(now)
        self.fresh.clear()

    def refusal(self, place: Place, pattern: str, latest: int) -> tuple[str, int, int] | None:
        end = self.log(place.stream).end - self.fresh.get(place.stream, 0)
        if 0 < end < latest < CREDIT_MAX:
            return "beyond-end", end + 1, latest
        return super().refusal(place, pattern, latest)


# The effects of a refused subscription


class RefusedSubscribeEndsTheSession(Mutant):
    killed_by = ("subscribe.refused-changes-nothing", "subscribe.beyond-end", "subscribe.too-many")

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        super().declined(remote, place, pattern, latest, code, first, last)
        self.end(remote)


class RefusedSubscribeDropsTheCredit(Mutant):
    killed_by = ("subscribe.refused-changes-nothing",)
    alone = True

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        super().declined(remote, place, pattern, latest, code, first, last)
        place.credit = 0 if code == "beyond-end" else place.credit


class RefusedSubscribeDropsTheOthers(Mutant):
    killed_by = ("subscribe.refused-changes-nothing",)
    alone = True

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        super().declined(remote, place, pattern, latest, code, first, last)
        if code == "beyond-end":
            place.subscriptions.clear()


class RefusedSubscribeLosesWhatFollows(Mutant):
    """Discards the input behind a refused SUBSCRIBE that arrived together with it."""

    killed_by = ("subscribe.refused-changes-nothing",)
    alone = True

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.skipping: set[Remote] = set()

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        super().declined(remote, place, pattern, latest, code, first, last)
        self.skipping.add(remote)

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if remote not in self.skipping or message.name != "PUBLISH":
            super().in_session(remote, place, message)

    def turn(self, now: float) -> None:
        super().turn(now)
        self.skipping.clear()


class TooManyIsNotSaid(Mutant):
    killed_by = ("subscribe.too-many",)
    alone = True

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        if len(place.subscriptions) < SUBSCRIPTIONS_MAX:
            super().subscribe(remote, place, pattern, latest)
        elif SUBSCRIPTIONS_MAX <= len(place.subscriptions) < SUBSCRIPTIONS_MAX + 20:
            place.subscriptions.append(("no key", CREDIT_MAX))
            self.say(remote, "SUBSCRIBE-OK")
        else:
            super().subscribe(remote, place, pattern, latest)


class TooManyReplacesTheFirst(Mutant):
    killed_by = ("subscribe.too-many",)
    alone = True

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if len(place.subscriptions) == SUBSCRIPTIONS_MAX:
            place.subscriptions[0] = ("no key", CREDIT_MAX)


class TooManyHasAnotherCode(Mutant):
    killed_by = ("subscribe.too-many",)
    alone = True

    def refusal(self, place: Place, pattern: str, latest: int) -> tuple[str, int, int] | None:
        found = super().refusal(place, pattern, latest)
        return ("bad-pattern", 0, 0) if found == ("too-many-subscriptions", 0, 0) else found


class BadPatternsMatchNothing(Mutant):
    killed_by = ("subscribe.bad-pattern",)
    alone = True

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        found = self.refusal(place, pattern, latest)
        if found is not None and found[0] == "bad-pattern":
            self.say(remote, "SUBSCRIBE-OK")
        else:
            super().subscribe(remote, place, pattern, latest)


class BadPatternEndsTheSession(Mutant):
    killed_by = ("subscribe.bad-pattern",)
    alone = True

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        super().declined(remote, place, pattern, latest, code, first, last)
        if code == "bad-pattern":
            self.end(remote)


# The messages that older subscriptions add


class FillsAreMerged(Mutant):
    """Delivers the messages that several subscriptions add in one ascending run."""

    killed_by = ("subscribe.older-first",)
    alone = True

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if place.fills:
            place.done = min(place.done, place.fills.popleft().done)


class NewestFillFirst(Mutant):
    killed_by = ("subscribe.older-first",)
    alone = True

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if len(place.fills) > 1:
            place.fills.appendleft(place.fills.pop())


class LaterMessagesGoOnAmidAFill(Mutant):
    """Interrupts a fill by the main flow after a few messages."""

    killed_by = ("subscribe.older-first",)
    alone = True

    def pump(self, remote: Remote, place: Place) -> None:
        waiting, end = place.fills, self.log(place.stream).end
        if waiting and place.done < end and len(place.had) % 3 == 2:
            place.done = self.run(remote, place, place.subscriptions, place.done, place.done + 1)
        super().pump(remote, place)


class FillStopsShort(Mutant):
    """Ends a fill one message before the position of the main flow."""

    killed_by = ("subscribe.older-adds",)

    def add(self, place: Place, pattern: str, start: int) -> None:
        super().add(place, pattern, start)
        if place.fills:
            fill = place.fills.pop()
            place.fills.append(Fill(fill.pattern, fill.done, max(fill.upto - 1, fill.done)))


# Heartbeats and storage


class NeverAsks(Mutant):
    killed_by = ("heartbeat.asks-the-silent",)
    alone = True
    verdict = Verdict.WARN

    def ask(self, remote: Remote, place: Place, now: float) -> None:
        place.asked = now


class AnswersToPingAreNoSignOfLife(Mutant):
    killed_by = ("heartbeat.asks-the-silent", "heartbeat.signs-of-life")

    def sign_of_life(self, place: Place, message: Decoded) -> None:
        if message.name != "PING-OK":
            super().sign_of_life(place, message)


class OnlyWholeMessagesAreSignsOfLife(Mutant):
    killed_by = ("heartbeat.slow-message",)
    alone = True

    def advanced(self, remote: Remote, octets: int) -> None:
        """Does nothing."""


class StoresAgainOnReturn(Mutant):
    """Stores the last message of a stream again when its publisher returns from another stream."""

    killed_by = ("publish.exactly-once",)
    alone = True

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.last: dict[Remote, dict[str, tuple[str, bytes]]] = {}

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        super().publish(remote, place, key, body)
        self.last.setdefault(remote, {})[place.stream] = key, body

    def attach(self, remote: Remote, message: Decoded) -> None:
        before = self.places.get(remote)
        super().attach(remote, message)
        stream = str(message["stream"])
        if before is not None and before.stream != stream and stream in self.last.get(remote, {}):
            self.store(stream, *self.last[remote][stream])


class LongReplaysGoFirst(Mutant):
    """Serves no other session of the stream during a long replay, while its connection accepts more."""

    killed_by = ("gears.fair",)
    alone = True

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.long: dict[str, Remote] = {}

    def pump(self, remote: Remote, place: Place) -> None:
        stream = place.stream
        first = self.long.get(stream)
        waits = first is not None and first is not remote and first in self.places and not first.closed
        if waits and first is not None and (first in self.behind or first.outbox):
            self.behind[remote] = place
            return
        if place.subscriptions and place.credit and self.log(stream).end - place.done > 500:
            self.long[stream] = remote
        super().pump(remote, place)
