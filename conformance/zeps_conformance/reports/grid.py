"""The matrix for a terminal: cases down by section, columns across, one letter for each cell."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence

from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.common.verdicts import PEACEFUL, Verdict
from zeps_conformance.reports.terminal import wrapped
from zeps_conformance.runs.matrix import Matrix

__all__ = ["LETTERS", "format_grid"]

LETTERS = {
    Verdict.PASS: ".",
    Verdict.OBSERVED: "o",
    Verdict.UNSUPPORTED: "-",
    Verdict.WARN: "w",
    Verdict.DEVIATION: "D",
    Verdict.FLAKY: "~",
    Verdict.BLOCKED: "b",
    Verdict.INCONCLUSIVE: "?",
    Verdict.FAIL: "F",
}
NAMES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def format_grid(matrix: Matrix) -> str:
    """Formats a table for each profile, the findings, each with its column and case on one line, and the totals."""
    blocks = [_table(name, matrix.columns(name)) for name in matrix.profiles]
    blocks += ["\n".join(lines) for run in matrix.runs if (lines := _findings(matrix, run))]
    blocks.append(_sums(matrix))
    return "\n\n".join(blocks) + "\n"


def _table(profile: str, runs: Sequence[RunResult]) -> str:
    lines = [profile]
    lines += [f"  {letter}  {run.name} ({run.version})" for letter, run in zip(NAMES, runs, strict=False)]
    rows: dict[str, dict[int, CaseResult]] = {}
    for index, run in enumerate(runs):
        for case in run.cases:
            rows.setdefault(case.id, {})[index] = case
    width = max(len(case_id) for case_id in rows) - len(profile)
    lines.append(" " * (width + 4) + " ".join(NAMES[: len(runs)]))
    section = ""
    longest = max(runs, key=lambda run: len(run.cases))  # its order is that of sections and cases
    sections = list(dict.fromkeys(case.section for run in (longest, *runs) for case in run.cases))
    ids = [case.id for case in longest.cases]
    order = {case_id: ids.index(case_id) if case_id in ids else len(ids) for case_id in rows}
    for case_id, cells in sorted(
        rows.items(), key=lambda row: (sections.index(row[0].split(".")[1]), order[row[0]])
    ):
        _, here, subject = case_id.split(".", 2)
        if here != section:
            section = here
            lines.append(f"  {section}")
        letters = (_letter(cells.get(index)) for index in range(len(runs)))
        lines.append(f"    {subject:<{width}}" + " ".join(letters))
    legend = ", ".join(f"{letter} {verdict.value}" for verdict, letter in LETTERS.items())
    return "\n".join([*lines, f"  {legend}; d and f: a baseline expects it"])


def _letter(case: CaseResult | None) -> str:
    if case is None:
        return " "
    letter = LETTERS[case.verdict]
    return letter.lower() if case.baseline == "expected" else letter


def _findings(matrix: Matrix, run: RunResult) -> list[str]:
    lines = []
    for case in run.findings:
        lines.append(f"{case.verdict.value.upper():<12} {run.name}: {case.id}")
        explanation = f"expected {case.expected}; seen {case.seen}" if case.expected else case.reason
        lines += wrapped("    ", f"{case.rule or case.rules[0]}: {case.baseline or explanation}")
        if (path := matrix.kept_path(run, case)) is not None:
            lines.append(f"    {shlex.join(['zeps-conform', 'replay', str(path)])}")
    return lines


def _sums(matrix: Matrix) -> str:
    counts = Counter(case.verdict for run in matrix.runs for case in run.cases)
    summary = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    findings = sum(len(run.findings) for run in matrix.runs)
    once = sum(
        len(case.attempts) > 1 and case.verdict in PEACEFUL for run in matrix.runs for case in run.cases
    )
    seen_once = f" · {once} not reproduced" if once else ""
    end = "no findings" if matrix.ok else f"{findings} finding{'s' if findings != 1 else ''}"
    return f"{len(matrix.runs)} columns, {sum(counts.values())} cells: {summary}{seen_once} · {end}"
