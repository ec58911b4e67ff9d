"""Reports of benchmarks: one table and one JSON file per benchmark."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

__all__ = [
    "RESULTS", "Row", "alternate", "figures", "machine", "median", "parser_of", "publish", "save", "say",
]  # fmt: skip

RESULTS = Path(__file__).parent / "results"
_OPTIONS = {
    "count": "calls in each run",
    "megabytes": "size of the journal",
    "messages": "published messages in each run, rounded down to whole buffers",
    "runs": "runs of each peer",
    "seconds": "duration of each run",
    "subscribers": "number of subscribers",
}
"""Help for options that several benchmarks have."""

Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Row:
    """One measured figure: `value`, in most rows the median of `runs`, the values of the single runs. `ratio` is
    relative to `against`. If it (or the upper end of `interval`) is below `bar`, the row is reported as MISSED.
    """

    name: str
    value: float
    unit: str
    runs: tuple[float, ...] = ()
    ratio: float | None = None
    against: str = ""
    bar: float | None = None
    detail: str = ""
    interval: tuple[float, float] | None = None
    """The 95% interval of `ratio`. If set, the bar is missed if the interval's upper end is below it."""

    def verdict(self) -> str:
        if self.bar is None or self.ratio is None:
            return ""
        best = self.interval[1] if self.interval is not None else self.ratio
        return "holds" if best >= self.bar else "MISSED"


def parser_of(description: str | None, **defaults: float) -> argparse.ArgumentParser:
    """A parser with an option such as `--runs N`, of the default's type, for each of `defaults` (see `_OPTIONS`)."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in defaults.items():
        about = f"{_OPTIONS[name]} (default: {default})"
        parser.add_argument(f"--{name}", type=type(default), default=default, metavar="N", help=about)
    return parser


def alternate(
    peers: Mapping[str, Callable[[], Measured]], runs: int, describe: Callable[[Measured], str]
) -> dict[str, list[Measured]]:
    """Measure the peers alternately, `runs` times, so that other work of the machine affects all equally. Returns the
    results by peer, and prints each to standard error as `describe` formats it.
    """
    seen: dict[str, list[Measured]] = {name: [] for name in peers}
    for run in range(runs):
        for name, measure in peers.items():
            seen[name].append(measure())
            say(f"run {run + 1}/{runs}  {name}: {describe(seen[name][-1])}")
    return seen


def figures(command: Sequence[str | Path]) -> list[dict[str, Any]]:
    """Run a program that prints a JSON object per line. Raises CalledProcessError if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def say(text: str) -> None:
    """Print progress to standard error."""
    print(f"  {text}", file=sys.stderr, flush=True)


def machine() -> str:
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return f"{os.cpu_count()} x {model}, Python {platform.python_version()}"


def table(title: str, rows: Sequence[Row]) -> str:
    lines = [f"### {title}", "", "| what | median | ratio | bar | |", "|---|---:|---:|---:|---|"]
    for row in rows:
        ratio = f"{row.ratio:.2f} x {row.against}" if row.ratio is not None else ""
        if row.interval is not None:
            ratio += f" (95%: {row.interval[0]:.2f} to {row.interval[1]:.2f})"
        bar = f"{row.bar:g}" if row.bar is not None else ""
        last = "; ".join(filter(None, (row.verdict(), row.detail)))
        lines.append(f"| {row.name} | {row.value:,.4g} {row.unit} | {ratio} | {bar} | {last} |")
    return "\n".join(lines)


def save(name: str, text: str, document: dict[str, object]) -> None:
    """Print the text, write it with machine, load and date to results/NAME.md, and `document` to NAME.json there."""
    RESULTS.mkdir(exist_ok=True)
    date = time.strftime("%Y-%m-%d", time.gmtime())
    text += f"\n\n{machine()}, load average {os.getloadavg()[0]:.1f}, {date}"
    (RESULTS / f"{name}.md").write_text(text + "\n")
    (RESULTS / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")
    print(text + "\n", flush=True)


def publish(name: str, title: str, rows: Sequence[Row], note: str = "") -> bool:
    """Print table and `note`, and write `results/NAME.json` and `results/NAME.md`. Returns whether all bars hold."""
    text = table(title, rows)
    if note:
        text += f"\n\n{note}"
    save(
        name,
        text,
        {"title": title, "machine": machine(), "note": note, "rows": [asdict(row) for row in rows]},
    )
    return all(row.verdict() != "MISSED" for row in rows)
