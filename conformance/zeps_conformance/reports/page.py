"""Environment of the HTML templates, and formatting of verdicts and bytes."""

from __future__ import annotations

from collections.abc import Sequence

import jinja2

from zeps_conformance.common.results import RuleResult, RunResult, WireLine, source_text
from zeps_conformance.common.verdicts import Verdict

__all__ = ["MARKS", "environment", "rules_of_runs"]

HEX_SHOWN = 64  # bytes
MARKS = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.DEVIATION: "≠",
    Verdict.WARN: "!",
    Verdict.OBSERVED: "○",
    Verdict.UNSUPPORTED: "–",
    Verdict.INCONCLUSIVE: "?",
    Verdict.FLAKY: "≈",
}


def environment() -> jinja2.Environment:
    """Returns the environment of this package's templates: escaping, strict, with filters and marks."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("zeps_conformance", "reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["octets"] = _octets
    made.filters["seconds"] = lambda value: f"{value:.2f} s" if value < 10 else f"{value:.1f} s"
    made.filters["source_text"] = source_text
    made.globals["marks"] = {verdict.value: mark for verdict, mark in MARKS.items()}
    made.globals["verdicts"] = [verdict.value for verdict in MARKS]
    return made


def rules_of_runs(runs: Sequence[RunResult]) -> dict[str, RuleResult]:
    """Returns the rules of all `runs` by id, each as in the first run that has it."""
    rules: dict[str, RuleResult] = {}
    for run in runs:
        for rule in run.rules:
            rules.setdefault(rule.id, rule)
    return rules


def _octets(line: WireLine) -> str:
    shown = bytes.fromhex(line.hex)[:HEX_SHOWN]
    return shown.hex(" ") + (" …" if line.size > len(shown) else "")
