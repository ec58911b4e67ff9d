"""Checks of the tests' helper modules."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_two_helper_modules_have_the_same_name() -> None:
    """All helper folders are on one module path: of modules with the same name only one could be imported."""
    folders = defaultdict(list)
    for module in TESTS.rglob("*.py"):
        if not module.name.startswith("test_") and module.name not in ("conftest.py", "__init__.py"):
            folders[module.name].append(str(module.parent.relative_to(TESTS)))
    assert {name: found for name, found in folders.items() if len(found) > 1} == {}
