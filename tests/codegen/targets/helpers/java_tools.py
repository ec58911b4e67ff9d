"""The JDK and Maven, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from programs import ROOT, run

from zeps_codegen.targets.java.format import artifact

__all__ = ["BRIEF", "DOCUMENTED", "GENERATED", "JUNIT", "compile_java", "sources"]

GENERATED = ROOT / "generated" / "java"
JUNIT = "org.junit.platform:junit-platform-console-standalone:1.11.4"
#: Options for a virtual machine with a short life: no optimising compiler and no concurrent garbage collector.
BRIEF = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
#: All warnings are errors.
STRICT = ("-Xlint:all", "-Werror", "-encoding", "UTF-8")
#: Everything that programs may use must be documented; internal classes need not.
DOCUMENTED = "-Xdoclint/package:-zeps.wire.internal"


def sources(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.java"))


def compile_java(out: Path, files: Iterable[Path], *places: Path, documented: bool = False) -> None:
    """Compiles without warnings; with `documented`, missing or wrong documentation is an error."""
    brief = [f"-J{option}" for option in BRIEF]
    options = [*brief, *STRICT, *(["-Xdoclint:all/protected", DOCUMENTED] if documented else [])]
    run(["javac", *options, "-cp", ":".join(map(str, places)) or ".", "-d", out, *files])


def junit() -> Path:
    """The console launcher with everything that tests need."""
    return artifact(JUNIT)
