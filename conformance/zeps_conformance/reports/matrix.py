"""The matrix as one HTML file: implementations across, cases down, a page for each cell that is not a plain pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.page import Row, render, rows_by_section, rules_of_runs
from zeps_conformance.runs.matrix import Matrix, kept_path

__all__ = ["matrix_html"]

WIRE_SHOWN = 160  # lines of a page's log; the kept finding has more


@dataclass(frozen=True, slots=True)
class _Cell:
    """One case of one column: the anchor of its page (empty for a plain pass), commands to replay and to run it."""

    run: RunResult
    case: CaseResult
    page: str
    replay: str
    again: str


@dataclass(frozen=True, slots=True)
class _Table:
    """One profile. `runs` are its columns, `sections` its rows by section."""

    profile: str
    runs: Sequence[RunResult]
    sections: dict[str, list[Row[_Cell]]]


def matrix_html(matrix: Matrix) -> str:
    """Renders the page. Raises ValueError if the matrix has no columns."""
    if not matrix.runs:
        raise ValueError("a matrix needs at least one column")
    tables = [_table(name, matrix) for name in matrix.profiles]
    rules = rules_of_runs(matrix.runs)
    return render(
        "matrix.html.j2",
        tables=tables,
        pages=[cell for table in tables for cell in _cells(table) if cell.page],
        rules=list(rules.values()),
        rule_by_id=rules,
        runs=matrix.runs,
        counts={verdict.value: sum(run.counts()[verdict] for run in matrix.runs) for verdict in Verdict},
        wire_shown=WIRE_SHOWN,
    )


def _table(profile: str, matrix: Matrix) -> _Table:
    runs = matrix.columns(profile)

    def cell(index: int, case: CaseResult) -> _Cell:
        return _cell(runs[index], case, matrix.runs.index(runs[index]), matrix.kept)

    return _Table(profile, runs, rows_by_section(runs, cell))


def _cell(run: RunResult, case: CaseResult, column: int, kept: Path | None) -> _Cell:
    page = f"{column}-{case.id}" if case.verdict is not Verdict.PASS or case.is_finding else ""
    again = f"zeps-conform run --implementation {run.endpoint} --type {run.type} --case {case.id}"
    replay = ""
    if kept is not None and case.verdict.is_finding:
        replay = f"zeps-conform replay {kept_path(kept, run, case.id)}"
    return _Cell(run, case, page, replay, again)


def _cells(table: _Table) -> list[_Cell]:
    """Returns the cells column by column, without those of cases that a column does not have."""
    rows = [row for section in table.sections.values() for row in section]
    return [cell for index in range(len(table.runs)) for row in rows if (cell := row.cells[index])]
