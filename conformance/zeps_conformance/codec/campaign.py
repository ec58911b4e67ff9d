"""A campaign: sends the same requests to all drivers, and reports the first difference from the suite, minimised."""

from __future__ import annotations

import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from zeps_conformance.codec.compare import Difference, advice_differs, difference
from zeps_conformance.codec.driver_protocol import (
    INFO,
    Encode,
    Example,
    ProtocolError,
    parse_info,
)
from zeps_conformance.codec.drivers import Driver, DriverError, DriverExited, DriverTimeout
from zeps_conformance.codec.examples import Examples
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.codec.shrink import shrunk

__all__ = ["Campaign", "DriverCommand", "Finding", "Outcome", "judge"]

BATCH = 256
BATCHES_AHEAD = 3
#: Maximum number of smaller examples if each needs a new process.
RESTARTS_MAX = 40
HANGS_MAX = 12
ENDS, HANGS = "the driver ends", "the driver hangs"


@dataclass(frozen=True, slots=True)
class DriverCommand:
    """A driver's name and start command."""

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A driver that differs. `example` is None if no single request reproduces the difference."""

    driver: str
    difference: Difference
    example: Example | None = None
    number: int | None = None  # number of the original example, from 0, before minimisation


@dataclass(slots=True)
class Outcome:
    """Result of a campaign. `examples`: number in the batches without a difference; `drawn`: number of generated ones
    by kind. By driver, `advice`: how many errors have another location, and the first of them; `answers`: the answer to
    the example of `finding`, if any.
    """

    seed: int
    drivers: tuple[str, ...]
    examples: int = 0
    seconds: float = 0.0
    drawn: dict[str, int] = field(default_factory=dict)
    advice: dict[str, tuple[int, str]] = field(default_factory=dict)
    finding: Finding | None = None
    answers: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Batch:
    number: int  # number of its first example
    examples: list[Example]
    requests: list[bytes]


class Campaign:
    """Runs examples, `timeout` seconds for an answer. `tell` gets the numbers of finished and of all examples."""

    def __init__(
        self,
        oracle: Oracle,
        commands: Sequence[DriverCommand],
        timeout: float = 20.0,
        tell: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> None:
        self.oracle, self.commands, self.timeout, self.tell = oracle, tuple(commands), timeout, tell
        self._drivers: dict[str, Driver] = {}
        self._advice: Counter[str] = Counter()
        self._advised: dict[str, str] = {}

    def run(self, count: int, seed: int) -> Outcome:
        """Runs `count` examples, fewer if one differs, in new processes. Raises DriverError as :meth:`started`."""
        outcome = Outcome(seed, tuple(command.name for command in self.commands))
        start = time.monotonic()
        examples = Examples(self.oracle, seed)
        try:
            for command in self.commands:
                self._drivers[command.name] = self.started(command)
            outcome.finding = self._search(examples, count, outcome)
            if outcome.finding is None:
                outcome.finding = self._ended()
        finally:
            for driver in self._drivers.values():
                driver.kill()
            self._drivers.clear()
        outcome.seconds = time.monotonic() - start
        outcome.drawn = dict(examples.drawn)
        outcome.advice = {name: (self._advice[name], text) for name, text in self._advised.items()}
        if outcome.finding is not None and outcome.finding.example is not None:
            outcome.answers = self.answers(outcome.finding.example)
        return outcome

    def started(self, command: DriverCommand) -> Driver:
        """Starts a driver, which the caller must end. Raises DriverError if it fails or lacks a protocol or machine."""
        driver = Driver(command.name, command.words, self.timeout)
        try:
            info = parse_info(driver.ask(INFO))
        except (DriverExited, DriverTimeout, ProtocolError) as error:
            driver.kill()
            raise DriverError(
                f"{command.name}: invalid answer to the information request: {error}"
            ) from error
        lacking = [name for name in (*self.oracle.codecs, *self.oracle.tables) if name not in info.names]
        if lacking:
            driver.kill()
            known = ", ".join(info.names) or "nothing"
            raise DriverError(
                f"{command.name}: does not support {', '.join(lacking)}, only {known}: restrict the run "
                "with --protocol"
            )
        return driver

    def answers(self, example: Example) -> dict[str, bytes]:
        """Returns each driver's answer by name, from a new process; drivers that do not answer are omitted. Raises
        DriverError if one cannot be run.
        """
        answers = {}
        for command in self.commands:
            with (
                Driver(command.name, command.words, self.timeout) as driver,
                contextlib.suppress(DriverExited, DriverTimeout),
            ):
                answers[command.name] = driver.ask(example.request())
        return answers

    # --- search

    def _search(self, examples: Examples, count: int, outcome: Outcome) -> Finding | None:
        pending: deque[_Batch] = deque()
        drawn = 0
        while drawn < count or pending:
            while drawn < count and len(pending) < BATCHES_AHEAD:
                batch_examples = [examples.next() for _ in range(min(BATCH, count - drawn))]
                batch = _Batch(drawn, batch_examples, [example.request() for example in batch_examples])
                for driver in self._drivers.values():
                    driver.send(batch.requests)
                pending.append(batch)
                drawn += len(batch_examples)
            finding = self._settle(pending)
            if finding is not None:
                return finding
            outcome.examples += len(pending.popleft().examples)
            self.tell(outcome.examples, count)
        return None

    def _settle(self, pending: Sequence[_Batch]) -> Finding | None:
        """Receives and compares the answers to the first batch. Returns its first difference, minimised, or None."""
        batch = pending[0]
        expected = [self.oracle.answer(example) for example in batch.examples]
        first: tuple[int, str, Difference] | None = None
        for command in self.commands:
            try:
                answers = self._drivers[command.name].receive(len(batch.examples))
            except (DriverExited, DriverTimeout) as error:
                return self._lost(command, error, pending)
            deviation = self._compare(command.name, batch, expected, answers)
            if deviation is not None and (first is None or deviation[0] < first[0]):
                first = (deviation[0], command.name, deviation[1])
        if first is None:
            return None
        index, name, seen = first
        return self._smaller(name, batch.examples[index], seen, batch.number + index)

    def _compare(
        self, name: str, batch: _Batch, expected: Sequence[bytes], answers: Sequence[bytes]
    ) -> tuple[int, Difference] | None:
        for index, (example, oracle_answer, seen) in enumerate(
            zip(batch.examples, expected, answers, strict=True)
        ):
            if oracle_answer == seen:
                continue
            deviation = difference(self.oracle, example, oracle_answer, seen)
            if deviation is not None:
                return index, deviation
            advice = advice_differs(example, oracle_answer, seen)
            if advice is not None:
                self._advice[name] += 1
                self._advised.setdefault(name, f"{advice} for {example.request().hex()[:400]}")
        return None

    def _ended(self) -> Finding | None:
        """Checks that the drivers exit with status 0 at the end of their input, within the timeout."""
        for name, driver in self._drivers.items():
            status = driver.close()
            if status != 0:
                said = "it does not exit" if status is None else f"exit status {status}"
                return Finding(name, Difference("the end of the input", "exit status 0", said))
        return None

    # --- findings

    def _command(self, name: str) -> DriverCommand:
        return next(command for command in self.commands if command.name == name)

    def _smaller(self, name: str, example: Example, seen: Difference, number: int) -> Finding:
        """Returns the finding with the smallest example found that has a difference of any kind."""
        driver = self.started(self._command(name))

        def first(smaller: Sequence[Example]) -> int | None:
            nonlocal driver
            try:
                driver.send([candidate.request() for candidate in smaller])
                answers = driver.receive(len(smaller))
            except (DriverExited, DriverTimeout):
                driver.kill()
                driver = self.started(self._command(name))
                return None
            differing = (
                i for i, candidate in enumerate(smaller) if self._differs(example, candidate, answers[i])
            )
            return next(differing, None)

        try:
            small = shrunk(self.oracle, example, first)
            deviation = difference(self.oracle, small, self.oracle.answer(small), driver.ask(small.request()))
        except (DriverExited, DriverTimeout):
            small, deviation = example, None
        finally:
            driver.kill()
        return Finding(name, deviation or seen, small if deviation else example, number)

    def _differs(self, original: Example, example: Example, answer: bytes) -> bool:
        """Returns whether the answer differs; a smaller Encode must also have the original's outcome and error."""
        expected = self.oracle.answer(example)
        if isinstance(example, Encode):
            before = self.oracle.answer(original)
            if expected[:1] != before[:1] or (before.startswith(b"-") and before != expected):
                return False
        return difference(self.oracle, example, expected, answer) is not None

    def _lost(
        self, command: DriverCommand, error: DriverExited | DriverTimeout, pending: Sequence[_Batch]
    ) -> Finding:
        """Finds the request that ended or hung the driver by repeating the unanswered ones in a new process."""
        waiting = [
            (batch.number + index, example)
            for batch in pending
            for index, example in enumerate(batch.examples)
        ]
        with self.started(command) as driver:
            for number, example in waiting[error.answered :]:
                seen = _loss(driver, example)
                if seen is not None:
                    return self._smaller_loss(command, example, seen, number)
        return Finding(command.name, Difference(_kind(error), "an answer", str(error)))

    def _smaller_loss(
        self, command: DriverCommand, example: Example, seen: Difference, number: int
    ) -> Finding:
        tries, most = 0, HANGS_MAX if seen.kind == HANGS else RESTARTS_MAX

        def first(smaller: Sequence[Example]) -> int | None:
            nonlocal tries, seen
            for index, candidate in enumerate(smaller):
                if tries >= most:
                    break
                tries += 1
                loss = self._loss_alone(command, candidate)
                if loss is not None:
                    seen = loss
                    return index
            return None

        again = self._loss_alone(command, example)
        small = shrunk(self.oracle, example, first) if again is not None else example
        return Finding(command.name, seen, small, number)

    def _loss_alone(self, command: DriverCommand, example: Example) -> Difference | None:
        with self.started(command) as driver:
            return _loss(driver, example)


def _loss(driver: Driver, example: Example) -> Difference | None:
    try:
        driver.ask(example.request())
    except (DriverExited, DriverTimeout) as error:
        return Difference(_kind(error), "an answer", str(error))
    return None


def _kind(error: DriverExited | DriverTimeout) -> str:
    return ENDS if isinstance(error, DriverExited) else HANGS


def judge(campaign: Campaign, example: Example) -> Outcome:
    """Runs one example in new processes, without minimising it. Raises DriverError as :meth:`Campaign.started`."""
    outcome = Outcome(0, tuple(command.name for command in campaign.commands), examples=1)
    expected = campaign.oracle.answer(example)
    for command in campaign.commands:
        with campaign.started(command) as driver:
            seen: Difference | None
            try:
                outcome.answers[command.name] = driver.ask(example.request())
                seen = difference(campaign.oracle, example, expected, outcome.answers[command.name])
            except (DriverExited, DriverTimeout) as error:
                seen = Difference(_kind(error), "an answer", str(error))
        if seen is not None and outcome.finding is None:
            outcome.finding = Finding(command.name, seen, example)
    return outcome
