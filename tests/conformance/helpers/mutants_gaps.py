"""Mutants with defects in the announcement of lost messages."""

from __future__ import annotations

from mutant import Mutant
from toy_broker import Log, Place

from zeps_conformance.wire.router_server import Remote


class RetentionIsSilent(Mutant):
    """Skips messages that retention has removed, without an announcement."""

    killed_by = ("gaps.retention-announced", "gaps.retention-of-what-is-added")
    alone = True

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        pass


class RetentionOfAFillIsSilent(Mutant):
    killed_by = ("gaps.retention-of-what-is-added",)
    alone = True

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        if not place.fills:
            super().announce(remote, place, code, first, last)


class RetentionIsToldAfterwards(Mutant):
    killed_by = ("gaps.retention-announced", "gaps.retention-of-what-is-added")
    alone = True

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.untold: dict[Remote, tuple[str, int, int]] = {}

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        first = self.untold[remote][1] if remote in self.untold else first
        self.untold[remote] = code, first, last

    def pump(self, remote: Remote, place: Place) -> None:
        had = len(place.had)
        super().pump(remote, place)
        if remote in self.untold and len(place.had) > had:
            super().announce(remote, place, *self.untold.pop(remote))


class RetentionIsCalledDamage(Mutant):
    killed_by = ("gaps.retention-announced",)
    alone = True

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, "damage", first, last)


class GapNamesOneTooMany(Mutant):
    killed_by = ("gaps.retention-announced", "gaps.retention-of-what-is-added")
    alone = True

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, first, last + 1)


class GapLeavesOneOut(Mutant):
    killed_by = ("gaps.retention-announced", "gaps.retention-of-what-is-added")
    alone = True

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        last -= last % 5 == 0
        if first <= last:
            super().announce(remote, place, code, first, last)


class GapNamesWhatWasDelivered(Mutant):
    killed_by = ("gaps.retention-announced",)
    alone = True

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, max(first - 1, 1), last)


class GapEndsTheSubscription(Mutant):
    killed_by = ("gaps.retention-announced", "gaps.retention-of-what-is-added")
    alone = True

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, first, last)
        place.subscriptions.clear()


class GapEndsTheSession(Mutant):
    killed_by = ("gaps.retention-announced", "gaps.retention-of-what-is-added")
    alone = True

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, first, last)
        self.end(remote)


class GapCostsCredit(Mutant):
    killed_by = ("gaps.retention-announced",)
    alone = True

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        super().announce(remote, place, code, first, last)
        place.credit = max(place.credit - 30, 0)


class GapSwallowsTheNextMessage(Mutant):
    killed_by = ("gaps.retention-announced", "gaps.retention-of-what-is-added")
    alone = True

    def pass_over(
        self, remote: Remote, place: Place, subscriptions: list[tuple[str, int]], done: int, upto: int
    ) -> int:
        return min(super().pass_over(remote, place, subscriptions, done, upto) + 1, upto)


class GapGoesToAll(Mutant):
    """Announces removed messages also to sessions that would not receive them."""

    killed_by = ("gaps.retention-not-owed",)
    alone = True

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


class GapGoesToNewcomers(Mutant):
    """Announces messages removed long ago to sessions that subscribe to everything."""

    killed_by = ("gaps.retention-not-owed",)
    alone = True

    def start_of(self, place: Place, latest: int) -> int:
        return latest if not latest else super().start_of(place, latest)


class NotRetainedIsGranted(Mutant):
    """Resumes at the oldest retained message, without an announcement."""

    killed_by = ("gaps.not-retained",)
    alone = True

    def refusal(self, place: Place, pattern: str, latest: int) -> tuple[str, int, int] | None:
        found = super().refusal(place, pattern, latest)
        return None if found is not None and found[0] == "not-retained" else found


class NotRetainedIsGrantedAndTold(NotRetainedIsGranted):
    killed_by = ("gaps.not-retained",)
    alone = True

    def start_of(self, place: Place, latest: int) -> int:
        return min(latest, self.log(place.stream).end) if latest else super().start_of(place, latest)


class NotRetainedSubscribesAllTheSame(Mutant):
    killed_by = ("gaps.not-retained",)
    alone = True

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        super().declined(remote, place, pattern, latest, code, first, last)
        if code == "not-retained":
            self.add(place, pattern, self.log(place.stream).end)


class NotRetainedNamesTheOldest(Mutant):
    killed_by = ("gaps.not-retained",)
    alone = True

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        last += code == "not-retained"
        super().declined(remote, place, pattern, latest, code, first, last)


class NotRetainedNamesLatest(Mutant):
    killed_by = ("gaps.not-retained",)
    alone = True

    def declined(
        self, remote: Remote, place: Place, pattern: str, latest: int, code: str, first: int, last: int
    ) -> None:
        first -= code == "not-retained"
        super().declined(remote, place, pattern, latest, code, first, last)


class LastRetainedPlaceIsRefused(Mutant):
    """Treats the place right before the oldest message as lost."""

    killed_by = ("gaps.not-retained",)
    alone = True

    def refusal(self, place: Place, pattern: str, latest: int) -> tuple[str, int, int] | None:
        oldest = self.log(place.stream).oldest
        if 0 < latest == oldest - 1:
            return "not-retained", latest + 1, oldest
        return super().refusal(place, pattern, latest)
