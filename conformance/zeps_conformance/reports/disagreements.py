"""Disagreements: cases in which columns differ, with the columns of each outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.causes import key_of
from zeps_conformance.reports.cells import Cell, RunColumn

__all__ = ["Disagreement", "Outcome", "disagreements"]

#: Verdicts that do not describe the implementation's behaviour.
WITHOUT_OUTCOME = (Verdict.UNSUPPORTED, Verdict.INCONCLUSIVE, Verdict.BLOCKED, Verdict.FLAKY)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The cells of one case that behave in the same way, at least one."""

    cells: tuple[Cell, ...]

    @property
    def verdict(self) -> Verdict:
        return self.cells[0].case.verdict

    @property
    def text(self) -> str:
        """The observed behaviour; for a pass that the rules are followed."""
        case = self.cells[0].case
        return "as required" if case.verdict is Verdict.PASS else case.seen or case.reason


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A case with several outcomes, the most frequent first."""

    case: CaseResult
    outcomes: tuple[Outcome, ...]

    @property
    def cells(self) -> list[Cell]:
        """The cells of all outcomes."""
        return [cell for outcome in self.outcomes for cell in outcome.cells]

    @property
    def is_open(self) -> bool:
        """Whether the specification allows every outcome."""
        return all(outcome.verdict in (Verdict.PASS, Verdict.OBSERVED) for outcome in self.outcomes)


def disagreements(columns: Sequence[RunColumn]) -> list[Disagreement]:
    """Returns the cases with several outcomes in `columns`, those with most outcomes first."""
    by_case: dict[str, dict[str, list[Cell]]] = {}
    for column in columns:
        for cell in column.cells:
            case = cell.case
            if case.verdict not in WITHOUT_OUTCOME:
                outcome = "" if case.verdict is Verdict.PASS else f"{case.verdict.value} {key_of(case)}"
                by_case.setdefault(case.id, {}).setdefault(outcome, []).append(cell)
    different = [
        Disagreement(
            next(iter(groups.values()))[0].case,
            tuple(Outcome(tuple(cells)) for cells in sorted(groups.values(), key=len, reverse=True)),
        )
        for groups in by_case.values()
        if len(groups) > 1
    ]
    return sorted(different, key=lambda disagreement: -len(disagreement.outcomes))
