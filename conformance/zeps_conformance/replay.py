"""Failures kept as files, one each, that can be run again.

A file holds what decides how a case goes, its id, the seed and the times, and the whole wire log in
hexadecimal for a reader who has no broker at hand.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from zeps_conformance.options import Options
from zeps_conformance.results import CaseResult, RunResult

__all__ = ["Kept", "keep_failures", "load_kept"]

FORMAT = "zeps-conform-failure/1"


@dataclass(frozen=True, slots=True)
class Kept:
    """What a file holds that a further run needs. Times are in seconds."""

    case: str
    profile: str
    seed: int
    timeout: float
    client_timeout: float | None
    verdict: str


def keep_failures(result: RunResult, options: Options, folder: Path) -> list[Path]:
    """Write a file for every finding into `folder`, which is made if need be.

    OSError if that cannot be done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for case in result.findings:
        path = folder / f"{case.id}.json"
        path.write_text(json.dumps(_document(case, result, options), indent=1) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def load_kept(path: Path) -> Kept:
    """The file at `path`. ValueError, with a text for a user, if it is no such file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise ValueError("of another format")
        return Kept(**document["run"])
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: not a kept failure: {error}") from error


def _document(case: CaseResult, result: RunResult, options: Options) -> dict[str, object]:
    run = Kept(
        case.id, result.profile, result.seed, options.timeout, options.client_timeout, case.verdict.value
    )
    return {
        "format": FORMAT,
        "run": asdict(run),
        "target": result.target,
        "model_digest": result.model_digest,
        "rule": case.rule,
        "expected": case.expected,
        "seen": case.seen,
        "reason": case.reason,
        "steps": [step.text for step in case.steps],
        "wire": [asdict(line) for line in case.wire],
    }
