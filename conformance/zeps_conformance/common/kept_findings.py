"""Findings in files that can be replayed: the case's id, the seed and the times, for an implementation also its
description's file and its type, for readers the wire log, with the first bytes of each frame in hexadecimal, and the
bytes of all connections if they were recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from zeps_conformance.common.document_values import check_keys, seconds_of, value_of
from zeps_conformance.common.json_files import read_json, write_json
from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.common.traffic import Traffic

__all__ = ["KeptFinding", "keep_findings", "load_kept", "traffic_of"]

FORMAT = "zeps-conform-failure/1"
#: Names of fields of KeptFinding in the file, if they differ.
_JSON_NAMES = {"implementation": "testee"}


@dataclass(frozen=True, slots=True)
class KeptFinding:
    """The part of a file that a replay needs, times in seconds. `case`: the id. `client_timeout`: None if it is not
    known. `implementation`: path of its description as given; `type`: the socket type; both are empty for a broker.
    """

    case: str
    profile: str
    seed: int
    timeout: float
    client_timeout: float | None
    verdict: str
    implementation: str = ""
    type: str = ""


def keep_findings(
    result: RunResult,
    cases: Iterable[CaseResult],
    folder: Path,
    timeout: float,
    client_timeout: float | None = None,
) -> list[Path]:
    """Writes ``CASE-ID.json`` for each of `cases`, replacing files, into `folder`, which is created if missing. The
    times, in seconds, are for the replay. Returns the paths. Raises OSError if writing fails.
    """
    return [_keep(case, result, folder, timeout, client_timeout) for case in cases]


def load_kept(path: Path) -> KeptFinding:
    """Loads the file at `path`. Raises ValueError, with a message for the user, if it is not a kept finding."""
    document, where = read_json(path), f"{path}: not a kept finding"
    if value_of(where, document, "format", str) != FORMAT:
        raise ValueError(f"{where}: unsupported format")
    run = value_of(where, document, "run", dict)
    check_keys(where, run, {_JSON_NAMES.get(field.name, field.name) for field in fields(KeptFinding)})
    return KeptFinding(
        case=value_of(where, run, "case", str),
        profile=value_of(where, run, "profile", str),
        seed=value_of(where, run, "seed", int),
        timeout=seconds_of(where, run, "timeout"),
        client_timeout=None
        if run.get("client_timeout") is None
        else seconds_of(where, run, "client_timeout"),
        verdict=value_of(where, run, "verdict", str),
        implementation=value_of(where, run, "testee", str, ""),
        type=value_of(where, run, "type", str, ""),
    )


def traffic_of(path: Path, document: object) -> Traffic | None:
    """Returns the traffic in the document of a kept finding, None if it was not recorded. Raises ValueError, with a
    message for the user, if the document at `path` is not a kept finding.
    """
    where = f"{path}: not a kept finding"
    if value_of(where, document, "format", str) != FORMAT:
        raise ValueError(f"{where}: unsupported format")
    if not isinstance(document, dict) or "traffic" not in document:
        return None
    return Traffic.from_json(str(path), value_of(where, document, "traffic", dict))


def _keep(
    case: CaseResult, result: RunResult, folder: Path, timeout: float, client_timeout: float | None
) -> Path:
    implementation = result.endpoint if result.implementation else ""
    run = KeptFinding(
        case.id,
        result.profile,
        result.seed,
        timeout,
        client_timeout,
        case.verdict.value,
        implementation,
        result.type,
    )
    path = folder / f"{case.id}.json"
    write_json(path, _document(case, result, run))
    return path


def _document(case: CaseResult, result: RunResult, run: KeptFinding) -> dict[str, object]:
    traffic = {} if case.traffic is None else {"traffic": case.traffic.to_json()}
    return {
        "format": FORMAT,
        "run": {_JSON_NAMES.get(key, key): value for key, value in asdict(run).items()},
        "target": result.name,
        "model_digest": result.model_digest,
        "rule": case.rule,
        "expected": case.expected,
        "seen": case.seen,
        "reason": case.reason,
        "output": case.output,
        "steps": [step.text for step in case.steps],
        "wire": [asdict(line) for line in case.wire],
        **traffic,
    }
