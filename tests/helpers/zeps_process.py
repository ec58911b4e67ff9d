"""Commands of `zeps` in processes of their own, which tests can kill and start again."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["PATIENCE", "BrokerProcess", "ZepsProcess", "eventually"]

PATIENCE = 100.0
"""Seconds after which an expected event counts as missing, on a busy machine."""


def eventually(what: str, condition: Any, patience: float = PATIENCE) -> Any:
    """Returns the first true value of `condition()`. Raises AssertionError after a time-out."""
    limit = time.monotonic() + patience
    while not (value := condition()):
        assert time.monotonic() < limit, f"{what} did not happen in {patience:g} s"
        time.sleep(0.01)
    return value


class ZepsProcess:
    """`zeps` with `arguments`. Its standard error is appended to `log_file`, over all starts."""

    def __init__(
        self, log_file: Path, *arguments: str, ready_lines: int = 1, prefix: Sequence[str] = ()
    ) -> None:
        self.log_file = log_file
        self.process: subprocess.Popen[bytes] | None = None
        """None unless the process runs, or has ended by itself."""
        self._command = [*prefix, sys.executable, "-m", "zeps_cli", *arguments]
        self._ready_lines = ready_lines

    @property
    def running(self) -> subprocess.Popen[bytes]:
        assert self.process is not None, "the process was not started"
        return self.process

    @property
    def pid(self) -> int:
        return self.running.pid

    def spawn(self) -> None:
        """Starts the process without waiting."""
        assert self.process is None
        with self.log_file.open("a") as log:
            self.process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=log)

    def start(self) -> list[str]:
        """Starts the process, and waits for its `ready_lines`; returns them and the lines that came with them."""
        self.spawn()
        output = self.running.stdout
        assert output is not None
        said = b""
        while said.count(b"\n") < self._ready_lines:
            assert select.select([output], [], [], PATIENCE)[0], f"it prints nothing\n{self.text()}"
            more = os.read(output.fileno(), 4096)
            assert more, f"it did not start\n{self.text()}"
            said += more
        return said.decode().splitlines()

    def signal(self, number: int) -> None:
        self.running.send_signal(number)

    def kill(self) -> None:
        """Sends SIGKILL, and waits for the end of the process."""
        self.signal(signal.SIGKILL)
        assert self.wait() == -signal.SIGKILL

    def stop(self) -> int:
        """Sends SIGTERM; returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def wait(self, patience: float = PATIENCE) -> int:
        """Waits for the end of the process; returns the exit code."""
        process = self.running
        code = process.wait(patience)
        assert process.stdout is not None
        process.stdout.close()
        self.process = None
        return code

    def end(self) -> None:
        """Kills the process if it runs."""
        if self.process is not None:
            self.process.kill()
            self.wait()

    def text(self) -> str:
        """Returns standard error of all starts."""
        return self.log_file.read_text() if self.log_file.exists() else ""

    def log(self, event: str | None = None) -> list[dict[str, Any]]:
        """Returns the records of a log in JSON, or those of one event; not the last one if its line is incomplete."""
        complete = self.text().split("\n")[:-1]
        records = [json.loads(line) for line in complete if line.startswith("{")]
        return [record for record in records if event is None or record["event"] == event]

    def memory(self) -> int:
        """Returns the resident bytes of the process."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))


class BrokerProcess(ZepsProcess):
    """`zeps broker` with `options` and, if given, the text of a configuration file. `folder` holds its configuration
    and its log, `data` its journal (by default in `folder`); both outlive it, so that it can be started again.
    """

    def __init__(
        self,
        folder: Path,
        *options: str,
        data: Path | None = None,
        config: str | None = None,
        bind: Sequence[str] = ("tcp://127.0.0.1:*",),
        prefix: Sequence[str] = (),
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.data = data or folder / "data"
        self.endpoints: list[str] = []
        arguments = ["--log-format", "json", "--data", str(self.data), *options]
        if config is not None:
            (folder / "zeps.toml").write_text(config)
            arguments += ["--config", str(folder / "zeps.toml")]
        arguments += [argument for endpoint in bind for argument in ("--bind", endpoint)]
        super().__init__(folder / "broker.log", "broker", *arguments, ready_lines=len(bind), prefix=prefix)

    @property
    def endpoint(self) -> str:
        return self.endpoints[0]

    def start(self) -> list[str]:
        """Starts the broker, and waits until it listens; returns its endpoints and those of its gateways."""
        self.endpoints = [line.removeprefix("ready ") for line in super().start()]
        return self.endpoints
