"""Builds and asks a driver as its recipe, `conformance/drivers/<language>/driver.toml`, says."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

__all__ = ["RECIPES", "ask_driver", "build_driver"]

ROOT = Path(__file__).resolve().parents[4]
#: The languages that have a driver.
RECIPES = sorted(path.parent.name for path in (ROOT / "conformance" / "drivers").glob("*/driver.toml"))


def build_driver(language: str, package: Path, out: Path) -> list[str]:
    """Build the driver of a generated package; the command that starts it."""
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
    for command in (*found["requires"], *found["build"]):
        done = subprocess.run(filled(command), cwd=package, capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, f"{' '.join(filled(command))}:\n{done.stdout}{done.stderr}"
    return filled(found["command"])


def ask_driver(command: Sequence[str], requests: Sequence[bytes]) -> list[bytes]:
    """What a driver answers to each request."""
    told = b"".join(len(item).to_bytes(4, "big") + item for item in requests)
    done = subprocess.run(command, input=told, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    answers, rest = [], done.stdout
    while rest:
        size = int.from_bytes(rest[:4], "big")
        answers.append(rest[4 : 4 + size])
        rest = rest[4 + size :]
    return answers
