"""Mutants with defects in the announcement of lost messages."""

from __future__ import annotations

from mutant import Mutant, killed_by
from toy_broker import Asked, Log, Place, Refusal

from zeps_conformance.wire.router_server import Remote


@killed_by("gaps.retention-announced", "gaps.retention-of-what-is-added", alone=True)
class RetentionIsSilent(Mutant):
    """Skips messages that retention has removed, without an announcement."""

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        pass


@killed_by("gaps.retention-of-what-is-added", alone=True)
class RetentionOfAFillIsSilent(Mutant):
    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        if not place.fills:
            super().announce(remote, place, code, first, last)


@killed_by("gaps.retention-announced", "gaps.retention-of-what-is-added", alone=True)
class RetentionIsToldAfterwards(Mutant):
    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        first = self.kept[remote][1] if remote in self.kept else first
        self.kept[remote] = code, first, last

    def pump(self, remote: Remote, place: Place) -> None:
        had = len(place.had)
        super().pump(remote, place)
        if remote in self.kept and len(place.had) > had:
            super().announce(remote, place, *self.kept.pop(remote))


@killed_by("gaps.retention-announced", alone=True)
class RetentionIsCalledDamage(Mutant):
    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, "damage", first, last)


@killed_by("gaps.retention-announced", "gaps.retention-of-what-is-added", alone=True)
class GapNamesOneTooMany(Mutant):
    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, first, last + 1)


@killed_by("gaps.retention-announced", "gaps.retention-of-what-is-added", alone=True)
class GapLeavesOneOut(Mutant):
    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        last -= last % 5 == 0
        if first <= last:
            super().announce(remote, place, code, first, last)


@killed_by("gaps.retention-announced", alone=True)
class GapNamesWhatWasDelivered(Mutant):
    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, max(first - 1, 1), last)


@killed_by("gaps.retention-announced", "gaps.retention-of-what-is-added", alone=True)
class GapEndsTheSubscription(Mutant):
    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, first, last)
        place.subscriptions.clear()


@killed_by("gaps.retention-announced", "gaps.retention-of-what-is-added", alone=True)
class GapEndsTheSession(Mutant):
    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, first, last)
        self.end(remote)


@killed_by("gaps.retention-announced", alone=True)
class GapCostsCredit(Mutant):
    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, first, last)
        place.credit = max(place.credit - 30, 0)


@killed_by("gaps.retention-announced", "gaps.retention-of-what-is-added", alone=True)
class GapSwallowsTheNextMessage(Mutant):
    def pass_over(
        self, remote: Remote, place: Place, subscriptions: list[tuple[str, int]], done: int, upto: int
    ) -> int:
        return min(super().pass_over(remote, place, subscriptions, done, upto) + 1, upto)


@killed_by("gaps.retention-not-owed", alone=True)
class GapGoesToAll(Mutant):
    """Announces removed messages also to sessions that would not receive them."""

    def retain(self, stream: str, log: Log) -> None:
        before = log.oldest
        super().retain(stream, log)
        for remote, place in self.places.items():
            if (
                place.stream == stream
                and log.oldest > before
                and place.done >= log.end - 1
                and place.subscriptions
            ):
                self.announce(remote, place, "retention", before, log.oldest - 1)


@killed_by("gaps.retention-not-owed", alone=True)
class GapGoesToNewcomers(Mutant):
    """Announces messages removed long ago to sessions that subscribe to everything."""

    def start_of(self, place: Place, latest: int) -> int:
        return latest if not latest else super().start_of(place, latest)


@killed_by("gaps.not-retained", alone=True)
class NotRetainedIsGranted(Mutant):
    """Resumes at the oldest retained message, without an announcement."""

    def refusal(self, place: Place, pattern: str, latest: int) -> Refusal | None:
        refusal = super().refusal(place, pattern, latest)
        return None if refusal is not None and refusal.code == "not-retained" else refusal


@killed_by("gaps.not-retained", alone=True)
class NotRetainedIsGrantedAndTold(NotRetainedIsGranted):
    def start_of(self, place: Place, latest: int) -> int:
        return min(latest, self.log(place.stream).end) if latest else super().start_of(place, latest)


@killed_by("gaps.not-retained", alone=True)
class NotRetainedSubscribesAllTheSame(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        super().declined(remote, place, asked, refusal)
        if refusal.code == "not-retained":
            self.add(place, asked.pattern, self.log(place.stream).end)


@killed_by("gaps.not-retained", alone=True)
class NotRetainedNamesTheOldest(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        last = refusal.last + (refusal.code == "not-retained")
        super().declined(remote, place, asked, refusal._replace(last=last))


@killed_by("gaps.not-retained", alone=True)
class NotRetainedNamesLatest(Mutant):
    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        first = refusal.first - (refusal.code == "not-retained")
        super().declined(remote, place, asked, refusal._replace(first=first))


@killed_by("gaps.not-retained", alone=True)
class LastRetainedPlaceIsRefused(Mutant):
    """Treats the place right before the oldest message as lost."""

    def refusal(self, place: Place, pattern: str, latest: int) -> Refusal | None:
        oldest = self.log(place.stream).oldest
        if 0 < latest == oldest - 1:
            return Refusal("not-retained", latest + 1, oldest)
        return super().refusal(place, pattern, latest)
