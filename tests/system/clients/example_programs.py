"""The example clients: how to build each, and the command that starts it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from zeps_codegen.targets.java.format import artifact

__all__ = ["CLIENTS", "JEROMQ", "PROGRAMS", "ROOT", "Client", "Program", "carry_out", "finish"]

ROOT = Path(__file__).parents[3]
CLIENTS = ROOT / "examples" / "clients"
JEROMQ = "org.zeromq:jeromq:0.6.0"
MODULES = ROOT / "tools" / "node" / "node_modules"
#: Cargo's output is kept between runs: the crate's dependencies take a minute.
CARGO = ROOT / "build" / "cargo"
STRICT_CPP = "-Wall -Wextra -Werror -pedantic"
#: The sources of each target are compiled as one, because half of the time is spent on the headers.
UNITY = ("-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0")


@dataclass(frozen=True, slots=True)
class Program:
    """`build` builds it in a folder; `command` starts it. `tools` are commands and how to install them."""

    build: Callable[[Path], None]
    command: Callable[[Path], Sequence[str | Path]]
    tools: dict[str, str]


class Client:
    """The program of one language."""

    def __init__(self, command: list[str]) -> None:
        self.command = command

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts it without waiting."""
        return subprocess.Popen(
            [*self.command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, *arguments: str) -> tuple[int, list[str], str]:
        """Returns its exit code, the lines of its output, and its standard error."""
        return finish(self.start(*arguments))


def finish(process: subprocess.Popen[str]) -> tuple[int, list[str], str]:
    """Returns the result of a started program."""
    with process:
        try:
            output, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, output.splitlines(), errors


def carry_out(*command: str | Path, cwd: Path | None = None) -> None:
    """Runs a command that must succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _cmake(language: str, *flags: str) -> Callable[[Path], None]:
    def build(folder: Path) -> None:
        result = subprocess.run(["pkg-config", "--exists", "libzmq"], check=False)
        assert result.returncode == 0, "libzmq is missing: apt-get install libzmq3-dev"
        carry_out("cmake", "-S", CLIENTS / language, "-B", folder, *flags)
        carry_out("cmake", "--build", folder, "--parallel", "2")

    return build


def _build_go(folder: Path) -> None:
    carry_out("go", "build", "-o", folder / "client", ".", cwd=CLIENTS / "go")


def _build_java(folder: Path) -> None:
    folders = (CLIENTS / "java/src/main/java", ROOT / "generated/java/src/main/java")
    sources = ":".join(map(str, folders))
    strict = ["-J-XX:TieredStopAtLevel=1", "-Xlint:all", "-Werror", "-encoding", "UTF-8"]
    places = ["-cp", artifact(JEROMQ), "--source-path", sources, "-d", folder]
    carry_out("javac", *strict, *places, folders[0] / "zeps/example/Client.java")


def _start_java(folder: Path) -> Sequence[str | Path]:
    quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    return ["java", *quick, "-cp", f"{folder}:{artifact(JEROMQ)}", "zeps.example.Client"]


def _build_rust(_: Path) -> None:
    carry_out("cargo", "build", "--quiet", "--target-dir", CARGO, cwd=CLIENTS / "rust")


def _build_typescript(folder: Path) -> None:
    compiler = MODULES / "typescript" / "bin" / "tsc"
    assert compiler.exists(), "tsc and zeromq.js are missing: npm ci --prefix tools/node"
    shutil.copytree(CLIENTS / "typescript", folder, dirs_exist_ok=True)
    package = folder / "node_modules" / "zeps-wire"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "generated" / "typescript" / "package.json", package)
    for name in ("zeromq", "@types"):
        (folder / "node_modules" / name).symlink_to(MODULES / name)
    carry_out(
        "node",
        compiler,
        "-p",
        ROOT / "generated" / "typescript",
        "--skipLibCheck",
        "--outDir",
        package / "dist",
    )
    carry_out("node", compiler, "-p", folder, "--outDir", folder / "build")
    linter, rules = MODULES / "eslint/bin/eslint.js", ROOT / "tools/node/eslint.config.mjs"
    carry_out("node", linter, "--config", rules, ".", cwd=folder)


_CMAKE = {"cmake": "apt-get install cmake", "pkg-config": "apt-get install pkg-config"}

PROGRAMS = {
    "c": Program(
        _cmake("c", "-DZEPS_WIRE_FLAGS=-Werror", "-DCMAKE_C_FLAGS_RELEASE=-O0"),
        lambda folder: [folder / "client"],
        {**_CMAKE, "cc": "apt-get install gcc"},
    ),
    "cpp": Program(
        _cmake("cpp", f"-DCMAKE_CXX_FLAGS={STRICT_CPP}", "-DCMAKE_CXX_FLAGS_RELEASE=-O0", *UNITY),
        lambda folder: [folder / "client"],
        {**_CMAKE, "c++": "apt-get install g++"},
    ),
    "go": Program(_build_go, lambda folder: [folder / "client"], {"go": "Go 1.23 or later is needed"}),
    "java": Program(_build_java, _start_java, {"javac": "apt-get install openjdk-17-jdk-headless maven"}),
    "python": Program(lambda _: None, lambda _: [sys.executable, CLIENTS / "python" / "client.py"], {}),
    "rust": Program(
        _build_rust,
        lambda _: [CARGO / "debug" / "zeps-client"],
        {"cargo": "Rust 1.80 or later is needed (rustup brings it)"},
    ),
    "typescript": Program(
        _build_typescript,
        lambda folder: ["node", folder / "build" / "client.js"],
        {"node": "Node 20 or later is needed"},
    ),
}
