"""Encode and decode one DELIVER in TypeScript: ours against protobufjs, in one Node process.

A frame is encoded into an existing buffer, and ("alone") into its own. Needs Node 20 and `npm ci --prefix tools/node`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from report import Row, figures, parser_of, publish, say

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "generated" / "typescript"
PROGRAM = Path(__file__).resolve().parent / "codec_typescript"
MODULES = ROOT / "tools" / "node" / "node_modules"


def build(folder: Path) -> Path:
    """Compile the package and the program into `folder`. Returns the program."""
    tsc = MODULES / "typescript" / "bin" / "tsc"
    if not tsc.exists():
        raise SystemExit("tsc and protobufjs are missing: npm ci --prefix tools/node")
    ours = folder / "node_modules" / "zeps-wire"
    ours.mkdir(parents=True)
    shutil.copy(PACKAGE / "package.json", ours)
    subprocess.run(["node", tsc, "-p", PACKAGE, "--outDir", ours / "dist"], check=True)
    for name in ("protobufjs", "@types"):
        (folder / "node_modules" / name).symlink_to(MODULES / name)
    for path in PROGRAM.glob("*.*"):
        shutil.copy(path, folder)
    subprocess.run(["node", tsc, "-p", folder], check=True)
    return folder / "build" / "bench.js"


def main() -> int:
    options = parser_of(__doc__, runs=15, count=100_000).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        say("built")
        command = ["node", "--expose-gc", program, str(options.runs), str(options.count)]
        results = {figure["what"]: figure for figure in figures(command)}
    rows = []
    for step in ("encode", "encode alone", "decode"):
        own, peer = results[f"zeps {step}"], results[f"protobufjs {step}"]
        compared = (peer["ns"] / own["ns"], "protobufjs's speed", 1.0)
        rows.append(Row(f"{step}: zeps-wire", own["ns"], "ns", tuple(own["runs"]), *compared))
        rows.append(Row(f"{step}: protobufjs", peer["ns"], "ns", tuple(peer["runs"])))
    buffer = results["a buffer alone"]
    rows.append(Row("allocation of a buffer alone", buffer["ns"], "ns", tuple(buffer["runs"])))
    node = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    note = f"Node {node}. A sequence is a bigint for zeps-wire and a Long for protobufjs."
    return 0 if publish("codec_typescript", "TypeScript: one DELIVER, 282 bytes", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
