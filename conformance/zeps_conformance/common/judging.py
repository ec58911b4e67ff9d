"""Verdict of one attempt at a case, from its narration and its failure."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from zeps_conformance.common.case import Case, level_of, rules_of
from zeps_conformance.common.dialects import BOTH
from zeps_conformance.common.narration import Narration
from zeps_conformance.common.results import CaseResult, RuleResult, WireLine
from zeps_conformance.common.verdicts import (
    Category,
    CrashedError,
    DeviationError,
    FailureError,
    OutOfTimeError,
    RefereeError,
    RobustnessError,
    UnservedError,
    UnsupportedError,
    Verdict,
)
from zeps_conformance.model.rulebook import Rulebook

__all__ = ["Describe", "blame", "block", "judge", "judge_rules"]

# Lines of the wire log that are kept, for a passing case and for another.
WIRE_KEPT = {True: 40, False: 400}
#: Part of the id of the case that checks only that a valid peer is served, in each profile; a dialect may follow.
SERVED = ".barrier.served"
BAD = (Verdict.FAIL, Verdict.DEVIATION, Verdict.WARN)  # the worst first

#: Returns the text for a line of the wire log that does not have one.
Describe = Callable[[WireLine], str]


def judge(
    case: Case, rulebook: Rulebook, trial: Narration, act: Callable[[], None], describe: Describe
) -> CaseResult:
    """Calls `act`, which runs the case through `trial`, and returns the verdict and the narration. UnsupportedError
    gives ``unsupported``, other exceptions except FailureError in time ``inconclusive``. The wire log is cut to 40
    lines after a pass, else to 400; `describe` supplies missing texts. Raises KeyError if `rulebook` lacks a named
    rule.
    """
    began = time.monotonic()
    failure: FailureError | None = None
    checked: Verdict | None = None
    level, reason = level_of(rules_of(rulebook, case)), ""
    try:
        act()
        verdict = _passed(level, trial)
    except FailureError as error:
        trial.record_failure(error)
        if trial.out_of_time and not isinstance(error, CrashedError):
            seen = f"{error.expected}: {error.seen}"
            verdict, reason = (
                Verdict.INCONCLUSIVE,
                f"the case exceeded its time limit while it waited: {seen}",
            )
        else:
            failure = error
            checked = _passed(level, trial) if isinstance(error, RefereeError) else None
    except UnsupportedError as error:
        verdict, reason = Verdict.UNSUPPORTED, str(error)
    except OutOfTimeError as error:
        verdict, reason = Verdict.INCONCLUSIVE, str(error)
    except Exception as error:
        verdict, reason = Verdict.INCONCLUSIVE, _fault(error)
    category, rule, blocked_by = Category.CONFORMANCE, "", ""
    if failure is not None:
        verdict = blame(case, rulebook, failure)
        if isinstance(failure, UnservedError) and not failure.rule:
            category = Category.ROBUSTNESS
            blocked_by = "" if isinstance(failure, RobustnessError) else case.profile + SERVED
        else:
            rule = failure.rule or case.rules[0]
    return CaseResult(
        id=case.id,
        title=case.title,
        section=case.section,
        polarity=case.polarity.value,
        needs=case.needs.value,
        rules=list(case.rules),
        level=level,
        verdict=verdict,
        duration=time.monotonic() - began,
        reason=reason,
        rule=rule,
        expected=failure.expected if failure else "",
        seen=failure.seen if failure else "; ".join(trial.observations),
        attempts=[verdict],
        category=category,
        blocked_by=blocked_by,
        checked=checked,
        steps=trial.steps,
        wire=_wire(trial.log.lines, describe, WIRE_KEPT[verdict is Verdict.PASS]),
        traffic=trial.log.traffic,
    )


def block(results: Sequence[CaseResult]) -> None:
    """Gives the verdict ``blocked`` to a case whose failure another case explains: it failed under a rule that it does
    not list, and a case that lists this rule failed under it, with a verdict at least as bad; or a valid peer was not
    served in it, nor in the case that checks only this, in its dialect, or in any if it has none. If only the referee
    saw the violation, the case gets the verdict of its own checks instead; the violation is a finding of the case that
    lists the rule, or of the first case.
    """
    failed = [result for result in results if result.verdict in BAD]
    owners: dict[str, CaseResult] = {}
    for result in failed:
        if result.rule in result.rules:
            known = owners.setdefault(result.rule, result)
            owners[result.rule] = known if _explains(known, result) else result
    _group(failed, owners)
    failed = [result for result in failed if result.verdict in BAD]
    unserved = [result for result in failed if SERVED in result.id]
    for result in results:
        suspected, result.blocked_by = result.blocked_by, ""
        if result not in failed or SERVED in result.id:
            continue
        if suspected:
            blockers = [case for case in unserved if case.id.startswith(suspected)]
            tail = _dialect_of(result.id)
            blocker = next((case for case in blockers if tail in ("", _dialect_of(case.id))), None)
        else:
            blocker = owners.get(result.rule) if result.rule not in result.rules else None
        if blocker is not None and _explains(blocker, result):
            result.verdict, result.blocked_by = Verdict.BLOCKED, blocker.id


def _group(failed: Sequence[CaseResult], owners: Mapping[str, CaseResult]) -> None:
    """Leaves each violation that only the referee saw with one of the cases that do not list its rule, or with none if
    a case in `owners` has it.
    """
    first = dict(owners)
    for result in failed:
        if result.checked is None or result.rule in result.rules:
            continue
        owner = first.setdefault(result.rule, result)
        if owner is not result and _explains(owner, result):
            noted = f"the referee reports {result.rule}, as in {owner.id}: {result.seen}"
            result.seen = noted
            result.verdict, result.attempts = result.checked, [result.checked]
            result.rule = result.expected = ""
            result.checked = None


def _explains(owner: CaseResult, result: CaseResult) -> bool:
    """Returns whether the failure of `owner` is at least as bad: a deviation does not explain a ``fail``."""
    return BAD.index(owner.verdict) <= BAD.index(result.verdict)


def _dialect_of(case_id: str) -> str:
    return next((dialect.suffix for dialect in BOTH if case_id.endswith(dialect.suffix)), "")


def judge_rules(rulebook: Rulebook, results: Sequence[CaseResult]) -> list[RuleResult]:
    """Returns each rule with the worst verdict of its cases, or None if no case judged it. A failure counts only for
    the rule that it names, even if the case does not list that rule; one of robustness counts for no rule.
    """
    rows = []
    judged = [result for result in results if result.category is Category.CONFORMANCE]
    for rule in rulebook.all_rules():
        mine = [result for result in judged if rule.id in result.rules]
        verdicts = [
            result.verdict
            for result in mine
            if result.rule in ("", rule.id) or result.verdict is Verdict.BLOCKED
        ]
        verdicts += [
            result.verdict
            for result in judged
            if result.rule == rule.id and result not in mine and result.verdict is not Verdict.BLOCKED
        ]
        rows.append(
            RuleResult(
                rule.id,
                rule.level,
                rule.text,
                rule.source,
                rule.role,
                rule.observable,
                [result.id for result in results if rule.id in result.rules],
                Verdict.worst(verdicts),
                rule.rationale,
            )
        )
    return rows


def blame(case: Case, rulebook: Rulebook, failure: FailureError) -> Verdict:
    """Returns the verdict of `failure` by the level of its rule, by default the case's first: MUST ``fail``
    (DeviationError: ``deviation``), SHOULD ``warn``, others ``observed``. UnservedError without a rule: ``fail``.
    Raises KeyError for an unknown rule.
    """
    if isinstance(failure, UnservedError) and not failure.rule:
        return Verdict.FAIL
    level = rulebook.rule(failure.rule or case.rules[0]).level
    if level == "MUST":
        return Verdict.DEVIATION if isinstance(failure, DeviationError) else Verdict.FAIL
    return Verdict.WARN if level == "SHOULD" else Verdict.OBSERVED


def _passed(level: str, trial: Narration) -> Verdict:
    """Returns the verdict of a case whose checks have passed."""
    return Verdict.OBSERVED if level == "UNSPECIFIED" or trial.left_open else Verdict.PASS


def _fault(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    name = where.filename.rpartition("/")[2]
    return f"{type(error).__name__}: {error} ({name}, line {where.lineno})"


def _wire(lines: Sequence[WireLine], describe: Describe, keep: int) -> list[WireLine]:
    if len(lines) > keep:
        head, tail = keep // 4, keep - keep // 4
        left_out = WireLine(lines[head].at, "", "-", "omitted", f"{len(lines) - keep} lines are omitted")
        lines = [*lines[:head], left_out, *lines[-tail:]]
    return [replace(line, text=line.text or describe(line)) for line in lines]
