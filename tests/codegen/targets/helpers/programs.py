"""Programs that tests run, and the files and messages that they exchange with them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from our_models import BUNDLE

from zeps_codegen.generate import TARGETS
from zeps_codegen.manifest import read_manifest

__all__ = [
    "BUNDLE",
    "GOLDEN",
    "HELPERS",
    "ROOT",
    "committed",
    "examples",
    "execute",
    "models",
    "run",
    "sent",
    "tool",
    "vectors_of",
    "write",
]

HELPERS = Path(__file__).resolve().parent
GOLDEN = HELPERS.parent / "golden"
ROOT = HELPERS.parents[3]
#: How to install the programs that are not in the Python environment.
INSTALLING = {
    "cargo": "rustup",
    "chromium": "apt-get install chromium",
    "cmake": "apt-get install cmake",
    "ctest": "apt-get install cmake",
    "dot": "apt-get install graphviz",
    "g++": "apt-get install build-essential",
    "gcc": "apt-get install build-essential",
    "dumpcap": "apt-get install tshark",
    "go": "apt-get install golang",
    "gofmt": "apt-get install golang",
    "mix": "apt-get install elixir",
    "javac": "apt-get install openjdk-17-jdk-headless",
    "mvn": "apt-get install maven",
    "node": "apt-get install nodejs",
    "pkg-config": "apt-get install pkg-config",
    "tshark": "apt-get install tshark",
}


def tool(name: str | Path) -> str:
    """The path of a program, beside this Python or on the path. Raises AssertionError with a hint if it is missing."""
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    path = shutil.which(name, path=os.pathsep.join(places))
    assert path, f"{name} is missing: {INSTALLING.get(str(name), 'tools/install')}"
    return path


def execute(
    command: Sequence[str | Path], folder: Path | None = None, stdin: bytes = b"", **variables: str
) -> subprocess.CompletedProcess[bytes]:
    """Runs a command in `folder` with the input `stdin`, and `variables` added to this process's environment."""
    words = [tool(command[0]), *map(str, command[1:])]
    environment = os.environ | variables
    return subprocess.run(words, cwd=folder, env=environment, input=stdin, capture_output=True, check=False)


def run(
    command: Sequence[str | Path], folder: Path | None = None, stdin: bytes = b"", **variables: str
) -> str:
    """Returns the output of a command; see :func:`execute`. Raises AssertionError, with all output, if it fails."""
    done = execute(command, folder, stdin, **variables)
    said = done.stdout.decode(errors="replace")
    report = f"{' '.join(map(str, command))[:400]} in {folder}\n{said}{done.stderr.decode(errors='replace')}"
    assert done.returncode == 0, report
    return said


def write(files: Mapping[PurePosixPath, Any], folder: Path) -> Path:
    """Writes the files, bytes or text by relative path, below `folder`, and returns it."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def models(*folders: Path) -> list[Path]:
    """The models in the folders, in the order of names in each."""
    return [path for folder in folders for path in sorted(folder.glob("*.xml"))]


def committed(target: str) -> dict[PurePosixPath, bytes]:
    """The committed files of a target, by path. test_generate.py compares them with what the models yield."""
    paths = read_manifest(ROOT, [each.name for each in TARGETS])[target]
    return {PurePosixPath(path): (ROOT / path).read_bytes() for path in sorted(paths)}


def examples(readme: str, language: str) -> list[str]:
    """The blocks of code in `language` in a page of Markdown."""
    return re.findall(rf"^```{language}\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)


def sent(frames: Iterable[bytes]) -> bytes:
    """The frames, each after its length in four bytes."""
    return b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)


def vectors_of(requests: str | bytes) -> list[tuple[str, bytes, bytes]]:
    """The name, the request and the answer of each line of a requests.tsv."""
    text = requests.decode() if isinstance(requests, bytes) else requests
    lines = (line.split("\t") for line in text.splitlines())
    return [(name, bytes.fromhex(request), bytes.fromhex(answer)) for name, request, answer in lines]
