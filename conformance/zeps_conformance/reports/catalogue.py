"""Catalogue of cases as Markdown, made from the registry, so that it cannot differ from the cases."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.common.case import OMITTED, Case, Needs, level_of, rules_of
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
        case = variants[0]
        if case.section != section:
            section = case.section
            lines += ["", f"## {section}"]
        needs = f" · needs {case.needs.value}" if case.needs is not Needs.NOTHING else ""
        types = f" · {', '.join(case.types)}" if case.types else ""
        level = level_of(rules_of(rulebook, case))
        ids = " ".join(f"`{variant.id}`" for variant in variants)
        lines += [
            "",
            f"### {case.base_title}",
            "",
            f"{ids} · {level} · {case.polarity.value}{needs}{types} · {', '.join(case.rules)}",
            "",
        ]
        lines += [f"{number}. {_plain(step)}" for number, step in enumerate(case.steps(), 1)]
    omitted = {name: reason for name, reason in OMITTED.items() if name.split(".")[0] == profile.name}
    if omitted:
        lines += ["", "## Parts of the model without a derived case", ""]
        lines += [f"- `{name}`: {_plain(reason)}" for name, reason in omitted.items()]
    return "\n".join(lines) + "\n"


def _together(cases: Sequence[Case]) -> list[list[Case]]:
    """Groups adjacent `cases` that differ only in their dialect."""
    groups: list[list[Case]] = []
    for case in cases:
        before = groups[-1][0] if groups else None
        if before is not None and case.dialect is not None and before.base_id == case.base_id:
            groups[-1].append(case)
        else:
            groups.append([case])
    return groups


def _plain(text: str) -> str:
    """Escapes Markdown's markup in `text`."""
    for char in "\\`*_<>[]#|~":
        text = text.replace(char, f"\\{char}")
    return text
