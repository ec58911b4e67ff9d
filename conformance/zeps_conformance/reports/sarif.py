"""SARIF 2.1.0: results for findings and warnings, and their rules. An expected finding is suppressed, with a reason."""

from __future__ import annotations

from typing import Any

from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.common.verdicts import Verdict

__all__ = ["sarif"]

LEVELS = {
    Verdict.FAIL: "error",
    Verdict.DEVIATION: "error",
    Verdict.FLAKY: "error",
    Verdict.WARN: "warning",
    Verdict.INCONCLUSIVE: "note",
}


def sarif(result: RunResult) -> dict[str, Any]:
    """Renders the run as a SARIF log."""
    reported = [case for case in result.cases if case.verdict in LEVELS]
    named = {case.rule or case.rules[0] for case in reported}
    rules = [rule for rule in result.rules if rule.id in named]
    index = {rule.id: number for number, rule in enumerate(rules)}
    return {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "zeps-conform",
                        "version": result.suite_version,
                        "rules": [
                            {
                                "id": rule.id,
                                "shortDescription": {"text": rule.text},
                                "properties": {
                                    "level": rule.level,
                                    "source": rule.source,
                                    "rationale": rule.rationale,
                                },
                            }
                            for rule in rules
                        ],
                    }
                },
                "results": [_result(case, result, index) for case in reported],
            }
        ],
    }


def _result(case: CaseResult, result: RunResult, index: dict[str, int]) -> dict[str, Any]:
    rule = case.rule or case.rules[0]
    text = (
        f"{case.title}: expected {case.expected}; seen {case.seen}"
        if case.expected
        else f"{case.title}: {case.reason}"
    )
    entry: dict[str, Any] = {
        "ruleId": rule,
        "level": LEVELS[case.verdict],
        "message": {"text": text},
        "locations": [
            {"logicalLocations": [{"fullyQualifiedName": case.id, "kind": "test"}, {"name": result.name}]}
        ],
        "properties": {
            "verdict": case.verdict.value,
            "attempts": [verdict.value for verdict in case.attempts],
        },
    }
    if rule in index:
        entry["ruleIndex"] = index[rule]
    if case.baseline == "expected":
        entry["suppressions"] = [{"kind": "external", "justification": case.reason}]
    return entry
