"""A broker process that tests can kill and restart with the same port and journal."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from zeps_broker.journal.inspection import messages
from zeps_broker.journal.store import JournalStore

__all__ = ["KillableBroker"]


class KillableBroker:
    """`zeps broker` on loopback. `endpoint` stays the same across restarts."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.endpoint = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
        self.data = folder / "data"
        self._log = folder / "broker.log"
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the broker, and wait until it is ready."""
        code = "import sys; from zeps_cli.main import main; sys.exit(main())"
        command = [sys.executable, "-c", code, "broker", "--bind", self.endpoint, "--data", str(self.data)]
        with self._log.open("a") as log:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.startswith("ready "), (line, self._log.read_text())

    def kill(self) -> None:
        """Kill the broker with SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def rows(self, stream: str) -> list[tuple[str, bytes]]:
        """Keys and bodies of the stored messages, in the order of the stream."""
        store = JournalStore(self.data, read_only=True)
        try:
            return [(each.key, each.body) for each in messages(store.open(stream))]
        finally:
            store.close()
