"""The real broker as a process that a test may kill and restart on the same port and journal."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


class RealBroker:
    """`zeps broker` on loopback. `endpoint` stays the same over restarts."""

    def __init__(self, folder: Path, *options: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.endpoint = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
        self._folder = folder
        self.options = options
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Starts it, and waits until it is ready."""
        code = "import sys; from zeps_cli.main import main; sys.exit(main())"
        command = [sys.executable, "-c", code, "broker", "--bind", self.endpoint]
        command += ["--data", str(self._folder / "data"), *self.options]
        with (self._folder / "broker.log").open("a") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self._process = process
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("ready "), (line, (self._folder / "broker.log").read_text())

    def kill(self) -> None:
        """Sends SIGKILL."""
        self._end("kill")

    def stop(self) -> None:
        """Sends SIGTERM: the broker detaches its sessions."""
        self._end("terminate")

    def _end(self, how: str) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        getattr(process, how)()
        process.wait(30)
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    """The real broker, running."""
    made = RealBroker(tmp_path)
    made.start()
    yield made
    made.kill()
