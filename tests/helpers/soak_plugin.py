"""pytest plugin of `make soak`: deselects tests that passed before, and prints the command that repeats a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

__all__ = ["SoakPlugin"]

_NAME = "name in the file of passed tests"


class SoakPlugin:
    """Appends to `passed` the node id of each test that passed, and deselects those in `before`. The files are two,
    because xdist's workers, which have no `passed`, collect at different times and must collect the same tests.
    """

    def __init__(self, passed: Path | None, before: Path, seed: int) -> None:
        self.passed, self.seed = passed, seed
        self.before = frozenset(before.read_text().splitlines()) if before.exists() else frozenset()
        self._failed: dict[str, None] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        for item in items:  # xdist adds the group to the node id
            item.user_properties.append((_NAME, item.nodeid))
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in self.before])
        items[:] = [item for item in items if item.nodeid not in self.before]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = dict(report.user_properties).get(_NAME)
        if not isinstance(name, str) or self.passed is None:
            return
        if report.failed:
            self._failed[name] = None
        elif report.when == "teardown" and name not in self._failed:
            with self.passed.open("a") as file:
                file.write(f"{name}\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for name in self._failed:
            terminalreporter.write_line(
                f"repeat with: ZEPS_CAMPAIGN=soak ZEPS_SEED={self.seed} "
                f"PYTHONHASHSEED={self.seed % (1 << 32)} "
                f".venv/bin/python -m pytest --hypothesis-seed={self.seed} {name!r}"
            )
