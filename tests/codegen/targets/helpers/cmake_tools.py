"""CMake and the compilers of C and C++, for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["SANITIZED", "SANITIZERS", "build", "ctest", "run", "tool"]

#: The sanitizers' flags. Without optimisation: instrumented code takes long to optimise, and they find the same.
#: What is undefined traps, and ASan says in which line: to compile a message for each place takes half as long again.
SANITIZERS = "-O0 -g1 -fsanitize=address,undefined -fsanitize-undefined-trap-on-error"
os.environ["ASAN_OPTIONS"] = "handle_sigill=1"
#: CMake's options for them.
SANITIZED = (
    "-DCMAKE_BUILD_TYPE=Debug",
    f"-DCMAKE_C_FLAGS_DEBUG={SANITIZERS}",
    f"-DCMAKE_CXX_FLAGS_DEBUG={SANITIZERS}",
)


def tool(name: str, package: str) -> str:
    """The command, beside this Python or on the path."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert found, f"{name} is missing: {package}"
    return found


def run(command: Sequence[str | Path], **options: object) -> str:
    """Runs the command, which must succeed; returns its output."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return str(done.stdout)


def build(source: Path, folder: Path, *options: str, targets: Sequence[str] = ()) -> None:
    """Builds a project in `folder`: the given targets, or all. Two jobs at a time, since other tests may run."""
    cmake = tool("cmake", "apt-get install cmake")
    for compiler in ("cc", "c++"):
        tool(compiler, "apt-get install build-essential")
    run([cmake, "-S", source, "-B", folder, *options])
    run([cmake, "--build", folder, "--parallel", "2", *(["--target", *targets] if targets else [])])


def ctest(folder: Path) -> None:
    """Run the tests of a project that is built."""
    said = run([tool("ctest", "apt-get install cmake"), "--test-dir", folder, "--output-on-failure"])
    assert "100% tests passed" in said
