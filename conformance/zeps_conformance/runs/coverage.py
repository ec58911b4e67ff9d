"""Coverage of rules by cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zeps_conformance.common.case import Case
from zeps_conformance.model.definitions import Rule
from zeps_conformance.model.rulebook import Rulebook
from zeps_conformance.runs.profiles import Profile

__all__ = ["Coverage", "cover"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """All rules as `rows`, with the ids of their cases. Without cases: `lacking` (should have one), `hidden` (not
    observable), `elsewhere` (for another role or context). `unknown`: ids in cases that the model lacks, sorted.
    """

    rows: tuple[tuple[Rule, tuple[str, ...]], ...]
    lacking: tuple[Rule, ...]
    hidden: tuple[Rule, ...]
    elsewhere: tuple[Rule, ...]
    unknown: tuple[str, ...]


def cover(profile: Profile, rulebook: Rulebook, cases: Sequence[Case]) -> Coverage:
    """Compares the rules of `rulebook` with `cases`."""
    rows = tuple(
        (rule, tuple(case.id for case in cases if rule.id in case.rules)) for rule in rulebook.all_rules()
    )
    bare = [rule for rule, ids in rows if not ids]
    roles = (profile.role, "any") if profile.role else ()
    mine = [rule for rule in bare if rule.role in roles and rule.id not in profile.beside]
    known = {rule.id for rule, _ in rows}
    return Coverage(
        rows=rows,
        lacking=tuple(rule for rule in mine if rule.observable),
        hidden=tuple(rule for rule in mine if not rule.observable),
        elsewhere=tuple(rule for rule in bare if rule not in mine),
        unknown=tuple(sorted({rule for case in cases for rule in case.rules} - known)),
    )
