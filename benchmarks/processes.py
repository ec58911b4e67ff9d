"""Starts processes for benchmarks, pins them to CPUs, and ends them by their ids."""

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
    """The CPUs of the load: all others, or the same one if there is only one."""
    return set(_CPUS[1:] or _CPUS)


def cpu_seconds(pid: int) -> float:
    """Processor seconds of the process `pid`, with nanosecond resolution: the clock of clock_getcpuclockid(3)."""
    return time.clock_gettime((~pid << 3) | 2)


def peak_memory(pid: int) -> int:
    """Peak resident memory of the process `pid` in bytes, since its start or since `forget_peak`."""
    return _memory(pid, "VmHWM")


def memory(pid: int) -> int:
    """Present resident memory of the process `pid`, in bytes."""
    return _memory(pid, "VmRSS")


def forget_peak(pid: int) -> None:
    """Reset the peak that `peak_memory` returns."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def _memory(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return 0


@contextmanager
def pinned(command: Sequence[str], cpus: set[int]) -> Iterator[tuple[str, int]]:
    """Run `command` on `cpus`, and terminate it at the end. Yields the endpoint of its `ready ENDPOINT` line, for which
    it waits without a timeout, and its process id. Raises RuntimeError if it prints another line or none.
    """
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
    """An unused TCP port on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def installed(name: str) -> str:
    """Path of a server's program. Raises FileNotFoundError, with the command that installs it, if it is missing."""
    program = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
    if program is None:
        raise FileNotFoundError(f"{name} is not installed: tools/install --benchmarks")
    return program


@contextmanager
def listening(command: Sequence[str], port: int) -> Iterator[int]:
    """Run a pinned server without a ready line, and terminate it at the end. Yields its process id when it accepts
    connections on `port`. Raises RuntimeError with its output if it ends or does not listen within 15 seconds, and
    FileNotFoundError if it is not installed.
    """
    program = installed(command[0])
    cpus = server_cpu()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [program, *command[1:]],
            stdout=output,
            stderr=output,
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
                        output.seek(0)
                        raise RuntimeError(
                            f"{command[0]} does not listen: {output.read()[-2000:]}"
                        ) from error
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
    """Run our broker on loopback, pinned, with its journal in `data` or in a temporary folder. Yields its endpoint and
    process id. `command` is the `zeps` to run, by default the one beside this Python; `options` are added to it. The
    heartbeat interval is long, because the load counts bytes and does not answer PING.
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
