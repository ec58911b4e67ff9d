"""Builds and runs the codec benchmarks of compiled languages from the tree of one version, with its own packages."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from processes import server_cpu
from report import median, say
from versions import Version

__all__ = ["PROGRAMS", "CodecProgram"]

_MODULES = Path(__file__).resolve().parents[1] / "tools" / "node" / "node_modules"


def _script(version: Version, language: str) -> ModuleType:
    """Import `codec_<language>.py` of the version."""
    path = version.root / "benchmarks" / f"codec_{language}.py"
    spec = importlib.util.spec_from_file_location(f"{version.name}_codec_{language}".replace("-", "_"), path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _run(command: Sequence[str | Path], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed in {folder}:\n{done.stdout}")


def _c(version: Version, folder: Path) -> list[str]:
    sbe = _script(version, "c").generate_sbe(folder)
    program = version.root / "benchmarks" / "codec_c"
    _run(["cmake", "-S", program, "-B", folder / "build", f"-DZEPS_SBE={sbe}"], folder)
    _run(["cmake", "--build", folder / "build"], folder)
    return [str(folder / "build" / "codec_c"), "21", "20000"]


def _cpp(version: Version, folder: Path) -> list[str]:
    return [str(_script(version, "cpp").build(folder)), "5", "20000"]


def _go(version: Version, folder: Path) -> list[str]:
    _run(["go", "build", "-o", folder / "codec_go", "."], version.root / "benchmarks" / "codec_go")
    return [str(folder / "codec_go"), "-runs", "1"]


def _rust(version: Version, folder: Path) -> list[str]:
    command = ["cargo", "build", "--quiet", "--release", "--target-dir", str(folder)]
    _run(command, version.root / "benchmarks" / "codec_rust")
    return [str(folder / "release" / "codec-rust"), "5", "20000"]


def _java(version: Version, folder: Path) -> list[str]:
    return [*_script(version, "java").build(folder), "5", "100000"]


def _typescript(version: Version, folder: Path) -> list[str]:
    modules = version.root / "tools" / "node" / "node_modules"
    if not modules.exists():
        modules.symlink_to(_MODULES)
    return ["node", "--expose-gc", str(_script(version, "typescript").build(folder)), "3", "50000"]


class CodecProgram:
    """Measure of one language's codec. A call returns for each figure (median rate, "messages/s"); the first call of
    each version builds its program below `folder`.
    """

    def __init__(self, language: str, build: Callable[[Version, Path], list[str]], folder: Path) -> None:
        self.language, self._build, self._folder = language, build, folder
        self._commands: dict[str, list[str]] = {}

    def __call__(self, version: Version) -> dict[str, tuple[float, str]]:
        command = self._commands.get(version.name)
        if command is None:
            folder = self._folder / f"{self.language}-{version.name}"
            folder.mkdir(parents=True)
            say(f"building the codec benchmark in {self.language} for {version.name}")
            command = self._commands[version.name] = self._build(version, folder)
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            check=True,
            preexec_fn=lambda: os.sched_setaffinity(0, server_cpu()),
        )
        times: dict[str, list[float]] = {}
        for line in done.stdout.splitlines():
            figure = json.loads(line)
            if "zeps" in str(figure.get("what", "")) and "ns" in figure:
                times.setdefault(figure["what"], []).append(float(figure["ns"]))
        return {
            f"codec in {self.language}: {what}": (1e9 / median(values), "messages/s")
            for what, values in times.items()
        }


PROGRAMS: dict[str, Callable[[Version, Path], list[str]]] = {
    "c": _c,
    "cpp": _cpp,
    "go": _go,
    "java": _java,
    "rust": _rust,
    "typescript": _typescript,
}
"""Functions that build a language's program from a version's tree in a folder, and return the command that runs it."""
