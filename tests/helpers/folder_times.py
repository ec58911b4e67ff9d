"""Table of the time and the budget of each folder, printed at the end of `make test`."""

from __future__ import annotations

import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["Budget", "FolderTimes", "load_budget", "table"]


@dataclass(frozen=True, slots=True)
class Budget:
    """Time budget: seconds by folder below tests/, summed over the workers, and minutes for the whole run."""

    minutes: float
    workers: int
    seconds: dict[str, float]

    def folder_of(self, path: str) -> str:
        """The longest budgeted folder that contains `path`, which is relative to tests/; '?' if no folder does."""
        homes = [folder for folder in self.seconds if path.startswith(f"{folder}/")]
        return max(homes, key=len, default="?")


def load_budget(path: Path) -> Budget:
    with path.open("rb") as file:
        limits = tomllib.load(file)
    return Budget(limits["minutes"], limits["workers"], limits["seconds"])


def table(budget: Budget, seconds: Counter[str], tests: Counter[str], run_seconds: float) -> Sequence[str]:
    """Lines of the table: folders in the budget's order, with the excess of those that exceed their budget."""
    lines = [f"{'folder':24} {'tests':>6} {'seconds':>8} {'budget':>7}"]
    for folder in [*budget.seconds, *sorted(set(seconds) - set(budget.seconds))]:
        allowed = budget.seconds.get(folder, 0.0)
        over = f"  over by {seconds[folder] - allowed:.0f}" if seconds[folder] > allowed else ""
        lines.append(f"{folder:24} {tests[folder]:6} {seconds[folder]:8.0f} {allowed:7.0f}{over}")
    allowed = sum(budget.seconds.values())
    lines.append(f"{'together':24} {tests.total():6} {seconds.total():8.0f} {allowed:7.0f}")
    lines.append(f"the run: {run_seconds / 60:.1f} min of {budget.minutes:g}, on {budget.workers} workers")
    return lines


class FolderTimes:
    """Sums the test times that xdist's workers report."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._began = time.monotonic()
        self._seconds: Counter[str] = Counter()
        self._tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = self._budget.folder_of(report.nodeid.partition("::")[0].removeprefix("tests/"))
        self._seconds[folder] += report.duration
        self._tests[folder] += report.when == "call"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        elapsed = time.monotonic() - self._began
        terminalreporter.section("time of each folder (tests/budget.toml)")
        for line in table(self._budget, self._seconds, self._tests, elapsed):
            terminalreporter.write_line(line)
