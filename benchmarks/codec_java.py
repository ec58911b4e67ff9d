"""Encode and decode one DELIVER (16-octet key, 250-octet body) in Java: ours against protobuf, in one program.

    python benchmarks/codec_java.py [--runs N] [--count N]

`codec_java/src/bench/CodecBenchmark.java` measures, on the JVM's own settings; all loops take turns. Needs a JDK and
Maven, which fetches protobuf and its compiler.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

from report import Row, publish
from zeps_codegen.targets.java.format import artifact

HERE = Path(__file__).parent
SOURCES = HERE / "codec_java" / "src"
PACKAGE = HERE.parent / "generated" / "java" / "src" / "main" / "java"
VERSION = "4.29.3"
RUNTIME = f"com.google.protobuf:protobuf-java:{VERSION}"
ARCHITECTURES = {"x86_64": "x86_64", "aarch64": "aarch_64"}
BAR = 5.0  # times ahead of protobuf

#: What is compared with what: (row, against, bar). The others stand for themselves.
COMPARED = (
    ("protobuf encode", "zeps encode, writer, key as octets", BAR),
    ("protobuf encode, key as octets", "zeps encode, writer, key as octets", None),
    ("protobuf encode", "zeps encode", None),
    ("protobuf encode, body wrapped", "zeps encode", None),
    ("protobuf encode, body wrapped, reused buffer", "zeps encode", None),
    ("protobuf encode", "zeps encode, new array", None),
    ("protobuf decode", "zeps decode", BAR),
    ("protobuf decode", "zeps decode, record", None),
)
OURS = (
    "zeps encode, writer, key as octets",
    "zeps encode",
    "zeps encode, new array",
    "zeps decode",
    "zeps decode, view, its string and octets made",
    "zeps decode, record",
)


def build(folder: Path) -> list[str]:
    """Compile the benchmark into `folder`; the command that runs it."""
    for tool in ("javac", "java"):
        if shutil.which(tool) is None:
            raise SystemExit(
                f"codec_java.py: {tool} is needed: apt-get install openjdk-17-jdk-headless maven"
            )
    fetched = artifact(f"com.google.protobuf:protoc:{VERSION}:exe:linux-{ARCHITECTURES[platform.machine()]}")
    protoc = folder / "protoc"
    shutil.copy(fetched, protoc)
    protoc.chmod(protoc.stat().st_mode | stat.S_IXUSR)
    subprocess.run(
        [protoc, f"--proto_path={SOURCES}", f"--java_out={folder}", SOURCES / "deliver.proto"], check=True
    )
    jar = artifact(RUNTIME)
    path = ":".join(map(str, (SOURCES, folder, PACKAGE)))
    options = ["-nowarn", "-encoding", "UTF-8", "-cp", str(jar), "--source-path", path, "-d", str(folder)]
    subprocess.run(["javac", *options, SOURCES / "bench" / "CodecBenchmark.java"], check=True)
    return ["java", "-cp", f"{folder}:{jar}", "bench.CodecBenchmark"]


def measure(runs: int, count: int) -> dict[str, dict[str, object]]:
    """What the program says, by what it measured."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*build(Path(folder)), str(runs), str(count)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["what"]: one for one in found}


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--count", type=int, default=200_000)
    options = parser.parse_args()
    found = measure(options.runs, options.count)

    def row(what: str, against: str = "", bar: float | None = None) -> Row:
        value = float(str(found[what]["ns"]))
        ratio = value / float(str(found[against]["ns"])) if against else None
        return Row(what, value, "ns", tuple(map(float, found[what]["runs"])), ratio, against, bar)  # type: ignore[call-overload]

    rows = [row(what) for what in OURS] + [row(*one) for one in COMPARED]
    note = (
        "A ratio above 1: zeps is that much faster. `zeps encode, writer, key as octets` gives a reused writer a"
        " number and the octets of a key and of a body, which lie in arrays, and writes the message into the"
        " caller's array; the key is checked to be printable UTF-8, and nothing is allocated. `zeps encode` makes"
        " a record of a number, a string and an array, and writes that: about 4 times ahead of protobuf on JDK 17,"
        " since half of its time goes into looking through a `String` and getting its octets. So the bar is the"
        " writer's, as that of decoding is the view's. `protobuf encode` is builder, `ByteString.copyFrom` of the"
        " body and `toByteArray`, with a string as its key; `protobuf encode, key as octets` has `setKeyBytes`"
        " with a `ByteString` made beforehand, which protobuf checks to be UTF-8. `zeps decode` checks the whole"
        " frame and makes nothing: a view gives its numbers, and its string and octets when they are asked for."
        " `protobuf decode` is `parseFrom`. 64 keys and frames take turns."
    )
    return 0 if publish("codec_java", "Java: one DELIVER, 282 octets", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
