"""The matrix as one document: the runs of all columns, and which of their cells need attention."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zeps_conformance.common.baseline import Expected, apply_baseline, load_baseline
from zeps_conformance.common.kept_findings import keep_findings
from zeps_conformance.common.results import RunResult
from zeps_conformance.runs.profiles import PROFILES

__all__ = ["FORMAT", "Matrix", "excuse", "keep", "kept_path", "known_cases", "load_baselines"]

FORMAT = "zeps-conform-matrix/1"


@dataclass(frozen=True, slots=True)
class Matrix:
    """`runs` are the columns, in order. `kept` is the folder that their findings are kept in, if they are."""

    runs: Sequence[RunResult]
    kept: Path | None = None

    @property
    def ok(self) -> bool:
        """Whether the command exits 0."""
        return all(run.ok for run in self.runs)

    @property
    def profiles(self) -> list[str]:
        """The profiles that the columns belong to, in the order of the registry."""
        mine = {run.profile for run in self.runs}
        return [name for name in PROFILES if name in mine]

    def columns(self, profile: str) -> list[RunResult]:
        """The columns of one profile."""
        return [run for run in self.runs if run.profile == profile]

    def to_json(self) -> dict[str, Any]:
        """The matrix as JSON values, after ``matrix.schema.json``."""
        return {"format": FORMAT, "ok": self.ok, "runs": [run.to_json() for run in self.runs]}

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Matrix:
        """What :meth:`to_json` made. ValueError if `document` is of another format."""
        if document.get("format") != FORMAT:
            raise ValueError(f"not a matrix of format {FORMAT}")
        return Matrix([RunResult.from_json(run) for run in document["runs"]])


def known_cases() -> set[str]:
    """The ids of all cases that judge implementations."""
    return {one.id for profile in PROFILES.values() if profile.judges_sockets for one in profile.cases()}


def load_baselines(folder: Path, implementations: Iterable[str]) -> dict[str, list[Expected]]:
    """The baseline in `folder` of each of `implementations` that has one. ValueError if that is none."""
    paths = {one: folder / f"{one}.toml" for one in implementations}
    return {one: load_baseline(path, known_cases()) for one, path in paths.items() if path.exists()}


def excuse(runs: Sequence[RunResult], baselines: Mapping[str, list[Expected]], today: datetime.date) -> None:
    """Apply to each of `runs` its implementation's baseline, if it has one."""
    for run in runs:
        if run.implementation in baselines:
            apply_baseline(run, baselines[run.implementation], today)


def keep(runs: Sequence[RunResult], timeout: float, folder: Path) -> int:
    """Write a file for every finding into `folder`, one folder in it for each column. How many there are."""
    return sum(len(keep_findings(run, run.unexcused, folder / _column(run), timeout)) for run in runs)


def kept_path(folder: Path, run: RunResult, case_id: str) -> Path:
    """Where :func:`keep` puts a finding."""
    return folder / _column(run) / f"{case_id}.json"


def _column(run: RunResult) -> str:
    return f"{run.implementation}-{run.type.lower()}"
