"""``zeps-conform mutants``."""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from zeps_command import number
from zeps_conformance.broker.process import BrokerProcess, BrokerStartError, load_broker
from zeps_conformance.commands.common_options import (
    UsageError,
    add_cases,
    add_path,
    add_value,
    add_verbose,
    duration,
    positive,
    seconds,
    status_line,
)
from zeps_conformance.common.case import Case
from zeps_conformance.common.json_files import read_json, write_json
from zeps_conformance.model.definitions import load_model
from zeps_conformance.mutants.campaign import Baseline, Campaign, Fate, Judged, Settings, choose
from zeps_conformance.mutants.source_mutants import source_files
from zeps_conformance.mutants.tally import Tally, format_tally, rows_reached, rules_reached
from zeps_conformance.mutants.targets import FAMILIES, ModelTarget, SourceTarget
from zeps_conformance.runs.profiles import PROFILES

__all__ = ["add_mutants"]

PROFILE = "zeps1"
EPILOG = """\
exit codes: 0 the score is at least --bar, 1 it is lower, 2 usage error, 130 interrupted

examples:
  zeps-conform mutants --count 60 --time 10m
  zeps-conform mutants --source broker/session.py --start broker.toml --skip statistics
  zeps-conform mutants @conformance/implementations/zeps-sources.args   (options from a file, one in each line)
"""


def add_mutants(commands: Any) -> None:
    """Adds the command ``mutants`` to the subparsers of zeps-conform."""
    parser = commands.add_parser(
        "mutants",
        help="measure which changes of an implementation the cases detect",
        description="Change an implementation at one place at a time, and run the cases against each such mutant. "
        "The mutants of families machine and codec are a small broker that interprets a changed model; those of "
        "family source are changed copies of Python sources of the broker that --start describes. The score is the "
        "number of killed mutants over killed and surviving ones.",
        epilog=EPILOG,
        fromfile_prefix_chars="@",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--family",
        action="append",
        choices=FAMILIES,
        help="only mutants of this family; repeatable (default: machine and codec, and with --source also source)",
    )
    parser.add_argument(
        "--source",
        action="append",
        type=Path,
        default=[],
        metavar="PATH",
        help="Python file, or folder of files, to mutate; requires --start; repeatable",
    )
    add_path(
        parser, "--start", "description of the broker that imports the sources of --source", "BROKER.toml"
    )
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="NAME",
        help="in the sources, do not mutate functions and classes of this name, calls of them, and assignments to it: "
        "for statistics and limits of resources, which no rule of the protocol concerns; repeatable",
    )
    parser.add_argument(
        "--observer",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="Python program that calls the module of the same file name with all inputs within its bounds, and prints "
        "what it returns; changes with which it prints the same are equivalent; repeatable",
    )
    add_cases(parser)
    add_value(parser, "--seed", int, "seed of the selection and of random values (default: %(default)s)", 0)
    add_value(
        parser,
        "--count",
        positive,
        "number of mutants, as equally many of each family as possible (default: all)",
    )
    parser.add_argument(
        "--time", type=duration, metavar="T", help="begin no mutant after this time, such as 90s, 10m, 2h"
    )
    add_value(parser, "--jobs", positive, "number of mutants at a time (default: %(default)s)", 2)
    add_value(parser, "--timeout", seconds, "maximum seconds for an answer (default: %(default)g)", 3.0)
    add_value(
        parser,
        "--bar",
        number(0, 1),
        "lowest score with which the command succeeds (default: %(default)g)",
        0.95,
    )
    parser.add_argument(
        "--matrix",
        action="store_true",
        help="run all cases against each mutant, not only up to the first kill",
    )
    folder = (
        "folder of results; a repeated command continues there (default: %(default)s in the current folder)"
    )
    add_path(parser, "--work-dir", folder, "FOLDER", default=Path("build/mutants"))
    add_path(parser, "--json", "write the result as JSON")
    add_path(parser, "--model", "read the protocol from this model.json (default: the one in the package)")
    add_verbose(parser)
    parser.set_defaults(command=mutants)


def mutants(arguments: argparse.Namespace) -> int:
    """Runs the campaign. Returns 0 if the score is at least the bar, else 1. Raises UsageError and ValueError."""
    began = time.monotonic()
    families = _families(arguments)
    model_target = ModelTarget(arguments.model)
    source_target = _source_target(arguments) if "source" in families else None
    targets: dict[str, ModelTarget | SourceTarget] = {
        family: source_target if family == "source" and source_target is not None else model_target
        for family in families
    }
    chosen = choose(
        {f: list(target.mutants(f)) for f, target in targets.items()}, arguments.seed, arguments.count
    )
    if not chosen:
        raise UsageError("no mutant: the sources have no place that can be changed")
    profile = PROFILES[PROFILE]
    cases = profile.cases(arguments.case)
    settings = Settings(
        timeout=arguments.timeout,
        seed=arguments.seed,
        jobs=arguments.jobs,
        deadline=began + arguments.time if arguments.time is not None else None,
        matrix=arguments.matrix,
    )
    campaign = Campaign(
        profile,
        load_model(arguments.model),
        cases,
        settings,
        arguments.work_dir,
        {family: _fingerprint(arguments, family) for family in families},
        _digest_of(cases),
    )
    baselines = _baselines(campaign, targets, arguments.work_dir)
    judged = campaign.run(chosen, baselines, _progress(len(chosen), arguments.verbose))
    tally = Tally(
        judged,
        len(chosen),
        arguments.seed,
        rules_reached(_rules(campaign, baselines), judged),
        rows_reached(model_target.machine, _taken(arguments.work_dir), judged)
        if "machine" in families
        else (),
        {family: baseline.excluded for family, baseline in baselines.items()},
    )
    if arguments.json is not None:
        write_json(arguments.json, tally.to_json())
    print(format_tally(tally), end="")
    return 0 if tally.score >= arguments.bar else 1


def _families(arguments: argparse.Namespace) -> Sequence[str]:
    families = arguments.family or ["machine", "codec", *(["source"] if arguments.source else [])]
    if ("source" in families) != bool(arguments.source):
        raise UsageError("--family source and --source PATH must be given together")
    for name in ("skip", "observer"):
        if getattr(arguments, name) and not arguments.source:
            raise UsageError(f"--{name} requires --source PATH")
    if bool(arguments.source) != bool(arguments.start):
        raise UsageError("--source PATH and --start BROKER.toml must be given together")
    return list(dict.fromkeys(families))


def _source_target(arguments: argparse.Namespace) -> SourceTarget:
    for path in arguments.source:
        if not path.exists() or not source_files(path):
            raise UsageError(f"--source {path}: no Python file: name a file or a folder of Python files")
    stems = {file.stem for path in arguments.source for file in source_files(path)}
    for program in arguments.observer:
        if not program.is_file() or program.stem not in stems:
            raise UsageError(f"--observer {program}: no such file, or no file of --source has its name")
    return SourceTarget(
        load_broker(arguments.start), arguments.source, frozenset(arguments.skip), arguments.observer
    )


def _baselines(
    campaign: Campaign, targets: Mapping[str, ModelTarget | SourceTarget], folder: Path
) -> dict[str, Baseline]:
    """Returns the baseline of each family. Raises UsageError if a broker does not import one of the sources."""
    baselines: dict[str, Baseline] = {}
    for family, target in targets.items():
        if isinstance(target, ModelTarget):
            other = next((baselines[name] for name in target.families if name in baselines), None)
            description = target.description("--trace", str((folder / "rows.json").resolve()))
            baselines[family] = campaign.baseline(family, description, other)
        else:
            if not campaign.has_baseline(family):
                _check_imports(target)
            baselines[family] = campaign.baseline(family, target.description())
    return baselines


def _check_imports(target: SourceTarget) -> None:
    with tempfile.TemporaryDirectory(prefix="zeps-mutant-") as folder:
        for path, description in target.unused(Path(folder)):
            try:
                with BrokerProcess(description):
                    raise UsageError(
                        f"--source {path}: the broker of --start does not import it from PYTHONPATH when it starts"
                    )
            except BrokerStartError:
                continue


def _rules(campaign: Campaign, baselines: Mapping[str, Baseline]) -> dict[str, Sequence[str]]:
    passed = dict.fromkeys(case for baseline in baselines.values() for case in baseline.seconds)
    return {case: campaign.cases[case].rules for case in passed}


def _taken(folder: Path) -> set[int]:
    path = folder / "rows.json"
    return set(read_json(path)) if path.exists() else set()


def _fingerprint(arguments: argparse.Namespace, family: str) -> str:
    """Identifies what is judged: the model, for source mutants the sources and their broker, and the settings."""
    digest = hashlib.sha256(load_model(arguments.model).digest.encode())
    if family == "source":
        files = {file for path in arguments.source for file in source_files(path)}
        for path in sorted({*files, arguments.start, *arguments.observer}):
            digest.update(path.read_bytes())
    digest.update(repr((arguments.matrix, arguments.timeout)).encode())
    return digest.hexdigest()[:16]


def _digest_of(cases: Sequence[Case]) -> str:
    """Identifies the cases, and their code."""
    digest = hashlib.sha256(repr(sorted(case.id for case in cases)).encode())
    for path in sorted({case.source for case in cases}):
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()[:16]


def _progress(total: int, verbose: bool) -> Callable[[Judged], None]:
    done, show_fates = 0, status_line()
    fates = dict.fromkeys(Fate.ALL, 0)

    def show(judged: Judged) -> None:
        nonlocal done
        done += 1
        fates[judged.fate] += 1
        text = f"{done} of {total} mutants: " + ", ".join(
            f"{count} {fate}" for fate, count in fates.items() if count
        )
        if verbose:
            by = f" by {judged.kills[0].case}" if judged.kills else ""
            print(f"{judged.fate:<10} {judged.id}{by} ({judged.seconds:.1f} s)", flush=True)
        else:
            show_fates(text, done == total)

    return show
