"""Encode and decode one DELIVER (16-octet key, 250-octet body) in Go: ours against protobuf, in one program.

    python benchmarks/codec_go.py [--runs N]

`codec_go/main.go` measures; "reused" has everything that can be reused, in both. What is compared with the bar is that.
Needs Go; protobuf comes through Go's own module cache. `codec_go/peer/deliver.pb.go` was made with
``python -m grpc_tools.protoc -I peer --go_out=peer --go_opt=paths=source_relative peer/deliver.proto``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from report import Row, publish

HERE = Path(__file__).parent
PACKAGE = HERE / "codec_go"
BAR = 5.0  # times ahead of protobuf


def measure(runs: int) -> dict[str, dict[str, object]]:
    """What the program says, by what it measured."""
    if shutil.which("go") is None:
        raise SystemExit("codec_go.py: Go 1.23 or later is needed (command go)")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "codec_go"
        subprocess.run(["go", "build", "-o", program, "."], cwd=PACKAGE, check=True)
        done = subprocess.run([program, "-runs", str(runs)], capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["what"]: one for one in found}


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=7)
    found = measure(parser.parse_args().runs)
    rows = []
    for what, one in found.items():
        ours, value = found.get(what.replace("protobuf", "zeps")), float(str(one["ns"]))
        ratio = value / float(str(ours["ns"])) if what.startswith("protobuf") and ours else None
        runs = tuple(map(float, one["runs"]))  # type: ignore[call-overload]
        name = f"{what} ({one['allocations']} allocations)"
        bar = BAR if ratio is not None and what.endswith("reused") else None
        rows.append(Row(name, value, "ns", runs, ratio, "zeps's time" if ratio else "", bar))
    note = (
        "A ratio above 1: zeps is that much faster. Frames are decoded with 64 keys in turn, so that a string is"
        " made for each; with one key, the struct's own string is kept."
    )
    return 0 if publish("codec_go", "Go: one DELIVER, 282 octets", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
