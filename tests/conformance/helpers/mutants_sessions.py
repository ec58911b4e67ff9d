"""Mutants with defects in credit and sessions."""

from __future__ import annotations

import time

from mutant import Mutant
from toy_broker import CREDIT_MAX, Place, Stored

from zeps_conformance.model.interpreter import Decoded
from zeps_conformance.wire.router_server import Remote


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
        for stored in self.log(place.stream).messages:
            if self.due(place, place.subscriptions, stored) and self.covered(place, self.cost(stored)):
                self.spend(place, self.cost(stored))
                self.mark(place, stored)
                self.deliver(remote, place, stored)


class CreditIgnoredWhenLive(Mutant):
    killed_by = ("credit.starts-at-zero", "credit.counts-octets-live")

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        for there in self.places.values():
            there.credit = max(there.credit, 300)
        super().publish(remote, place, key, body)


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

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        self.invalid(remote, code, text)


class InvalidKeepsCredit(Mutant):
    """Ends the session, but restores its state at the next ATTACH."""

    killed_by = ("invalid.ends-session",)

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.kept: dict[Remote, int] = {}

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        if remote in self.places:
            self.kept[remote] = self.places[remote].credit
        super().refuse(remote, code, text)

    def attach(self, remote: Remote, message: Decoded) -> None:
        super().attach(remote, message)
        if remote in self.places:
            self.places[remote].credit = self.kept.pop(remote, 0)


class InvalidWithoutReason(Mutant):
    killed_by = ("invalid.one-each", "invalid.broker-only-deliver")

    def invalid(self, remote: Remote, code: str, text: str) -> None:
        self.say(remote, "INVALID", reason="")


class InvalidEndsOtherSessions(Mutant):
    killed_by = ("invalid.others-unmoved",)

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        stream = self.places[remote].stream if remote in self.places else ""
        super().refuse(remote, code, text)
        for other in [one for one, place in self.places.items() if place.stream == stream]:
            self.end(other)


class HangsUpOnBadInput(Mutant):
    killed_by = ("framing.signature", "sessions.none-for-ping")

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        self.hang_up(remote)


class IgnoresBadInput(Mutant):
    killed_by = ("framing.signature", "sessions.none-for-ping")

    def refuse(self, remote: Remote, code: str, text: str) -> None:
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
