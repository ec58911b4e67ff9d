"""One self-contained HTML file: the matrix of cases and implementations, the rules, and a section for every
case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import jinja2

from zeps_conformance.results import CaseResult, RuleResult, RunResult, WireLine
from zeps_conformance.verdicts import Verdict

__all__ = ["html"]

HEX_SHOWN = 48  # octets
MARKS = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.WARN: "!",
    Verdict.UNSUPPORTED: "–",
    Verdict.INCONCLUSIVE: "?",
    Verdict.FLAKY: "≈",
}


@dataclass(frozen=True, slots=True)
class _Row:
    """A case over all implementations; None where an implementation did not run it."""

    case: CaseResult
    results: list[CaseResult | None]


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    rows: list[_Row]


def html(runs: Sequence[RunResult]) -> str:
    """The report over `runs`, a column for each. ValueError if there are none."""
    if not runs:
        raise ValueError("a report needs at least one run")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["octets"] = _octets
    environment.filters["seconds"] = lambda value: f"{value:.2f} s" if value < 10 else f"{value:.1f} s"
    template = environment.from_string(
        resources.files(__package__).joinpath("report.html.j2").read_text(encoding="utf-8")
    )
    rules = _rules(runs)
    return template.render(
        runs=runs,
        sections=_sections(runs),
        rules=list(rules.values()),
        rule_by_id=rules,
        rule_verdicts=_rule_verdicts(runs),
        marks={verdict.value: mark for verdict, mark in MARKS.items()},
        verdicts=[verdict.value for verdict in MARKS],
        attention=[
            (index, case)
            for index, run in enumerate(runs)
            for case in run.cases
            if case.is_finding or case.verdict is Verdict.WARN
        ],
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


def _rules(runs: Sequence[RunResult]) -> dict[str, RuleResult]:
    rules: dict[str, RuleResult] = {}
    for run in runs:
        for rule in run.rules:
            rules.setdefault(rule.id, rule)
    return rules


def _rule_verdicts(runs: Sequence[RunResult]) -> dict[str, list[Verdict | None]]:
    return {
        rule_id: [next((rule.verdict for rule in run.rules if rule.id == rule_id), None) for run in runs]
        for rule_id in _rules(runs)
    }


def _octets(line: WireLine) -> str:
    shown = bytes.fromhex(line.hex)[:HEX_SHOWN]
    return shown.hex(" ") + (" …" if line.size > len(shown) else "")
