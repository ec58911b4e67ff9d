"""Encode and decode one DELIVER (16-byte key, 250-byte body) in Go: ours against protobuf, in one program.

`codec_go/main.go` is the measuring program. "reused" reuses structs and buffers in both; the bar applies to these
figures. Needs Go; protobuf comes through Go's own module cache. `codec_go/peer/deliver.pb.go` was made with ``python -m
grpc_tools.protoc -I peer --go_out=peer --go_opt=paths=source_relative peer/deliver.proto``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from report import Row, figures, parser_of, publish

HERE = Path(__file__).parent
PACKAGE = HERE / "codec_go"
BAR = 5.0  # times ahead of protobuf


def measure(runs: int) -> dict[str, dict[str, Any]]:
    """Figures of the program, by name."""
    if shutil.which("go") is None:
        raise SystemExit("codec_go.py: Go 1.23 or later is needed (command go)")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "codec_go"
        subprocess.run(["go", "build", "-o", program, "."], cwd=PACKAGE, check=True)
        return {figure["what"]: figure for figure in figures([program, "-runs", str(runs)])}


def main() -> int:
    results = measure(parser_of(__doc__, runs=7).parse_args().runs)
    rows = []
    for what, figure in results.items():
        ours = results.get(what.replace("protobuf", "zeps"))
        ratio = figure["ns"] / ours["ns"] if what.startswith("protobuf") and ours else None
        name = f"{what} ({figure['allocations']} allocations)"
        bar = BAR if ratio is not None and what.endswith("reused") else None
        against = "zeps's time" if ratio else ""
        rows.append(Row(name, figure["ns"], "ns", tuple(figure["runs"]), ratio, against, bar))
    note = (
        "A ratio above 1: zeps is that much faster. The decoded frames have 64 keys in turn, so that each needs a new"
        " string; with one key, the struct's string is reused."
    )
    return 0 if publish("codec_go", "Go: one DELIVER, 282 bytes", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
