"""The catalogue of cases as Markdown, made from the registry, so that it cannot say what the cases do not do."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.case import Case, Needs, level_of, rules_of
from zeps_conformance.model import Model
from zeps_conformance.profiles import Profile

__all__ = ["catalogue"]


def catalogue(profile: Profile, model: Model, cases: Sequence[Case]) -> str:
    """`cases` by section, each with its rules and its steps."""
    lines = [
        f"# Cases of profile {profile.name}",
        "",
        f"{profile.title}. {len(cases)} cases. Printed by `zeps-conform list --markdown`; do not edit.",
    ]
    section = ""
    for one in cases:
        if one.section != section:
            section = one.section
            lines += ["", f"## {section}"]
        needs = f" · needs {one.needs.value}" if one.needs is not Needs.NOTHING else ""
        level = level_of(rules_of(model, one))
        lines += [
            "",
            f"### {one.title}",
            "",
            f"`{one.id}` · {level} · {one.polarity.value}{needs} · {', '.join(one.rules)}",
            "",
        ]
        lines += [f"{number}. {_plain(step)}" for number, step in enumerate(one.steps(), 1)]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """`text` with what Markdown would read as markup escaped."""
    for char in "\\`*_<>[]#|~":
        text = text.replace(char, f"\\{char}")
    return text
