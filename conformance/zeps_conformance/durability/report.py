"""Reports of the durability profile: JSON, text, and the tables of docs/durability.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from zeps_conformance.common.document_values import value_of
from zeps_conformance.common.json_files import read_json
from zeps_conformance.durability.campaign import FaultResult, Plan
from zeps_conformance.durability.description import FAULTS, Mode, System

__all__ = ["FORMAT", "ModeResult", "as_json", "format_result", "format_table", "markdown"]

FORMAT = "zeps-conform-durability-1"
_COLUMNS = (
    *("confirmed", "lost", "announced", "unavailable", "withdrawn"),
    *("duplicated", "reordered", "corrupted", "refused"),
)


@dataclass(slots=True)
class ModeResult:
    """All results of one system in one mode."""

    system: System
    mode: Mode
    version: str
    faults: list[FaultResult] = field(default_factory=list)

    @property
    def breaches(self) -> list[str]:
        """What exceeds the promises, as texts that begin with the fault."""
        return [f"{result.fault}: {breach}" for result in self.faults for breach in result.breaches]


def as_json(results: Sequence[ModeResult], plan: Plan) -> dict[str, Any]:
    """Returns the document that ``--json`` writes."""
    return {
        "format": FORMAT,
        "plan": asdict(plan),
        "results": [
            {
                "system": result.system.name,
                "version": result.version,
                "released": result.system.year(result.version),
                "mode": result.mode.name,
                "settings": result.mode.settings,
                "faults": [{**asdict(fault), "breaches": fault.breaches} for fault in result.faults],
            }
            for result in results
        ],
    }


def format_result(result: ModeResult, fault: FaultResult) -> str:
    """Formats one fault's result as a line, with its examples if the promise was not kept."""
    counts = asdict(fault.counts)
    numbers = ", ".join(
        f"{counts[name]:,} {name}" for name in _COLUMNS if counts[name] or name in _COLUMNS[:2]
    )
    verdict = "kept" if not fault.breaches else "BROKEN"
    line = f"{result.system.name}, {result.mode.name}, {fault.fault}: promise {fault.promise} {verdict}: {numbers}"
    extra = [f"  {text}" for text in fault.examples[:8]] if fault.breaches else []
    return "\n".join([f"{line} ({fault.rounds} rounds, {fault.seconds:.0f} s)", *extra])


def format_table(results: Sequence[ModeResult]) -> str:
    """Formats the summary of a run."""
    broken = [
        f"{result.system.name}, {result.mode.name}, {text}" for result in results for text in result.breaches
    ]
    lines = [f"broken promise: {text}" for text in broken]
    return (
        "\n".join([*lines, f"{len(broken)} broken promises" if broken else "all promises were kept"]) + "\n"
    )


def markdown(paths: Sequence[Path]) -> str:
    """Formats files that ``--json`` wrote as Markdown tables, one for each fault. Raises ValueError, with a message for
    the user, for another file.
    """
    rows: dict[str, list[str]] = {fault: [] for fault in FAULTS}
    for path in paths:
        document, where = read_json(path), f"{path}: not a result of zeps-conform durability"
        if value_of(where, document, "format", str) != FORMAT:
            raise ValueError(f"{where}: format is not {FORMAT}")
        try:
            for result in document["results"]:
                for entry in result["faults"]:
                    rows[entry["fault"]].append(_row(result, entry))
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise ValueError(f"{where}: {type(error).__name__}: {error}") from error
    head = "| system | version, year | settings | promise | rounds | " + " | ".join(_COLUMNS) + " |"
    rule = "|---|---|---|---|---:|" + "---:|" * len(_COLUMNS)
    parts = []
    for fault, lines in rows.items():
        if lines:
            description = FAULTS[fault]
            title = [f"### {fault}", "", f"{description[0].upper()}{description[1:]}.", ""]
            parts.append("\n".join([*title, head, rule, *lines]))
    return "\n\n".join(parts) + "\n"


def _row(result: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    counts = entry["counts"]
    share = f" ({100 * counts['lost'] / counts['confirmed']:.1f}%)" if counts["lost"] else ""
    cells = [f"{counts[name]:,}" + (share if name == "lost" else "") for name in _COLUMNS]
    promise = entry["promise"] + (", **broken**" if entry["breaches"] else "")
    first = [result["system"], f"{result['version']}, {result['released']}", result["settings"], promise]
    return "| " + " | ".join([*first, str(entry["faults"]), *cells]) + " |"
