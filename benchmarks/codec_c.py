"""Encode and decode one DELIVER (16-byte key, 250-byte body) in C: ours, a floor written by hand, and SBE.

`codec_c/` is the measuring program. The floor and SBE do not check text; so SBE's decoder is measured a second time
with our check of the key. Needs cmake, gcc, and Java with Maven for SBE's generator.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from report import Row, figures, median, parser_of, publish, say

HERE = Path(__file__).parent
PROGRAM = HERE / "codec_c"
SBE = "uk.co.real-logic:sbe-all:1.30.0"
BAR = 1 / 1.5  # ours takes at most 1.5 times as long as the floor
#: For each figure of SBE, our figure to compare with, and the bar.
AGAINST = {
    "SBE encode": ("zeps encode", 1.0),
    "SBE decode": ("zeps decode", None),
    "SBE decode, text checked": ("zeps decode", 1.0),
}


def generate_sbe(folder: Path) -> Path:
    """Fetch SBE's generator and generate code from deliver.xml. Returns its folder; exits if mvn or java is missing."""
    for tool in ("mvn", "java"):
        if shutil.which(tool) is None:
            raise SystemExit(f"codec_c.py: {tool} is needed for SBE (Debian: apt-get install maven)")
    copy = ["mvn", "-q", "dependency:copy", f"-Dartifact={SBE}", f"-DoutputDirectory={folder}"]
    subprocess.run(copy, check=True, cwd=folder)
    (jar,) = folder.glob("sbe-all-*.jar")
    options = ["-Dsbe.target.language=C", f"-Dsbe.output.dir={folder / 'sbe'}"]
    subprocess.run(["java", *options, "-jar", jar, PROGRAM / "deliver.xml"], check=True)
    return folder / "sbe"


def measure(runs: int, count: int) -> tuple[dict[str, list[float]], int]:
    """Nanoseconds per call of each subject, by run, and the allocations of two thousand decodes."""
    if shutil.which("cmake") is None:
        raise SystemExit("codec_c.py: cmake and gcc are needed (Debian: apt-get install cmake gcc)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        say("building, and SBE's generator")
        sbe = generate_sbe(folder)
        build = folder / "build"
        subprocess.run(
            ["cmake", "-S", PROGRAM, "-B", build, f"-DZEPS_SBE={sbe}"], check=True, stdout=subprocess.DEVNULL
        )
        subprocess.run(["cmake", "--build", build], check=True, stdout=subprocess.DEVNULL)
        say(f"{runs} runs of {count}")
        results = figures([build / "codec_c", str(runs), str(count)])
    times: dict[str, list[float]] = {}
    allocations = 0
    for figure in results:
        if "ns" in figure:
            times.setdefault(figure["what"], []).append(figure["ns"])
        else:
            allocations = figure["count"]
    return times, allocations


def row(what: str, times: dict[str, list[float]]) -> Row:
    """Row of a subject: ours with its ratio to the floor, SBE with its ratio to ours."""
    value = median(times[what])
    step = "encode" if "encode" in what else "decode"
    runs = tuple(sorted(times[what])[:: max(1, len(times[what]) // 20)])
    if what.startswith("floor"):
        return Row(what, value, "ns", runs)
    if what in AGAINST:
        other, bar = AGAINST[what]
        return Row(what, value, "ns", runs, value / median(times[other]), "zeps_wire's time", bar)
    bar = None if "any" in what else BAR
    return Row(what, value, "ns", runs, median(times[f"floor {step}"]) / value, "the floor's speed", bar)


def main() -> int:
    options = parser_of(__doc__, runs=301, count=100_000).parse_args()
    times, allocations = measure(options.runs, options.count)
    note = f"Allocations per decode: {allocations / 2000:g}. Median of many short, alternating runs."
    held = publish("codec_c", "C: one DELIVER, 282 bytes", [row(what, times) for what in times], note)
    return 0 if held and not allocations else 1


if __name__ == "__main__":
    sys.exit(main())
