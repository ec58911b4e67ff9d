"""Tests of the time budget of `make test`: its sum, its coverage of all tests, and its table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from folder_times import Budget, load_budget, table

TESTS = Path(__file__).parents[1]
BUDGET = load_budget(TESTS / "budget.toml")


def test_the_budgets_fit_the_time_of_the_run() -> None:
    """The remaining time is for collection, for waits between workers, and for the last test of a run."""
    assert sum(BUDGET.seconds.values()) <= 0.95 * BUDGET.minutes * 60 * BUDGET.workers


def test_each_test_is_in_a_folder_that_has_a_budget() -> None:
    files = [path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")]
    assert {BUDGET.folder_of(file) for file in files} == set(BUDGET.seconds)


def test_the_table_shows_folders_that_exceed_their_budget() -> None:
    budget = Budget(1, 2, {"a": 60.0, "a/b": 50.0})
    assert [budget.folder_of(path) for path in ("a/test_x.py", "a/b/c/test_x.py", "ab/test_x.py")] == [
        "a",
        "a/b",
        "?",
    ]
    seconds, tests = Counter({"a": 10.4, "a/b": 62.0, "?": 1.0}), Counter({"a": 1, "a/b": 20, "?": 1})
    assert [" ".join(line.split()) for line in table(budget, seconds, tests, 66.0)] == [
        "folder tests seconds budget",
        "a 1 10 60",
        "a/b 20 62 50 over by 12",
        "? 1 1 0 over by 1",
        "together 22 73 110",
        "the run: 1.1 min of 1, on 2 workers",
    ]
