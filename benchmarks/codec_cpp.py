"""C++: encode and decode one DELIVER (16-octet key, 250-octet body), beside what is written by hand for it alone.

    python benchmarks/codec_cpp.py [--runs N] [--count N]

The floor reuses its buffer, copies nothing and checks bounds, but takes text as it comes; the generated codec checks
text too. protobuf and flatbuffers (Debian: libprotobuf-dev protobuf-compiler libflatbuffers-dev flatbuffers-compiler)
have layouts of their own. Allocations are counted by the program, which replaces operator new.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from report import Row, publish, say

HERE = Path(__file__).parent
#: "Within 1.5 times of the floor", as a share of its speed.
SHARE = round(1 / 1.5, 3)
#: What ours is measured against, and how fast beside it ours has to be.
BARS = {"floor": SHARE, "protobuf": 1.0, "flatbuffers": 1.0}


def build(folder: Path) -> Path:
    """The program, built below `folder`. Raises RuntimeError, with what the tools said, if it cannot be."""
    commands = [
        ["cmake", "-S", str(HERE / "codec_cpp"), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release"],
        ["cmake", "--build", str(folder), "--target", "codec_cpp"],
    ]
    for command in commands:
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise RuntimeError(f"{command[0]} is needed: apt-get install cmake g++") from error
        if run.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed; {__doc__}\n{run.stdout}{run.stderr}")
    return folder / "codec_cpp"


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--count", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        say("building")
        program = build(Path(folder))
        say("measuring")
        command = [str(program), str(options.runs), str(options.count)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    figures: dict[str, dict[str, Any]] = {}
    for line in output.splitlines():
        figure = json.loads(line)
        figures[figure["what"]] = figure
    made = figures["zeps decode"]["allocations"] + figures["zeps decode, any message"]["allocations"]
    if made != 0:
        raise RuntimeError(f"a decode allocates: {made} times")
    rows = [row(what, figures) for what in figures]
    note = "Ratios and bars belong to what `zeps` takes. No decode allocates (counted)."
    return 0 if publish("codec_cpp", "C++: one DELIVER, 282 octets", rows, note) else 1


def row(what: str, figures: dict[str, dict[str, Any]]) -> Row:
    """A peer's row says how much faster ours is; above 1 is faster."""
    figure = figures[what]
    peer, _, step = what.partition(" ")
    value, runs = figure["ns"], tuple(figure["runs"])
    if peer == "zeps" or step not in ("encode", "decode"):
        return Row(what, value, "ns", runs)
    ratio = value / figures[f"zeps {step}"]["ns"]
    return Row(what, value, "ns", runs, ratio, "zeps' time", BARS[peer])


if __name__ == "__main__":
    sys.exit(main())
