"""The JDK and Maven, for tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from zeps_codegen.targets.java.format import artifact

__all__ = ["BRIEF", "DOCUMENTED", "GENERATED", "JUNIT", "compile_java", "run", "sources", "write"]

ROOT = Path(__file__).resolve().parents[4]
GENERATED = ROOT / "generated" / "java"
JUNIT = "org.junit.platform:junit-platform-console-standalone:1.11.4"
#: Options for a virtual machine with a short life: no optimising compiler and no concurrent garbage collector.
BRIEF = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
#: All warnings are errors.
STRICT = ("-Xlint:all", "-Werror", "-encoding", "UTF-8")
#: Everything that programs may use must be documented; internal classes need not.
DOCUMENTED = "-Xdoclint/package:-zeps.wire.internal"


def run(command: Sequence[str | Path], folder: Path | None = None, **variables: str) -> str:
    """Runs a command and returns its output. Raises AssertionError, with the output, if it fails."""
    words, environment = [str(part) for part in command], os.environ | variables
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, f"{' '.join(words)[:400]}\n{done.stdout}{done.stderr}"
    return done.stdout


def sources(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.java"))


def compile_java(out: Path, files: Iterable[Path], *places: Path, documented: bool = False) -> None:
    """Compiles without warnings; with `documented`, missing or wrong documentation is an error."""
    brief = [f"-J{option}" for option in BRIEF]
    options = [*brief, *STRICT, *(["-Xdoclint:all/protected", DOCUMENTED] if documented else [])]
    run(["javac", *options, "-cp", ":".join(map(str, places)) or ".", "-d", out, *files])


def write(files: Mapping[PurePosixPath, bytes], folder: Path) -> Path:
    """Writes a rendered project below `folder`; returns its root."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder / "generated" / "java"


def junit() -> Path:
    """The console launcher with everything that tests need."""
    return artifact(JUNIT)
