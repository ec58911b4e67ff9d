"""Runs cases, several at a time, and judges them."""

from __future__ import annotations

import datetime
import secrets
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from importlib import metadata

from zeps_conformance.brackets import Witness, finish
from zeps_conformance.case import Case, Needs, Polarity, level_of, rules_of
from zeps_conformance.interpreter import Interpreter
from zeps_conformance.model import Model
from zeps_conformance.options import Options
from zeps_conformance.profiles import Profile
from zeps_conformance.raw.wirelog import KEEP, Entry
from zeps_conformance.results import CaseResult, CheckResult, RuleResult, RunResult, StepResult, WireLine
from zeps_conformance.trial import Trial
from zeps_conformance.verdicts import FailureError, OutOfTimeError, UnsupportedError, Verdict

__all__ = ["Plan", "fresh_nonce", "run", "run_case"]

# Lines of wire log that are kept, for a case that passes and for one that does not.
WIRE_KEPT = {True: 40, False: 400}

Progress = Callable[[CaseResult], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to run. `retries` is how often a case that does not pass is run again, to tell what is flaky."""

    jobs: int = 8
    retries: int = 2
    target: str = ""


def fresh_nonce() -> str:
    """Keeps the streams of this run apart from those of every other."""
    return secrets.token_hex(5)


def run(
    profile: Profile,
    model: Model,
    options: Options,
    cases: Sequence[Case],
    plan: Plan | None = None,
    progress: Progress = lambda result: None,
) -> RunResult:
    """Run `cases` and judge them. `progress` is called for each as it is settled, from one thread at a time.

    Cases that wait for the broker's timeout start first; those that stop the broker run alone, after the
    others.
    """
    plan = plan or Plan()
    began, started = time.monotonic(), datetime.datetime.now(datetime.UTC)
    codec = Interpreter(model)
    apart = [one for one in cases if one.needs is Needs.CONTROL]
    together = sorted(
        (one for one in cases if one.needs is not Needs.CONTROL), key=lambda one: one.needs is not Needs.TIME
    )
    workers = plan.jobs + sum(one.needs is Needs.TIME for one in together)
    settled: dict[str, CaseResult] = {}

    def settle(result: CaseResult) -> None:
        settled[result.id] = result
        progress(result)

    with ThreadPoolExecutor(max(workers, 1), thread_name_prefix="case") as pool:
        _run_together(pool, together, codec, options, plan, settle)
    for one in apart:
        settle(_settle_alone(one, codec, options, plan))
    return RunResult(
        target=plan.target or options.endpoint.text,
        endpoint=options.endpoint.text,
        profile=profile.name,
        suite_version=_version(),
        protocol=model.name,
        protocol_version=model.version,
        model_digest=model.digest,
        seed=options.seed,
        started=started.isoformat(timespec="seconds"),
        duration=time.monotonic() - began,
        cases=[settled[one.id] for one in cases],
        rules=_rules(model, [settled[one.id] for one in cases]),
    )


def run_case(one: Case, codec: Interpreter, options: Options) -> CaseResult:
    """One attempt at one case. Never raises: what goes wrong in the harness itself is ``inconclusive``."""
    trial = Trial(one, codec, options)
    began = time.monotonic()
    verdict, failure, reason = Verdict.PASS, None, ""
    try:
        _attempt(one, trial)
    except FailureError as error:
        failure = error
        trial.record_failure(error)
        verdict = _blame(one, codec.model, error)
    except UnsupportedError as error:
        verdict, reason = Verdict.UNSUPPORTED, str(error)
    except OutOfTimeError as error:
        verdict, reason = Verdict.INCONCLUSIVE, str(error)
    except Exception as error:  # the harness's own fault, which is a verdict too
        where = traceback.extract_tb(error.__traceback__)[-1]
        verdict = Verdict.INCONCLUSIVE
        reason = f"{type(error).__name__}: {error} ({where.filename.rsplit('/', 1)[-1]}, line {where.lineno})"
    finally:
        trial.close()
    return CaseResult(
        id=one.id,
        title=one.title,
        section=one.section,
        polarity=one.polarity.value,
        needs=one.needs.value,
        rules=list(one.rules),
        level=level_of(rules_of(codec.model, one)),
        verdict=verdict,
        duration=time.monotonic() - began,
        reason=reason,
        rule=(failure.rule or one.rules[0]) if failure else "",
        expected=failure.expected if failure else "",
        seen=failure.seen if failure else "",
        attempts=[verdict],
        steps=[
            StepResult(
                step.text,
                step.at,
                [CheckResult(c.expected, c.seen, c.ok) for c in step.checks],
                step.unlisted,
            )
            for step in trial.steps
        ],
        wire=_wire(trial, codec, WIRE_KEPT[verdict is Verdict.PASS]),
    )


def _attempt(one: Case, trial: Trial) -> None:
    witness = Witness(trial) if one.polarity is Polarity.NEGATIVE else None
    one.function(trial)
    finish(trial, witness)


def _blame(one: Case, model: Model, failure: FailureError) -> Verdict:
    """A SHOULD that is not followed is a warning; a failure of no particular rule is the case's own."""
    level = model.rule(failure.rule).level if failure.rule else level_of(rules_of(model, one))
    return Verdict.FAIL if level == "MUST" else Verdict.WARN


def _run_together(
    pool: ThreadPoolExecutor,
    cases: Sequence[Case],
    codec: Interpreter,
    options: Options,
    plan: Plan,
    settle: Progress,
) -> None:
    """Run `cases` in `pool`; then, as often as there are retries, those that did not pass."""
    by_id = {one.id: one for one in cases}
    pending: dict[str, CaseResult] = {}
    attempts: Sequence[Case] = cases
    for attempt in range(plan.retries + 1):
        futures: list[Future[CaseResult]] = [
            pool.submit(run_case, one, codec, replace(options, nonce=f"{options.nonce}-{attempt}"))
            for one in attempts
        ]
        for future in as_completed(futures):
            result = _join(pending.pop(future.result().id, None), future.result())
            if _is_settled(result) or attempt == plan.retries:
                settle(result)
            else:
                pending[result.id] = result
        attempts = [by_id[case_id] for case_id in pending]
        if not attempts:
            return


def _settle_alone(one: Case, codec: Interpreter, options: Options, plan: Plan) -> CaseResult:
    result: CaseResult | None = None
    for attempt in range(plan.retries + 1):
        again = run_case(one, codec, replace(options, nonce=f"{options.nonce}-{attempt}"))
        result = _join(result, again)
        if _is_settled(result):
            break
    assert result is not None
    return result


def _is_settled(result: CaseResult) -> bool:
    return result.verdict in (Verdict.PASS, Verdict.UNSUPPORTED, Verdict.FLAKY)


def _join(before: CaseResult | None, now: CaseResult) -> CaseResult:
    """The result of several attempts: one that failed and then passed is flaky, and shows the attempt that
    failed.
    """
    if before is None:
        return now
    attempts = before.attempts + now.attempts
    if now.verdict is Verdict.PASS:
        reason = f"attempt {len(attempts)} passed, attempt {len(before.attempts)} did not"
        return replace(before, verdict=Verdict.FLAKY, attempts=attempts, reason=before.reason or reason)
    return replace(now, attempts=attempts)


def _wire(trial: Trial, codec: Interpreter, keep: int) -> list[WireLine]:
    entries = trial.log.entries
    if len(entries) <= keep:
        return [_line(entry, codec) for entry in entries]
    head, tail = keep // 4, keep - keep // 4
    left_out = WireLine(entries[head].at, "", "-", "left out", f"{len(entries) - keep} lines are left out")
    return [
        *(_line(entry, codec) for entry in entries[:head]),
        left_out,
        *(_line(entry, codec) for entry in entries[-tail:]),
    ]


def _line(entry: Entry, codec: Interpreter) -> WireLine:
    text = entry.text
    if entry.kind == "message" and not text:
        text = codec.render(entry.octets) if entry.size <= KEEP and entry.parts == 1 else "part of a message"
    return WireLine(
        entry.at,
        entry.connection,
        entry.direction,
        entry.kind,
        text,
        entry.octets.hex(),
        entry.size,
        entry.part,
        entry.parts,
    )


def _rules(model: Model, results: Sequence[CaseResult]) -> list[RuleResult]:
    rows = []
    for rule in model.all_rules():
        mine = [result for result in results if rule.id in result.rules]
        # A failure is its own rule's: of the case's other rules it tells nothing.
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
            )
        )
    return rows


def _version() -> str:
    try:
        return metadata.version("zeps")
    except metadata.PackageNotFoundError:
        return "0"
