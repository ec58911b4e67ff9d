"""Encode and decode one DELIVER (16-byte key, 250-byte body) in Rust: ours, a floor written by hand, and prost.

`codec_rust/` is the measuring program. The floor, `codec_rust/src/floor.rs`, is safe Rust with the same checks for this
one message. A UTF-8 check, without which safe Rust does not convert bytes to text, takes most of the time of both; a
further figure omits it. Needs Cargo, which fetches prost.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from report import Row, figures, parser_of, publish, say

HERE = Path(__file__).parent
CRATE = HERE / "codec_rust"
FLOOR = "floor, by hand"
BAR = 1 / 1.5  # ours takes at most 1.5 times as long as the floor


def measure(runs: int, count: int) -> list[dict[str, Any]]:
    """Figures of the program, in its order."""
    if shutil.which("cargo") is None:
        raise SystemExit("codec_rust.py: Rust 1.80 or later is needed (command cargo; rustup brings it)")
    with tempfile.TemporaryDirectory() as folder:
        say("building (prost and its macros: half a minute)")
        command = ["cargo", "build", "--quiet", "--release", "--target-dir", folder]
        subprocess.run(command, cwd=CRATE, check=True, env=os.environ | {"CARGO_TERM_COLOR": "never"})
        return figures([Path(folder) / "release" / "codec-rust", str(runs), str(count)])


def main() -> int:
    options = parser_of(__doc__, runs=31, count=100_000).parse_args()
    results = measure(options.runs, options.count)
    times = {figure["what"]: figure["ns"] for figure in results}
    rows = []
    for figure in results:
        what, name = figure["what"], f"{figure['what']} ({figure['allocations']} allocations)"
        step, _, peer = what.partition(": ")
        if peer.startswith("zeps_wire"):
            compared = (times[f"{step}: {FLOOR}"] / times[what], "the floor's speed", BAR)
        else:
            compared = (times[what] / times[f"{step}: zeps_wire"], "zeps_wire's time", None)
        rows.append(Row(name, times[what], "ns", tuple(figure["runs"]), *compared))
    allocated = [
        figure["what"] for figure in results if "zeps_wire" in figure["what"] and figure["allocations"]
    ]
    note = "zeps_wire does not allocate." if not allocated else f"Allocates: {allocated}."
    held = publish("codec_rust", "Rust: one DELIVER, 282 bytes", rows, note)
    return 0 if held and not allocated else 1


if __name__ == "__main__":
    sys.exit(main())
