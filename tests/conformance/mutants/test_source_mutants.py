"""Changes of Python sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_conformance.mutants.source_mutants import package_root, same_bytecode, source_changes

TEXT = '''"""Docstring of 1 < 2."""

from logging import getLogger

__all__ = ["take"]
logger = getLogger()
LIMIT: int = 3


def take(count: int, most: int = LIMIT) -> int:
    """Takes 1."""
    assert count > 0
    logger.info("took %d", count + 1)
    if not count or count >= most:
        raise ValueError(f"{count + 1} is more than {most - 1}")
    taken.append(count)
    return min(count, most)
'''


def changes(text: str = TEXT) -> set[tuple[str, str, str]]:
    return {(change.operator, change.before, change.after) for change in source_changes(text)}


def test_places_that_are_not_visible_are_not_changed() -> None:
    lines = {change.line for change in source_changes(TEXT)}
    assert lines == {7, 14, 15, 16, 17}
    assert {change.before for change in source_changes(TEXT) if change.line == 15} == {
        'raise ValueError(f"{count + 1} is more than {most - 1}")'
    }


SKIPPED = """
class Counter:
    step = 1

def run(self):
    self.falls += 1
    self.counts["runs"] = 1 + 1
    self.note(1 + 1)
    self.kept, self.falls = 1, 2
    return self.held(2) or self.kept(3)
"""


def test_names_to_skip_are_not_changed() -> None:
    names = {"Counter", "falls", "counts", "note", "held"}
    assert {change.line for change in source_changes(SKIPPED)} == {3, 6, 7, 8, 9, 10}
    left = {(change.line, change.before) for change in source_changes(SKIPPED, names)}
    assert {line for line, _ in left} == {9, 10}
    assert (10, "3") in left
    assert (10, "2") not in left


@pytest.mark.parametrize(
    "expected",
    [
        ("constant", "3", "4"),
        ("comparison", "count >= most", "count > most"),
        ("and-or", "not count or count >= most", "not count and count >= most"),
        ("drop-condition", "not count or count >= most", "(not count)"),
        ("drop-not", "not count", "(count)"),
        ("negate", "not count or count >= most", "not (not count or count >= most)"),
        ("drop-statement", "taken.append(count)", "pass"),
        ("min-max", "min", "max"),
    ],
)
def test_each_operator_changes_one_place(expected: tuple[str, str, str]) -> None:
    assert expected in changes()


def test_each_change_compiles_and_differs_in_one_place() -> None:
    for change in source_changes(TEXT):
        compile(change.text, "x", "exec")
        assert change.text != TEXT
        assert change.text.count("\n") in (TEXT.count("\n"), TEXT.count("\n") + 1)


def test_other_operators_apply_to_their_statements() -> None:
    text = "def run(self):\n    self.a = f(x, y)\n    for i in s:\n        continue\n    self.b -= 2\n"
    found = changes(text)
    assert ("swap-arguments", "f(x, y)", "f(y, x)") in found
    assert ("continue-break", "continue", "break") in found
    assert ("arithmetic", "self.b -= 2", "self.b += 2") in found
    assert any(operator == "early-return" for operator, _, _ in found)


def test_only_equal_instructions_prove_an_equivalence() -> None:
    assert same_bytecode("a = 1 + 1\n", "a = 2\n")
    assert same_bytecode("if x: pass\n", "if (x): pass\n")
    assert not same_bytecode("a = x < 1\n", "a = x <= 1\n")
    assert not same_bytecode("def f():\n    return 1\n", "def f():\n    return 2\n")
    assert not same_bytecode("a = True\n", "a = 1\n")


def test_the_root_is_the_outermost_package(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    assert package_root(inner) == package_root(inner / "__init__.py") == inner.parent
