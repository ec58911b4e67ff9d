"""Brokers that the suite starts: their description in a TOML file, and the running process.

    name = "a broker"
    command = ["broker", "--listen", "{endpoint}", "--data", "{data}"]
    ready = "ready"              # start of the line printed when it serves; default: it accepts connections
    start_timeout = 20           # seconds until it must serve (default)
    client_timeout = 3           # seconds of silence after which it ends a session, if known
    [files]                      # written into {folder} before every start, placeholders filled in
    "broker.toml" = "…"
    [environment]
    NAME = "value"
    [streams]                    # prefixes of the names of specially configured streams
    regex = "regex/"             # their patterns are regular expressions
    brief = "brief/"             # they retain about brief_octets bytes; "" means every stream
    brief_octets = 65536
    closed = "closed/"           # the broker refuses to open them

Only `command` is required; `name` defaults to the file's name without its suffix. Placeholders in `command` and in the
texts of files and environment: ``{endpoint}``, ``{host}``, ``{port}``, ``{data}`` (by default a folder in ``{folder}``,
empty at the first start), ``{folder}`` (temporary, the working directory), ``{python}`` (the suite's interpreter),
``{here}`` (the TOML file's folder).
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from zeps_conformance.broker.options import Streams
from zeps_conformance.common.document_values import check_keys, seconds_of, texts_of, value_of, words_of
from zeps_conformance.common.loopback import reserve
from zeps_conformance.common.toml_files import fill_placeholders, read_toml

__all__ = ["BrokerDescription", "BrokerProcess", "BrokerStartError", "load_broker"]

KEYS = {"name", "command", "ready", "start_timeout", "client_timeout", "files", "environment", "streams"}
PREFIXES = ("regex", "brief", "closed")
OUTPUT_KEPT = 40  # lines
OUTPUT_SECONDS = 1.0
"""Wait for the last output of a process that has exited; its children may keep the pipe open for longer."""
NO_STREAMS = Streams()


class BrokerStartError(OSError):
    """The broker under test cannot be started. The text contains the reason, and the last lines of output, if any."""


@dataclass(frozen=True, slots=True)
class BrokerDescription:
    """Start command and settings of a broker, placeholders not filled in, times in seconds. `here`: the TOML file's
    folder. Empty `ready`: the broker serves when it accepts connections. `client_timeout`: None if it is not known.
    """

    name: str
    command: tuple[str, ...]
    here: str
    ready: str = ""
    start_timeout: float = 20.0
    client_timeout: float | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    streams: Streams = NO_STREAMS


def load_broker(path: Path) -> BrokerDescription:
    """Loads the description at `path`. Raises ValueError, with a message for the user, if it is invalid."""
    raw = read_toml(path)
    check_keys(path, raw, KEYS)
    return BrokerDescription(
        name=value_of(path, raw, "name", str, path.stem),
        command=words_of(path, raw, "command"),
        here=str(path.resolve().parent),
        ready=value_of(path, raw, "ready", str, ""),
        start_timeout=seconds_of(path, raw, "start_timeout", 20.0),
        client_timeout=seconds_of(path, raw, "client_timeout") if "client_timeout" in raw else None,
        files=texts_of(path, raw, "files"),
        environment=texts_of(path, raw, "environment"),
        streams=_streams(path, value_of(path, raw, "streams", dict, {})),
    )


def _streams(path: Path, raw: Mapping[str, Any]) -> Streams:
    """Parses the section ``[streams]``. Raises ValueError, with a message for the user, if it is invalid."""
    where = f"{path}: [streams]"
    check_keys(where, raw, {"brief_octets", *PREFIXES})
    prefixes = {name: value_of(where, raw, name, str) for name in PREFIXES if name in raw}
    brief_octets = value_of(where, raw, "brief_octets", int, 0)
    if ("brief" in raw) != (brief_octets > 0):
        raise ValueError(f"{where} brief and brief_octets, a positive number, must be given together")
    return Streams(**prefixes, brief_octets=brief_octets)


class BrokerProcess:
    """The process of a broker under test; its endpoint and data persist across restarts. A context manager: it starts
    the broker, and at the end stops it (SIGTERM, after 5 seconds SIGKILL) and removes its folder. `data`: the folder
    for its data, by default one in its own folder.
    """

    def __init__(self, description: BrokerDescription, data: Path | None = None) -> None:
        self.description = description
        self._port = _free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="zeps-conform-"))
        self._data = data or self._folder / "data"
        self.endpoint = f"tcp://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._output: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader: threading.Thread
        self._stopped = False  # by the suite

    def start(self) -> None:
        """Writes its files, starts it and waits until it serves. Raises BrokerStartError if it cannot be run, exits, or
        does not serve within `start_timeout` (then it is killed), or if it is closed.
        """
        self.kill()  # what is left of the last start
        self._stopped = False
        with ThreadPoolExecutor(1) as thread:  # which no signal interrupts before the process can be killed
            thread.submit(self._launch_unless_closed).result()
        assert self._process is not None
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout, self._lines), daemon=True
        )
        self._reader.start()
        self._wait_ready(time.monotonic() + self.description.start_timeout)

    def _launch_unless_closed(self) -> None:
        with self._lock:
            if self._closed:
                raise BrokerStartError(f"{self.description.name}: the suite has ended")
            self._process = self._launch()

    def _launch(self) -> subprocess.Popen[str]:
        self._data.mkdir(exist_ok=True)
        for name, text in self.description.files.items():
            target = self._folder / name
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(self._fill(text), encoding="utf-8")
            except (OSError, ValueError) as error:
                raise self._failed(f"cannot write {name}", error) from error
        command = [self._fill(word) for word in self.description.command]
        self._lines = queue.SimpleQueue()
        try:
            return subprocess.Popen(
                command,
                cwd=self._folder,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **self._environment()},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise self._failed(f"cannot run {command[0]}", error) from error

    def _failed(self, what: str, error: OSError | ValueError) -> BrokerStartError:
        reason = error.strerror if isinstance(error, OSError) else None
        return BrokerStartError(f"{self.description.name}: {what}: {reason or error}")

    def kill(self) -> None:
        """Kills the process and its descendants (SIGKILL), also if it has exited, and waits until it has exited."""
        self._stopped = True
        if self._process is not None:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to the process and its descendants, if it has not exited."""
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def ask_to_stop(self) -> None:
        """Sends SIGTERM, without waiting."""
        self._stopped = True
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def wait_stopped(self, timeout: float) -> int | None:
        """Returns its exit code, None if it still runs after `timeout` seconds, or 0 if it was never started."""
        if self._process is None:
            return 0
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def damage(self, data: bytes) -> int:
        """Flips a bit in each copy of `data` in its folder's files; it must be stopped. Returns how many there are."""
        copies = 0
        for path in sorted(self._folder.rglob("*")):
            content = path.read_bytes() if path.is_file() else b""
            at = content.find(data)
            while at >= 0:
                middle = at + len(data) // 2
                with path.open("r+b") as file:
                    file.seek(middle)
                    file.write(bytes((content[middle] ^ 1,)))
                copies += 1
                at = content.find(data, at + len(data))
        return copies

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def crashed(self) -> bool:
        """Whether the process has exited although the suite did not stop it."""
        return self._process is not None and not self._stopped and not self.running

    @property
    def pid(self) -> int | None:
        """Process id, or None if it has not been started."""
        return None if self._process is None else self._process.pid

    @property
    def output(self) -> str:
        """The last lines of its standard output and error, at most 40, over all starts."""
        return "\n".join(self._output[-OUTPUT_KEPT:])

    def __enter__(self) -> BrokerProcess:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.ask_to_stop()
        if self.wait_stopped(5.0) is None:
            self.kill()
        self.close()

    def close(self) -> None:
        """Kills the process and removes its folder. It cannot be started again."""
        with self._lock:
            self._closed = True
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _environment(self) -> dict[str, str]:
        return {name: self._fill(text) for name, text in self.description.environment.items()}

    def _fill(self, text: str) -> str:
        places = {
            "endpoint": self.endpoint,
            "host": "127.0.0.1",
            "port": str(self._port),
            "data": str(self._data),
            "folder": str(self._folder),
            "python": sys.executable,
            "here": self.description.here,
        }
        return fill_placeholders(text, places)

    def _read(self, stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
        for line in stream:
            self._output.append(line.rstrip("\n"))
            del self._output[:-OUTPUT_KEPT]
            lines.put(line)
        lines.put(None)
        stream.close()

    def _wait_ready(self, deadline: float) -> None:
        assert self._process is not None
        while (left := deadline - time.monotonic()) > 0:
            if self.description.ready:
                try:
                    line = self._lines.get(timeout=left)
                except queue.Empty:
                    break
                if line is not None and line.startswith(self.description.ready):
                    return
                if line is None:
                    self._process.wait()
            elif _accepts(self._port):
                return
            else:
                time.sleep(0.02)
            if self._process.poll() is not None:
                self._reader.join(OUTPUT_SECONDS)
                raise BrokerStartError(
                    f"{self.description.name}: exit {self._process.returncode} before it served\n{self.output}"
                )
        self.kill()
        raise BrokerStartError(
            f"{self.description.name}: not ready within {self.description.start_timeout:g} s\n{self.output}"
        )


def _free_port() -> int:
    with reserve() as held:
        return int(held.getsockname()[1])


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.5):
        return True
    return False
