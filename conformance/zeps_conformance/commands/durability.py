"""``zeps-conform durability``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from zeps_conformance.commands.common_options import (
    UsageError,
    add_list,
    add_path,
    add_value,
    positive,
    seconds,
    status_line,
)
from zeps_conformance.common.json_files import write_json
from zeps_conformance.durability.campaign import Plan, profile
from zeps_conformance.durability.description import FAULTS, Mode, System, load_system
from zeps_conformance.durability.report import ModeResult, as_json, format_result, format_table, markdown

__all__ = ["add_durability"]

EPILOG = """\
faults:
{faults}

exit codes: 0 every promise was kept, 1 a promise was broken: messages are lost beyond it, unavailable, withdrawn,
duplicated, reordered or corrupted, or no message was confirmed, 2 usage error or missing tool, 130 interrupted

The broker's files are on a file system in memory that knows what was synced. It needs FUSE 3, a C compiler and the
right to mount: as root, apt-get install gcc pkg-config fuse3 libfuse3-dev.

examples:
  zeps-conform durability --start conformance/durability/zeps.toml --fault power-cut --rounds 20
  zeps-conform durability --all --json benchmarks/results/durability.json
  zeps-conform durability --table benchmarks/results/durability.json
"""


def add_durability(commands: Any) -> None:
    """Adds the command ``durability`` to the subparsers of zeps-conform."""
    parser = commands.add_parser(
        "durability",
        help="measure what a broker confirms and loses",
        description="Run brokers under a publishing load on a file system with faults, restart them, and compare what "
        "they deliver with what they confirmed.",
        epilog=EPILOG.format(faults="\n".join(f"  {name:<13} {text}" for name, text in FAULTS.items())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    add_path(source, "--start", "profile the system that this file describes", "SYSTEM.toml")
    source.add_argument("--all", action="store_true", help="profile all systems of --systems")
    tables = "print the tables of runs, as Markdown, from the files that --json wrote"
    add_path(source, "--table", tables, "JSON", nargs="+")
    systems = "with --all: folder of the descriptions (default: %(default)s in the current folder)"
    add_path(parser, "--systems", systems, "FOLDER", default=Path("conformance/durability"))
    add_list(parser, "--fault", "FAULT", "only this fault (default: all)")
    add_list(parser, "--mode", "MODE", "only this mode of the system (default: all)")
    add_value(
        parser, "--rounds", positive, "rounds of each fault, each with new files (default: %(default)s)", 5
    )
    add_value(
        parser, "--faults-per-round", positive, "faults in turn on the same files (default: %(default)s)", 2
    )
    add_value(
        parser, "--time", seconds, "usual maximum seconds of load before a fault (default: %(default)g)", 2.0
    )
    add_value(parser, "--pause", seconds, "seconds of fault pause (default: %(default)g)", 5.0)
    add_value(parser, "--publishers", positive, "number of publishers at a time (default: %(default)s)", 2)
    add_value(parser, "--seed", int, "seed of messages and faults (default: %(default)s)", 0)
    add_path(parser, "--json", "write the result as JSON")
    parser.set_defaults(command=durability)


def durability(arguments: argparse.Namespace) -> int:
    """Profiles systems, or prints a table. Returns 1 if a promise was broken, else 0."""
    if arguments.table is not None:
        print(markdown(arguments.table), end="")
        return 0
    faults = arguments.fault or list(FAULTS)
    if unknown := set(faults) - set(FAULTS):
        raise UsageError(f"unknown fault {min(unknown)}; known: {', '.join(FAULTS)}")
    chosen = _chosen(arguments)
    versions = {system.name: system.version() for system, _ in chosen}
    plan = Plan(
        rounds=arguments.rounds,
        seed=arguments.seed,
        seconds=arguments.time,
        publishers=arguments.publishers,
        repeats=arguments.faults_per_round,
        pause=arguments.pause,
    )
    results, status = [], status_line()
    for system, mode in chosen:
        result = ModeResult(system, mode, versions[system.name])
        results.append(result)
        for fault in faults:
            what = f"{mode.broker.name}, {fault}: round"

            def show(number: int, what: str = what) -> None:
                status(f"{what} {number} of {plan.rounds}", number == plan.rounds)

            result.faults.append(profile(system, mode, fault, plan, show))
            print(format_result(result, result.faults[-1]), flush=True)
            if arguments.json is not None:
                write_json(arguments.json, as_json(results, plan))
    print(format_table(results), end="")
    return 1 if any(result.breaches for result in results) else 0


def _chosen(arguments: argparse.Namespace) -> list[tuple[System, Mode]]:
    paths = [arguments.start] if arguments.start else sorted(arguments.systems.glob("*.toml"))
    if not paths:
        raise UsageError(
            f"{arguments.systems}: contains no description (*.toml): name another folder with --systems"
        )
    systems = [load_system(path) for path in paths]
    known = {mode.name for system in systems for mode in system.modes}
    if unknown := set(arguments.mode) - known:
        raise UsageError(f"unknown mode {min(unknown)}; known: {', '.join(sorted(known))}")
    return [
        (system, mode)
        for system in systems
        for mode in system.modes
        if not arguments.mode or mode.name in arguments.mode
    ]
