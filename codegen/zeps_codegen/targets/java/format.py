"""google-java-format: one virtual machine for all files. Maven fetches it once."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TypeVar

from ..formatting import FormatterError

__all__ = ["GOOGLE_JAVA_FORMAT", "artifact", "java_format"]

P = TypeVar("P", bound=PurePath)

GOOGLE_JAVA_FORMAT = "com.google.googlejavaformat:google-java-format:1.25.2:jar:all-deps"

_EXPORTS = ("api", "code", "file", "parser", "tree", "util")


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise FormatterError(
            f"{name} is needed to format Java: apt-get install maven openjdk-17-jdk-headless"
        )
    return found


def artifact(coordinates: str) -> Path:
    """Where Maven keeps ``group:artifact:version[:type[:classifier]]``, fetched if it is not there yet."""
    group, name, version, kind, *classifier = [*coordinates.split(":"), "jar"][
        : max(4, coordinates.count(":") + 1)
    ]
    file = f"{'-'.join([name, version, *classifier])}.{kind}"
    path = Path.home() / ".m2/repository" / group.replace(".", "/") / name / version / file
    if not path.exists():
        command = [_tool("mvn"), "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get"]
        run = subprocess.run(
            [*command, "-Dtransitive=false", f"-Dartifact={coordinates}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode != 0 or not path.exists():
            raise FormatterError(f"Maven could not fetch {coordinates}:\n{run.stdout}{run.stderr}")
    return path


def java_format(sources: Mapping[P, str]) -> dict[P, str]:
    """Each source, by its path, in google-java-format's form."""
    jar = artifact(GOOGLE_JAVA_FORMAT)
    exports = [f"--add-exports=jdk.compiler/com.sun.tools.javac.{part}=ALL-UNNAMED" for part in _EXPORTS]
    exports += ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{index}" / name.name for index, name in enumerate(sources)}
        for name, path in paths.items():
            path.parent.mkdir()
            path.write_text(sources[name], encoding="utf-8")
        arguments = Path(folder) / "arguments"
        arguments.write_text("\n".join(map(str, paths.values())))
        command = [_tool("java"), *exports, "-jar", str(jar), "--replace", f"@{arguments}"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise FormatterError(f"google-java-format refused generated Java:\n{run.stdout}{run.stderr}")
        return {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
