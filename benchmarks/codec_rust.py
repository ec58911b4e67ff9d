"""Encode and decode one DELIVER (16-octet key, 250-octet body) in Rust: ours, a floor written by hand, and prost.

    python benchmarks/codec_rust.py [--runs N] [--count N]

`codec_rust/` measures, in one program; the floor is `codec_rust/src/floor.rs`: safe Rust, the same checks, this one
message. What keeps both from the figure below it is that Rust makes text of octets only by looking at them, and its
own look at sixteen takes most of the time. Needs Cargo; prost comes through Cargo's own cache.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from report import Row, publish, say

HERE = Path(__file__).parent
CRATE = HERE / "codec_rust"
FLOOR = "floor, by hand"
BAR = 1 / 1.5  # ours takes at most 1.5 times as long as the floor


def measure(runs: int, count: int) -> list[dict[str, object]]:
    """What the program says, in its order."""
    if shutil.which("cargo") is None:
        raise SystemExit("codec_rust.py: Rust 1.80 or later is needed (command cargo; rustup brings it)")
    with tempfile.TemporaryDirectory() as folder:
        say("building (prost and its macros: half a minute)")
        command = ["cargo", "build", "--quiet", "--release", "--target-dir", folder]
        subprocess.run(command, cwd=CRATE, check=True, env=os.environ | {"CARGO_TERM_COLOR": "never"})
        program = [Path(folder) / "release" / "codec-rust", str(runs), str(count)]
        done = subprocess.run(program, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--count", type=int, default=100_000)
    options = parser.parse_args()
    found = measure(options.runs, options.count)
    times = {str(one["what"]): float(str(one["ns"])) for one in found}
    rows = []
    for one in found:
        what, runs = str(one["what"]), tuple(map(float, one["runs"]))  # type: ignore[call-overload]
        step, _, peer = what.partition(": ")
        ours = peer.startswith("zeps_wire")
        other = f"{step}: {FLOOR if ours else 'zeps_wire'}"
        rows.append(
            Row(
                f"{what} ({one['allocations']} allocations)",
                times[what],
                "ns",
                runs,
                times[other] / times[what] if ours else times[what] / times[other],
                "the floor's speed" if ours else "zeps_wire's time",
                BAR if ours else None,
            )
        )
    allocated = [one["what"] for one in found if "zeps_wire" in str(one["what"]) and one["allocations"]]
    note = "zeps_wire allocates nothing per call." if not allocated else f"Allocates: {allocated}."
    held = publish("codec_rust", "Rust: one DELIVER, 282 octets", rows, note)
    return 0 if held and not allocated else 1


if __name__ == "__main__":
    sys.exit(main())
