"""Rounds of the durability profile: a broker on faultfs under load, a fault, a restart, and everything is read back."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from zeps_conformance.broker.process import BrokerProcess, BrokerStartError
from zeps_conformance.durability.description import Mode, System
from zeps_conformance.durability.faultfs import FaultFs, Flip
from zeps_conformance.durability.history import Counts, History
from zeps_conformance.durability.workload import AdapterError, Publisher, prepare, read_all

__all__ = ["FaultResult", "Plan", "profile"]

_CUTS = ("power-cut", "torn", "lost-entries")
_CRASHES = (*_CUTS, "kill")
_LONG, _STOP = 60.0, 20.0  # seconds
_FIRST_CALLS = 8
"""A start is interrupted before one of this many calls that change something."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`rounds` of each fault, each with a new file system; in each, `repeats` loads of usually at most `seconds` by
    `publishers` at a time, each followed by the fault. `pause`: seconds of SIGSTOP. `seed` determines random choices.
    """

    rounds: int = 5
    seed: int = 0
    seconds: float = 2.0
    publishers: int = 2
    repeats: int = 2
    pause: float = 5.0


@dataclass(slots=True)
class FaultResult:
    """Result of all rounds of one fault. `breaches` describes what exceeds the promise; `examples` a few messages."""

    fault: str
    promise: str
    rounds: int = 0
    counts: Counts = field(default_factory=Counts)
    faults: int = 0
    not_started: int = 0
    unsynced_bytes: int = 0
    flips: int = 0
    examples: list[str] = field(default_factory=list)
    seconds: float = 0.0
    repeats_allowed: bool = False

    @property
    def breaches(self) -> list[str]:
        """What exceeds the promise, or that no message was confirmed, as texts; empty if it was kept."""
        counts = self.counts
        lost = {
            "kept": counts.lost + counts.announced,
            "announced": counts.lost,
            "recent": counts.early,
            "nothing": 0,
        }[self.promise]
        judged = {
            "confirmed and lost": lost,
            "received and later gone": counts.withdrawn if self.promise in ("kept", "announced") else 0,
            "duplicated": 0 if self.repeats_allowed else counts.duplicated,
            "reordered": 0 if self.repeats_allowed else counts.reordered,
            "corrupted": counts.corrupted,
            "confirmed and unavailable, because the broker does not serve": counts.unavailable,
        }
        if self.promise == "nothing":
            judged = {}
        texts = [f"{number} {what}" for what, number in judged.items() if number]
        return texts if counts.confirmed else [*texts, "no message was confirmed, so nothing is proved"]


def profile(
    system: System, mode: Mode, fault: str, plan: Plan, progress: Callable[[int], None]
) -> FaultResult:
    """Runs all rounds of a fault; `progress` is called after each, with its number. Raises FaultFsError, and
    BrokerStartError if the broker cannot be started without a fault.
    """
    result = FaultResult(fault, mode.promises[fault], repeats_allowed=system.repeats)
    operations = 0
    for number in range(plan.rounds):
        began = time.monotonic()
        fault_round = _Round(system, mode, fault, plan, number, operations)
        fault_round.run(result)
        operations = max(operations, fault_round.operations)
        result.rounds += 1
        result.seconds += time.monotonic() - began
        progress(number + 1)
    return result


class _Round:
    """One file system, and a broker on it; `operations` is the highest known number of its changing calls."""

    def __init__(
        self, system: System, mode: Mode, fault: str, plan: Plan, number: int, operations: int
    ) -> None:
        self.system, self.mode, self.fault, self.plan = system, mode, fault, plan
        self.operations = operations
        self._rng = random.Random(f"{plan.seed}/{system.name}/{mode.name}/{fault}/{number}")
        seed = self._rng.getrandbits(32)
        self._histories = [History(n, seed, mode.consumes) for n in range(plan.publishers)]
        self._prepared = False
        self._fault_at = inf
        self._fs: FaultFs
        self._broker: BrokerProcess

    def run(self, result: FaultResult) -> None:
        """Runs the round, and adds what happened to `result`."""
        with (
            tempfile.TemporaryDirectory(prefix="zeps-durability-") as folder,
            FaultFs(Path(folder, "disk")) as self._fs,
        ):
            self._fs.entries("posix" if self.fault == "lost-entries" else "journaled")
            self._make_data()
            self._broker = BrokerProcess(self.mode.broker, self._fs.mountpoint / "data")
            self._fs.on_frozen = self._freeze
            try:
                self._run(result)
            finally:
                self._broker.close()
        for history in self._histories:
            result.counts.add(history.counts)
            result.examples += history.examples[: max(0, 20 - len(result.examples))]

    def _run(self, result: FaultResult) -> None:
        if self.system.settled:
            self._settle()
        for _ in range(self.plan.repeats):
            if self.fault in _CUTS and self._rng.random() < 0.5:
                self._interrupt_start()
            self._under_load()
            self._strike(result)
            result.faults += 1
            if not self._read_back(result):
                return

    # Before the fault ---------------------------------------------------------------------------------------

    def _make_data(self) -> None:
        """Creates the folder for data durably, so that a fault cannot remove it."""
        self._fs.mount()
        (self._fs.mountpoint / "data").mkdir()
        for path in (self._fs.mountpoint / "data", self._fs.mountpoint):
            fd = os.open(path, os.O_RDONLY)
            os.fsync(fd)
            os.close(fd)
        self._fs.unmount()

    def _freeze(self) -> None:
        self._fault_at = time.monotonic()
        self._broker.signal(signal.SIGKILL)

    def _settle(self) -> None:
        """Starts the broker for the first time, prepares the streams, and stops it; everything becomes durable."""
        self._fs.mount()
        self._broker.start()
        self._prepare_all()
        self._broker.ask_to_stop()
        self._broker.wait_stopped(_STOP)
        self._broker.kill()
        self._fs.unmount()
        self._fs.settle()

    def _interrupt_start(self) -> None:
        """Starts the broker and kills it at one of its first calls: what it created is not durable yet, but exists."""
        self._fs.mount(self._rng.randint(1, _FIRST_CALLS))
        with self._unless_frozen():
            self._broker.start()
        self._broker.kill()
        self._fs.unmount()

    def _under_load(self) -> None:
        """Mounts, starts the broker, publishes, and ends the broker as the fault requires; unmounts."""
        freeze_at = 0
        if self.fault in _CRASHES and self.operations and self._rng.random() < 0.7:
            freeze_at = self._rng.randint(1, self.operations)
        load_seconds = self.plan.seconds * self._rng.uniform(0.2, 1)
        if self.mode.promises[self.fault] == "recent":  # so that older messages exist
            load_seconds += self.mode.recent_seconds
        if self.fault == "full-disk":
            self._fs.limit(self.system.full_disk_bytes)
        self._fs.mount(freeze_at)
        with self._unless_frozen():
            self._broker.start()
            self._prepare_all()
            with self._publishers() as publishers:
                self._await_confirmations(publishers)
                getattr(self, f"_load_{self.fault.replace('-', '_')}", self._load)(publishers, load_seconds)
        self._end()
        self.operations = max(self.operations, self._fs.unmount())
        self._fs.limit(0)

    @contextmanager
    def _unless_frozen(self) -> Iterator[None]:
        """Ignores failures of the broker and of adapters if the file system was frozen, or is full."""
        try:
            yield
        except (BrokerStartError, AdapterError, OSError):
            if not (self._fs.frozen.is_set() or self.fault == "full-disk"):
                raise

    def _prepare_all(self) -> None:
        """Prepares the streams of all publishers, if that has not succeeded before."""
        if self._prepared:
            return
        for number in range(len(self._histories)):
            try:
                prepare(self.mode.adapter, self._broker.endpoint, f"p{number}")
            except AdapterError as error:
                text = f"{self.mode.broker.name}: the adapter cannot prepare a stream: {error}\n{self._broker.output}"
                raise BrokerStartError(text) from error
        self._prepared = True

    @contextmanager
    def _publishers(self) -> Iterator[list[Publisher]]:
        publishers = [
            Publisher(self.mode.adapter, self._broker.endpoint, f"p{number}", history)
            for number, history in enumerate(self._histories)
        ]
        try:
            yield publishers
        finally:
            for publisher in publishers:
                publisher.stop(1.0)

    def _await_confirmations(self, publishers: list[Publisher]) -> None:
        """Waits until each publisher has a confirmation or has ended, or the file system is frozen."""
        before = [len(history.confirmed) for history in self._histories]
        deadline = time.monotonic() + _LONG
        for publisher, history, count in zip(publishers, self._histories, before, strict=True):
            while publisher.running and len(history.confirmed) == count and time.monotonic() < deadline:
                if self._fs.frozen.wait(0.02):
                    return

    def _load(self, publishers: list[Publisher], load_seconds: float) -> None:
        """Publishes until the file system is frozen, or for `load_seconds`; then kills the broker."""
        deadline = time.monotonic() + load_seconds
        while time.monotonic() < deadline and not self._fs.frozen.is_set():
            if not any(publisher.running for publisher in publishers):
                break
            self._fs.frozen.wait(min(0.05, max(0.0, deadline - time.monotonic())))
        if not self._fs.frozen.is_set():
            self._fault_at = time.monotonic()
        self._broker.kill()

    def _load_pause(self, publishers: list[Publisher], load_seconds: float) -> None:
        time.sleep(load_seconds / 2)
        self._broker.signal(signal.SIGSTOP)
        time.sleep(self.plan.pause)
        self._broker.signal(signal.SIGCONT)
        self._load_bit_flip(publishers, load_seconds / 2)

    def _load_bit_flip(self, publishers: list[Publisher], load_seconds: float) -> None:
        time.sleep(load_seconds)
        for publisher in publishers:
            publisher.stop(_LONG)

    def _load_full_disk(self, publishers: list[Publisher], load_seconds: float) -> None:
        deadline = time.monotonic() + 5 * self.plan.seconds
        while time.monotonic() < deadline and any(publisher.running for publisher in publishers):
            time.sleep(0.05)

    def _end(self) -> None:
        """Ends the broker: a crash kills it, others stop it first."""
        if self.fault not in _CRASHES:
            self._broker.ask_to_stop()
            self._broker.wait_stopped(_STOP)
        self._broker.kill()

    # The fault, and after it --------------------------------------------------------------------------------

    def _strike(self, result: FaultResult) -> None:
        if self.fault in _CUTS:
            _, size = self._fs.cut("torn" if self.fault == "torn" else "lost", self._rng.getrandbits(32))
            result.unsynced_bytes += size
        elif self.fault == "bit-flip":
            flips = self._fs.flip(self._rng.randint(1, 4), self._rng.getrandbits(32))
            result.flips += len(flips)
            result.examples += [_flip_text(flip) for flip in flips][: max(0, 5 - len(result.examples))]

    def _read_back(self, result: FaultResult) -> bool:
        """Starts the broker again, without a fault, reads everything, and kills it. Returns False if this fails."""
        self._fs.mount()
        try:
            self._broker.start()
            for number, history in enumerate(self._histories):
                if self._prepared:
                    reading = read_all(self.mode.adapter, self._broker.endpoint, f"p{number}")
                    history.read(reading, self._expected_before())
        except (BrokerStartError, AdapterError) as error:
            result.not_started += 1
            for history in self._histories:
                history.not_served(str(error).strip().splitlines()[-1])
            return False
        finally:
            self._broker.kill()
            self._fs.unmount()
        return True

    def _expected_before(self) -> float:
        """Returns the time before which messages were confirmed that the promise does not allow to be lost."""
        promise = self.mode.promises[self.fault]
        if promise == "nothing":
            return -inf
        return self._fault_at - self.mode.recent_seconds if promise == "recent" else inf


def _flip_text(flip: Flip) -> str:
    return f"bit flipped: byte {flip.offset} of {flip.path}"
