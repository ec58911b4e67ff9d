"""Columns of the matrix: each is an implementation judged in one role."""

from __future__ import annotations

import datetime
import shlex
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from zeps_command import package_version
from zeps_conformance.clients.attempt import run_client_case
from zeps_conformance.common.baseline import Expected, expected_verdict
from zeps_conformance.common.case import Case
from zeps_conformance.common.judging import block, judge_rules
from zeps_conformance.common.pace import Pace
from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.common.verdicts import PEACEFUL, Verdict
from zeps_conformance.runs.profiles import PROFILES, Profile
from zeps_conformance.runs.settling import settle
from zeps_conformance.sockets.adapter import CLIENT, Adapter, Implementation
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.sockets.pubsub.attempt import run_case
from zeps_conformance.wire.zmtp_codec import packaged_wire

__all__ = ["Column", "Effort", "columns_of", "profile_of", "run_alone", "run_columns"]

#: Called with a column and a settled case of it, from one thread at a time.
Progress = Callable[["Column", CaseResult], None]

_NOTHING_EXPECTED: Mapping[str, Sequence[Expected]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Column:
    """An implementation in one role, and the cases that judge it. `type` is a socket type, ``PROXY`` or ``CLIENT``."""

    implementation: Implementation
    type: str
    profile: Profile
    cases: tuple[Case, ...]
    protocol: ZmtpProtocol

    @property
    def name(self) -> str:
        return f"{self.implementation.name} {self.type}"


@dataclass(frozen=True, slots=True)
class Effort:
    """Settings of a run. `jobs`: adapters at a time. `retries`: maximum retries of a case, each in a new adapter."""

    jobs: int = 4
    retries: int = 2


@dataclass(frozen=True, slots=True)
class _Task:
    column: Column
    case: Case


def profile_of(socket_type: str) -> Profile:
    """Returns the profile that judges sockets of this type. Raises ValueError if no profile does."""
    for profile in PROFILES.values():
        if socket_type in profile.types:
            return profile
    known = [judged_type for profile in PROFILES.values() for judged_type in profile.types]
    raise ValueError(f"no profile judges {socket_type!r}; known types: {', '.join(known)}")


def columns_of(
    implementation: Implementation,
    types: Sequence[str] = (),
    patterns: Sequence[str] = (),
    model: Path | None = None,
) -> list[Column]:
    """Returns the columns of `types` with the cases that match one of `patterns`; empty means all. Columns without
    cases are omitted. Raises ValueError if the implementation is not judged in one of `types`.
    """
    if missing := [socket_type for socket_type in types if socket_type not in implementation.types]:
        raise ValueError(
            f"{implementation.path}: is not judged as {missing[0]}; types: {', '.join(implementation.types)}"
        )
    columns = []
    for socket_type in types or implementation.types:
        profile = profile_of(socket_type)
        cases = profile.matching(patterns)
        mine = tuple(case for case in cases if not case.types or socket_type in case.types)
        if mine:
            protocol = ZmtpProtocol(packaged_wire(model), profile.rulebook(model))
            columns.append(Column(implementation, socket_type, profile, mine, protocol))
    return columns


def run_columns(
    columns: Sequence[Column],
    settings: Settings,
    effort: Effort,
    progress: Progress = lambda column, result: None,
    baselines: Mapping[str, Sequence[Expected]] = _NOTHING_EXPECTED,
) -> list[RunResult]:
    """Judges the columns; results are in their order, and baselines are not applied. The cases of one worker share an
    adapter, each with a new socket; those that do not pass, or for which `baselines`, by implementation's id, expect a
    finding, are retried in adapters of their own (:func:`settle`). Raises AdapterError if one cannot be started.
    """
    versions = {column.implementation.id: _version(column.implementation) for column in columns}
    started = datetime.datetime.now(datetime.UTC)
    queue = _Queue([_Task(column, case) for column in columns for case in column.cases])
    settled: dict[tuple[str, str, str], CaseResult] = {}
    lock = threading.Lock()

    def report(task: _Task, result: CaseResult) -> None:
        with lock:
            settled[_key(task.column, task.case)] = result
            progress(task.column, result)

    def expects(task: _Task) -> Verdict | None:
        entries = baselines.get(task.column.implementation.id, ())
        return expected_verdict(entries, task.case.id, task.column.type)

    pace = Pace()
    workers = [_Worker(queue, settings, effort.retries, expects, report, pace) for _ in range(effort.jobs)]
    for thread in (pace, *workers):
        thread.start()
    for worker in workers:
        worker.join()
    pace.stop()
    for worker in workers:
        if worker.error is not None:
            raise worker.error
    return [
        _result(column, [settled[_key(column, case)] for case in column.cases], versions, settings, started)
        for column in columns
    ]


def run_alone(column: Column, case: Case, settings: Settings) -> CaseResult:
    """Runs a case once in an adapter of its own, which it stops. Raises AdapterError if that cannot be started."""
    with Adapter(column.implementation) as adapter:
        return _run_case(column, case, adapter, settings)


def _run_case(column: Column, case: Case, adapter: Adapter, settings: Settings) -> CaseResult:
    if column.type == CLIENT:
        return run_client_case(case, adapter, column.protocol, settings)
    return run_case(case, column.type, adapter, column.protocol, settings)


class _Queue:
    """Thread-safe queue of tasks, longest time limit first; a worker keeps its implementation while it has tasks."""

    def __init__(self, tasks: Sequence[_Task]) -> None:
        self._lock = threading.Lock()
        self._tasks: dict[str, deque[_Task]] = {}
        self._workers: dict[str, int] = {}
        for task in sorted(tasks, key=lambda task: -task.case.limit):
            self._tasks.setdefault(task.column.implementation.id, deque()).append(task)

    def next(self, current: str | None) -> _Task | None:
        """Removes a task: of the implementation `current`, else of that with most tasks per worker; None at the end."""
        with self._lock:
            if current is not None and self._tasks[current]:
                return self._tasks[current].popleft()
            if current is not None:
                self._workers[current] -= 1
            left = [implementation for implementation, tasks in self._tasks.items() if tasks]
            if not left:
                return None
            chosen = max(
                left,
                key=lambda implementation: (
                    len(self._tasks[implementation]) / (1 + self._workers.get(implementation, 0))
                ),
            )
            self._workers[chosen] = self._workers.get(chosen, 0) + 1
            return self._tasks[chosen].popleft()

    def clear(self) -> None:
        """Removes all tasks."""
        with self._lock:
            for tasks in self._tasks.values():
                tasks.clear()


class _Worker(threading.Thread):
    """Runs a queue's tasks, with one adapter at a time. An exception becomes `error` and clears the queue."""

    def __init__(
        self,
        queue: _Queue,
        settings: Settings,
        retries: int,
        expects: Callable[[_Task], Verdict | None],
        report: Callable[[_Task, CaseResult], None],
        pace: Pace,
    ) -> None:
        super().__init__(name="column worker", daemon=True)
        self.error: Exception | None = None
        self._queue = queue
        self._settings = settings
        self._retries = retries
        self._expects = expects
        self._report = report
        self._pace = pace
        self._adapter: Adapter | None = None

    def run(self) -> None:
        try:
            current: str | None = None
            while (task := self._queue.next(current)) is not None:
                current = task.column.implementation.id
                self._report(task, self._judge(task))
        except Exception as error:
            self.error = error
            self._queue.clear()
        finally:
            self._drop()

    def _judge(self, task: _Task) -> CaseResult:
        adapter = self._adapter_of(task.column.implementation)
        first = self._pace.timed(partial(_run_case, task.column, task.case, adapter, self._settings))
        if first.result.verdict not in PEACEFUL:
            self._drop()  # the process may still be faulty, and must not affect the next case
        alone = partial(run_alone, task.column, task.case, self._settings)
        return settle(first, lambda: self._pace.timed(alone), self._retries, self._expects(task))

    def _adapter_of(self, implementation: Implementation) -> Adapter:
        if self._adapter is not None and self._adapter.implementation == implementation and self._adapter.fit:
            return self._adapter
        self._drop()
        self._adapter = Adapter(implementation)
        return self._adapter

    def _drop(self) -> None:
        if self._adapter is not None:
            self._adapter.stop()
            self._adapter = None


def _version(implementation: Implementation) -> str:
    with Adapter(implementation) as adapter:
        details = f" ({adapter.details})" if adapter.details else ""
        return f"{adapter.library} {adapter.version}{details}"


def _key(column: Column, case: Case) -> tuple[str, str, str]:
    return column.implementation.id, column.type, case.id


def _result(
    column: Column,
    cases: list[CaseResult],
    versions: dict[str, str],
    settings: Settings,
    started: datetime.datetime,
) -> RunResult:
    rulebook = column.protocol.rulebook
    block(cases)
    return RunResult(
        name=column.name,
        endpoint=str(column.implementation.path),
        profile=column.profile.name,
        suite_version=package_version(),
        protocol=rulebook.name,
        protocol_version=rulebook.version,
        model_digest=rulebook.digest,
        seed=settings.seed,
        started=started.isoformat(timespec="seconds"),
        duration=sum(case.duration for case in cases),
        cases=cases,
        rules=judge_rules(rulebook, cases),
        implementation=column.implementation.id,
        type=column.type,
        version=versions[column.implementation.id],
        command=_repeating(column, settings),
        description=str(column.implementation.path),
    )


def _repeating(column: Column, settings: Settings) -> str:
    """Returns the command that repeats the run of a column, without the selection of cases."""
    words = [
        "zeps-conform",
        "run",
        "--implementation",
        str(column.implementation.path),
        "--type",
        column.type,
    ]
    if settings.seed:
        words += ["--seed", str(settings.seed)]
    if settings.timeout != Settings().timeout:
        words += ["--timeout", f"{settings.timeout:g}"]
    return shlex.join(words)
