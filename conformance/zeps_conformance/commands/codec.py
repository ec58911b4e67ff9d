"""``zeps-conform codec``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from zeps_conformance.codec.campaign import Campaign, DriverCommand, Outcome, judge
from zeps_conformance.codec.driver_protocol import ProtocolError, parse_example
from zeps_conformance.codec.drivers import DriverError, discover, split_command
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.codec.report import FINDING_FORMAT, as_json, finding_json, format_outcome
from zeps_conformance.commands.common_options import positive
from zeps_conformance.common.json_files import read_json, write_json
from zeps_conformance.model.definitions import load_models

__all__ = ["add_codec"]

EPILOG = """\
exit codes: 0 no difference, 1 a difference, 2 usage error, a tool that is missing, or a driver that cannot be
built, 130 interrupted

A driver is a program that decodes, encodes and steps machines on request; conformance/drivers/README.md says how.

examples:
  zeps-conform codec --driver './my-driver --fast' --protocol zeps
  zeps-conform codec --all --examples 200000
  zeps-conform codec --all --language go --language rust --seed 7
"""


def add_codec(commands: Any) -> None:
    """Add the command to those of zeps-conform."""
    parser = commands.add_parser(
        "codec",
        help="judge codecs and machines through their drivers",
        description="Give the same requests to drivers and to the suite's own codec, and report the first "
        "difference: accepted or not, error, values, re-encoded octets, machine state and actions.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--driver", action="append", default=[], metavar="CMD", help="a driver's command; may be repeated"
    )
    parser.add_argument(
        "--all", action="store_true", help="build and run every driver that has a driver.toml"
    )
    parser.add_argument(
        "--language",
        action="append",
        default=[],
        metavar="NAME",
        help="with --all: only these; may be repeated",
    )
    parser.add_argument(
        "--drivers",
        type=Path,
        metavar="FOLDER",
        help="where the folders with driver.toml are (default: conformance/drivers)",
    )
    parser.add_argument(
        "--packages",
        type=Path,
        metavar="FOLDER",
        help="where the generated packages are, one folder per language (default: generated)",
    )
    parser.add_argument(
        "--examples", type=positive, default=20_000, metavar="N", help="how many (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which ones (default: %(default)s)")
    parser.add_argument(
        "--protocol",
        action="append",
        default=[],
        metavar="NAME",
        help="only these protocols and their machines",
    )
    parser.add_argument("--model", type=Path, metavar="FILE", help="this model.json (default: packaged)")
    parser.add_argument(
        "--timeout",
        type=float,
        default=20.0,
        metavar="S",
        help="seconds without an answer (default: %(default)g)",
    )
    parser.add_argument(
        "--work-dir",
        type=Path,
        default=Path("build/codec"),
        metavar="FOLDER",
        help="what is built, and findings (default: %(default)s)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result as JSON")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="only the example of this finding")
    parser.set_defaults(command=codec)


def codec(arguments: argparse.Namespace) -> int:
    """Run the command."""
    models, machines = load_models(arguments.model)
    unknown = set(arguments.protocol) - {model.name for model in models}
    if unknown:
        known = ", ".join(model.name for model in models)
        raise DriverError(f"no protocol is called {', '.join(sorted(unknown))}: there are {known}")
    oracle = Oracle(models, machines, arguments.protocol)
    commands = _commands(arguments)
    campaign = Campaign(oracle, commands, arguments.timeout, _progress())
    if arguments.replay is not None:
        outcome = judge(campaign, _kept_example(arguments.replay))
        print(format_outcome(oracle, outcome), end="")
        return 1 if outcome.finding else 0
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
    """The options that choose drivers and protocols, for the command that does it again."""
    found = ["--all"] if arguments.all else []
    for option, values in (
        ("--driver", arguments.driver),
        ("--language", arguments.language),
        ("--protocol", arguments.protocol),
    ):
        for value in values:
            found += [option, value]
    for option in ("drivers", "packages", "model"):
        if getattr(arguments, option) is not None:
            found += [f"--{option}", str(getattr(arguments, option))]
    return found


def _commands(arguments: argparse.Namespace) -> list[DriverCommand]:
    """The drivers to judge, those of --all built. DriverError if there are none."""
    found: list[DriverCommand] = []
    for text in arguments.driver:
        words = split_command(text)
        found.append(DriverCommand(_name(words, found), words))
    if arguments.all:
        found += _built(arguments)
    elif arguments.language:
        raise DriverError("--language chooses among the drivers of --all")
    if not found:
        raise DriverError("say which driver: --driver CMD, or --all")
    return found


def _name(words: Sequence[str], found: Sequence[DriverCommand]) -> str:
    """The last word that is no option, made unique."""
    name = Path(next((word for word in reversed(words) if not word.startswith("-")), words[0])).name
    count = sum(1 for command in found if command.name.split("#")[0] == name)
    return f"{name}#{count + 1}" if count else name


def _built(arguments: argparse.Namespace) -> list[DriverCommand]:
    folder = (arguments.drivers or Path("conformance/drivers")).resolve()
    if not folder.is_dir():
        raise DriverError(f"{folder} is no folder: --drivers says where the folders with driver.toml are")
    packages = (arguments.packages or folder.parents[1] / "generated").resolve()
    builds = discover(folder)
    unknown = set(arguments.language) - {build.language for build in builds}
    if unknown:
        known = ", ".join(build.language for build in builds)
        raise DriverError(f"no driver is in {', '.join(sorted(unknown))}: there are {known}")
    chosen = [build for build in builds if not arguments.language or build.language in arguments.language]
    found = []
    for number, build in enumerate(chosen, 1):
        if build.build:
            print(f"building {build.language} ({number} of {len(chosen)})", file=sys.stderr, flush=True)
        out = (arguments.work_dir / build.language).resolve()
        words = build.made(packages / build.language, out, _say)
        found.append(DriverCommand(build.language, words))
    return found


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _progress() -> Callable[[int, int], None]:
    shown = -1

    def tell(done: int, count: int) -> None:
        nonlocal shown
        percent = 100 * done // count
        if sys.stderr.isatty() and percent != shown:
            shown = percent
            end = "\n" if done == count else ""
            print(f"\r{done:,} of {count:,} examples", end=end, file=sys.stderr, flush=True)

    return tell


def _kept_example(path: Path) -> Any:
    document = read_json(path)
    try:
        if document["format"] != FINDING_FORMAT or document["request"] is None:
            raise DriverError(f"{path}: no finding with an example")
        return parse_example(bytes.fromhex(document["request"]))
    except (ValueError, KeyError, TypeError, ProtocolError) as error:
        raise DriverError(f"{path}: not a finding: {error}") from error
