"""Rendering of the HTML templates, and the rows of their tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2

from zeps_conformance.common.results import CaseResult, RuleResult, RunResult, WireLine, source_text
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.causes import Severity
from zeps_conformance.reports.cells import Cell, RunColumn
from zeps_conformance.reports.requirements import source_links
from zeps_conformance.reports.trend import Direction

__all__ = ["Row", "render", "rows_by_section", "rules_of_runs"]

HEX_SHOWN = 64  # bytes
TEXT_SHOWN = 600  # characters
#: The verdict whose colour a severity has.
STYLES = {
    Severity.ROBUSTNESS: "fail",
    Severity.MUST: "fail",
    Severity.DEVIATION: "deviation",
    Severity.FLAKY: "flaky",
    Severity.INCONCLUSIVE: "inconclusive",
    Severity.SHOULD: "warn",
    Severity.BLOCKED: "blocked",
    Severity.OBSERVED: "observed",
}
MARKS = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.DEVIATION: "≠",
    Verdict.WARN: "!",
    Verdict.OBSERVED: "○",
    Verdict.UNSUPPORTED: "–",
    Verdict.INCONCLUSIVE: "?",
    Verdict.FLAKY: "≈",
    Verdict.BLOCKED: "⊘",
}


def render(template: str, **values: Any) -> str:
    """Renders a template of this package. Text is escaped; an undefined name raises jinja2.UndefinedError."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("zeps_conformance", "reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["hex_bytes"] = _hex_bytes
    made.filters["seconds"] = lambda value: f"{value:.2f} s" if value < 10 else f"{value:.1f} s"
    made.filters["source_text"] = source_text
    made.filters["source_links"] = source_links
    made.filters["shortened"] = _shortened
    made.globals["marks"] = {verdict.value: mark for verdict, mark in MARKS.items()}
    made.globals["verdicts"] = [verdict.value for verdict in MARKS]
    made.globals["severity_styles"] = {severity.name: STYLES[severity] for severity in Severity}
    made.globals["directions"] = list(Direction)
    return made


@dataclass(frozen=True, slots=True)
class Row:
    """A case, as in the first column that has it, and one cell for each column: None if that does not have the case."""

    case: CaseResult
    cells: list[Cell | None]


def rows_by_section(columns: Sequence[RunColumn]) -> dict[str, list[Row]]:
    """Groups the cases of `columns` by section, in order of appearance."""
    rows: dict[str, Row] = {}
    for index, column in enumerate(columns):
        for cell in column.cells:
            rows.setdefault(cell.case.id, Row(cell.case, [None] * len(columns))).cells[index] = cell
    sections: dict[str, list[Row]] = {}
    for row in rows.values():
        sections.setdefault(row.case.section, []).append(row)
    return sections


def rules_of_runs(runs: Sequence[RunResult]) -> dict[str, RuleResult]:
    """Returns the rules of all `runs` by id, each as in the first run that has it."""
    rules: dict[str, RuleResult] = {}
    for run in runs:
        for rule in run.rules:
            rules.setdefault(rule.id, rule)
    return rules


def _shortened(text: str, size: int = TEXT_SHOWN) -> str:
    return text if len(text) <= size else f"{text[:size]}…"


def _hex_bytes(line: WireLine) -> str:
    data = bytes.fromhex(line.hex)[:HEX_SHOWN]
    return data.hex(" ") + (" …" if line.size > len(data) else "")
