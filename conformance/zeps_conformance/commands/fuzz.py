"""``zeps-conform fuzz``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.probes import probed
from zeps_conformance.commands.common_options import (
    UsageError,
    add_path,
    add_value,
    duration,
    positive,
    status_line,
)
from zeps_conformance.common.document_values import value_of
from zeps_conformance.common.json_files import read_json, replace_json, write_json
from zeps_conformance.common.verdicts import FailureError, OutOfTimeError
from zeps_conformance.fuzz.campaign import Finding, FuzzResult, play, run_campaign
from zeps_conformance.fuzz.player import GOALS
from zeps_conformance.fuzz.steps import format_step, steps_from_json, steps_to_json
from zeps_conformance.model.definitions import Model, load_model
from zeps_conformance.model.interpreter import Interpreter

__all__ = ["add_fuzz"]

FORMAT = "zeps-conform-fuzz/1"
STATE = "campaign.json"
CONVERSATIONS = 1000

EPILOG = """\
exit codes: 0 no violation, 1 a violation or no result because the broker is too slow, 2 usage error, 130 interrupted

examples:
  zeps-conform fuzz tcp://127.0.0.1:5670
  zeps-conform fuzz --start broker.toml --time 10m --work-dir build/fuzz
  zeps-conform fuzz tcp://127.0.0.1:5670 --replay build/fuzz/finding-7.json
"""

#: Yields the options of a run, and the broker's name, while the broker serves.
Serving = Callable[[argparse.Namespace], AbstractContextManager[tuple[Options, str]]]


def add_fuzz(commands: Any, running: argparse.ArgumentParser, serving: Serving) -> None:
    """Adds the command ``fuzz`` to the subparsers of zeps-conform; `running` has the options that select a broker."""
    parser = commands.add_parser(
        "fuzz",
        parents=[running],
        help="play random conversations with a broker, and compare with an oracle",
        description="Play random conversations of three clients with a broker. The referee judges every frame; an "
        "oracle in memory judges answers and missing messages. The first violation is shrunk and can be replayed.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    group = parser.add_argument_group("the campaign")
    length = group.add_mutually_exclusive_group()
    length.add_argument(
        "--time", type=duration, metavar="T", help="stop after this time: 90s, 10m or 2h", default=None
    )
    add_value(
        length,
        "--conversations",
        positive,
        f"stop after this many conversations (default: {CONVERSATIONS}, without --time)",
    )
    kept = f"keep findings and the progress here; a campaign of the same model is continued from {STATE}"
    add_path(group, "--work-dir", kept, "FOLDER")
    add_path(group, "--replay", "play only the conversation of this finding")
    add_path(group, "--model", "read the protocol from this model.json (default: the one in the package)")
    parser.set_defaults(command=lambda arguments: _fuzz(arguments, serving))


def _fuzz(arguments: argparse.Namespace, serving: Serving) -> int:
    if arguments.implementation is not None or arguments.type is not None:
        raise UsageError("fuzz judges a broker: give its ENDPOINT, or --start BROKER.toml")
    model = load_model(arguments.model)
    codec = Interpreter(model)
    if arguments.replay is not None:
        return _replay(arguments, codec, serving)
    result = _resumed(arguments, model)
    first, began = result.conversations, time.monotonic()
    limit = first + (arguments.conversations or CONVERSATIONS)

    def stop(now: FuzzResult) -> bool:
        if arguments.time is not None:
            return time.monotonic() - began >= float(arguments.time)
        return now.conversations >= limit

    show = status_line()

    def settled(now: FuzzResult) -> None:
        if arguments.work_dir is not None:
            replace_json(arguments.work_dir / STATE, _state(now, model))
        show(f"{now.conversations - first:,} conversations in {time.monotonic() - began:.0f} s", False)

    late = None
    with serving(arguments) as (options, name):
        try:
            run_campaign(codec, probed(options, codec), result, stop, settled)
        except OutOfTimeError as error:
            late = error
    print(
        f"{name or options.endpoint.text}: {result.conversations - first:,} conversations, next seed {result.seed}"
    )
    print(f"{len(GOALS) - len(result.missed)} of {len(GOALS)} goals reached" + _listed(result.missed))
    if late is not None:
        return _inconclusive(late)
    if result.finding is None:
        print("no violation")
        return 0
    _report(result.finding)
    if arguments.work_dir is not None:
        path = arguments.work_dir / f"finding-{result.seed - 1}.json"
        write_json(path, _document(result.finding, model))
        target = str(arguments.start or arguments.endpoint)
        option = "--start " if arguments.start is not None else ""
        print(f"replay: zeps-conform fuzz {option}{target} --replay {path}")
    return 1


def _listed(missed: list[str]) -> str:
    return f"; missed: {', '.join(missed[:8])}{' …' if len(missed) > 8 else ''}" if missed else ""


def _report(finding: Finding) -> None:
    rule = f" ({finding.rule})" if finding.rule else ""
    print(f"\nVIOLATION{rule}\n  expected  {finding.expected}\n  seen      {finding.seen}")
    if not finding.reproduced:
        print("  it did not occur in every repetition")
    for number, step in enumerate(finding.steps, 1):
        print(f"  {number}. {format_step(step)}")


def _replay(arguments: argparse.Namespace, codec: Interpreter, serving: Serving) -> int:
    document = read_json(arguments.replay)
    where = f"{arguments.replay}: not a finding of zeps-conform fuzz"
    if value_of(where, document, "format", str) != FORMAT:
        raise UsageError(f"{where}: unsupported format")
    steps = tuple(steps_from_json(value_of(where, document, "steps", list)))
    with serving(arguments) as (options, _):
        try:
            play(steps, codec, probed(options, codec), set())
        except FailureError as error:
            _report(Finding(steps, error.expected, error.seen, error.rule or "", True))
            return 1
        except OutOfTimeError as error:
            return _inconclusive(error)
    print("no violation")
    return 0


def _inconclusive(error: OutOfTimeError) -> int:
    print(f"inconclusive: {error}: the broker answers too slowly")
    return 1


def _resumed(arguments: argparse.Namespace, model: Model) -> FuzzResult:
    """Returns the progress in the work folder, if it is of the same model; else a new campaign from ``--seed``."""
    path: Path | None = None if arguments.work_dir is None else arguments.work_dir / STATE
    if path is not None and path.exists():
        document, where = read_json(path), f"{path}: not the progress of a campaign"
        if value_of(where, document, "model_digest", str) == model.digest:
            reached = {str(goal) for goal in value_of(where, document, "reached", list)}
            print(f"continues {path}", file=sys.stderr)
            return FuzzResult(
                value_of(where, document, "seed", int),
                value_of(where, document, "conversations", int),
                reached,
            )
    return FuzzResult(arguments.seed)


def _state(result: FuzzResult, model: Model) -> dict[str, object]:
    return {
        "format": FORMAT,
        "model_digest": model.digest,
        "seed": result.seed,
        "conversations": result.conversations,
        "reached": sorted(result.reached),
    }


def _document(finding: Finding, model: Model) -> dict[str, object]:
    return {
        "format": FORMAT,
        "model_digest": model.digest,
        "rule": finding.rule,
        "expected": finding.expected,
        "seen": finding.seen,
        "steps": steps_to_json(finding.steps),
    }
