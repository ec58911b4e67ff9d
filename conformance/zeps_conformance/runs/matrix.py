"""The matrix as one document: the runs of all columns, their baselines, and the files of their findings."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zeps_conformance.common.baseline import Expected, apply_baseline, load_baseline
from zeps_conformance.common.document_values import tables_of, value_of
from zeps_conformance.common.json_files import read_json
from zeps_conformance.common.kept_findings import keep_findings
from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.runs.profiles import PROFILES

__all__ = [
    "FORMAT",
    "Matrix",
    "excuse",
    "keep",
    "known_cases",
    "load_baselines",
    "load_runs",
]

FORMAT = "zeps-conform-matrix/1"


@dataclass(frozen=True, slots=True)
class Matrix:
    """The runs of all columns, in order. `kept` is the folder of the kept findings; None if they are not kept."""

    runs: Sequence[RunResult]
    kept: Path | None = None

    @property
    def ok(self) -> bool:
        """Whether the command exits with 0."""
        return all(run.ok for run in self.runs)

    def kept_path(self, run: RunResult, case: CaseResult) -> Path | None:
        """Returns the path of the file that :func:`keep` writes for a finding; None for another case."""
        if self.kept is None or not case.verdict.is_finding:
            return None
        return self.kept / _column(run) / f"{case.id}.json"

    @property
    def profiles(self) -> list[str]:
        """The names of the columns' profiles, in the order of `PROFILES`."""
        mine = {run.profile for run in self.runs}
        return [name for name in PROFILES if name in mine]

    def columns(self, profile: str) -> list[RunResult]:
        """Returns the runs of the profile with that name."""
        return [run for run in self.runs if run.profile == profile]

    def to_json(self) -> dict[str, Any]:
        """Returns the matrix as JSON values in the format of ``matrix.schema.json``."""
        return {"format": FORMAT, "ok": self.ok, "runs": [run.to_json() for run in self.runs]}

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Matrix:
        """Parses the result of :meth:`to_json`; `kept` is None. Raises ValueError for another or incomplete format."""
        where = f"not a matrix of format {FORMAT}"
        if value_of(where, document, "format", str) != FORMAT:
            raise ValueError(where)
        return Matrix([RunResult.from_json(run) for run in tables_of(where, document, "runs")])


def load_runs(path: Path) -> list[RunResult]:
    """Loads the runs of a report or matrix that ``--json`` wrote. Raises ValueError, with a message for the user, if
    the file is unreadable or is neither.
    """
    document = read_json(path)
    try:
        if isinstance(document, Mapping) and document.get("format") == FORMAT:
            return list(Matrix.from_json(document).runs)
        return [RunResult.from_json(document)]
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def known_cases() -> set[str]:
    """Returns the ids of all cases that judge implementations."""
    return {case.id for profile in PROFILES.values() if profile.judges_sockets for case in profile.cases()}


def load_baselines(
    folder: Path, implementations: Iterable[str], today: datetime.date
) -> dict[str, list[Expected]]:
    """Loads the files ``ID.toml`` of `implementations` that exist. Raises ValueError for the user for invalid ones."""
    paths = {implementation: folder / f"{implementation}.toml" for implementation in implementations}
    return {
        implementation: load_baseline(path, known_cases(), today)
        for implementation, path in paths.items()
        if path.exists()
    }


def excuse(runs: Sequence[RunResult], baselines: Mapping[str, list[Expected]], today: datetime.date) -> None:
    """Applies the baseline of its implementation, if one exists, to each of `runs`, which are modified."""
    for run in runs:
        if run.implementation in baselines:
            apply_baseline(run, baselines[run.implementation], today)


def keep(runs: Sequence[RunResult], timeout: float, folder: Path) -> int:
    """Writes every finding, also expected ones, into one folder for each column below `folder`; `timeout` is in
    seconds. Returns the number of files. Raises OSError if writing fails.
    """
    return sum(len(keep_findings(run, run.unexcused, folder / _column(run), timeout)) for run in runs)


def _column(run: RunResult) -> str:
    return f"{run.implementation}-{run.type.lower()}"
