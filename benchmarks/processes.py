"""Processes that a benchmark starts, pins to one CPU, and ends by their id."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "ZEPS", "broker", "cpu_seconds", "forget_peak", "free_port", "installed", "listening", "load_cpu", "memory",
    "peak_memory", "pinned", "server_cpu",
]  # fmt: skip


ZEPS = str(Path(sys.executable).with_name("zeps"))
_CPUS = sorted(os.sched_getaffinity(0))  # before the load pins itself


def server_cpu() -> set[int]:
    """The CPU of the program under measurement."""
    return {_CPUS[0]}


def load_cpu() -> set[int]:
    """The CPUs of the load."""
    return set(_CPUS[1:] or _CPUS)


def cpu_seconds(pid: int) -> float:
    """Processor time that process `pid` has used, to the nanosecond: the clock that clock_getcpuclockid(3) names."""
    return time.clock_gettime((~pid << 3) | 2)


def peak_memory(pid: int) -> int:
    """The most memory that process `pid` has held, in octets."""
    return _memory(pid, "VmHWM")


def memory(pid: int) -> int:
    """The memory that process `pid` holds, in octets."""
    return _memory(pid, "VmRSS")


def forget_peak(pid: int) -> None:
    """From now on `peak_memory` is of what follows."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def _memory(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return 0


@contextmanager
def pinned(command: Sequence[str], cpus: set[int]) -> Iterator[tuple[str, int]]:
    """Run `command` on `cpus`; yields the endpoint of its `ready ENDPOINT` line, and its process id."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus)
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("ready "):
            raise RuntimeError(f"{command[0]} did not become ready: {line!r}")
        yield line.split()[1], process.pid
    finally:
        _end(process)
        if process.stdout is not None:
            process.stdout.close()


def free_port() -> int:
    """A TCP port of loopback that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def installed(name: str) -> str:
    """The path of a server. FileNotFoundError says how to come by it."""
    program = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
    if program is None:
        raise FileNotFoundError(f"{name} is not installed: tools/install --benchmarks")
    return program


@contextmanager
def listening(command: Sequence[str], port: int) -> Iterator[int]:
    """Run a server, pinned, that says nothing: yields its process id when it accepts connections on `port`."""
    program = installed(command[0])
    cpus = server_cpu()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [program, *command[1:]],
            stdout=said,
            stderr=said,
            preexec_fn=lambda: os.sched_setaffinity(0, cpus),
        )
        try:
            deadline = time.monotonic() + 15
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError as error:
                    if process.poll() is not None or time.monotonic() > deadline:
                        said.seek(0)
                        raise RuntimeError(f"{command[0]} does not listen: {said.read()[-2000:]}") from error
                    time.sleep(0.02)
            yield process.pid
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def broker(
    *options: str, data: Path | None = None, engine: str = "native", command: str | Sequence[str] = ZEPS
) -> Iterator[tuple[str, int]]:
    """A broker of ours on loopback, pinned, with its journal in `data` or a folder that is removed afterwards.

    `command` is the `zeps` that serves, or how it is started, if it is to be another than that beside this Python.
    Its heartbeat is slow, because the load counts octets and answers no PING.
    """
    with tempfile.TemporaryDirectory(prefix="zeps-bench-") as scratch:
        config = Path(scratch) / "zeps.toml"
        config.write_text(
            "[broker]\nclient_timeout = 3600.0\nheartbeat_interval = 1800.0\n"
            f'[transport]\nengine = "{engine}"\n'
        )
        arguments = [
            *([command] if isinstance(command, str) else command),
            "broker", "--config", str(config), "--bind", "tcp://127.0.0.1:*",
            "--data", str(data or Path(scratch) / "data"), "--log-level", "warning", *options,
        ]  # fmt: skip
        with pinned(arguments, server_cpu()) as started:
            yield started
