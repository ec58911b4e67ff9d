"""The result of a campaign: fates, score, survivors, and what the cases reach and discriminate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from zeps_conformance.mutants.campaign import Fate, Judged
from zeps_conformance.mutants.machine_mutants import row_text

__all__ = ["Reach", "Tally", "format_tally", "score_of"]

FORMAT = "zeps-conform-mutants/1"


@dataclass(frozen=True, slots=True)
class Reach:
    """A rule or a row of a machine. `reached`: a case checks the rule, or takes the row, in the unchanged
    implementation. `discriminated`: a case kills a mutant under this rule, or a mutant of this row.
    """

    name: str
    reached: bool
    discriminated: bool


@dataclass(frozen=True)
class Tally:
    """The result of a campaign. `chosen`: number of selected mutants; `rows` is empty without machine mutants."""

    judged: Sequence[Judged]
    chosen: int
    seed: int
    rules: Sequence[Reach]
    rows: Sequence[Reach]
    excluded: Mapping[str, Sequence[str]]

    @property
    def score(self) -> float:
        return score_of(self.judged)

    @property
    def survivors(self) -> list[Judged]:
        return [judged for judged in self.judged if judged.fate == Fate.SURVIVED]

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "seed": self.seed,
            "chosen": self.chosen,
            "score": round(self.score, 4),
            "fates": dict(Counter(judged.fate for judged in self.judged)),
            "excluded_cases": {name: list(cases) for name, cases in self.excluded.items()},
            "rules": [asdict(rule) for rule in self.rules],
            "rows": [asdict(row) for row in self.rows],
            "mutants": [asdict(judged) for judged in self.judged],
        }


def score_of(judged: Iterable[Judged]) -> float:
    """Returns killed mutants over killed and surviving ones; 1 without either."""
    fates = Counter(entry.fate for entry in judged)
    counted = fates[Fate.KILLED] + fates[Fate.SURVIVED]
    return fates[Fate.KILLED] / counted if counted else 1.0


def rules_reached(cases: Mapping[str, Sequence[str]], judged: Iterable[Judged]) -> list[Reach]:
    """Returns the rules of `cases`, rules by id of the case, and whether a kill names them."""
    named = {kill.rule for entry in judged for kill in entry.kills}
    rules = dict.fromkeys(rule for rules in cases.values() for rule in rules)
    return [Reach(rule, True, rule in named) for rule in rules]


def rows_reached(machine: Mapping[str, Any], taken: set[int], judged: Iterable[Judged]) -> list[Reach]:
    """Returns the rows of a machine; `taken`: numbers of those that the cases take in the unchanged broker."""
    killed = {entry.row for entry in judged if entry.fate == Fate.KILLED and entry.family == "machine"}
    return [
        Reach(f"{row['state']} {row['event']}: {row_text(row)}", number in taken, number in killed)
        for number, row in enumerate(machine["transitions"])
    ]


def format_tally(tally: Tally) -> str:
    """Formats the result for the terminal."""
    lines = [f"{'family':<10}" + "".join(f"{fate:>12}" for fate in Fate.ALL) + f"{'score':>8}"]
    families = dict.fromkeys(judged.family for judged in tally.judged)
    for family in (*families, "all"):
        mine = [judged for judged in tally.judged if family in (judged.family, "all")]
        fates = Counter(judged.fate for judged in mine)
        lines.append(
            f"{family:<10}" + "".join(f"{fates[fate]:>12}" for fate in Fate.ALL) + f"{score_of(mine):>8.1%}"
        )
    for name, cases in tally.excluded.items():
        if cases:
            lines.append(
                f"\nnot used, because {name} without a change does not pass them: {', '.join(cases)}"
            )
    for title, fate in (
        ("survivors", Fate.SURVIVED),
        ("stillborn", Fate.STILLBORN),
        ("crashed", Fate.CRASHED),
    ):
        mine = [judged for judged in tally.judged if judged.fate == fate]
        if mine:
            lines += ["", f"{title}:"]
            for judged in mine:
                lines.append(f"  {judged.id}\n    {judged.place}: {judged.before}  →  {judged.after}")
                if judged.reason and fate == Fate.SURVIVED:
                    lines.append(f"    {judged.reason}")
    for title, entries in (("rules", tally.rules), ("rows of the machine", tally.rows)):
        if entries:
            reached = [entry for entry in entries if entry.reached]
            missed = [entry.name for entry in entries if not entry.reached]
            blind = [entry.name for entry in reached if not entry.discriminated]
            lines += [
                "",
                f"{title}: {len(entries)}, {len(reached)} reached, {len(reached) - len(blind)} discriminated",
            ]
            for what, names in (("not reached", missed), ("reached, no mutant killed", blind)):
                if names:
                    lines.append(f"  {what}:")
                    lines += [f"    {name}" for name in names]
    by_exit = sum(any(kill.exited for kill in judged.kills) for judged in tally.judged)
    rest = tally.chosen - len(tally.judged)
    judged_text = f"{len(tally.judged)} of {tally.chosen} mutants judged"
    rest_text = f", {rest} not begun in time" if rest else ""
    by_text = f"{by_exit} of the killed exited during the case"
    lines += ["", f"{judged_text}{rest_text}; {by_text}; score {tally.score:.1%}"]
    return "\n".join(lines) + "\n"
