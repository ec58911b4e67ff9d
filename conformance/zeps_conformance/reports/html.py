"""One self-contained HTML file: the matrix of cases and implementations, the rules, and a section for every case."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.common.results import RunResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.cells import columns_of_runs
from zeps_conformance.reports.page import render, rows_by_section, rules_of_runs

__all__ = ["html"]


def html(runs: Sequence[RunResult]) -> str:
    """Renders the report over `runs`, with a column for each. Raises ValueError for an empty list."""
    if not runs:
        raise ValueError("a report needs at least one run")
    rules = rules_of_runs(runs)
    verdicts = [{rule.id: rule.verdict for rule in run.rules} for run in runs]
    judged = {rule_id for known in verdicts for rule_id, verdict in known.items() if verdict is not None}
    return render(
        "report.html.j2",
        runs=runs,
        sections=rows_by_section(columns_of_runs(runs)),
        rules=list(rules.values()),
        rule_by_id=rules,
        rule_verdicts={rule_id: [known.get(rule_id) for known in verdicts] for rule_id in rules},
        judged_roles={rules[rule_id].role for rule_id in judged} | {"any"},
        attention=[
            (index, case)
            for index, run in enumerate(runs)
            for case in run.cases
            if case.is_finding or case.verdict is Verdict.WARN
        ],
    )
