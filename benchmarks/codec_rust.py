"""Encode and decode one DELIVER (16-byte key, 250-byte body) in Rust: ours, a floor written by hand, and prost.

    python benchmarks/codec_rust.py [--runs N] [--count N]

`codec_rust/` is the measuring program. The floor is `codec_rust/src/floor.rs`: safe Rust with the same checks for this
one message. Safe Rust converts bytes to text only with a UTF-8 check, which takes most of the time of both; a further
figure omits it. Needs Cargo, which fetches prost.
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
    """Figures of the program, in its order."""
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
    times = {str(figure["what"]): float(str(figure["ns"])) for figure in found}
    rows = []
    for figure in found:
        what, runs = str(figure["what"]), tuple(map(float, figure["runs"]))  # type: ignore[call-overload]
        step, _, peer = what.partition(": ")
        ours = peer.startswith("zeps_wire")
        other = f"{step}: {FLOOR if ours else 'zeps_wire'}"
        rows.append(
            Row(
                f"{what} ({figure['allocations']} allocations)",
                times[what],
                "ns",
                runs,
                times[other] / times[what] if ours else times[what] / times[other],
                "the floor's speed" if ours else "zeps_wire's time",
                BAR if ours else None,
            )
        )
    allocated = [each["what"] for each in found if "zeps_wire" in str(each["what"]) and each["allocations"]]
    note = "zeps_wire does not allocate." if not allocated else f"Allocates: {allocated}."
    held = publish("codec_rust", "Rust: one DELIVER, 282 bytes", rows, note)
    return 0 if held and not allocated else 1


if __name__ == "__main__":
    sys.exit(main())
