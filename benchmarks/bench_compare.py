"""Compare the speed of the working tree with that of an earlier commit, BASE, a name in bases.toml.

The versions run alternately, in the opposite order in each run. The measured program is pinned to one CPU, the load,
which is the same code for both, to the others. Each run gives one ratio per measure; a ratio above 1 means that the
working tree is better. The report has the median of the ratios and its distribution-free 95% interval between two order
statistics: of 11 runs the second lowest and the second highest, which enclose the true median in 98.8% of all cases. A
measure is worse if even the upper end of its interval is below 0.95 or, if it has a claim, below the claim's bar.

A measure that BASE does not have is shown without a ratio, unless bases.toml has a claim for it: the measure of BASE to
compare with, the bar, and the reason for the bar. A measure that only BASE has is an error.

Exit codes: 0 no measure is worse, 1 one is worse, 2 usage error or a version that cannot be measured, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import comb
from pathlib import Path
from types import MappingProxyType
from typing import Any

import broker_fanout
import broker_replay
import forwarder
from codec_programs import PROGRAMS, CodecProgram
from processes import broker, load_cpu, server_cpu
from report import Row, median, publish, say
from versions import Version, VersionError, checked_out, working_tree

__all__ = ["BAR", "Claims", "Figures", "compare", "interval", "main", "ranks"]

ROOT = Path(__file__).resolve().parents[1]
BAR = 0.95
CONFIDENCE = 0.95
FAN_OUT_MESSAGES = 256_000
REPLAY_MESSAGES = 500_000
PREFIX_REPLAYS = 5
FORWARDED_MESSAGES = 256_000
SUBSCRIBERS = 10

Figures = dict[str, tuple[float, str]]
"""Results of one run: for each measure a rate (higher is better) and its unit."""
Measure = Callable[[Version], Figures]
Claims = Mapping[str, Mapping[str, Any]]
"""Claims by measure of the working tree: `measure` of the base, `bar` and `why`."""


def ranks(count: int) -> tuple[int, int]:
    """Zero-based ranks of the two of `count` sorted values that enclose the median with at least 95% confidence, for
    any distribution of the values. Raises ValueError for less than 6 values.
    """
    outside = 0.0
    for rank in range(count // 2):
        outside += 2 * comb(count, rank) / 2**count
        if outside > 1 - CONFIDENCE:
            if not rank:
                break
            return rank - 1, count - rank
    raise ValueError(f"{count} runs are too few for a 95% interval; the minimum is 6")


def interval(values: Sequence[float]) -> tuple[float, float]:
    """95% interval for the median of the distribution of `values`. Raises ValueError for less than 6 values."""
    ordered = sorted(values)
    low, high = ranks(len(ordered))
    return ordered[low], ordered[high]


def compare(
    measures: Sequence[Measure],
    base: Version,
    this: Version,
    runs: int,
    claims: Claims = MappingProxyType({}),
) -> list[Row]:
    """Measure both versions `runs` times, alternately. Returns one row per figure, with the median of the runs' ratios
    of `this` to `base`. Raises RuntimeError if only `base` has a figure, and ValueError for less than 6 runs.
    """
    seen: dict[str, dict[str, list[float]]] = {}
    units: dict[str, str] = {}
    for run in range(runs):
        for measure in measures:
            for version in (base, this) if run % 2 == 0 else (this, base):
                for name, (value, unit) in measure(version).items():
                    units[name] = unit
                    seen.setdefault(name, {}).setdefault(version.name, []).append(value)
        both = {name: values for name, values in seen.items() if len(values) == 2}
        last = (
            f"{name} {values[this.name][-1] / values[base.name][-1]:.2f}" for name, values in both.items()
        )
        say(f"run {run + 1}/{runs}  {', '.join(last)}")
    rows = []
    for name, values in seen.items():
        claim = claims.get(name, {})
        source = claim.get("measure", name)
        ours, theirs = values.get(this.name), seen.get(source, {}).get(base.name)
        if ours is None:
            raise RuntimeError(
                f"{name} is measured only for {base.name}, which the comparison does not allow"
            )
        row = Row(name, median(ours), units[name], tuple(ours), detail=f"not measured for {base.name}")
        if theirs is not None:
            ratios = [own / other for own, other in zip(ours, theirs, strict=True)]
            against = base.name if source == name else f"{source} of {base.name}"
            bar, why = claim.get("bar", BAR), claim.get("why", "")
            row = replace(
                row, ratio=median(ratios), against=against, bar=bar, detail=why, interval=interval(ratios)
            )
        rows.append(row)
    return rows


# Measures


def fan_out(version: Version) -> Figures:
    rate, cost, _ = broker_fanout.measure_broker(
        SUBSCRIBERS, FAN_OUT_MESSAGES, "--sync", "os", command=version.command("zeps")
    )
    return {
        "fan-out to ten, journal, sync = os": (rate, "deliveries/s"),
        "fan-out to ten, the broker's CPU": (1e6 / cost, "deliveries/CPU s"),
    }


def replays(journals: Path) -> Measure:
    """Measure of replays. Each version writes its own journal below `journals` in its first run."""

    def measure(version: Version) -> Figures:
        data = journals / version.name
        written = data.exists()
        with broker("--sync", "os", data=data, command=version.command("zeps")) as (endpoint, _):
            if not written:
                broker_replay.fill(endpoint, REPLAY_MESSAGES)
            whole = broker_replay.replay(endpoint, "", REPLAY_MESSAGES)
            hot = sum(
                broker_replay.replay(endpoint, "hot/", REPLAY_MESSAGES // 100) for _ in range(PREFIX_REPLAYS)
            )
        return {
            "replay of everything": (REPLAY_MESSAGES / whole, "messages/s"),
            "replay of the 1% that match a prefix": (PREFIX_REPLAYS / hot, "replays/s"),
        }

    return measure


def forwarding(version: Version) -> Figures:
    command = forwarder.forward_command(version.command("zeps"))
    rate, cost, _ = forwarder.measure(command, SUBSCRIBERS, FORWARDED_MESSAGES)
    return {
        "forwarder, ten subscribers": (rate, "deliveries/s"),
        "forwarder, its CPU": (1e6 / cost, "deliveries/CPU s"),
    }


def codec(version: Version) -> Figures:
    done = subprocess.run(
        [version.command("python"), str(Path(__file__).with_name("codec_python.py")), "--ours"],
        stdout=subprocess.PIPE,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, server_cpu()),
    )
    return {
        f"codec of Python, {name}": (1e9 / nanoseconds, "messages/s")
        for name, nanoseconds in json.loads(done.stdout).items()
    }


def _name(measure: Measure) -> str:
    return (
        f"codec {measure.language}"
        if isinstance(measure, CodecProgram)
        else getattr(measure, "__qualname__", "")
    )


def _compile_anew(folder: Path) -> None:
    """Remove `folder`, and use it for the programs' bytecode: the program that compiles a module affects its speed."""
    shutil.rmtree(folder, ignore_errors=True)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)


def main(
    arguments: Sequence[str] | None = None, measures: Sequence[Measure] | None = None, root: Path = ROOT
) -> int:
    """Run the command. `measures` replaces the measures; `root` is the repository. Returns the exit code."""
    bases = tomllib.loads((root / "benchmarks" / "bases.toml").read_text())
    parser = argparse.ArgumentParser(
        prog="make bench-compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )  # fmt: skip
    known = "; ".join(f"{name}: {entry['about']}" for name, entry in bases.items())
    parser.add_argument("base", metavar="BASE", choices=list(bases), help=known)
    parser.add_argument(
        "--runs", type=int, default=11, metavar="N", help="runs of each version, at least 6 (default: 11)"
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="only measures whose names contain NAME: fan_out, replays, forwarding, codec, codec rust, …; may be "
        "repeated (default: all)",
    )
    options = parser.parse_args(arguments)
    try:
        ranks(options.runs)
    except ValueError as error:
        parser.error(str(error))
    try:
        folder = root / "build" / "bench"
        _compile_anew(folder / "bytecode")
        base = checked_out(options.base, bases[options.base]["commit"], root, folder)
        this = working_tree(root, folder)
        with tempfile.TemporaryDirectory(prefix="zeps-bench-") as journals:
            if measures is None:
                os.sched_setaffinity(0, load_cpu())
                measures = [fan_out, replays(Path(journals)), forwarding, codec]
                measures += [
                    CodecProgram(language, build, Path(journals) / "codecs")
                    for language, build in PROGRAMS.items()
                ]
                if options.only:
                    measures = [
                        measure
                        for measure in measures
                        if any(name in _name(measure) for name in options.only)
                    ]
            rows = compare(measures, base, this, options.runs, bases[options.base].get("claims", {}))
    except KeyboardInterrupt:
        return 130
    except (VersionError, RuntimeError, OSError, subprocess.SubprocessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    note = f"{options.runs} alternating runs; base {base.commit}, this {this.commit}. Ratios above 1: this is better."
    if (base.root / "constraints.txt").read_bytes() != (root / "constraints.txt").read_bytes():
        note += (
            " Both ran with the third-party packages of this version; constraints.txt of the base differs."
        )
    held = publish(f"compare_{base.name}", f"This version against {base.name}", rows, note)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
