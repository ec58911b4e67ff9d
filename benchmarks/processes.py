"""Processes that a benchmark starts, pins to one CPU, and ends by their id."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["broker", "cpu_seconds", "load_cpu", "peak_memory", "pinned", "server_cpu"]


def server_cpu() -> set[int]:
    """The CPU of the program under measurement."""
    return {sorted(os.sched_getaffinity(0))[0]}


def load_cpu() -> set[int]:
    """The CPUs of the load."""
    cpus = sorted(os.sched_getaffinity(0))
    return set(cpus[1:] or cpus)


def cpu_seconds(pid: int) -> float:
    """User and system time that process `pid` has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_memory(pid: int) -> int:
    """The most memory that process `pid` has held, in octets."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
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
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def broker(*options: str, data: Path | None = None, engine: str = "native") -> Iterator[tuple[str, int]]:
    """A broker of ours on loopback, pinned, with its journal in `data` or a folder that is removed afterwards.

    Its heartbeat is slow, because the load counts octets and answers no PING.
    """
    with tempfile.TemporaryDirectory(prefix="zeps-bench-") as scratch:
        config = Path(scratch) / "zeps.toml"
        config.write_text(
            "[broker]\nclient_timeout = 3600.0\nheartbeat_interval = 1800.0\n"
            f'[transport]\nengine = "{engine}"\n'
        )
        command = [
            str(Path(sys.executable).with_name("zeps")), "broker", "--config", str(config), "--bind", "tcp://127.0.0.1:*",
            "--data", str(data or Path(scratch) / "data"), "--log-level", "warning", *options,
        ]  # fmt: skip
        with pinned(command, server_cpu()) as started:
            yield started
