"""``zeps-conform codec``."""

from __future__ import annotations

import argparse
import struct
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zeps_conformance.codec.campaign import Campaign, DriverCommand, Outcome, judge
from zeps_conformance.codec.driver_protocol import Encode, Example, ProtocolError, Trace, parse_example
from zeps_conformance.codec.drivers import DriverError, discover, split_command
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.codec.report import FINDING_FORMAT, as_json, finding_json, format_outcome
from zeps_conformance.commands.common_options import (
    add_list,
    add_path,
    add_value,
    positive,
    seconds,
    status_line,
)
from zeps_conformance.common.json_files import read_json, write_json
from zeps_conformance.model.definitions import load_models

__all__ = ["add_codec"]

EPILOG = """\
exit codes: 0 no difference, 1 a difference, 2 usage error, missing tool or failed build of a driver, 130 interrupted

A driver is a program that decodes, encodes and steps machines on request: see conformance/drivers/README.md.

examples:
  zeps-conform codec --driver './my-driver --fast' --protocol zeps
  zeps-conform codec --all --examples 200000
  zeps-conform codec --all --language go --language rust --seed 7
"""


def add_codec(commands: Any) -> None:
    """Adds the command ``codec`` to the subparsers of zeps-conform."""
    parser = commands.add_parser(
        "codec",
        help="compare drivers' codecs and machines with the suite's own",
        description="Send the same requests to drivers and to the suite's own codec, and report the first "
        "difference: accepted or not, error, values, re-encoded bytes, machine state and actions.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_list(parser, "--driver", "CMD", "start command of a driver, split into words as by a shell")
    parser.add_argument(
        "--all",
        action="store_true",
        help="build and run every driver below --drivers that has a driver.toml, in addition to those of --driver",
    )
    add_list(parser, "--language", "NAME", "with --all: only this language")
    drivers = "with --all: folder of the folders with driver.toml (default: conformance/drivers in the current folder)"
    packages = (
        "with --all: folder of the generated packages, one folder per language (default: ../../generated from "
        "--drivers)"
    )
    add_path(parser, "--drivers", drivers, "FOLDER")
    add_path(parser, "--packages", packages, "FOLDER")
    add_value(
        parser,
        "--examples",
        positive,
        "number of requests that each driver gets; the first difference ends the run (default: %(default)s)",
        20_000,
    )
    add_value(parser, "--seed", int, "seed of the examples (default: %(default)s)", 0)
    add_list(parser, "--protocol", "NAME", "only this protocol and its machines (default: all of the model)")
    add_path(parser, "--model", "read the protocols from this model.json (default: the one in the package)")
    silence = "seconds without an answer after which a driver has failed (default: %(default)g)"
    add_value(parser, "--timeout", seconds, silence, 20.0)
    folder = "folder for builds and findings (default: %(default)s in the current folder)"
    add_path(parser, "--work-dir", folder, "FOLDER", default=Path("build/codec"))
    add_path(parser, "--json", "write the result as JSON")
    add_path(
        parser,
        "--replay",
        "send only the request of this kept finding, to the drivers of --driver or --all; --json is ignored",
    )
    parser.set_defaults(command=codec)


def codec(arguments: argparse.Namespace) -> int:
    """Builds and runs the drivers, prints the outcome, and keeps a finding, except that of a replay. Returns 1 for a
    finding, else 0. Raises DriverError for invalid options or if a build fails.
    """
    models, machines = load_models(arguments.model)
    unknown = set(arguments.protocol) - {model.name for model in models}
    if unknown:
        known = ", ".join(model.name for model in models)
        raise DriverError(f"unknown protocol {', '.join(sorted(unknown))}; known: {known}")
    oracle = Oracle(models, machines, arguments.protocol)
    if arguments.replay is not None:
        example = _kept_example(arguments.replay)
        _check_known(arguments.replay, example, oracle, machines)
        outcome = judge(Campaign(oracle, _commands(arguments), arguments.timeout), example)
        print(format_outcome(oracle, outcome), end="")
        return 1 if outcome.finding else 0
    commands = _commands(arguments)
    show = status_line()
    campaign = Campaign(
        oracle,
        commands,
        arguments.timeout,
        lambda done, count: show(f"{done:,} of {count:,} examples", done == count),
    )
    outcome = campaign.run(arguments.examples, arguments.seed)
    return _finish(arguments, oracle, commands, outcome)


def _finish(
    arguments: argparse.Namespace, oracle: Oracle, commands: Sequence[DriverCommand], outcome: Outcome
) -> int:
    words = {command.name: command.words for command in commands}
    kept: Path | None = None
    replay: list[str] = []
    if outcome.finding is not None:
        kept = arguments.work_dir / f"finding-{outcome.seed}.json"
        write_json(kept, finding_json(outcome, words))
        if outcome.finding.example is not None:
            replay = ["zeps-conform", "codec", *_target(arguments), "--replay", str(kept)]
    if arguments.json is not None:
        write_json(arguments.json, as_json(outcome, words, kept))
    print(format_outcome(oracle, outcome, replay), end="")
    if kept is not None:
        print(f"kept: {kept}")
    return 1 if outcome.finding else 0


def _target(arguments: argparse.Namespace) -> list[str]:
    """Returns the options that select drivers and protocols, for the command that replays a finding."""
    options = ["--all"] if arguments.all else []
    for option, values in (
        ("--driver", arguments.driver),
        ("--language", arguments.language),
        ("--protocol", arguments.protocol),
    ):
        for value in values:
            options += [option, value]
    for option in ("drivers", "packages", "model"):
        if getattr(arguments, option) is not None:
            options += [f"--{option}", str(getattr(arguments, option))]
    return options


def _commands(arguments: argparse.Namespace) -> list[DriverCommand]:
    """Returns the selected drivers, after building those of --all. Raises DriverError if none is selected."""
    commands: list[DriverCommand] = []
    for text in arguments.driver:
        words = split_command(text)
        commands.append(DriverCommand(_name(words, commands), words))
    if arguments.all:
        commands += _built(arguments)
    elif arguments.language:
        raise DriverError("--language requires --all")
    if not commands:
        raise DriverError("select drivers: --driver CMD, or --all")
    return commands


def _name(words: Sequence[str], commands: Sequence[DriverCommand]) -> str:
    """Returns the file name of the last word that is not an option, else of the first; ``#2`` … if it is taken."""
    name = Path(next((word for word in reversed(words) if not word.startswith("-")), words[0])).name
    count = sum(1 for command in commands if command.name.split("#")[0] == name)
    return f"{name}#{count + 1}" if count else name


def _built(arguments: argparse.Namespace) -> list[DriverCommand]:
    folder = (arguments.drivers or Path("conformance/drivers")).resolve()
    if not folder.is_dir():
        raise DriverError(
            f"{folder} is not a folder: set --drivers to the folder of the folders with driver.toml"
        )
    packages = (arguments.packages or folder.parents[1] / "generated").resolve()
    builds = discover(folder)
    unknown = set(arguments.language) - {build.language for build in builds}
    if unknown:
        known = ", ".join(build.language for build in builds)
        raise DriverError(f"unknown driver {', '.join(sorted(unknown))}; known: {known}")
    chosen = [build for build in builds if not arguments.language or build.language in arguments.language]
    commands = []
    for number, build in enumerate(chosen, 1):
        if build.build:
            print(f"building {build.language} ({number} of {len(chosen)})", file=sys.stderr, flush=True)
        out = (arguments.work_dir / build.language).resolve()
        words = build.made(packages / build.language, out, _say)
        commands.append(DriverCommand(build.language, words))
    return commands


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _kept_example(path: Path) -> Example:
    document = read_json(path)
    try:
        if document["format"] != FINDING_FORMAT or document["request"] is None:
            raise DriverError(f"{path}: does not contain a finding with an example")
        return parse_example(bytes.fromhex(document["request"]))
    except (ValueError, KeyError, TypeError, ProtocolError) as error:
        raise DriverError(f"{path}: not a finding: {error}") from error


def _check_known(path: Path, example: Example, oracle: Oracle, machines: Sequence[Mapping[str, Any]]) -> None:
    """Raises DriverError if the example of the finding at `path` is of a protocol, machine (all: `machines`) or message
    that `oracle` does not know, or has values of other types.
    """
    if isinstance(example, Trace):
        protocol = next((raw["protocol"] for raw in machines if raw["name"] == example.machine), "unknown")
        subject = f"machine {example.machine} of protocol {protocol}"
    else:
        protocol, subject = example.protocol, f"protocol {example.protocol}"
    if protocol not in oracle.codecs:
        selected = ", ".join(oracle.codecs)
        raise DriverError(f"the finding is of {subject}; selected protocols: {selected}")
    if isinstance(example, Encode) and example.message not in oracle.codecs[protocol].names:
        raise DriverError(f"the finding is of {subject} and its unknown message {example.message}")
    try:
        oracle.answer(example)
    except (LookupError, TypeError, ValueError, AttributeError, struct.error) as error:
        raise DriverError(f"{path}: not a finding: its request does not fit the model: {error}") from error
