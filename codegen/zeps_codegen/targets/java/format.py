"""google-java-format, run in one virtual machine for all files. Maven downloads it once."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ..formatting import FormatterError, format_files

__all__ = ["GOOGLE_JAVA_FORMAT", "artifact", "java_format"]

GOOGLE_JAVA_FORMAT = "com.google.googlejavaformat:google-java-format:1.25.2:jar:all-deps"

_HINT = "apt-get install maven openjdk-17-jdk-headless"
_PARTS = ("api", "code", "file", "parser", "tree", "util")
_OPTIONS = [f"--add-exports=jdk.compiler/com.sun.tools.javac.{part}=ALL-UNNAMED" for part in _PARTS]
_OPTIONS += ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]


def artifact(coordinates: str) -> Path:
    """The path of ``group:artifact:version[:type[:classifier]]`` in ~/.m2/repository; Maven fetches a missing one.
    Raises FormatterError if Maven is missing or fails then.
    """
    group, name, version, *others = coordinates.split(":")
    kind, *classifier = others or ["jar"]
    file = f"{'-'.join([name, version, *classifier])}.{kind}"
    path = Path.home() / ".m2/repository" / group.replace(".", "/") / name / version / file
    if not path.exists():
        command = ["mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get"]
        command += ["-Dtransitive=false", f"-Dartifact={coordinates}"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise FormatterError(f"mvn is needed to fetch {coordinates}: {_HINT}") from None
        if run.returncode != 0 or not path.exists():
            raise FormatterError(f"Maven could not fetch {coordinates}:\n{run.stdout}{run.stderr}")
    return path


def java_format(sources: Mapping[PurePosixPath, str]) -> dict[PurePosixPath, str]:
    """Formats texts by relative path with google-java-format. Raises FormatterError, also without Java or Maven."""
    arguments = [*_OPTIONS, "-jar", str(artifact(GOOGLE_JAVA_FORMAT)), "--replace"]
    done = format_files("java", arguments, {str(path): text for path, text in sources.items()}, _HINT)
    return {PurePosixPath(path): text for path, text in done.items()}
