"""CMake and the compilers of C and C++, for tests."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from driver_processes import Process
from programs import run, tool, vectors_of

__all__ = ["SANITIZED", "SANITIZERS", "build", "ctest", "survives"]

#: The sanitizers' flags. Without optimisation: instrumented code takes long to optimise, and they find the same.
#: What is undefined traps, and ASan says in which line: to compile a message for each place takes half as long again.
#: ASan's checks are calls, because code in their place takes longer to compile than the tests to run.
SANITIZERS = (
    "-O0 -g1 -fsanitize=address,undefined -fsanitize-undefined-trap-on-error "
    "--param asan-instrumentation-with-call-threshold=0"
)
os.environ["ASAN_OPTIONS"] = "handle_sigill=1"
#: CMake's options for them.
SANITIZED = (
    "-DCMAKE_BUILD_TYPE=Debug",
    f"-DCMAKE_C_FLAGS_DEBUG={SANITIZERS}",
    f"-DCMAKE_CXX_FLAGS_DEBUG={SANITIZERS}",
)


def build(source: Path, folder: Path, *options: str, targets: Sequence[str] = ()) -> None:
    """Builds a project in `folder`: the given targets, or all. Two jobs at a time, since other tests may run."""
    for compiler in ("gcc", "g++"):
        tool(compiler)
    run(["cmake", "-S", source, "-B", folder, *options])
    run(["cmake", "--build", folder, "--parallel", "2", *(["--target", *targets] if targets else [])])


def ctest(folder: Path) -> None:
    """Run the tests of a project that is built."""
    assert "100% tests passed" in run(["ctest", "--test-dir", folder, "--output-on-failure"])


def survives(driver: Path, requests: Path, count: int) -> None:
    """Requests that are cut, changed and joined get one answer each, without reports of the sanitizers."""
    sound = [request for _, request, _ in vectors_of(requests.read_bytes())]
    Process([driver]).answers([_damaged(sound, number) for number in range(count)], quiet=True)


def _damaged(sound: Sequence[bytes], number: int) -> bytes:
    """A request with an error; deterministic for each number."""
    request, other = sound[number * 7919 % len(sound)], sound[number * 104729 % len(sound)]
    at = number * 31 % (len(request) + 1)
    match number % 6:
        case 0:
            return request[:at]
        case 1:
            return request[:at] + other[number * 17 % (len(other) + 1) :]
        case 2:
            return request[:at] + bytes([number & 0xFF]) + request[at + 1 :]
        case 3:
            return request[:at] + b"\xff\xff\xff\xff" + request[at + 4 :]
        case 4:
            place = at % len(request)
            return request[:place] + bytes([request[place] ^ 1 << number % 8]) + request[place + 1 :]
        case _:
            return request + other[: number % 9]
