"""The real broker as a process that a test may kill and restart on the same port and journal."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


class RealBroker:
    """`zeps broker` on loopback, running inside a `with` block. `endpoint` stays the same over restarts."""

    def __init__(self, folder: Path, configuration: str = "") -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.endpoint = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
        self._folder = folder
        self.configuration = configuration
        """The content of `zeps.toml` when it starts."""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> RealBroker:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def log(self) -> str:
        """What it has logged so far, over all restarts."""
        return (self._folder / "broker.log").read_text()

    def start(self) -> None:
        """Starts it, and waits until it is ready."""
        code = "import sys; from zeps_cli.main import main; sys.exit(main())"
        (self._folder / "zeps.toml").write_text(self.configuration)
        command = [sys.executable, "-c", code, "broker", "--bind", self.endpoint]
        command += ["--data", str(self._folder / "data"), "--config", str(self._folder / "zeps.toml")]
        with (self._folder / "broker.log").open("a") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self._process = process
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("ready "), (line, self.log)

    def kill(self) -> None:
        """Sends SIGKILL."""
        self._end(subprocess.Popen.kill)

    def stop(self) -> None:
        """Sends SIGTERM: the broker detaches its sessions."""
        self._end(subprocess.Popen.terminate)

    def _end(self, how: Callable[[subprocess.Popen[str]], None]) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            with process:  # waits, and closes the pipe
                how(process)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    """The real broker, running."""
    with RealBroker(tmp_path) as made:
        yield made
