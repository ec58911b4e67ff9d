"""What the pages show: columns, cases, causes and the names of the files that link to one another."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from zeps_conformance.common.results import RunResult
from zeps_conformance.common.verdicts import Category, Verdict
from zeps_conformance.reports.badge import badge_text
from zeps_conformance.reports.causes import Cause, Severity, causes_of
from zeps_conformance.reports.cells import Cell, RunColumn, columns_of_runs, reproduction
from zeps_conformance.reports.disagreements import Disagreement, disagreements
from zeps_conformance.reports.page import Row, rows_by_section, rules_of_runs
from zeps_conformance.reports.requirements import (
    SPECIFICATIONS,
    place_in_specification,
)
from zeps_conformance.reports.trend import Trend
from zeps_conformance.runs.profiles import PROFILES

__all__ = ["PageOptions", "PageSet", "ProfileTable"]

#: Verdicts in the order of the summary's columns, after the failures of robustness.
SUMMARY = (
    Verdict.FAIL,
    Verdict.DEVIATION,
    Verdict.FLAKY,
    Verdict.INCONCLUSIVE,
    Verdict.WARN,
    Verdict.BLOCKED,
    Verdict.OBSERVED,
    Verdict.UNSUPPORTED,
    Verdict.PASS,
)


@dataclass(frozen=True, slots=True)
class PageOptions:
    """`trend`: changes since an earlier run. `kept`: returns the path of the kept finding of a cell, or None.
    `address`: where the pages will be published, for permalinks; empty if it is not known.
    """

    trend: Trend | None = None
    kept: Callable[[Cell], Path | None] = lambda cell: None
    address: str = ""


@dataclass(frozen=True, slots=True)
class ProfileTable:
    """One profile with its columns, and its cases by section with a cell for each column."""

    profile: str
    title: str
    columns: Sequence[RunColumn]
    sections: dict[str, list[Row]]


class PageSet:
    """The data of all pages of `runs`, at least one."""

    summary = SUMMARY

    def __init__(self, runs: Sequence[RunResult], options: PageOptions) -> None:
        self.runs = runs
        self.trend = options.trend
        self.address = options.address.rstrip("/")
        self._kept = options.kept
        self.columns = columns_of_runs(runs)
        self.cells = [cell for column in self.columns for cell in column.cells]
        self.causes = causes_of(self.cells)
        self.rules = rules_of_runs(runs)
        self.cases: dict[str, list[Cell]] = {}
        for cell in self.cells:
            self.cases.setdefault(cell.case.id, []).append(cell)
        self.tables = [_table(name, self.columns) for name in _profiles(runs)]
        self.disagreements: list[Disagreement] = disagreements(self.columns)
        self._by_key = {cause.key: cause for cause in self.causes}

    @property
    def title(self) -> str:
        """Names the implementations, or their number."""
        names = list(
            dict.fromkeys(column.run.name.removesuffix(f" {column.run.type}") for column in self.columns)
        )
        return ", ".join(names) if len(names) <= 2 else f"{len(names)} implementations"

    @staticmethod
    def steps(cells: Sequence[Cell]) -> list[str]:
        """Returns the steps of a case, as in the cell that reached most of them."""
        longest = max(cells, key=lambda cell: len(cell.case.steps))
        return [step.text for step in longest.case.steps]

    @property
    def baseline_problems(self) -> list[tuple[RunColumn, str]]:
        """The problems of the baselines' entries, each with its column."""
        return [(column, problem) for column in self.columns for problem in column.run.baseline_problems]

    def causes_by_severity(self) -> list[tuple[Severity, list[Cause]]]:
        """Returns the causes of each severity that occurs, the worst first."""
        groups = [
            (severity, [cause for cause in self.causes if cause.severity is severity])
            for severity in Severity
        ]
        return [(severity, causes) for severity, causes in groups if causes]

    @staticmethod
    def causes_of_column(column: RunColumn) -> list[Cause]:
        """Returns the causes that occur in a column, each with the column's cells, most severe first."""
        return causes_of(column.cells)

    def causes_of_rule(self, rule_id: str) -> list[Cause]:
        """Returns the causes of problems under a rule."""
        return [cause for cause in self.causes if cause.rule == rule_id and cause.severity.is_problem]

    def cause_of(self, cell: Cell) -> Cause | None:
        """Returns the cause of a cell; None for a pass and an unsupported case."""
        return next((self._by_key[cause.key] for cause in causes_of([cell])), None)

    @staticmethod
    def counts(column: RunColumn) -> Counter[str]:
        """Numbers of the column's cases by verdict; failures of robustness are counted as ``robustness`` instead."""
        return Counter(
            "robustness"
            if case.verdict is Verdict.FAIL and case.category is Category.ROBUSTNESS
            else case.verdict.value
            for case in column.run.cases
        )

    @staticmethod
    def specification(rule_id: str) -> str:
        """Returns the address of a rule's text beside the pages, or an empty string."""
        place = place_in_specification(rule_id)
        return f"{SPECIFICATIONS}/{place}" if place else ""

    @staticmethod
    def tokens(cells: Sequence[Cell | None]) -> str:
        """Returns what filters compare: implementation, role and verdict of each cell."""
        found = (
            f"{cell.column.implementation}/{cell.column.role}/{cell.case.verdict.value}"
            for cell in cells
            if cell
        )
        return " ".join(dict.fromkeys(found))

    @staticmethod
    def command(cell: Cell) -> str:
        """Returns the command that reproduces a cell."""
        return reproduction(cell.column.run, cell.case.id)

    def replay(self, cell: Cell) -> str:
        """Returns the command that replays the kept finding of a cell, or an empty string."""
        path = self._kept(cell)
        return "" if path is None else shlex.join(["zeps-conform", "replay", str(path)])

    def permalink(self, cell: Cell) -> str:
        """Returns the address of a cell's page; its file name if the address of the pages is not known."""
        page = self.finding_page(cell)
        return f"{self.address}/{page}" if self.address else page

    @staticmethod
    def profile_page(profile: str) -> str:
        return f"profile-{profile}.html"

    @staticmethod
    def column_page(column: RunColumn) -> str:
        return f"implementation-{column.id}.html"

    @staticmethod
    def badge_file(column: RunColumn) -> str:
        return f"badge-{column.id}.svg"

    @staticmethod
    def badge_words(column: RunColumn) -> str:
        """Returns the text of the badge."""
        return ": ".join(badge_text(column.run))

    @staticmethod
    def case_page(case_id: str) -> str:
        return f"case-{case_id}.html"

    @staticmethod
    def cause_page(cause: Cause) -> str:
        return f"cause-{cause.key}.html"

    @staticmethod
    def finding_page(cell: Cell) -> str:
        return f"finding-{cell.column.id}-{cell.case.id}.html"

    def link(self, cell: Cell) -> str:
        """Returns the page about a cell: that of the finding, or of the case if it passes."""
        if cell.case.verdict is Verdict.PASS and not cell.case.is_finding:
            return self.case_page(cell.case.id)
        return self.finding_page(cell)


def _profiles(runs: Sequence[RunResult]) -> list[str]:
    mine = {run.profile for run in runs}
    return [*(name for name in PROFILES if name in mine), *sorted(mine - set(PROFILES))]


def _table(profile: str, columns: Sequence[RunColumn]) -> ProfileTable:
    mine = [column for column in columns if column.run.profile == profile]
    title = PROFILES[profile].title if profile in PROFILES else profile
    return ProfileTable(profile, title, mine, rows_by_section(mine))
