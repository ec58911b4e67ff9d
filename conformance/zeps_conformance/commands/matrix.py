"""``zeps-conform matrix``, and ``run`` and ``replay`` for implementations."""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from zeps_conformance.commands.common_options import (
    UsageError,
    add_cases,
    add_list,
    add_pages,
    add_path,
    add_retries,
    add_value,
    add_verbose,
    positive,
    progress,
    records_traffic,
    seconds,
    trend_of,
    write_baseline,
    write_page_folder,
    write_reports,
    writing_traffic,
)
from zeps_conformance.common.baseline import apply_baseline, load_baseline
from zeps_conformance.common.json_files import write_json
from zeps_conformance.common.kept_findings import KeptFinding, keep_findings, load_kept
from zeps_conformance.common.pool import DaemonPool
from zeps_conformance.common.results import CaseResult
from zeps_conformance.reports.grid import format_grid
from zeps_conformance.reports.terminal import format_case, format_run, format_wire
from zeps_conformance.reports.trend import format_trend
from zeps_conformance.runs.columns import Column, Effort, columns_of, run_alone, run_columns
from zeps_conformance.runs.matrix import (
    Matrix,
    excuse,
    keep,
    known_cases,
    load_baselines,
)
from zeps_conformance.sockets.adapter import is_implementation, load_implementation
from zeps_conformance.sockets.context import Settings

__all__ = ["add_matrix", "replay_folder", "replay_implementation", "run_implementation"]

TIMEOUT = Settings().timeout

DESCRIPTION = """\
Judge every implementation in each of its roles. Descriptions of brokers are skipped. A failed
case is repeated in adapter processes of its own; a failure that does not occur again is flaky.
"""


def add_matrix(commands: Any) -> None:
    """Adds the command ``matrix`` to the subparsers of zeps-conform."""
    parser = commands.add_parser(
        "matrix", help="judge several implementations side by side", description=DESCRIPTION
    )
    add_path(parser, "implementations", "descriptions of implementations", "TOML", nargs="+")
    add_list(parser, "--type", "TYPE", "only this type: PUB, XPUB, SUB, XSUB, PROXY or CLIENT")
    add_cases(parser)
    add_value(parser, "--jobs", positive, "number of adapters at a time (default: %(default)s)", 4)
    add_retries(parser, "findings")
    entries = (
        "folder of expected findings: a file with the name of each implementation's TOML, where one exists"
    )
    add_path(parser, "--baselines", entries, "FOLDER")
    add_path(
        parser,
        "--keep",
        "write a file for each finding, also expected ones, for zeps-conform replay",
        "FOLDER",
    )
    add_pages(parser)
    add_path(parser, "--html", argparse.SUPPRESS)
    add_path(parser, "--json", "write the complete result, as in matrix.schema.json")
    add_value(parser, "--timeout", seconds, argparse.SUPPRESS, TIMEOUT)
    add_value(parser, "--seed", int, argparse.SUPPRESS, 0)
    add_path(parser, "--model", argparse.SUPPRESS)
    add_verbose(parser)
    parser.set_defaults(command=_matrix)


def run_implementation(arguments: argparse.Namespace) -> int:
    """``zeps-conform run --implementation``: judges one column, writes reports and keeps findings. Returns 1 for an
    unexpected finding or an obsolete baseline entry, else 0. Raises UsageError if no case matches, or for several types
    without ``--type``.
    """
    implementation = load_implementation(arguments.implementation)
    if arguments.type is None and len(implementation.types) > 1:
        raise UsageError(f"--type is required, one of {', '.join(implementation.types)}")
    judged = arguments.type or implementation.types[0]
    columns = columns_of(implementation, [judged], arguments.case, arguments.model)
    _check_columns(columns, arguments.case)
    today = datetime.date.today()
    expected = [] if arguments.baseline is None else load_baseline(arguments.baseline, known_cases(), today)
    show = writing_traffic(arguments, progress(len(columns[0].cases), arguments.verbose))
    settings = replace(_settings(arguments), record=records_traffic(arguments))
    (result,) = run_columns(
        columns,
        settings,
        Effort(arguments.jobs or 4, arguments.retries),
        lambda column, case: show(case),
        {implementation.id: expected},
    )
    apply_baseline(result, expected, today)
    write_reports(result, arguments)
    print(format_run(result), end="")
    write_baseline(result, expected, arguments)
    if arguments.keep is not None:
        for path in keep_findings(result, result.unexcused, arguments.keep, settings.timeout):
            print(f"kept: {path}")
    return 0 if result.ok else 1


def replay_implementation(kept: KeptFinding, arguments: argparse.Namespace) -> int:
    """``zeps-conform replay`` of one finding: runs its case in a fresh process. Returns 1 for any finding, else 0."""
    (result,) = run_columns([_column_of(kept, arguments)], _settings_of(kept), Effort(1, 0))
    case = result.cases[0]
    print(f"{result.name}, {result.version}")
    print(format_case(case, result))
    print("\n".join(f"    {line}" for line in format_wire(case.wire)))
    print(f"\nkept verdict: {kept.verdict}, verdict now: {case.verdict.value}")
    return 1 if case.verdict.is_finding else 0


def replay_folder(folder: Path, arguments: argparse.Namespace) -> int:
    """``zeps-conform replay`` of all findings below a folder, in fresh processes. Returns 1 if a verdict differs from
    the kept one, else 0. Raises UsageError if the folder does not contain a finding, or contains one of a broker.
    """
    findings = [(path, load_kept(path)) for path in sorted(folder.rglob("*.json"))]
    if not findings:
        raise UsageError(f"{folder}: does not contain a kept finding")
    if brokers := [path for path, kept in findings if not kept.implementation]:
        raise UsageError(
            f"{brokers[0]}: is a finding of a broker; replay this file alone, with the broker's endpoint"
        )
    columns = [_column_of(kept, arguments) for _, kept in findings]
    show = progress(len(findings), verbose=False)

    def again(number: int) -> CaseResult:
        return run_alone(columns[number], columns[number].cases[0], _settings_of(findings[number][1]))

    results = []
    with DaemonPool(arguments.jobs) as pool:
        for result in pool.map(again, range(len(findings))):
            results.append(result)
            show(result)
    others = [
        f"{path}: kept verdict: {kept.verdict}, verdict now: {result.verdict.value}"
        for (path, kept), result in zip(findings, results, strict=True)
        if result.verdict.value != kept.verdict
    ]
    print(
        "\n".join(
            [
                *others,
                f"{len(findings)} findings: {len(findings) - len(others)} reproduced, {len(others)} not reproduced",
            ]
        )
    )
    return 1 if others else 0


def _column_of(kept: KeptFinding, arguments: argparse.Namespace) -> Column:
    """Returns the column of ``--implementation``, by default that of the finding, reduced to the kept case."""
    implementation = load_implementation(arguments.implementation or Path(kept.implementation))
    columns = columns_of(implementation, [kept.type], [kept.case], arguments.model)
    _check_columns(columns, [kept.case])
    return columns[0]


def _settings_of(kept: KeptFinding) -> Settings:
    return Settings(timeout=kept.timeout, seed=kept.seed)


def _matrix(arguments: argparse.Namespace) -> int:
    if arguments.html is not None:
        raise UsageError("--html: the matrix is a folder of pages: use --pages FOLDER")
    columns: list[Column] = []
    paths: dict[str, Path] = {}
    for path in filter(is_implementation, arguments.implementations):
        implementation = load_implementation(path)
        if (other := paths.setdefault(implementation.id, path)) is not path:
            raise UsageError(f"{path}: {other} has the same file name, which names the columns: rename one")
        types = [name for name in implementation.types if not arguments.type or name in arguments.type]
        if types:
            columns += columns_of(implementation, types, arguments.case, arguments.model)
    _check_columns(columns, arguments.case)
    implementations = {column.implementation.id for column in columns}
    today, folder = datetime.date.today(), arguments.baselines
    baselines = {} if folder is None else load_baselines(folder, implementations, today)
    total = sum(len(column.cases) for column in columns)
    print(f"{len(columns)} columns, {total} cells", file=sys.stderr)
    began = time.monotonic()
    show = progress(total, arguments.verbose)

    def settle(column: Column, case: CaseResult) -> None:
        if not case.verdict.is_finding:
            case.traffic = None
        show(replace(case, id=f"{column.implementation.id} {column.type} {case.id}"))

    settings = replace(_settings(arguments), record=arguments.keep is not None)
    runs = run_columns(columns, settings, Effort(arguments.jobs, arguments.retries), settle, baselines)
    excuse(runs, baselines, today)
    return _report(Matrix(runs, arguments.keep), arguments, time.monotonic() - began)


def _report(matrix: Matrix, arguments: argparse.Namespace, duration: float) -> int:
    if arguments.keep is not None:
        keep(matrix.runs, arguments.timeout, arguments.keep)
    if arguments.json is not None:
        write_json(arguments.json, matrix.to_json())
    trend = trend_of(matrix.runs, arguments)
    write_page_folder(
        matrix.runs, arguments, trend, lambda cell: matrix.kept_path(cell.column.run, cell.case)
    )
    print(format_grid(matrix), end="")
    if trend is not None:
        print(format_trend(trend), end="")
    print(f"took {duration:.0f} s")
    return 0 if matrix.ok else 1


def _check_columns(columns: Sequence[Column], patterns: Sequence[str]) -> None:
    if not columns:
        asked = f" that matches {', '.join(patterns)}" if patterns else ""
        raise UsageError(
            f"no implementation of such a type, or no case{asked}: see zeps-conform list --profile"
        )


def _settings(arguments: argparse.Namespace) -> Settings:
    return Settings(timeout=arguments.timeout or TIMEOUT, seed=arguments.seed)
