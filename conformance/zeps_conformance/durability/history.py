"""The oracle: compares what one publisher was promised with what readers receive after each fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from zeps_conformance.durability.messages import parse_body

__all__ = ["Counts", "Gap", "History", "Reading"]


@dataclass(frozen=True, slots=True)
class Gap:
    """Announcement by the broker that `count` messages are lost here."""

    count: int


Reading = Sequence[str | Gap]
"""What a reader received: bodies and announced gaps, in order."""


@dataclass(slots=True)
class Counts:
    """Numbers of messages. `lost`: confirmed, later not delivered and not announced. `early`: those of `lost` that were
    confirmed longer before the fault than the promise allows. `announced`: confirmed, lost, and announced as lost.
    `withdrawn`: received by a reader, and later gone. `unavailable`: confirmed, but the broker does not serve any more.
    """

    published: int = 0
    confirmed: int = 0
    refused: int = 0
    lost: int = 0
    early: int = 0
    announced: int = 0
    withdrawn: int = 0
    duplicated: int = 0
    reordered: int = 0
    corrupted: int = 0
    unavailable: int = 0

    def add(self, other: Counts) -> None:
        for count in fields(self):
            setattr(self, count.name, getattr(self, count.name) + getattr(other, count.name))


@dataclass(slots=True)
class History:
    """All messages of publisher `publisher` in one round. `consumes`: reading removes messages from the broker.
    `confirmed` has the time of each confirmation, `refused` what the broker refused.
    """

    publisher: int
    seed: int
    consumes: bool = False
    published: int = 0
    confirmed: dict[int, float] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)
    examples: list[str] = field(default_factory=list)
    _received: set[int] = field(default_factory=set)
    _lost: dict[int, bool] = field(default_factory=dict)  # the value: confirmed too early to be lost
    _announced: set[int] = field(default_factory=set)
    _withdrawn: set[int] = field(default_factory=set)
    _counted: Counter[str] = field(default_factory=Counter)

    def read(self, reading: Reading, expected_before: float) -> None:
        """Judges a complete reading after a fault. Lost messages that were confirmed before the monotonic time
        `expected_before` also count as `early`.
        """
        numbers: list[int] = []
        gaps: list[tuple[int, int]] = []  # position in numbers, count
        for item in reading:
            if isinstance(item, Gap):
                gaps.append((len(numbers), item.count))
                continue
            message = parse_body(item, self.seed)
            if message is None or not (
                message.publisher == self.publisher and 0 < message.number <= self.published
            ):
                self._count("corrupted", f"{item[:60]!r}")
            else:
                numbers.append(message.number)
        seen: set[int] = set(self._received) if self.consumes else set()
        highest = 0
        for number in numbers:
            if number in seen:
                self._count("duplicated", f"{number}")
            elif number < highest:
                self._count("reordered", f"{number} after {highest}")
            seen.add(number)
            highest = max(highest, number)
        covered = self._covered(numbers, gaps, seen)
        for number in sorted((self.confirmed.keys() | self._received) - seen - covered):
            if number in self.confirmed and number not in self._lost:
                self._lost[number] = self.confirmed[number] < expected_before
                self._note(f"lost: {number}")
            if number in self._received:
                self._withdrawn.add(number)
                self._note(f"received, later gone: {number}")
        self._announced |= covered & self.confirmed.keys()
        self._received |= seen

    def _covered(self, numbers: Sequence[int], gaps: Sequence[tuple[int, int]], seen: set[int]) -> set[int]:
        """Returns the messages that the announced gaps can be: those between their neighbours, at most as many."""
        covered: set[int] = set()
        for position, count in gaps:
            before = max(numbers[:position], default=0) if position else 0
            after = numbers[position] if position < len(numbers) else self.published + 1
            between = [n for n in range(before + 1, after) if n not in seen and n not in covered]
            confirmed_first = sorted(between, key=lambda number: number not in self.confirmed)
            covered.update(confirmed_first[:count])
        return covered

    def not_served(self, reason: str) -> None:
        """Records that the broker does not start, or cannot be read: what it confirmed, and no reader has consumed, is
        unavailable.
        """
        elsewhere = self._lost.keys() | self._announced | (self._received if self.consumes else set())
        self._count("unavailable", reason, len(self.confirmed.keys() - elsewhere))

    @property
    def counts(self) -> Counts:
        return Counts(
            published=self.published,
            confirmed=len(self.confirmed),
            refused=len(self.refused),
            lost=len(self._lost),
            early=sum(self._lost.values()),
            announced=len(self._announced - self._lost.keys()),
            withdrawn=len(self._withdrawn),
            **self._counted,
        )

    def _count(self, kind: str, what: str, number: int = 1) -> None:
        self._counted[kind] += number
        self._note(f"{kind}: {what}")

    def _note(self, text: str) -> None:
        if len(self.examples) < 5:
            self.examples.append(f"publisher {self.publisher}: {text}")
