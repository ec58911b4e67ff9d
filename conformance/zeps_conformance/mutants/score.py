"""Mutation score: runs cases against each mutant, and names the survivors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from zeps_conformance.broker.options import Options
from zeps_conformance.common.case import Case
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.definitions import Model
from zeps_conformance.runs.profiles import Profile
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint

__all__ = ["Broker", "Score", "measure"]

NOTICED = (Verdict.FAIL, Verdict.WARN)


class Broker(Protocol):
    """A running broker."""

    endpoint: str


@dataclass(frozen=True, slots=True)
class Score:
    """Result. `killers` are, for each mutant, the ids of the cases that fail or warn; a survivor has none."""

    killers: Mapping[str, tuple[str, ...]]

    @property
    def survivors(self) -> tuple[str, ...]:
        return tuple(name for name, cases in self.killers.items() if not cases)

    @property
    def share(self) -> float:
        """Killed mutants over all mutants, 0 to 1; 1 without mutants."""
        return 1 - len(self.survivors) / len(self.killers) if self.killers else 1.0

    def __str__(self) -> str:
        killed = len(self.killers) - len(self.survivors)
        named = f"; survivors: {', '.join(self.survivors)}" if self.survivors else ""
        return f"{killed} of {len(self.killers)} mutants killed ({self.share:.0%}){named}"


def measure(
    mutants: Mapping[str, Callable[[], AbstractContextManager[Broker]]],
    profile: Profile,
    model: Model,
    cases: Callable[[str], Sequence[Case]],
    options: Options,
    jobs: int = 8,
) -> Score:
    """Runs ``cases(name)`` once against each mutant, `jobs` at a time, with `options` except endpoint and nonce."""
    killers = {}
    for name, make in mutants.items():
        with make() as broker:
            mine = replace(options, endpoint=parse_endpoint(broker.endpoint), nonce=fresh_nonce())
            result = run(profile, model, mine, cases(name), Plan(jobs=jobs, retries=0, name=name))
        killers[name] = tuple(case.id for case in result.cases if case.verdict in NOTICED)
    return Score(killers)
