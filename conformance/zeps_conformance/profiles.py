"""Profiles: which cases belong together, and what they judge.

A further profile is one more entry here and one more package of cases, whose ids begin with the profile's name.
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
    """Cases that belong together.

    `role` is whom they judge: only the rules that bind it are theirs. `protocol` is the model's name. `sections` are
    the modules of `package` that hold the cases, in the order in which the cases are listed.
    """

    name: str
    title: str
    protocol: str
    role: str
    package: str
    sections: tuple[str, ...]

    def cases(self, patterns: Sequence[str] = ()) -> list[Case]:
        """The profile's cases by section; if `patterns` are given, those whose ids match one of them.

        A pattern is a glob over the whole id, or over what follows the profile's name. ValueError if one matches
        nothing.
        """
        for section in self.sections:
            importlib.import_module(f"{self.package}.{section}")
        mine = [one for one in REGISTRY.values() if one.profile == self.name]
        mine.sort(key=lambda one: self.sections.index(one.section))
        for pattern in patterns:
            if not any(self._fits(one, pattern) for one in mine):
                raise ValueError(f"no case of profile {self.name} matches {pattern!r}: see zeps-conform list")
        return [one for one in mine if not patterns or any(self._fits(one, pattern) for pattern in patterns)]

    def _fits(self, one: Case, pattern: str) -> bool:
        return fnmatch.fnmatchcase(one.id, pattern) or fnmatch.fnmatchcase(one.id, f"{self.name}.{pattern}")


PROFILES = {
    "zeps1": Profile(
        name="zeps1",
        title="ZEPS version 1, a broker",
        protocol="zeps",
        role="server",
        package="zeps_conformance.cases",
        sections=(
            "opening",
            "sessions",
            "streams",
            "framing",
            "text",
            "chunk",
            "subscribe",
            "credit",
            "publish",
            "deliver",
            "sequence",
            "gears",
            "heartbeat",
            "closing",
            "invalid",
            "restart",
        ),
    ),
}
