"""Verdict of one attempt at a case, from its narration and its failure."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace

from zeps_conformance.common.case import Case, level_of, rules_of
from zeps_conformance.common.narration import Narration
from zeps_conformance.common.results import CaseResult, RuleResult, WireLine
from zeps_conformance.common.verdicts import (
    DeviationError,
    FailureError,
    OutOfTimeError,
    UnservedError,
    UnsupportedError,
    Verdict,
)
from zeps_conformance.model.rulebook import Rulebook

__all__ = ["Describe", "blame", "judge", "judge_rules"]

# Lines of the wire log that are kept, for a passing case and for another.
WIRE_KEPT = {True: 40, False: 400}

#: Returns the text for a line of the wire log that does not have one.
Describe = Callable[[WireLine], str]


def judge(
    case: Case, rulebook: Rulebook, trial: Narration, act: Callable[[], None], describe: Describe
) -> CaseResult:
    """Calls `act`, which runs the case through `trial`, and returns the verdict and the narration. UnsupportedError
    gives ``unsupported``, exceptions except FailureError ``inconclusive``. The wire log is cut to 40 lines after a
    pass, else to 400; `describe` supplies missing texts. Raises KeyError if `rulebook` lacks a named rule.
    """
    began = time.monotonic()
    failure: FailureError | None = None
    level, reason = level_of(rules_of(rulebook, case)), ""
    try:
        act()
        verdict = Verdict.OBSERVED if level == "UNSPECIFIED" else Verdict.PASS
    except FailureError as error:
        failure = error
        trial.record_failure(error)
    except UnsupportedError as error:
        verdict, reason = Verdict.UNSUPPORTED, str(error)
    except OutOfTimeError as error:
        verdict, reason = Verdict.INCONCLUSIVE, str(error)
    except Exception as error:
        verdict, reason = Verdict.INCONCLUSIVE, _fault(error)
    if failure is not None:
        verdict = blame(case, rulebook, failure)
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
        rule=(failure.rule or case.rules[0]) if failure else "",
        expected=failure.expected if failure else "",
        seen=failure.seen if failure else "; ".join(trial.observations),
        attempts=[verdict],
        steps=trial.steps,
        wire=_wire(trial.log.lines, describe, WIRE_KEPT[verdict is Verdict.PASS]),
    )


def judge_rules(rulebook: Rulebook, results: Sequence[CaseResult]) -> list[RuleResult]:
    """Returns each rule with the worst verdict of its cases, or None if no case judged it. A failure counts only for
    the rule that it names, even if the case does not list that rule.
    """
    rows = []
    for rule in rulebook.all_rules():
        mine = [result for result in results if rule.id in result.rules]
        verdicts = [result.verdict for result in mine if result.rule in ("", rule.id)]
        verdicts += [result.verdict for result in results if result.rule == rule.id and result not in mine]
        rows.append(
            RuleResult(
                rule.id,
                rule.level,
                rule.text,
                rule.source,
                rule.role,
                rule.observable,
                [result.id for result in mine],
                Verdict.worst(verdicts),
                rule.rationale,
            )
        )
    return rows


def blame(case: Case, rulebook: Rulebook, failure: FailureError) -> Verdict:
    """Returns the verdict of `failure` by the level of its rule, or else the case: MUST ``fail`` (DeviationError:
    ``deviation``), UNSPECIFIED ``observed``, others ``warn``; UnservedError ``fail``. Raises KeyError for an unknown
    rule.
    """
    if isinstance(failure, UnservedError):
        return Verdict.FAIL
    level = rulebook.rule(failure.rule).level if failure.rule else level_of(rules_of(rulebook, case))
    if level == "UNSPECIFIED":
        return Verdict.OBSERVED
    if level != "MUST":
        return Verdict.WARN
    return Verdict.DEVIATION if isinstance(failure, DeviationError) else Verdict.FAIL


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
