"""Profiles: which cases belong together, and what they judge.

A further profile is one more entry here and one more package of cases, whose ids begin with the profile's
name.
"""

from __future__ import annotations

import fnmatch
import importlib
from collections.abc import Sequence
from dataclasses import dataclass

from zeps_conformance.case import REGISTRY, Case

__all__ = ["PROFILES", "Profile"]


@dataclass(frozen=True, slots=True)
class Profile:
    """`role` is whom the cases judge: only the rules that bind it are theirs.

    `protocol` is the model's name.
    """

    name: str
    title: str
    protocol: str
    role: str
    package: str

    def cases(self, patterns: Sequence[str] = ()) -> list[Case]:
        """The profile's cases, in order of file and line; those whose ids match one of `patterns`, if any are
        given.

        A pattern is a glob over the whole id, or over what follows the profile's name. ValueError if one
        matches nothing.
        """
        importlib.import_module(self.package)
        mine = [one for one in REGISTRY.values() if one.profile == self.name]
        if not patterns:
            return mine
        chosen: dict[str, Case] = {}
        for pattern in patterns:
            hits = [
                one
                for one in mine
                if fnmatch.fnmatchcase(one.id, pattern)
                or fnmatch.fnmatchcase(one.id, f"{self.name}.{pattern}")
            ]
            if not hits:
                raise ValueError(f"no case of profile {self.name} matches {pattern!r}: see zeps-conform list")
            chosen.update((one.id, one) for one in hits)
        return [one for one in mine if one.id in chosen]


PROFILES = {
    "zeps1": Profile("zeps1", "ZEPS version 1, a broker", "zeps", "server", "zeps_conformance.cases"),
}
