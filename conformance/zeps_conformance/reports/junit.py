"""JUnit XML: a suite for each section. A finding is a failure, or an error if it is inconclusive. An unsupported or
blocked case and an expected finding are skipped. A warning passes, with its text.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.common.verdicts import Category, Verdict
from zeps_conformance.reports.terminal import format_case

__all__ = ["junit"]

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(result: RunResult) -> str:
    """Renders the run as a JUnit document."""
    root = ElementTree.Element(
        "testsuites", name=f"zeps-conform {result.profile}", time=f"{result.duration:.3f}"
    )
    sections: dict[str, list[CaseResult]] = {}
    for case in result.cases:
        sections.setdefault(case.section, []).append(case)
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for name, cases in sections.items():
        suite = ElementTree.SubElement(
            root, "testsuite", name=f"{result.profile}.{name}", timestamp=result.started[:19]
        )
        counts = {"tests": len(cases), "failures": 0, "errors": 0, "skipped": 0}
        for case in cases:
            kind = _add(suite, case, result)
            if kind != "passed":
                counts[kind] += 1
        suite.set("time", f"{sum(case.duration for case in cases):.3f}")
        for key in totals:
            suite.set(key, str(counts[key]))
            totals[key] += counts[key]
    for key, count in totals.items():
        root.set(key, str(count))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add(suite: ElementTree.Element, case: CaseResult, result: RunResult) -> str:
    element = ElementTree.SubElement(
        suite,
        "testcase",
        name=case.id,
        classname=f"{result.profile}.{case.section}",
        time=f"{case.duration:.3f}",
    )
    message = _clean(case.baseline if case.baseline not in ("", "expected") else case.seen or case.reason)
    text = _clean(format_case(case, result))
    if case.is_finding:
        kind, count = ("error", "errors") if case.verdict is Verdict.INCONCLUSIVE else ("failure", "failures")
        name = "robustness" if case.category is Category.ROBUSTNESS else case.verdict.value
        child = ElementTree.SubElement(element, kind, message=message, type=name)
        child.text = text
        if case.output:
            ElementTree.SubElement(element, "system-err").text = _clean(case.output)
        return count
    if case.verdict in (Verdict.UNSUPPORTED, Verdict.BLOCKED) or case.baseline == "expected":
        reason = f"blocked by {case.blocked_by}" if case.verdict is Verdict.BLOCKED else case.reason
        ElementTree.SubElement(element, "skipped", message=_clean(reason))
        return "skipped"
    if case.verdict is Verdict.WARN:
        ElementTree.SubElement(element, "system-out").text = text
    return "passed"


def _clean(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
