"""Causes: findings with the same rule and the same expected and observed behaviour, apart from names and numbers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import PEACEFUL, Category, Verdict
from zeps_conformance.reports.cells import Cell

__all__ = ["Cause", "Severity", "causes_of", "is_problem", "key_of"]

#: What happened before a crash, the output of a process, and its line about the error, which no stack follows.
CONTEXT = re.compile(r"; before that, .*", re.DOTALL)
OUTPUT = re.compile(r"its last output: (.*)", re.DOTALL)
ERROR_LINE = re.compile(
    r"^.*(?:panic|exception|error|failed|abort|could not).*$", re.IGNORECASE | re.MULTILINE
)
ENDED = "its process ended"
LINE_SIZE = 60  # characters of the line
#: Parts of texts that differ between findings of one cause, in the order in which they are replaced.
VARIABLE = (
    re.compile(r"(?<!\w)b?'[^']*'(?!\w)"),
    re.compile(r'"[^"]*"'),
    re.compile(r"\b[0-9a-f]{2}(?: [0-9a-f]{2})+\b"),
    re.compile(r"(?<![\w.%])(?<!ZMTP )\d+(?:\.\d+)*(?::\d+)?(?!\w)"),
    re.compile(r"\b[A-Z]\d*\b"),
)
REPEATED = re.compile(r"…(?:(?:,| and|,? then)? …)+")
DIGITS = 8  # hexadecimal digits of a hash in a key


class Severity(Enum):
    """Groups of causes, worst first; the value is the title."""

    ROBUSTNESS = "Robustness: crashes, hangs, leaks, valid peers that are not served"
    MUST = "A MUST is violated"
    DEVIATION = "A MUST is violated in the same way as by libzmq"
    FLAKY = "Failures that do not occur every time"
    INCONCLUSIVE = "No result because of the test environment"
    SHOULD = "A SHOULD is not followed"
    BLOCKED = "Blocked by another case"
    OBSERVED = "The specification leaves it open: the behaviour is reported"

    @property
    def is_problem(self) -> bool:
        """Whether its causes are more than an observation."""
        return self is not Severity.OBSERVED


SEVERITIES = list(Severity)
BY_VERDICT = {
    Verdict.FAIL: Severity.MUST,
    Verdict.DEVIATION: Severity.DEVIATION,
    Verdict.FLAKY: Severity.FLAKY,
    Verdict.INCONCLUSIVE: Severity.INCONCLUSIVE,
    Verdict.WARN: Severity.SHOULD,
    Verdict.BLOCKED: Severity.BLOCKED,
    Verdict.OBSERVED: Severity.OBSERVED,
}


@dataclass(frozen=True, slots=True)
class Cause:
    """Cells with one cause, at least one, the most severe first. `key` does not depend on which cells these are."""

    key: str
    severity: Severity
    cells: tuple[Cell, ...]

    @property
    def rule(self) -> str:
        """The id of the violated rule, or for an observation of the rule that leaves it open; empty if none is."""
        return rule_of(self.first)

    @property
    def first(self) -> CaseResult:
        """The case whose texts stand for all."""
        return self.cells[0].case

    @property
    def implementations(self) -> list[str]:
        """The ids of the implementations that have it, in order of appearance."""
        return list(dict.fromkeys(cell.column.implementation for cell in self.cells))

    @property
    def cases(self) -> list[str]:
        """The ids of the cases that show it, in order of appearance."""
        return list(dict.fromkeys(cell.case.id for cell in self.cells))

    @property
    def is_expected(self) -> bool:
        """Whether baselines expect all its cells."""
        return all(cell.case.baseline == "expected" for cell in self.cells)


def causes_of(cells: Iterable[Cell]) -> list[Cause]:
    """Groups `cells`, without passes and unsupported cases; the most severe, then the most frequent cause first."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.case.verdict in BY_VERDICT:
            groups.setdefault(key_of(cell.case), []).append(cell)
    causes = [_cause(key, group) for key, group in groups.items()]
    return sorted(causes, key=lambda cause: (_rank(cause.severity), -len(cause.cells), cause.key))


def is_problem(case: CaseResult) -> bool:
    """Returns whether a case violates something or has no result: not a pass, an observation or unsupported."""
    return case.verdict not in PEACEFUL


def key_of(case: CaseResult) -> str:
    """Returns the key of a case's cause: its rule and a hash of the normalised texts."""
    kind, rule = "", rule_of(case)
    parts: tuple[str, ...] = (case.reason,)
    if case.verdict is Verdict.BLOCKED:
        kind, parts = "blocked", (case.blocked_by,)
    elif case.expected:
        parts = (case.seen,) if case.seen.startswith(ENDED) else (case.expected, case.seen)
    elif case.verdict is Verdict.OBSERVED:
        kind, parts = "observed", (case.seen,)
    if case.category is Category.ROBUSTNESS:
        kind = kind or "robustness"
    text = "\n".join((kind, rule, *map(normalised, parts)))
    digest = hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
    return "-".join(part for part in (kind, rule.lower(), digest) if part)


def rule_of(case: CaseResult) -> str:
    """Returns the id of the rule that a case other than a pass is about; empty for robustness and missing results."""
    if case.category is Category.ROBUSTNESS or case.verdict in (Verdict.INCONCLUSIVE, Verdict.BLOCKED):
        return ""
    return case.rule or case.rules[0]


def normalised(text: str) -> str:
    """Returns `text` with ``…`` for quoted texts, bytes, numbers and names of peers, and one line of output."""
    return _replaced(OUTPUT.sub(_error_line, CONTEXT.sub("", text)))


def _replaced(text: str) -> str:
    for pattern in VARIABLE:
        text = pattern.sub("…", text)
    return REPEATED.sub("…", text)


def _error_line(output: re.Match[str]) -> str:
    line = ERROR_LINE.search(output[1])
    return (
        ""
        if line is None
        else _replaced(re.split(r" goroutine| note:", line[0].strip())[0])[:LINE_SIZE].strip()
    )


def _cause(key: str, cells: list[Cell]) -> Cause:
    ordered = sorted(cells, key=lambda cell: _rank(_severity(cell.case)))
    return Cause(key, _severity(ordered[0].case), tuple(ordered))


def _severity(case: CaseResult) -> Severity:
    failed = case.verdict in (Verdict.FAIL, Verdict.DEVIATION, Verdict.FLAKY)
    if failed and case.category is Category.ROBUSTNESS:
        return Severity.ROBUSTNESS
    return BY_VERDICT[case.verdict]


def _rank(severity: Severity) -> int:
    return SEVERITIES.index(severity)
