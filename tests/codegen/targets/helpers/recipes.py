"""Builds and queries a driver according to its recipe, `conformance/drivers/<language>/driver.toml`."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

__all__ = ["HASTE", "RECIPES", "ask_driver", "build_driver", "hasty"]

ROOT = Path(__file__).resolve().parents[4]
#: The languages that have a driver.
RECIPES = sorted(path.parent.name for path in (ROOT / "conformance" / "drivers").glob("*/driver.toml"))

RELEASE, NONE = "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_BUILD_TYPE=None"
#: Replacements of a recipe's words for tests with few requests, for which optimisation would take too long. Without
#: optimisation Clang compiles C++ in two thirds of GCC's time; other tests build the packages with GCC.
HASTE = {
    "c": {RELEASE: (NONE,)},
    "cpp": {RELEASE: (NONE, "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_CXX_COMPILER=clang++")},
    "java": {"javac": ("javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")},
}


def hasty(language: str, command: Sequence[str]) -> tuple[str, ...]:
    """A command of a recipe for a build without optimisation."""
    known = HASTE.get(language, {})
    return tuple(word for old in command for word in known.get(old, (old,)))


def build_driver(language: str, package: Path, out: Path) -> list[str]:
    """Builds the driver of a generated package without optimisation; returns the command that starts it."""
    recipe = ROOT / "conformance" / "drivers" / language / "driver.toml"
    places = {
        "out": str(out),
        "package": str(package),
        "python": sys.executable,
        "here": str(recipe.parent),
    }
    with recipe.open("rb") as file:
        found = tomllib.load(file)

    def filled(command: Sequence[str]) -> list[str]:
        for name, value in places.items():
            command = [part.replace(f"{{{name}}}", value) for part in command]
        return list(command)

    out.mkdir(parents=True, exist_ok=True)
    for command in (*found["requires"], *(hasty(language, command) for command in found["build"])):
        done = subprocess.run(filled(command), cwd=package, capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, f"{' '.join(filled(command))}:\n{done.stdout}{done.stderr}"
    return filled(found["command"])


def ask_driver(command: Sequence[str], requests: Sequence[bytes]) -> list[bytes]:
    """The driver's answer to each request."""
    told = b"".join(len(item).to_bytes(4, "big") + item for item in requests)
    done = subprocess.run(command, input=told, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    answers, rest = [], done.stdout
    while rest:
        size = int.from_bytes(rest[:4], "big")
        answers.append(rest[4 : 4 + size])
        rest = rest[4 + size :]
    return answers
