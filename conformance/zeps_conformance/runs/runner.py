"""Runner: runs several cases at a time, and judges them."""

from __future__ import annotations

import datetime
import itertools
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from functools import partial

from zeps_command import package_version
from zeps_conformance.broker.brackets import Witness, finish
from zeps_conformance.broker.options import Options
from zeps_conformance.broker.probes import probed
from zeps_conformance.broker.process import BrokerStartError
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.judging import block, judge, judge_rules
from zeps_conformance.common.narration import Narration
from zeps_conformance.common.pace import Pace, Timed
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
from zeps_conformance.runs.settling import is_settled, settle
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
Attempt = Callable[[Case], Timed[CaseResult]]


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
    together = sorted(
        (case for case in cases if case.needs not in APART),
        key=lambda case: case.needs is not Needs.TIME,
    )
    workers = plan.jobs + sum(case.needs is Needs.TIME for case in together)
    settled: dict[str, CaseResult] = {}

    def report(result: CaseResult) -> None:
        settled[result.id] = result
        progress(result)

    with Pace() as pace:
        run_attempt = _attempts(rulebook, options)

        def attempt(case: Case) -> Timed[CaseResult]:
            return pace.timed(partial(run_attempt, case))

        for case in cases:
            if case.needs is Needs.ALONE:
                report(_run_alone(case, attempt, plan.retries))
        with DaemonPool(max(workers, 1)) as pool:
            _run_together(pool, together, attempt, plan.retries, report)
        for case in cases:
            if case.needs is Needs.CONTROL:
                report(_run_alone(case, attempt, plan.retries))
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
        except BrokerStartError as error:
            raise _not_started(error) from error
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


def _not_started(error: BrokerStartError) -> CrashedError:
    return CrashedError(KEEPS_RUNNING, f"it does not start again: {error}")


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


def _attempts(rulebook: Rulebook, options: Options) -> Callable[[Case], CaseResult]:
    """Returns the function that runs a case: a broker's with its own protocol, or a ROUTER's with ZMTP. It first starts
    a broker that has exited; if that fails once, all further cases fail. Each attempt at a case uses other names.
    """
    control, lock = options.control, threading.Lock()
    numbers: defaultdict[str, Iterator[int]] = defaultdict(itertools.count)

    errors: list[BrokerStartError] = []

    def restart() -> None:
        with lock:
            if control is None or control.running:
                return
            if not errors:
                try:
                    control.start()
                except BrokerStartError as error:
                    errors.append(error)
        if errors:
            raise _not_started(errors[0])

    def restarted(attempt: Callable[[Case], CaseResult]) -> Callable[[Case], CaseResult]:
        def attempt_restarted(case: Case) -> CaseResult:
            try:
                restart()
            except CrashedError:
                return judge(case, rulebook, Narration(case, options.seed), restart, lambda line: "")
            return attempt(case)

        return attempt_restarted

    if isinstance(rulebook, Book):
        protocol = ZmtpProtocol(Wire(rulebook.models), rulebook)
        service = service_of(options.service, options.model)
        settings = Settings(timeout=options.timeout, seed=options.seed, record=options.record)

        def attempt_router(case: Case) -> CaseResult:
            pid = options.pid if control is None else control.pid
            router = RouterUnderTest(options.endpoint, service, pid, options.patience)
            return run_router_case(case, router, protocol, settings)

        return restarted(attempt_router)
    assert isinstance(rulebook, Model)
    codec = Interpreter(rulebook)

    def attempt(case: Case) -> CaseResult:
        result = run_case(case, codec, replace(options, nonce=f"{options.nonce}-{next(numbers[case.id])}"))
        result.output = "" if control is None or result.verdict in PEACEFUL else control.output
        return result

    return restarted(attempt)


def _run_together(
    pool: DaemonPool,
    cases: Sequence[Case],
    attempt: Attempt,
    retries: int,
    report: Progress,
) -> None:
    """Runs `cases` in `pool`, and repeats unsettled ones when all were tried; calls `report` in this thread with each
    result. Cases during which the broker crashed are repeated alone, to find those that cause it.
    """
    crashed: list[Case] = []
    results: dict[str, CaseResult] = {}
    unsettled: list[tuple[Case, Timed[CaseResult]]] = []
    first = {pool.submit(attempt, case): case for case in cases}

    def take(case: Case, result: CaseResult) -> None:
        if result.crashed:
            crashed.append(case)
            results[case.id] = result
        else:
            report(result)

    for future in as_completed(first):
        timed, case = future.result(), first[future]
        if is_settled([timed]) or not retries or timed.result.crashed:
            take(case, settle(timed, partial(attempt, case), 0))
        else:
            unsettled.append((case, timed))
    later = {pool.submit(settle, timed, partial(attempt, case), retries): case for case, timed in unsettled}
    for again in as_completed(later):
        take(later[again], again.result())
    alone = [_run_alone(case, attempt, retries) for case in crashed]
    _explain_crashes([results[case.id] for case in crashed], alone, report)


def _explain_crashes(crashed: Sequence[CaseResult], alone: Sequence[CaseResult], report: Progress) -> None:
    """Reports cases during which the broker crashed with their results `alone`. If it did not crash in any of these,
    each is flaky.
    """
    explained = any(result.crashed for result in alone)
    reason = f"the broker crashed while {', '.join(result.id for result in crashed)} ran, but not while each ran alone"
    for together, result in zip(crashed, alone, strict=True):
        report(result if explained else replace(together, verdict=Verdict.FLAKY, reason=reason))


def _run_alone(case: Case, attempt: Attempt, retries: int) -> CaseResult:
    return settle(attempt(case), partial(attempt, case), retries)
