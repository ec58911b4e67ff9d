"""Encode and decode one DELIVER (16-byte key, 250-byte body) in Go: ours against protobuf, in one program.

    python benchmarks/codec_go.py [--runs N]

`codec_go/main.go` is the measuring program. "reused" reuses structs and buffers in both; the bar applies to these
figures. Needs Go; protobuf comes through Go's own module cache. `codec_go/peer/deliver.pb.go` was made with ``python
-m grpc_tools.protoc -I peer --go_out=peer --go_opt=paths=source_relative peer/deliver.proto``.
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
    """Figures of the program, by name."""
    if shutil.which("go") is None:
        raise SystemExit("codec_go.py: Go 1.23 or later is needed (command go)")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "codec_go"
        subprocess.run(["go", "build", "-o", program, "."], cwd=PACKAGE, check=True)
        done = subprocess.run([program, "-runs", str(runs)], capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {figure["what"]: figure for figure in found}


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=7)
    found = measure(parser.parse_args().runs)
    rows = []
    for what, figure in found.items():
        ours, value = found.get(what.replace("protobuf", "zeps")), float(str(figure["ns"]))
        ratio = value / float(str(ours["ns"])) if what.startswith("protobuf") and ours else None
        runs = tuple(map(float, figure["runs"]))  # type: ignore[call-overload]
        name = f"{what} ({figure['allocations']} allocations)"
        bar = BAR if ratio is not None and what.endswith("reused") else None
        rows.append(Row(name, value, "ns", runs, ratio, "zeps's time" if ratio else "", bar))
    note = (
        "A ratio above 1: zeps is that much faster. The decoded frames have 64 keys in turn, so that each needs a new"
        " string; with one key, the struct's string is reused."
    )
    return 0 if publish("codec_go", "Go: one DELIVER, 282 bytes", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
