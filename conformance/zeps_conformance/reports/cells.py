"""Columns and cells of several runs, with ids that stay the same when another run or case is added."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from zeps_conformance.common.results import CaseResult, RunResult

__all__ = ["Cell", "RunColumn", "columns_of_runs", "reproduction"]

#: The command that judges a capture, which has no cases to select.
CHECK = "zeps-conform check "


@dataclass(frozen=True, slots=True)
class RunColumn:
    """One run beside others. `id`: its implementation and role, for file names; the same in each matrix."""

    id: str
    run: RunResult

    @property
    def implementation(self) -> str:
        """The id of the implementation, or for a broker that of its name."""
        return self.run.implementation or _slug(self.run.name)

    @property
    def role(self) -> str:
        """The socket type, or for a broker the profile."""
        return self.run.type or self.run.profile

    @property
    def cells(self) -> list[Cell]:
        return [Cell(self, case) for case in self.run.cases]


@dataclass(frozen=True, slots=True)
class Cell:
    """One case of one column."""

    column: RunColumn
    case: CaseResult


def columns_of_runs(runs: Sequence[RunResult]) -> list[RunColumn]:
    """Returns a column for each of `runs`, in their order. If runs have the same name and role, a number follows."""
    columns: list[RunColumn] = []
    taken: set[str] = set()
    for run in runs:
        column = RunColumn("", run)
        name = _slug(f"{column.implementation}-{column.role}")
        number = 1
        while (column_id := name if number == 1 else f"{name}-{number}") in taken:
            number += 1
        taken.add(column_id)
        columns.append(RunColumn(column_id, run))
    return columns


def reproduction(run: RunResult, case_id: str) -> str:
    """Returns the command that runs one case of `run` again, or judges the whole capture."""
    if run.command.startswith(CHECK):
        return run.command
    return f"{run.command or _command(run)} --case {case_id}"


def _command(run: RunResult) -> str:
    """The command of a run that does not name it, from an earlier version."""
    words = ["zeps-conform", "run"]
    if run.implementation:
        words += ["--implementation", run.endpoint, "--type", run.type]
    else:
        words += [run.endpoint, "--profile", run.profile]
    return shlex.join([*words, "--seed", str(run.seed)] if run.seed else words)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "run"
