"""SARIF 2.1.0: results for findings and warnings, and their rules. An expected finding is suppressed, with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from zeps_conformance.common.results import CaseResult, RuleResult, RunResult
from zeps_conformance.common.verdicts import Category, Verdict
from zeps_conformance.reports.causes import key_of
from zeps_conformance.reports.cells import columns_of_runs, reproduction
from zeps_conformance.reports.requirements import SPECIFICATIONS, place_in_specification, source_links

__all__ = ["sarif"]

LEVELS = {
    Verdict.FAIL: "error",
    Verdict.DEVIATION: "error",
    Verdict.FLAKY: "error",
    Verdict.WARN: "warning",
    Verdict.INCONCLUSIVE: "note",
}
#: Levels of rules.
DEFAULT_LEVELS = {"MUST": "error", "SHOULD": "warning"}
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROBUSTNESS = "ROBUSTNESS"
ROBUSTNESS_RULE = {
    "id": ROBUSTNESS,
    "name": "Robustness",
    "shortDescription": {"text": "An implementation keeps running and serves valid peers."},
    "fullDescription": {
        "text": "An implementation neither crashes nor hangs, its memory grows by no more than its input explains, and "
        "it serves valid peers whatever other peers send."
    },
    "help": {
        "text": "Robustness is not a rule of the specification. The result names the input that was sent before."
    },
    "defaultConfiguration": {"level": "error"},
    "properties": {"tags": ["robustness"]},
}


def sarif(result: RunResult, address: str = "") -> dict[str, Any]:
    """Renders the run as a SARIF log. `address`: where its pages are published, for links to the specification."""
    reported = [case for case in result.cases if case.verdict in LEVELS]
    named = {_rule_id(case) for case in reported}
    rules = [_rule(rule, address) for rule in result.rules if rule.id in named]
    rules += [ROBUSTNESS_RULE] if ROBUSTNESS in named else []
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    column = columns_of_runs([result])[0]
    driver = {
        "name": "zeps-conform",
        "semanticVersion": result.suite_version,
        "version": result.suite_version,
        "rules": rules,
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "automationDetails": {"id": f"zeps-conform/{column.id}/"},
                "columnKind": "unicodeCodePoints",
                "results": [_result(case, result, index) for case in reported],
            }
        ],
    }


def _rule(rule: RuleResult, address: str) -> dict[str, Any]:
    links = [(link.text, link.address) for link in source_links(rule)]
    place = place_in_specification(rule.id)
    if address and place:
        links.append(("specification", f"{address.rstrip('/')}/{SPECIFICATIONS}/{place}"))
    rationale = f"\n\n{rule.rationale}" if rule.rationale else ""
    described = "; ".join(f"[{text}]({target})" if target else text for text, target in links)
    entry: dict[str, Any] = {
        "id": rule.id,
        "name": rule.id,
        "shortDescription": {"text": rule.text},
        "fullDescription": {"text": rule.text},
        "help": {
            "text": f"{rule.text}{rationale}\n\nSource: {rule.source}",
            "markdown": f"{rule.text}{rationale}\n\nSource: {described}",
        },
        "defaultConfiguration": {"level": DEFAULT_LEVELS.get(rule.level, "note")},
        "properties": {
            "level": rule.level,
            "source": rule.source,
            "rationale": rule.rationale,
            "tags": ["conformance", rule.level],
        },
    }
    if target := next((target for _, target in links if target), ""):
        entry["helpUri"] = target
    return entry


def _result(case: CaseResult, result: RunResult, index: dict[str, int]) -> dict[str, Any]:
    rule = _rule_id(case)
    text = (
        f"{case.title}: expected {case.expected}; seen {case.seen}"
        if case.expected
        else f"{case.title}: {case.reason}"
    )
    entry: dict[str, Any] = {
        "ruleId": rule,
        "level": LEVELS[case.verdict],
        "message": {"text": text},
        "locations": [_location(case, result)],
        "partialFingerprints": {"cause/v1": key_of(case), "case/v1": case.id},
        "properties": {
            "verdict": case.verdict.value,
            "category": case.category.value,
            "attempts": [verdict.value for verdict in case.attempts],
            "reproduce": reproduction(result, case.id),
        },
    }
    if rule in index:
        entry["ruleIndex"] = index[rule]
    if case.baseline == "expected":
        entry["suppressions"] = [{"kind": "external", "justification": case.reason}]
    return entry


def _location(case: CaseResult, result: RunResult) -> dict[str, Any]:
    """Returns the case as a logical location, and the file that describes the implementation, which code hosts need."""
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": case.id, "kind": "test"}, {"name": result.name}]
    }
    if result.description:
        path = Path(result.description)
        location["physicalLocation"] = {
            "artifactLocation": {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())},
            "region": {"startLine": 1},
        }
    return location


def _rule_id(case: CaseResult) -> str:
    if case.category is Category.ROBUSTNESS:
        return ROBUSTNESS
    return case.rule or case.rules[0]
