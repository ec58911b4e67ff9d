"""Equivalence of sources by a program that observes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_conformance.broker.process import BrokerDescription
from zeps_conformance.mutants.observation import observed_alike
from zeps_conformance.mutants.targets import SourceTarget

MODULE = """
def rest(count):
    kept = 7
    return count % 4 if count < 100 else 0
"""
PROGRAM = """
from watched.remains import rest
print([rest(count) for count in range(50)])
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package and the program `remains.py` that observes its module of that name."""
    root = tmp_path / "sources"
    (root / "watched").mkdir(parents=True)
    (root / "watched" / "__init__.py").touch()
    (root / "watched" / "remains.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "remains.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(root))
    return tmp_path


@pytest.mark.slow
def test_only_changes_that_the_program_does_not_see_are_equivalent(package: Path) -> None:
    source, program = package / "sources" / "watched" / "remains.py", package / "remains.py"
    target = SourceTarget(BrokerDescription("none", ("false",), ""), [source], observers=[program])
    proofs = {(mutant.before, mutant.after): mutant.proof() for mutant in target.mutants("source")}
    assert proofs["7", "8"] == "the same for all inputs of remains.py"
    assert proofs["4", "5"] == ""
    assert proofs["count < 100", "count <= 100"] != ""  # beyond the program's bounds
    assert proofs["count < 100", "count >= 100"] == ""
    without = SourceTarget(target.original, [source])
    assert {mutant.proof() for mutant in without.mutants("source")} == {""}


@pytest.mark.slow
def test_a_program_that_fails_with_a_change_sees_it_and_without_one_is_an_error(package: Path) -> None:
    program, changed = package / "remains.py", package / "changed"
    (changed / "watched").mkdir(parents=True)
    (changed / "watched" / "__init__.py").touch()
    (changed / "watched" / "remains.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    assert not observed_alike(program, changed)
    broken = package / "broken.py"
    broken.write_text("raise ValueError\n", encoding="utf-8")
    with pytest.raises(ValueError, match="fails without a change"):
        observed_alike(broken, changed)
