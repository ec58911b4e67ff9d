"""The result model, from which reports of runs are made: a run, its cases, their steps and their wire log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from typing import Any

from zeps_conformance.common.document_values import parsed_as, value_of
from zeps_conformance.common.traffic import Traffic
from zeps_conformance.common.verdicts import KEEPS_RUNNING, Category, Verdict
from zeps_conformance.model.definitions import Rule

__all__ = [
    "FORMAT",
    "CaseResult",
    "CheckResult",
    "RuleResult",
    "RunResult",
    "StepResult",
    "WireLine",
    "source_text",
]

FORMAT = "zeps-conform/1"


@dataclass(slots=True)
class CheckResult:
    expected: str
    seen: str
    ok: bool


@dataclass(slots=True)
class StepResult:
    """One step. `at` is in seconds since the case began; `unlisted` counts passed checks that are not kept."""

    text: str
    at: float
    checks: list[CheckResult] = field(default_factory=list)
    unlisted: int = 0


@dataclass(slots=True)
class WireLine:
    """A frame, one of `parts` of a message, or an event; `at`: seconds since the case began. `direction`: ``>`` (sent
    by the suite), ``<`` (received), ``-`` (not a frame). `hex` contains at most 128 bytes, `size` counts all; `part`
    counts from 1.
    """

    at: float
    connection: str
    direction: str
    kind: str
    text: str
    hex: str = ""
    size: int = 0
    part: int = 1
    parts: int = 1


@dataclass(slots=True)
class CaseResult:
    """Result of one case. `rule` (an id or empty), `expected` and `seen` describe its failure; otherwise `seen` are
    observations. `attempts`: all verdicts, oldest first; `duration` is in seconds. `baseline`: empty, ``expected`` (a
    finding that it expects) or the problem of the baseline's entry. `category`: what a finding is about. `blocked_by`:
    the id of the case that blocks this one, or empty. `checked`: if only the referee saw the violation of `rule`, the
    verdict of the case's own checks, else None. `output`: the last lines that the implementation printed, if the
    case did not pass. `traffic`: the recorded bytes, which are not in reports, or None.
    """

    id: str
    title: str
    section: str
    polarity: str
    needs: str
    rules: list[str]
    level: str
    verdict: Verdict
    duration: float
    reason: str = ""
    rule: str = ""
    expected: str = ""
    seen: str = ""
    attempts: list[Verdict] = field(default_factory=list)
    baseline: str = ""
    category: Category = Category.CONFORMANCE
    blocked_by: str = ""
    checked: Verdict | None = None
    output: str = ""
    steps: list[StepResult] = field(default_factory=list)
    wire: list[WireLine] = field(default_factory=list)
    traffic: Traffic | None = field(default=None, repr=False, compare=False)

    @property
    def crashed(self) -> bool:
        """Whether its failure is that the implementation no longer runs; not if an adapter exited during a request."""
        return self.category is Category.ROBUSTNESS and self.expected == KEEPS_RUNNING

    @property
    def is_finding(self) -> bool:
        """Whether this case makes the run exit with 1."""
        return self.baseline not in ("", "expected") or (self.verdict.is_finding and not self.baseline)


@dataclass(slots=True)
class RuleResult:
    """One rule of the model, and the ids of this run's cases that check it. `verdict`: the worst of these cases, but
    failures count only for the rule that they name, also in other cases; None without any.
    """

    id: str
    level: str
    text: str
    source: str
    role: str
    observable: bool
    cases: list[str] = field(default_factory=list)
    verdict: Verdict | None = None
    rationale: str = ""


def source_text(rule: Rule | RuleResult) -> str:
    """Formats the source of a rule, followed by the reason for it if the model contains one."""
    return f"{rule.source}: {rule.rationale}" if rule.rationale else rule.source


#: Names of fields of RunResult in the report's format, if they differ.
_JSON_NAMES = {"name": "target", "implementation": "testee"}


@dataclass(slots=True)
class RunResult:
    """One run of a profile against a broker, or one socket type of an implementation. Times are in seconds, `started`
    is ISO 8601 in UTC. For an implementation, `endpoint` is its description's path, `implementation` the file's name
    without suffix, `type` the socket type, `version` what the library reports; a broker's last three are empty.
    `command` repeats the run if ``--case`` selects its cases; empty if it is not known. `description`: path of the TOML
    file of what was judged, empty for an endpoint. `pace`: the factor of timeouts and time limits, more than 1 for a
    broker that answers slowly.
    """

    name: str
    endpoint: str
    profile: str
    suite_version: str
    protocol: str
    protocol_version: int
    model_digest: str
    seed: int
    started: str
    duration: float
    cases: list[CaseResult] = field(default_factory=list)
    rules: list[RuleResult] = field(default_factory=list)
    baseline_problems: list[str] = field(default_factory=list)
    implementation: str = ""
    type: str = ""
    version: str = ""
    command: str = ""
    description: str = ""
    pace: float = 1.0

    def counts(self) -> dict[Verdict, int]:
        """Numbers of cases by verdict, with an entry for every verdict."""
        counted = Counter(case.verdict for case in self.cases)
        return {verdict: counted[verdict] for verdict in Verdict}

    @property
    def findings(self) -> list[CaseResult]:
        """The cases that make the run exit with 1."""
        return [case for case in self.cases if case.is_finding]

    @property
    def unexcused(self) -> list[CaseResult]:
        """The cases whose verdict is a finding, also if a baseline expects it."""
        return [case for case in self.cases if case.verdict.is_finding]

    @property
    def ok(self) -> bool:
        """Whether the run exits with 0."""
        return not self.findings and not self.baseline_problems

    def to_json(self) -> dict[str, Any]:
        """Returns the run as JSON values in the format of ``report.schema.json``."""
        bare = replace(self, cases=[replace(case, traffic=None) for case in self.cases])
        fields = asdict(bare, dict_factory=_plain)
        for case in fields["cases"]:
            del case["traffic"]
        document = {_JSON_NAMES.get(name, name): value for name, value in fields.items()}
        counts = {verdict.value: count for verdict, count in self.counts().items()}
        return {"format": FORMAT, "ok": self.ok, "counts": counts, **document}

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> RunResult:
        """Parses the result of :meth:`to_json`. Raises ValueError if `document` has another format or is incomplete."""
        where = f"not a report of format {FORMAT}"
        if value_of(where, document, "format", str) != FORMAT:
            raise ValueError(where)
        names = {json_name: name for name, json_name in _JSON_NAMES.items()}
        fields = {
            names.get(key, key): value
            for key, value in document.items()
            if key not in ("format", "ok", "counts")
        }
        result: RunResult = parsed_as(RunResult, where, fields)
        if not all(case.rules for case in result.cases):
            raise ValueError(f"{where}: a case without a rule")
        return result


def _plain(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: _value(value) for key, value in pairs}


def _value(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return [_value(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value
