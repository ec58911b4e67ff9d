"""Catalogue of cases as Markdown, made from the registry, so that it cannot differ from the cases."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.common.case import Case, Needs, level_of, rules_of
from zeps_conformance.model.rulebook import Rulebook
from zeps_conformance.runs.profiles import Profile

__all__ = ["catalogue"]


def catalogue(profile: Profile, rulebook: Rulebook, cases: Sequence[Case]) -> str:
    """Lists `cases` in order, by section, with rules and steps; variants for several dialects form one entry."""
    lines = [
        f"# Cases of profile {profile.name}",
        "",
        f"{profile.title}. {len(cases)} cases. Printed by `zeps-conform list --markdown`; do not edit.",
    ]
    section = ""
    for variants in _together(cases):
        one = variants[0]
        if one.section != section:
            section = one.section
            lines += ["", f"## {section}"]
        needs = f" · needs {one.needs.value}" if one.needs is not Needs.NOTHING else ""
        types = f" · {', '.join(one.types)}" if one.types else ""
        level = level_of(rules_of(rulebook, one))
        ids = " ".join(f"`{each.id}`" for each in variants)
        lines += [
            "",
            f"### {one.base_title}",
            "",
            f"{ids} · {level} · {one.polarity.value}{needs}{types} · {', '.join(one.rules)}",
            "",
        ]
        lines += [f"{number}. {_plain(step)}" for number, step in enumerate(one.steps(), 1)]
    return "\n".join(lines) + "\n"


def _together(cases: Sequence[Case]) -> list[list[Case]]:
    """Groups adjacent `cases` that differ only in their dialect."""
    found: list[list[Case]] = []
    for one in cases:
        before = found[-1][0] if found else None
        if before is not None and one.dialect is not None and before.base_id == one.base_id:
            found[-1].append(one)
        else:
            found.append([one])
    return found


def _plain(text: str) -> str:
    """Escapes Markdown's markup in `text`."""
    for char in "\\`*_<>[]#|~":
        text = text.replace(char, f"\\{char}")
    return text
