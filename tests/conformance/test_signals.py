"""Commands of the suite that are ended by a signal leave no process, mount or temporary folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MARK = "ZEPS_TEST_SIGNALS"
RUN = ("run", "--start", "examples/ci/broker.toml", "--case", "heartbeat.*")
MUTANTS = ("mutants", "--case", "heartbeat.*", "--work-dir", "{folder}/results")
DURABILITY = ("durability", "--start", "conformance/durability/zeps.toml", "--fault", "kill", "--time", "30")


def processes(mark: str) -> Iterator[int]:
    """Ids of the processes with this value of MARK in their environment."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
        except (OSError, ValueError):
            continue


def wait_for_broker(mark: str, suite: subprocess.Popen[bytes], temporary: Path, folder: str) -> None:
    """Waits until the command has a temporary folder of this name and runs a broker."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and suite.poll() is None:
        if list(temporary.glob(folder)) and any(map(is_broker, processes(mark))):
            return
        time.sleep(0.05)
    raise AssertionError(f"no broker was started; the command ended with {suite.poll()}")


def is_broker(pid: int) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"broker" in command or b"zeps_conformance.mutants.model_broker" in command


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    ("arguments", "folder"),
    [(RUN, "zeps-conform-*"), (MUTANTS, "zeps-mutants-*"), (DURABILITY, "zeps-durability-*")],
    ids=["run", "mutants", "durability"],
)
def test_a_command_that_is_ended_leaves_nothing(
    arguments: tuple[str, ...], folder: str, number: signal.Signals, code: int, tmp_path: Path
) -> None:
    temporary, mark = tmp_path / "temporary", f"{os.getpid()}-{tmp_path.name}"
    temporary.mkdir()
    with (tmp_path / "errors").open("wb") as errors:
        suite = subprocess.Popen(
            [sys.executable, "-m", "zeps_conformance", *(word.format(folder=tmp_path) for word in arguments)],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(temporary), MARK: mark},
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
    try:
        wait_for_broker(mark, suite, temporary, folder)
        suite.send_signal(number)
        assert suite.wait(30) == code
        assert (tmp_path / "errors").read_text() == ""
        assert list(processes(mark)) == []
        assert [entry.name for entry in temporary.iterdir()] == []
        assert str(tmp_path) not in Path("/proc/mounts").read_text()
    finally:
        for pid in list(processes(mark)):
            os.kill(pid, signal.SIGKILL)
        suite.wait()
