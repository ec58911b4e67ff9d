"""Runs and results that tests of reports write out, without a broker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zeps_conformance.common.results import CaseResult, CheckResult, RunResult, StepResult, WireLine
from zeps_conformance.common.verdicts import Category, Verdict
from zeps_conformance.runs.profiles import PROFILES

RULES = ("ZMTP-G-11", "ZMTP-S-11")


def made_case(name: str, verdict: Verdict, **more: Any) -> CaseResult:
    """A case ``zmtp-pub.made.NAME`` with a step, a check and two lines of wire log."""
    fields: dict[str, Any] = {
        "id": f"zmtp-pub.made.{name}",
        "title": f"Case {name}",
        "section": "made",
        "polarity": "positive",
        "needs": "nothing",
        "rules": ["ZMTP-G-11"],
        "level": "MUST",
        "verdict": verdict,
        "duration": 0.25,
        "attempts": [verdict],
        "steps": [StepResult("A connects <at once>.", 0.0, [CheckResult("a greeting", "64 bytes", True)])],
        "wire": [
            WireLine(0.001, "A", "-", "open", "connects"),
            WireLine(0.002, "A", "<", "message", "a 'message'", "00ff", 2),
        ],
    }
    return CaseResult(**fields | more)


def failed(name: str, seen: str = "it stays open", **more: Any) -> CaseResult:
    """A case that fails under its rule."""
    defaults = {"rule": "ZMTP-G-11", "expected": "the connection is closed", "seen": seen}
    return made_case(name, Verdict.FAIL, **defaults | more)


def made_run(
    cases: Sequence[CaseResult], implementation: str = "one", role: str = "PUB", version: str = "lib 1.0"
) -> RunResult:
    """A run of an implementation with the rules of its profile."""
    rules = [
        {"id": rule.id, "level": rule.level, "text": rule.text, "source": rule.source, "role": rule.role,
         "observable": rule.observable, "cases": [], "verdict": None, "rationale": rule.rationale}
        for rule in PROFILES["zmtp-pub"].rulebook().all_rules()
        if rule.id in RULES
    ]  # fmt: skip
    run = RunResult(
        name=f"{implementation} 4.3 {role}",
        endpoint=f"implementations/{implementation}.toml",
        profile="zmtp-pub",
        suite_version="0.1.0",
        protocol="zmtp",
        protocol_version=1,
        model_digest="0" * 64,
        seed=0,
        started="2027-01-15T10:00:00+00:00",
        duration=2.0,
        cases=list(cases),
        implementation=implementation,
        type=role,
        version=version,
        description=f"implementations/{implementation}.toml",
    )
    return RunResult.from_json({**run.to_json(), "rules": rules})


def one_of_each() -> RunResult:
    """A run with a case of every verdict, one of robustness, and one that a baseline expects."""
    return made_run(
        [
            made_case("passes", Verdict.PASS),
            failed("fails"),
            failed("known", baseline="expected", reason="expected: known (until 2027-03-31)"),
            failed(
                "crashes",
                "it exited",
                rule="",
                expected="it runs",
                category=Category.ROBUSTNESS,
                output="Abort\x01",
            ),
            made_case(
                "deviates", Verdict.DEVIATION, rule="ZMTP-S-11", expected="2", seen="1", rules=["ZMTP-S-11"]
            ),
            made_case("flickers", Verdict.FLAKY, reason="fail, pass", attempts=[Verdict.FAIL, Verdict.PASS]),
            made_case("breaks", Verdict.INCONCLUSIVE, reason="ValueError: 7 (x.py, line 12)"),
            made_case("warns", Verdict.WARN, rule="ZMTP-G-11", expected="a", seen="b", level="SHOULD"),
            made_case("waits", Verdict.BLOCKED, blocked_by="zmtp-pub.made.fails", expected="a", seen="b"),
            made_case("observed", Verdict.OBSERVED, seen="it answers 'x'", level="UNSPECIFIED"),
            made_case("cannot", Verdict.UNSUPPORTED, reason="no option for this"),
        ]
    )
