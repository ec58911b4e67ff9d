"""Trend: how the problems of runs differ from those of earlier runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.reports.causes import is_problem, key_of
from zeps_conformance.reports.cells import Cell, RunColumn, columns_of_runs

__all__ = ["Change", "Direction", "Trend", "compare_runs", "format_trend"]

PRINTED = 40  # changes in a terminal


class Direction(str, Enum):
    """Kind of a change; the value is the word in reports. Each is about a problem."""

    NEW = "new"
    ADDED = "added"  # a problem of a case that the earlier run does not have
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Change:
    """One case of one column. `before` is None if the earlier run does not have the case."""

    direction: Direction
    column: RunColumn
    before: CaseResult | None
    now: CaseResult

    @property
    def cell(self) -> Cell:
        """The present result."""
        return Cell(self.column, self.now)


@dataclass(frozen=True, slots=True)
class Trend:
    """Changes since the earlier runs, which began at `started`. `only_now` and `only_earlier`: ids of columns that one
    of both has; they are not compared. `changed_versions`: names of columns with the versions before and now.
    """

    started: str
    changes: tuple[Change, ...]
    only_now: tuple[str, ...]
    only_earlier: tuple[str, ...]
    changed_versions: tuple[tuple[str, str, str], ...]

    def of(self, direction: Direction) -> list[Change]:
        """Returns the changes of one kind."""
        return [change for change in self.changes if change.direction is direction]


def compare_runs(runs: Sequence[RunResult], earlier: Sequence[RunResult]) -> Trend:
    """Compares columns by id and cases by id. A problem with another verdict or another cause has changed."""
    now = {column.id: column for column in columns_of_runs(runs)}
    before = {column.id: column for column in columns_of_runs(earlier)}
    changes: list[Change] = []
    for column_id, column in now.items():
        if column_id in before:
            changes += _changes(column, before[column_id].run)
    order = list(Direction)
    changes.sort(key=lambda change: order.index(change.direction))
    return Trend(
        started=min((run.started for run in earlier), default=""),
        changes=tuple(changes),
        only_now=tuple(column_id for column_id in now if column_id not in before),
        only_earlier=tuple(column_id for column_id in before if column_id not in now),
        changed_versions=tuple(
            (column.run.name, before[column_id].run.version, column.run.version)
            for column_id, column in now.items()
            if column_id in before and before[column_id].run.version != column.run.version
        ),
    )


def format_trend(trend: Trend) -> str:
    """Formats the trend for a terminal: numbers, then a line for each of at most 40 changes."""
    numbers = ", ".join(f"{len(trend.of(direction))} {direction.value}" for direction in Direction)
    lines = [f"problems since {trend.started}: {numbers}"]
    for change in trend.changes[:PRINTED]:
        verdicts = " -> ".join(case.verdict.value if case else "none" for case in (change.before, change.now))
        lines.append(f"  {change.direction.value:<8} {change.column.id} {change.now.id}: {verdicts}")
    if len(trend.changes) > PRINTED:
        lines.append(f"  and {len(trend.changes) - PRINTED} more")
    if trend.only_now or trend.only_earlier:
        names = ", ".join((*trend.only_now, *trend.only_earlier))
        lines.append(f"  not compared, because only one run has them: {names}")
    return "\n".join(lines) + "\n"


def _changes(column: RunColumn, earlier: RunResult) -> list[Change]:
    """Returns the changes of a column. Cases that only the earlier run has are not compared."""
    before = {case.id: case for case in earlier.cases}
    changes = []
    for case in column.run.cases:
        old = before.get(case.id)
        if old is None or not is_problem(old):
            if is_problem(case):
                direction = Direction.ADDED if old is None else Direction.NEW
                changes.append(Change(direction, column, old, case))
        elif not is_problem(case):
            changes.append(Change(Direction.GONE, column, old, case))
        elif (old.verdict, key_of(old)) != (case.verdict, key_of(case)):
            changes.append(Change(Direction.CHANGED, column, old, case))
    return changes
