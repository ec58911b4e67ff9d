"""What the tests of attacks share: the broker's configuration and its bounds, attackers in a process, and meters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attacks import REGEX_PREFIX
from harness import PATIENCE, BrokerProcess, eventually

__all__ = [
    "CONFIGURATION",
    "MEMORY_BYTES_MAX",
    "TURN_MAX",
    "AttackProcess",
    "ProcessMeter",
    "check_turns",
    "newest_figures",
    "ports_of",
]

MEMORY_BYTES_MAX = 128 << 20
"""What the broker may use for its clients, above what it uses without an attack."""

TURN_MAX = {"turn_messages_highest": 1000, "turn_bytes_highest": 8 << 20, "turn_steps_highest": 10_000}
"""What one turn of the broker may take, by the figure that says what it took."""

CONFIGURATION = f"""
[broker]
client_timeout = 10.0
heartbeat_interval = 2.0
stop_timeout = 2.0
stats_interval = 0.2

[journal]
sync = "os"
segment_octets = {16 << 20}
retain_octets = {256 << 20}

[transport]
batch_messages = {TURN_MAX["turn_messages_highest"]}
batch_octets = {TURN_MAX["turn_bytes_highest"]}
handshake_timeout = 2.0

[streams."{REGEX_PREFIX}*"]
match = "regex"

[gateways.plain]
publishers = ["tcp://127.0.0.1:*"]
subscribers = ["tcp://127.0.0.1:*"]
"""
"""The configuration of every broker that is attacked. The bounds are MEMORY_BYTES_MAX and TURN_MAX."""

SYSTEM = Path(__file__).parent


def ports_of(broker: BrokerProcess) -> dict[str, str]:
    """The endpoints by :data:`attacks.Port`."""
    gateways = broker.log("ready")[-1]["gateways"]
    return {"router": broker.endpoint, **{line.split()[0]: line.split()[1] for line in gateways}}


def newest_figures(broker: BrokerProcess) -> dict[str, Any]:
    """The broker's figures, from a moment after the call."""
    before = len(broker.log("stats"))
    # The line after the next: the next one may have been in the making.
    return dict(eventually("a line of figures", lambda: broker.log("stats")[before + 1 :])[0])


def check_turns(figures: Mapping[str, Any]) -> None:
    """No turn of the broker took more than TURN_MAX allows."""
    excesses = {
        name: figures[name] for name, most in TURN_MAX.items() if name not in figures or figures[name] > most
    }
    assert not excesses, f"more than {TURN_MAX} in one turn: {excesses}"


class ProcessMeter:
    """Memory and processor time of a process of this user's."""

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}")

    def memory_bytes(self) -> int:
        """What is resident now."""
        return self._status("VmRSS")

    def memory_bytes_highest(self) -> int:
        """The most that was resident since :meth:`restart`, or since the process began."""
        return self._status("VmHWM")

    def restart(self) -> int:
        """Count what is highest from now on; returns what is resident now, in bytes."""
        (self._folder / "clear_refs").write_text("5")
        return self.memory_bytes()

    def cpu_seconds(self) -> float:
        """User and system time of all threads so far."""
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _status(self, key: str) -> int:
        lines = (self._folder / "status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:"))


class AttackProcess:
    """A process that attacks for `seconds`: with one attack, or with a random mix on `threads` threads.

    `prepare` is called with its process id as soon as it runs.
    """

    def __init__(
        self,
        ports: Mapping[str, str],
        seconds: float,
        seed: int,
        only: Sequence[str] = (),
        threads: int = 1,
        slice_seconds: float | None = None,
    ) -> None:
        self._seconds = seconds
        arguments = [sys.executable, str(SYSTEM / "attacks.py"), json.dumps(dict(ports))]
        arguments += ["--seconds", str(seconds), "--seed", str(seed), "--threads", str(threads)]
        if slice_seconds is not None:
            arguments += ["--slice-seconds", str(slice_seconds)]
        for name in only:
            arguments += ["--only", name]
        self._process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @property
    def pid(self) -> int:
        return self._process.pid

    def finish(self) -> dict[str, dict[str, Any]]:
        """Wait for its end; returns the tallies by attack."""
        output, errors = self._process.communicate(timeout=self._seconds + PATIENCE)
        assert self._process.returncode == 0, errors.decode()
        return dict(json.loads(output))

    def running(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """End it, whatever it does."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


def pin(pid: int, core: int) -> Callable[[], None]:
    """Let all threads of a process run on one core; the result takes that back."""
    threads = [int(each.name) for each in Path(f"/proc/{pid}/task").iterdir()]
    before = os.sched_getaffinity(pid)
    for thread in threads:
        os.sched_setaffinity(thread, {core})
    return lambda: [os.sched_setaffinity(thread, before) for thread in threads] and None
