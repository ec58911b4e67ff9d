"""One self-contained HTML file: the matrix of cases and implementations, the rules, and a section for every
case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.page import environment, rules_of_runs

__all__ = ["html"]


@dataclass(frozen=True, slots=True)
class _Row:
    """A case over all implementations; None if an implementation did not run it."""

    case: CaseResult
    results: list[CaseResult | None]


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    rows: list[_Row]


def html(runs: Sequence[RunResult]) -> str:
    """Renders the report over `runs`, with a column for each. Raises ValueError for an empty list."""
    if not runs:
        raise ValueError("a report needs at least one run")
    rules = rules_of_runs(runs)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            runs=runs,
            sections=_sections(runs),
            rules=list(rules.values()),
            rule_by_id=rules,
            rule_verdicts=_rule_verdicts(runs),
            attention=[
                (index, case)
                for index, run in enumerate(runs)
                for case in run.cases
                if case.is_finding or case.verdict is Verdict.WARN
            ],
        )
    )


def _sections(runs: Sequence[RunResult]) -> list[_Section]:
    by_id: dict[str, list[CaseResult | None]] = {}
    for index, run in enumerate(runs):
        for case in run.cases:
            by_id.setdefault(case.id, [None] * len(runs))[index] = case
    sections: dict[str, _Section] = {}
    for results in by_id.values():
        first = next(result for result in results if result is not None)
        sections.setdefault(first.section, _Section(first.section, [])).rows.append(_Row(first, results))
    return list(sections.values())


def _rule_verdicts(runs: Sequence[RunResult]) -> dict[str, list[Verdict | None]]:
    return {
        rule_id: [next((rule.verdict for rule in run.rules if rule.id == rule_id), None) for run in runs]
        for rule_id in rules_of_runs(runs)
    }
