"""Runner: runs several cases at a time, and judges them."""

from __future__ import annotations

import datetime
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, replace

from zeps_command import package_version
from zeps_conformance.broker.brackets import Witness, finish
from zeps_conformance.broker.options import Options
from zeps_conformance.broker.probes import probed
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.judging import block, judge, judge_rules
from zeps_conformance.common.pool import DaemonPool
from zeps_conformance.common.results import CaseResult, RunResult, WireLine
from zeps_conformance.common.verdicts import (
    KEEPS_RUNNING,
    PEACEFUL,
    CrashedError,
    FailureError,
    Verdict,
)
from zeps_conformance.common.wirelog import KEEP
from zeps_conformance.model.definitions import Model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.model.rulebook import Book, Rulebook
from zeps_conformance.runs.profiles import Profile
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.sockets.router.attempt import run_case as run_router_case
from zeps_conformance.sockets.router.context import RouterUnderTest
from zeps_conformance.sockets.router.services import service_of
from zeps_conformance.wire.zmtp_codec import Wire

__all__ = ["Plan", "fresh_nonce", "run", "run_case"]

APART = (Needs.ALONE, Needs.CONTROL)
"""Needs of cases that run one by one."""
LAST_BREATH = 0.5  # seconds within which a crashing broker exits after its connections

Progress = Callable[[CaseResult], None]
#: Runs one case; the second argument is the zero-based attempt number.
Attempt = Callable[[Case, int], CaseResult]


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of a run: cases at a time (those that wait for the broker's timeout are additional), maximum repetitions
    of a case that does not pass, name in the reports (empty: the endpoint).
    """

    jobs: int = 8
    retries: int = 2
    name: str = ""


def fresh_nonce() -> str:
    """Returns a text that separates the streams of this run from those of other runs."""
    return secrets.token_hex(5)


def run(
    profile: Profile,
    rulebook: Rulebook,
    options: Options,
    cases: Sequence[Case],
    plan: Plan | None = None,
    progress: Progress = lambda result: None,
) -> RunResult:
    """Runs and judges `cases`, with results in their order. `progress` is called in this thread for each settled case.
    Cases that measure the broker's process run first, alone, because a runtime collects garbage rarely when it has used
    much memory. Of the others, those that wait for the broker's timeout start first, and those that stop it run last.
    Waits are longer for a broker that answers slowly (:func:`probed`).
    """
    plan = plan or Plan()
    began, started = time.monotonic(), datetime.datetime.now(datetime.UTC)
    if isinstance(rulebook, Model):
        options = probed(options, Interpreter(rulebook))
    attempt = _attempts(rulebook, options)
    together = sorted(
        (case for case in cases if case.needs not in APART),
        key=lambda case: case.needs is not Needs.TIME,
    )
    workers = plan.jobs + sum(case.needs is Needs.TIME for case in together)
    settled: dict[str, CaseResult] = {}

    def settle(result: CaseResult) -> None:
        settled[result.id] = result
        progress(result)

    for case in cases:
        if case.needs is Needs.ALONE:
            settle(_settle_alone(case, attempt, plan))
    with DaemonPool(max(workers, 1)) as pool:
        _run_together(pool, together, attempt, plan, settle)
    for case in cases:
        if case.needs is Needs.CONTROL:
            settle(_settle_alone(case, attempt, plan))
    block([settled[case.id] for case in cases])
    return RunResult(
        name=plan.name or options.endpoint.text,
        endpoint=options.endpoint.text,
        profile=profile.name,
        suite_version=package_version(),
        protocol=rulebook.name,
        protocol_version=rulebook.version,
        model_digest=rulebook.digest,
        seed=options.seed,
        started=started.isoformat(timespec="seconds"),
        duration=time.monotonic() - began,
        cases=[settled[case.id] for case in cases],
        rules=judge_rules(rulebook, [settled[case.id] for case in cases]),
        pace=options.pace,
    )


def run_case(case: Case, codec: Interpreter, options: Options) -> CaseResult:
    """Runs one attempt at one case. Errors of the harness give ``inconclusive``."""
    trial = BrokerTrial(case, codec, options)
    pid = None if options.control is None or case.needs is Needs.CONTROL else options.control.pid

    def act() -> None:
        try:
            if (retained := options.retained) is not None and retained < case.retains:
                trial.unsupported(
                    f"needs streams that retain {case.retains:,} bytes; these retain {retained:,}"
                )
            witness = Witness(trial) if case.polarity is Polarity.NEGATIVE else None
            case.function(trial)
            finish(trial, witness)
        except FailureError as error:
            _check_running(options, pid, error)
            raise
        finally:
            trial.close()

    def describe(line: WireLine) -> str:
        if line.kind != "message":
            return ""
        whole = line.size <= KEEP and line.parts == 1
        return codec.render(bytes.fromhex(line.hex)) if whole else "part of a message"

    return judge(case, codec.model, trial, act, describe)


def _check_running(options: Options, pid: int | None, error: FailureError) -> None:
    """Raises CrashedError if the broker that the suite started has exited, exits now, or is no longer process `pid`,
    which is None for a case that stops it.
    """
    control = options.control
    if control is None:
        return

    def ended() -> bool:
        return control.crashed or (pid is not None and pid != control.pid)

    deadline = time.monotonic() + LAST_BREATH
    while not ended() and time.monotonic() < deadline:
        time.sleep(0.01)
    if ended():
        how = f"it exited with status {control.wait_stopped(0.0)}" if control.crashed else "it exited"
        raise CrashedError(KEEPS_RUNNING, f"{how}; before that, {error.expected}: {error.seen}") from error


def _attempts(rulebook: Rulebook, options: Options) -> Attempt:
    """Returns the function that runs a case: a broker's with its own protocol, or a ROUTER's with ZMTP. It first starts
    a broker that has exited.
    """
    control, lock = options.control, threading.Lock()

    def restart() -> None:
        with lock:
            if control is not None and not control.running:
                control.start()

    if isinstance(rulebook, Book):
        protocol = ZmtpProtocol(Wire(rulebook.models), rulebook)
        service = service_of(options.service)
        settings = Settings(timeout=options.timeout, seed=options.seed, record=options.record)

        def attempt_router(case: Case, number: int) -> CaseResult:
            restart()
            pid = options.pid if control is None else control.pid
            router = RouterUnderTest(options.endpoint, service, pid, options.patience)
            return run_router_case(case, router, protocol, settings)

        return attempt_router
    assert isinstance(rulebook, Model)
    codec = Interpreter(rulebook)

    def attempt(case: Case, number: int) -> CaseResult:
        restart()
        result = run_case(case, codec, replace(options, nonce=f"{options.nonce}-{number}"))
        result.output = "" if control is None or result.verdict in PEACEFUL else control.output
        return result

    return attempt


def _run_together(
    pool: DaemonPool,
    cases: Sequence[Case],
    try_case: Attempt,
    plan: Plan,
    settle: Progress,
) -> None:
    """Runs `cases` in `pool`, then repeats unsettled ones; calls `settle` in this thread with each result. Cases during
    which the broker crashed are repeated alone, to find those that cause it.
    """
    by_id = {case.id: case for case in cases}
    pending: dict[str, CaseResult] = {}
    crashed: list[CaseResult] = []
    attempts: Sequence[Case] = cases
    for attempt in range(plan.retries + 1):
        futures: list[Future[CaseResult]] = [pool.submit(try_case, case, attempt) for case in attempts]
        for future in as_completed(futures):
            result = _join(pending.pop(future.result().id, None), future.result())
            if result.crashed:
                crashed.append(result)
            elif _is_settled(result) or attempt == plan.retries:
                settle(result)
            else:
                pending[result.id] = result
        attempts = [by_id[case_id] for case_id in pending]
        if not attempts:
            break
    alone = [_settle_alone(by_id[result.id], try_case, plan, plan.retries + 1) for result in crashed]
    _explain_crashes(crashed, alone, settle)


def _explain_crashes(crashed: Sequence[CaseResult], alone: Sequence[CaseResult], settle: Progress) -> None:
    """Settles cases during which the broker crashed with their results `alone`. If it did not crash in any of these,
    each is flaky.
    """
    explained = any(result.crashed for result in alone)
    reason = f"the broker crashed while {', '.join(result.id for result in crashed)} ran, but not while each ran alone"
    for together, result in zip(crashed, alone, strict=True):
        settle(result if explained else replace(together, verdict=Verdict.FLAKY, reason=reason))


def _settle_alone(case: Case, try_case: Attempt, plan: Plan, first: int = 0) -> CaseResult:
    """Runs `case` until it is settled; its attempts are numbered from `first` on."""
    result: CaseResult | None = None
    for attempt in range(first, first + plan.retries + 1):
        again = try_case(case, attempt)
        result = _join(result, again)
        if _is_settled(result):
            break
    assert result is not None
    return result


def _is_settled(result: CaseResult) -> bool:
    return result.verdict in (Verdict.PASS, Verdict.OBSERVED, Verdict.UNSUPPORTED, Verdict.FLAKY)


def _join(before: CaseResult | None, now: CaseResult) -> CaseResult:
    """Combines attempts: the failed one as flaky if a pass follows, else the last. `before` is None at the first."""
    if before is None:
        return now
    attempts = before.attempts + now.attempts
    if now.verdict is Verdict.PASS:
        reason = f"attempt {len(attempts)} passed, attempt {len(before.attempts)} did not"
        return replace(before, verdict=Verdict.FLAKY, attempts=attempts, reason=before.reason or reason)
    return replace(now, attempts=attempts)
