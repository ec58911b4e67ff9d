"""Shared parts of the attack tests: the broker's configuration and its bounds, attacker processes, and meters."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attacker_links import Tally
from attacks import REGEX_PREFIX
from harness import PATIENCE, BrokerProcess, PythonProcess, eventually

from zeps_wire import zeps

MEMORY_BYTES_MAX = 128 << 20
"""Memory that the broker may use for its clients, beyond its use without an attack."""

TURN_MAX = {"turn_messages_highest": 1000, "turn_bytes_highest": 8 << 20, "turn_steps_highest": 2000}
"""Maximum of one turn of the broker: settings by the figure that reports the usage."""

COMMAND_STEPS_MAX = 700
"""Maximum steps of one command: SUBSCRIBE with an expensive pattern. A turn completes its last command."""

MESSAGE_BYTES_MAX = zeps.Publish("k" * 255, b"").size() + (16 << 20)
"""The largest message. A message begun within a turn's bytes is completed."""

READ_MESSAGES_MAX = 17_408
"""Maximum number of messages of one read."""

CONFIGURATION = f"""
[broker]
client_timeout_seconds = 10.0
heartbeat_seconds = 2.0
stop_seconds_max = 2.0
stats_seconds = 0.2

[journal]
sync = "os"
segment_bytes = {16 << 20}
retain_bytes = {256 << 20}

[transport]
handshake_seconds_max = 2.0
turn_messages_max = {TURN_MAX["turn_messages_highest"]}
turn_bytes_max = {TURN_MAX["turn_bytes_highest"]}
attach_seconds_max = 1.0
frame_bytes_max = {20 << 20}

[limits]
memory_bytes_max = {MEMORY_BYTES_MAX}
turn_steps_max = {TURN_MAX["turn_steps_highest"]}

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
    """Returns the broker's figures, from a moment after the call."""
    before = len(broker.log("stats"))
    # The line after the next: the next one may already have been in preparation.
    return dict(eventually("a line of figures", lambda: broker.log("stats")[before + 1 :])[0])


def check_turns(figures: Mapping[str, Any]) -> None:
    """Checks that no turn of the broker exceeded TURN_MAX, except for its last read and its last command."""
    bounds = {
        **TURN_MAX,
        "turn_messages_highest": TURN_MAX["turn_messages_highest"] + READ_MESSAGES_MAX,
        "turn_bytes_highest": TURN_MAX["turn_bytes_highest"] + MESSAGE_BYTES_MAX,
        "turn_steps_highest": TURN_MAX["turn_steps_highest"] + COMMAND_STEPS_MAX,
    }
    excesses = {name: figures[name] for name, most in bounds.items() if figures[name] > most}
    assert not excesses, f"one turn took {excesses}, the bounds are {bounds}"


class ProcessMeter:
    """Measures memory and processor time of a process of this user."""

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}")

    def memory_bytes(self) -> int:
        """Returns the resident bytes now."""
        return self._status("VmRSS")

    def memory_bytes_highest(self) -> int:
        """Returns the maximum resident bytes since :meth:`restart`, or since the process began."""
        return self._status("VmHWM")

    def restart(self) -> int:
        """Restarts the measurement of the maximum; returns the resident bytes now."""
        (self._folder / "clear_refs").write_text("5")
        return self.memory_bytes()

    def cpu_seconds(self) -> float:
        """Returns user and system time of all threads so far."""
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _status(self, key: str) -> int:
        lines = (self._folder / "status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:"))


class AttackProcess(PythonProcess):
    """A process that attacks for `seconds` with the attacks in `only`, or with all, in random order: `threads` at a
    time, each for at most `slice_seconds`.
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
        self.cpu_seconds = 0.0
        """Processor time of the attackers, after they have finished."""
        self._seconds = seconds
        slices = () if slice_seconds is None else ("--slice-seconds", slice_seconds)
        chosen = (argument for name in only for argument in ("--only", name))
        amount = ("--seconds", seconds, "--seed", seed, "--threads", threads, *slices)
        super().__init__(SYSTEM / "attacks.py", json.dumps(dict(ports)), *amount, *chosen)

    def finish(self) -> dict[str, Tally]:
        """Waits for its end; returns the tallies by attack."""
        report = json.loads(self.output(self._seconds + PATIENCE))
        self.cpu_seconds = report["cpu_seconds"]
        return {
            name: Tally(**{**tally, "refusals": Counter(tally["refusals"])})
            for name, tally in report["tallies"].items()
        }


_BURN = """
import sys, time
until, share = time.monotonic() + float(sys.argv[1]), float(sys.argv[2])
while time.monotonic() < until:
    end = time.process_time() + 0.01 * share
    while time.process_time() < end:
        pass
    time.sleep(0.01 * (1 - share))
"""


class BurningProcess(PythonProcess):
    """A process that uses the given share of one core for `seconds`, and does nothing else."""

    def __init__(self, seconds: float, share: float) -> None:
        self.cpu_seconds = seconds * share
        self._seconds = seconds
        super().__init__("-c", _BURN, seconds, min(share, 1.0))

    def finish(self) -> None:
        """Waits for its end."""
        self.output(self._seconds + PATIENCE)


def pin(pid: int, core: int) -> None:
    """Pins all threads of a process, present and future, to one core."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})
