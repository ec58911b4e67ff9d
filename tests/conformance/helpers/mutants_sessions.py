"""Mutants with defects in credit and sessions."""

from __future__ import annotations

import time

from mutant import Mutant, killed_by
from toy_broker import CREDIT_MAX, Place, Stored

from zeps_conformance.model.interpreter import Decoded
from zeps_conformance.wire.router_server import Remote


@killed_by("credit.counts-octets", "credit.never-beyond")
class CreditOneOctetTooMuch(Mutant):
    def covered(self, place: Place, cost: int) -> bool:
        return cost <= place.credit + 1

    def spend(self, place: Place, cost: int) -> None:
        place.credit = max(place.credit - cost, 0)


@killed_by("credit.counts-octets", "credit.counts-octets-live")
class CreditOneOctetTooLittle(Mutant):
    def covered(self, place: Place, cost: int) -> bool:
        return cost < place.credit


@killed_by("credit.counts-octets", "credit.counts-octets-live")
class CreditCountsBodies(Mutant):
    def cost(self, stored: Stored) -> int:
        return len(stored.body)


@killed_by("credit.counts-octets")
class CreditCountsPublishFrames(Mutant):
    def cost(self, stored: Stored) -> int:
        return super().cost(stored) - 8


@killed_by("credit.adds-up", "credit.before-subscribing")
class CreditReplaces(Mutant):
    def grant(self, place: Place, credit: int) -> None:
        place.credit = credit


@killed_by("credit.saturates")
class CreditWraps(Mutant):
    def grant(self, place: Place, credit: int) -> None:
        place.credit = (place.credit + credit) % (CREDIT_MAX + 1)


@killed_by("credit.counts-octets", "gears.one-at-a-time")
class CreditIsNotSpent(Mutant):
    def spend(self, place: Place, cost: int) -> None:
        pass


@killed_by("credit.starts-at-zero")
class CreditStartsAtSomething(Mutant):
    def attach(self, remote: Remote, message: Decoded) -> None:
        super().attach(remote, message)
        if remote in self.places:
            self.places[remote].credit = 20


@killed_by("credit.none-overtakes")
class CreditLetsSmallOnesOvertake(Mutant):
    def pump(self, remote: Remote, place: Place) -> None:
        for stored in self.log(place.stream).messages:
            if self.due(place, place.subscriptions, stored) and self.covered(place, self.cost(stored)):
                self.spend(place, self.cost(stored))
                self.mark(place, stored)
                self.deliver(remote, place, stored)


@killed_by("credit.starts-at-zero", "credit.counts-octets-live")
class CreditIgnoredWhenLive(Mutant):
    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        for there in self.places.values():
            there.credit = max(there.credit, 300)
        super().publish(remote, place, key, body)


@killed_by("opening.again-forgets-credit")
class AttachKeepsCredit(Mutant):
    def attach(self, remote: Remote, message: Decoded) -> None:
        before = self.places.get(remote)
        super().attach(remote, message)
        if before is not None and remote in self.places:
            self.places[remote].credit = before.credit


@killed_by("opening.again-forgets-subscriptions")
class AttachKeepsSubscriptions(Mutant):
    def attach(self, remote: Remote, message: Decoded) -> None:
        before = self.places.get(remote)
        super().attach(remote, message)
        if before is not None and remote in self.places:
            self.places[remote].subscriptions = before.subscriptions


@killed_by("invalid.ends-session", "framing.unknown-command")
class InvalidDoesNotEndTheSession(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        self.invalid(remote, code, text)


@killed_by("invalid.ends-session")
class InvalidKeepsCredit(Mutant):
    """Ends the session, but restores its credit at the next ATTACH."""

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        if remote in self.places:
            self.kept[remote] = self.places[remote].credit
        super().refuse(remote, code, text)

    def attach(self, remote: Remote, message: Decoded) -> None:
        super().attach(remote, message)
        if remote in self.places:
            self.places[remote].credit = self.kept.pop(remote, 0)


@killed_by("invalid.one-each", "invalid.broker-only-deliver")
class InvalidWithoutReason(Mutant):
    def invalid(self, remote: Remote, code: str, text: str) -> None:
        self.say(remote, "INVALID", reason="")


@killed_by("invalid.others-unmoved")
class InvalidEndsOtherSessions(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        stream = self.places[remote].stream if remote in self.places else ""
        super().refuse(remote, code, text)
        for other in [peer for peer, place in self.places.items() if place.stream == stream]:
            self.end(other)


@killed_by("framing.signature", "sessions.none-for-ping")
class HangsUpOnBadInput(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        self.hang_up(remote)


@killed_by("framing.signature", "sessions.none-for-ping")
class IgnoresBadInput(Mutant):
    def refuse(self, remote: Remote, code: str, text: str) -> None:
        self.end(remote)


@killed_by("sessions.none-for-ping", "invalid.ends-session")
class PingWithoutSessionAnswered(Mutant):
    def without_session(self, remote: Remote, message: Decoded) -> None:
        if message.name == "PING":
            self.say(remote, "PING-OK")
        else:
            super().without_session(remote, message)


@killed_by("sessions.none-for-credit")
class CreditWithoutSessionIgnored(Mutant):
    def without_session(self, remote: Remote, message: Decoded) -> None:
        if message.name != "CREDIT":
            super().without_session(remote, message)


@killed_by("closing.ends-delivery")
class DetachKeepsDelivering(Mutant):
    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "DETACH":
            self.say(remote, "DETACH-OK")
        else:
            super().in_session(remote, place, message)


@killed_by("closing.answered")
class DetachUnanswered(Mutant):
    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "DETACH":
            self.end(remote)
        else:
            super().in_session(remote, place, message)


@killed_by("sessions.independent-credit")
class SessionsShareCredit(Mutant):
    def grant(self, place: Place, credit: int) -> None:
        for there in self.places.values():
            if there.stream == place.stream:
                super().grant(there, credit)


@killed_by("heartbeat.forgets-the-silent")
class ForgetsNobody(Mutant):
    def expired(self, place: Place, now: float) -> bool:
        return False


@killed_by("heartbeat.signs-of-life")
class OnlyPingIsASignOfLife(Mutant):
    def sign_of_life(self, place: Place, message: Decoded) -> None:
        if message.name == "PING":
            place.heard = time.monotonic()


@killed_by("opening.again-other-stream")
class OldStreamIsNotLeft(Mutant):
    """Delivers new messages of the stream that a session has left by ATTACH."""

    def attach(self, remote: Remote, message: Decoded) -> None:
        old = self.places.get(remote)
        super().attach(remote, message)
        if old is not None and remote in self.places and old.stream != self.places[remote].stream:
            self.kept[remote] = old

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        super().publish(remote, place, key, body)
        for other, old in self.kept.items():
            if old.stream == place.stream and other in self.places:
                self.pump(other, old)


@killed_by("opening.closed-stream", alone=True)
class RefusedStreamLeavesTheSession(Mutant):
    """Refuses to open a stream, and leaves the session on the one before."""

    def attach(self, remote: Remote, message: Decoded) -> None:
        if self.is_closed(str(message["stream"])):
            self.invalid(remote, "stream-unavailable", "the stream is closed")
        else:
            super().attach(remote, message)
