"""Encode and decode one DELIVER (16-byte key, 250-byte body) in C++: ours, hand-written code, and other libraries.

The floor reuses its buffer, does not copy and checks bounds, but not text; the generated codec also checks text.
protobuf and flatbuffers (Debian: libprotobuf-dev protobuf-compiler libflatbuffers-dev flatbuffers-compiler) have their
own layouts. The program replaces operator new to count allocations.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from report import Row, figures, parser_of, publish, say

HERE = Path(__file__).parent
#: "Within 1.5 times of the floor", as a share of its speed.
SHARE = round(1 / 1.5, 3)
#: The peers, and the speed that ours must reach relative to each.
BARS = {"floor": SHARE, "protobuf": 1.0, "flatbuffers": 1.0}


def build(folder: Path) -> Path:
    """Build the program below `folder`. Returns its path. Raises RuntimeError with the tools' output if that fails."""
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
    options = parser_of(__doc__, runs=9, count=20_000).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        say("building")
        program = build(Path(folder))
        say("measuring")
        command = [program, str(options.runs), str(options.count)]
        results = {figure["what"]: figure for figure in figures(command)}
    made = results["zeps decode"]["allocations"] + results["zeps decode, any message"]["allocations"]
    if made != 0:
        raise RuntimeError(f"decoding must not allocate memory, but did so {made} times")
    rows = [row(what, results) for what in results]
    note = "Ratios and bars refer to the time of `zeps`. Decoding does not allocate (counted)."
    return 0 if publish("codec_cpp", "C++: one DELIVER, 282 bytes", rows, note) else 1


def row(what: str, results: dict[str, dict[str, Any]]) -> Row:
    """Row of a peer, with the ratio of its time to ours; above 1, ours is faster."""
    figure = results[what]
    peer, _, step = what.partition(" ")
    value, runs = figure["ns"], tuple(figure["runs"])
    if peer == "zeps" or step not in ("encode", "decode"):
        return Row(what, value, "ns", runs)
    ratio = value / results[f"zeps {step}"]["ns"]
    return Row(what, value, "ns", runs, ratio, "zeps' time", BARS[peer])


if __name__ == "__main__":
    sys.exit(main())
