"""Runs the cases of a profile against mutants, likely killers first, until a case detects each mutant."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.process import BrokerDescription, BrokerProcess, BrokerStartError
from zeps_conformance.common.case import Case, Needs
from zeps_conformance.common.json_files import read_json, replace_json
from zeps_conformance.common.pool import DaemonPool
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.definitions import Model
from zeps_conformance.mutants.mutant import Mutant
from zeps_conformance.runs.profiles import Profile
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint

__all__ = ["Baseline", "Campaign", "Fate", "Judged", "Kill", "Settings", "choose"]

NOTICED = (Verdict.FAIL, Verdict.DEVIATION, Verdict.WARN)
IDLE_SECONDS = 0.5
"""Time without a case for which a mutant must run, before the cases begin."""
IDLE_MAX = 12.0
"""Maximum time without a case in which a mutant that has exited may show that no case is the cause."""
BASELINE_TIMEOUT = 20.0
"""Maximum seconds for an answer of the implementation without a change."""
_FIRST_BATCH = 4
_CONFIRMED_MAX = 3
"""Maximum number of failing cases of a batch that are repeated to confirm a kill."""


class Fate:
    """What becomes of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    STILLBORN = "stillborn"
    CRASHED = "crashed"

    ALL = (KILLED, SURVIVED, EQUIVALENT, STILLBORN, CRASHED)


@dataclass(frozen=True, slots=True)
class Kill:
    """A case that failed twice against a mutant: the rule that it names (or its first), and what was seen. `exited`:
    the mutant's process ended during the case.
    """

    case: str
    rule: str
    seen: str
    exited: bool = False


@dataclass(slots=True)
class Judged:
    """A mutant's result. `reason`: the proof of an equivalent one, the output of one that does not run, or the failures
    that a repetition did not confirm.
    """

    id: str
    family: str
    operator: str
    place: str
    before: str
    after: str
    fate: str
    reason: str = ""
    kills: list[Kill] = field(default_factory=list)
    row: int | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class Baseline:
    """The implementation without a change: durations in seconds of the cases that it passes, and ids of the others."""

    seconds: dict[str, float]
    excluded: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a campaign, times in seconds. `deadline`: monotonic time after which no mutant is begun, or None.
    `matrix`: run all cases against every mutant. `cases_at_once`: number of concurrent cases for each mutant.
    """

    timeout: float = 3.0
    seed: int = 0
    jobs: int = 2
    deadline: float | None = None
    matrix: bool = False
    cases_at_once: int = 8


def choose(families: Mapping[str, Sequence[Mutant]], seed: int, count: int | None) -> list[Mutant]:
    """Returns `count` mutants in the order of a seeded shuffle, as equally many of each family as possible; None: all.
    A greater `count` only appends mutants.
    """
    shuffled = []
    for name, mutants in families.items():
        order = list(mutants)
        random.Random(f"{seed} {name}").shuffle(order)
        shuffled.append(order)
    chosen: list[Mutant] = []
    for turn in range(max(map(len, shuffled), default=0)):
        chosen += [order[turn] for order in shuffled if turn < len(order)]
    return chosen[:count]


class Campaign:
    """Judges mutants with `cases`. `folder` keeps results. `fingerprints` identify by family what is judged; known
    results are not computed again, except those of survivors, with `matrix` all, after a change of the cases
    (`cases_digest`).
    """

    def __init__(
        self,
        profile: Profile,
        model: Model,
        cases: Sequence[Case],
        settings: Settings,
        folder: Path,
        fingerprints: Mapping[str, str],
        cases_digest: str,
    ) -> None:
        self.profile, self.model, self.settings = profile, model, settings
        self.cases = {case.id: case for case in cases}
        self._folder, self._fingerprints = folder, fingerprints
        self._cases_digest = cases_digest
        self._path = folder / "results.jsonl"
        self._lock = threading.Lock()
        self._originals: dict[str, BrokerDescription] = {}
        self._hits: dict[str, Counter[str]] = {}
        self.known: dict[str, Judged] = {}
        self._live: set[BrokerProcess] = set()
        self._stopping = False
        folder.mkdir(parents=True, exist_ok=True)
        self._load()

    def has_baseline(self, family: str) -> bool:
        """Returns whether the result of an implementation without a change is kept for these cases."""
        return self._kept_baseline(family) is not None

    def _baseline_path(self, family: str) -> Path:
        return self._folder / f"baseline-{family}.json"

    def _kept_baseline(self, family: str) -> Baseline | None:
        with contextlib.suppress(ValueError, LookupError, TypeError):  # no file, or one of another form
            kept = read_json(self._baseline_path(family))
            if kept["identity"] == self._identity(family):
                return Baseline(kept["seconds"], kept["excluded"])
        return None

    def _identity(self, family: str) -> str:
        return f"{self._fingerprints[family]} {self._cases_digest}"

    def baseline(
        self, family: str, description: BrokerDescription, known: Baseline | None = None
    ) -> Baseline:
        """Runs the cases against the implementation without a change, or returns the kept result, or `known`,
        that of another family of the same implementation. Raises ValueError if it passes no case, or does not start.
        """
        self._originals[family] = description
        if known is not None:
            return known
        if (kept := self._kept_baseline(family)) is not None:
            return kept
        try:
            with BrokerProcess(description) as process:
                results = self.run_cases(
                    process, list(self.cases.values()), Plan(self.settings.cases_at_once, 2), BASELINE_TIMEOUT
                )
        except BrokerStartError as error:
            raise ValueError(f"the implementation without a change does not run: {error}") from error
        good = (Verdict.PASS, Verdict.OBSERVED, Verdict.FLAKY)
        passed = {case.id: case.duration for case in results if case.verdict in good}
        if not passed:
            raise ValueError(
                f"{description.name} passes no case without a change: run it with zeps-conform run"
            )
        baseline = Baseline(passed, [case.id for case in results if case.id not in passed])
        replace_json(self._baseline_path(family), {"identity": self._identity(family), **asdict(baseline)})
        return baseline

    def run(
        self,
        mutants: Iterable[Mutant],
        baselines: Mapping[str, Baseline],
        progress: Callable[[Judged], None] = lambda judged: None,
    ) -> list[Judged]:
        """Judges `mutants`, several at a time, until the deadline. `baselines`: by family. Returns results in the order
        of the mutants, without those that were not begun.
        """
        chosen = list(mutants)
        results: dict[str, Judged] = {}
        try:
            with (
                tempfile.TemporaryDirectory(prefix="zeps-mutants-", ignore_cleanup_errors=True) as scratch,
                DaemonPool(self.settings.jobs) as pool,
            ):
                futures = [
                    pool.submit(self._judge_in_time, mutant, baselines[mutant.family], Path(scratch))
                    for mutant in chosen
                ]
                for future in as_completed(futures):
                    judged = future.result()
                    if judged is not None:
                        results[judged.id] = judged
                        progress(judged)
        except BaseException:  # the threads go on after an interrupt: without processes
            self._stopping = True
            for process in list(self._live):
                process.close()
            raise
        return [results[mutant.id] for mutant in chosen if mutant.id in results]

    def judge(self, mutant: Mutant, baseline: Baseline, scratch: Path) -> Judged:
        """Judges a mutant, which is installed below `scratch`, and keeps the result."""
        began = time.monotonic()
        judged = Judged(
            mutant.id, mutant.family, mutant.operator, mutant.place, mutant.before, mutant.after, Fate.SURVIVED,
            row=mutant.row,
        )  # fmt: skip
        judged.reason = mutant.proof()
        if judged.reason:
            judged.fate = Fate.EQUIVALENT
        else:
            folder = Path(tempfile.mkdtemp(prefix="mutant-", dir=scratch))
            try:
                _Trial(self, mutant, judged, mutant.install(folder)).run(self._order(mutant, baseline))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        judged.seconds = round(time.monotonic() - began, 2)
        if not self._stopping:
            self._keep(judged, mutant)
        return judged

    def _judge_in_time(self, mutant: Mutant, baseline: Baseline, scratch: Path) -> Judged | None:
        known = self.known.get(mutant.id)
        if known is not None:
            self._learn(known, mutant)
            return known
        if self.settings.deadline is not None and time.monotonic() > self.settings.deadline:
            return None
        return self.judge(mutant, baseline, scratch)

    def _order(self, mutant: Mutant, baseline: Baseline) -> list[Case]:
        """Returns the cases that the baseline passes, first those that are likely to detect the mutant in short time:
        they have killed mutants of the same place.
        """
        with self._lock:
            hits = [self._hits.get(subject, Counter()) for subject in (*mutant.subjects, mutant.family)]
        weights = [4.0 / (1 << 2 * place) for place in range(len(hits) - 1)] + [0.05]

        def value(case_id: str) -> float:
            likely = sum(weight * count[case_id] for weight, count in zip(weights, hits, strict=True))
            likely += sum(word in case_id for word in mutant.words)
            return (likely + 0.01) / (baseline.seconds[case_id] + 0.1)

        return [self.cases[case_id] for case_id in sorted(baseline.seconds, key=value, reverse=True)]

    def _learn(self, judged: Judged, mutant: Mutant) -> None:
        with self._lock:
            for subject in (*mutant.subjects, mutant.family):
                self._hits.setdefault(subject, Counter()).update(kill.case for kill in judged.kills)

    def _keep(self, judged: Judged, mutant: Mutant) -> None:
        self._learn(judged, mutant)
        identity = {"fingerprint": self._fingerprints[judged.family], "cases": self._cases_digest}
        line = json.dumps(identity | asdict(judged))
        with self._lock:
            self.known[judged.id] = judged
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")

    def _load(self) -> None:
        if not self._path.exists():
            return
        for line in self._path.read_text(encoding="utf-8").splitlines():
            try:
                raw = json.loads(line)
                ours = raw.pop("fingerprint") == self._fingerprints.get(raw["family"])
                same_cases = raw.pop("cases") == self._cases_digest
                judged = Judged(**raw | {"kills": [Kill(**kill) for kill in raw["kills"]]})
            except (ValueError, LookupError, TypeError, AttributeError):
                continue  # an interrupted write, or a result of another version
            existing = all(kill.case in self.cases for kill in judged.kills)
            if (
                ours
                and existing
                and (same_cases or (judged.fate != Fate.SURVIVED and not self.settings.matrix))
            ):
                self.known[judged.id] = judged
            else:
                self.known.pop(judged.id, None)

    def passes_unchanged(self, family: str, case: Case) -> bool:
        """Returns whether the implementation without a change does not fail a case now, True if it is not known."""
        description = self._originals.get(family)
        if description is None:
            return True
        with self.running(description) as process:
            return self.run_cases(process, [case], Plan(1, 0))[0].verdict not in NOTICED

    @contextlib.contextmanager
    def running(self, description: BrokerDescription) -> Iterator[BrokerProcess]:
        """Starts a process, and kills it at the end, without an orderly stop. Raises BrokerStartError."""
        process = BrokerProcess(description)
        self._live.add(process)
        try:
            if self._stopping:
                process.close()
                raise BrokerStartError("the campaign ends")
            with process:
                try:
                    yield process
                finally:
                    process.kill()
        finally:
            self._live.discard(process)

    def run_cases(
        self, process: BrokerProcess, cases: Sequence[Case], plan: Plan, timeout: float | None = None
    ) -> list[CaseResult]:
        """Runs cases against a process; `timeout` replaces that of the settings."""
        description = process.description
        options = Options(
            parse_endpoint(process.endpoint),
            timeout=timeout or self.settings.timeout,
            client_timeout=description.client_timeout,
            seed=self.settings.seed,
            nonce=fresh_nonce(),
            control=process,
            streams=description.streams,
        )
        return run(self.profile, self.model, options, cases, plan).cases


class _Trial:
    """The run of cases against one mutant."""

    def __init__(
        self, campaign: Campaign, mutant: Mutant, judged: Judged, description: BrokerDescription
    ) -> None:
        self._campaign, self._judged, self._description = campaign, judged, description
        self._settings = campaign.settings
        self._unconfirmed: list[str] = []
        self._started = False
        self._checked = False  # whether the mutant has exited, and runs without a case

    def run(self, cases: Sequence[Case]) -> None:
        """Sets the fate of the mutant."""
        pending = cases
        try:
            while pending and (self._settings.matrix or not self._judged.kills):
                pending = self._run_process(pending)
        except BrokerStartError as error:
            if not self._started:
                self._judged.fate, self._judged.reason = Fate.STILLBORN, str(error)
                return
            self._unconfirmed.append(f"a later start ({error})")
        except _CrashedError as error:
            self._judged.fate, self._judged.reason = Fate.CRASHED, str(error)
            return
        if self._judged.kills:
            self._judged.fate = Fate.KILLED
        elif self._unconfirmed:
            self._judged.reason = f"failed once: {', '.join(self._unconfirmed)}"

    def _run_process(self, cases: Sequence[Case]) -> Sequence[Case]:
        """Runs cases in one process until a kill, or until the process exits. Returns the remaining cases."""
        size = len(cases) if self._settings.matrix else _FIRST_BATCH
        with self._campaign.running(self._description) as process:
            began = time.monotonic()
            self._started = True
            if not self._checked and process.wait_stopped(IDLE_SECONDS) is not None:
                raise _CrashedError(process.output)
            while cases:
                batch, cases, size = cases[:size], cases[size:], size * 2
                results = self._campaign.run_cases(process, batch, Plan(self._settings.cases_at_once, 0))
                exited = process.wait_stopped(0) is not None
                if exited and not self._checked:
                    self._check_alone(min(time.monotonic() - began + IDLE_SECONDS, IDLE_MAX), process.output)
                failed = [case for case in results if case.verdict in NOTICED]
                for result in failed if self._settings.matrix else failed[:_CONFIRMED_MAX]:
                    self._confirm(result)
                    if self._judged.kills and not self._settings.matrix:
                        return ()
                if exited:
                    break
        return cases

    def _check_alone(self, wait: float, output: str) -> None:
        """Raises _CrashedError if a new process exits within `wait` seconds without a case."""
        with self._campaign.running(self._description) as process:
            if process.wait_stopped(wait) is not None:
                raise _CrashedError(output)
        self._checked = True

    def _confirm(self, result: CaseResult) -> None:
        """Repeats a failed case alone, in a new process. If it fails again after as long as an answer may take, the
        implementation without a change must pass it, because a busy machine makes answers late.
        """
        case = self._campaign.cases[result.id]
        with self._campaign.running(self._description) as process:
            again = self._campaign.run_cases(process, [case], Plan(1, 0))[0]
            exited = process.wait_stopped(0) is not None and case.needs is not Needs.CONTROL
        late = again.duration >= self._settings.timeout
        if again.verdict in NOTICED and (
            not late or self._campaign.passes_unchanged(self._judged.family, case)
        ):
            rule = again.rule or case.rules[0]
            self._judged.kills.append(Kill(case.id, rule, again.seen[:200], exited))
        else:
            self._unconfirmed.append(case.id)


class _CrashedError(Exception):
    """The mutant exits without a case; the text is its last output."""
