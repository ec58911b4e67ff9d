"""Drivers: their builds, and processes. Separate threads write requests and read answers, so that no pipe blocks."""

from __future__ import annotations

import contextlib
import fcntl
import os
import queue
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from zeps_conformance.codec.driver_protocol import blob
from zeps_conformance.common.document_values import check_keys
from zeps_conformance.common.toml_files import fill_placeholders, read_toml

__all__ = [
    "Build",
    "Driver",
    "DriverError",
    "DriverExited",
    "DriverTimeout",
    "discover",
    "load_build",
    "split_command",
]

_PIPE_SIZE = 1 << 20
_READ_SIZE = 1 << 18
_STDERR_SIZE = 4000
_TAIL_LINES = 30


class DriverError(Exception):
    """A driver cannot be built, started or used, or an option is invalid; the text is the message for the user."""


class DriverExited(Exception):  # noqa: N818
    """The process exited: the text has its status and last error output. `answered`: number of the call's answers."""

    def __init__(self, answered: int, status: int, said: str) -> None:
        how = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
        super().__init__(f"{how}{': ' + said if said else ''}")
        self.answered = answered


class DriverTimeout(Exception):  # noqa: N818
    """The driver has not answered in time. `answered` is the number of answers to the call that raises this."""

    def __init__(self, answered: int, seconds: float) -> None:
        super().__init__(f"no answer for {seconds:g} s")
        self.answered = answered


@dataclass(frozen=True, slots=True)
class Build:
    """Content of a driver.toml. Commands may contain placeholders: see `conformance/drivers/README.md`."""

    language: str
    path: Path
    build: tuple[tuple[str, ...], ...]
    command: tuple[str, ...]
    requires: tuple[tuple[str, ...], ...]

    def made(self, package: Path, out: Path, tell: Callable[[str], None]) -> tuple[str, ...]:
        """Builds the driver from `package` into the folder `out`, without a time limit. Returns its start command.
        `tell` gets a line with the duration. Raises DriverError if `package` or a tool is missing or a build fails.
        """
        places = {
            "package": str(package),
            "out": str(out),
            "here": str(self.path.parent),
            "python": sys.executable,
        }
        if not package.is_dir():
            raise DriverError(f"{self.language}: {package} is not a folder: generate the package first")
        for requirement in self.requires:
            self._require(_filled(requirement, places))
        out.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        for command in self.build:
            self._run(_filled(command, places), package)
        if self.build:
            tell(f"{self.language}: built in {time.monotonic() - start:.1f} s")
        return _filled(self.command, places)

    def _require(self, command: tuple[str, ...]) -> None:
        try:
            done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise DriverError(
                f"{self.language}: {command[0]} is required, and cannot be run: {error.strerror or error} "
                f"({self.path} lists the requirements)"
            ) from error
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip()
            raise DriverError(f"{self.language}: {shlex.join(command)} failed: {said or done.returncode}")

    def _run(self, command: tuple[str, ...], package: Path) -> None:
        try:
            done = subprocess.run(
                command,
                cwd=package,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except OSError as error:
            raise DriverError(
                f"{self.language}: cannot run {command[0]}: {error.strerror or error}"
            ) from error
        if done.returncode != 0:
            lines = done.stdout.decode(errors="replace").splitlines()[-_TAIL_LINES:]
            raise DriverError("\n".join([f"{self.language}: {shlex.join(command)} failed:", *lines]))


def _filled(command: Sequence[str], places: dict[str, str]) -> tuple[str, ...]:
    """Returns the command with its placeholders replaced; other braces are kept."""
    return tuple(fill_placeholders(part, places) for part in command)


def load_build(path: Path) -> Build:
    """Loads a driver.toml. Raises DriverError, with a message for the user, if it is unreadable or invalid."""
    try:
        document = read_toml(path)
        check_keys(path, document, {"language", "build", "command", "requires"})
    except ValueError as error:
        raise DriverError(str(error)) from error
    language, command = document.get("language"), document.get("command")
    if not isinstance(language, str) or not _is_command(command):
        raise DriverError(f"{path}: language (a string) and command (a list of strings) are required")
    lists = [document.get(key, []) for key in ("build", "requires")]
    if not all(isinstance(commands, list) and all(map(_is_command, commands)) for commands in lists):
        raise DriverError(f"{path}: build and requires must be lists of commands, each a list of strings")
    build, requires = (tuple(tuple(words) for words in commands) for commands in lists)
    return Build(language, path, build, tuple(command or ()), requires)


def _is_command(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


def discover(folder: Path) -> list[Build]:
    """Returns drivers of ``FOLDER/*/driver.toml``, sorted by name. Raises DriverError for none or an invalid one."""
    builds = sorted(
        (load_build(path) for path in folder.glob("*/driver.toml")), key=lambda build: build.language
    )
    if not builds:
        raise DriverError(f"{folder}: does not contain a folder with driver.toml")
    return builds


def split_command(text: str) -> tuple[str, ...]:
    """Splits a command line into words, as a shell does. Raises DriverError if it is malformed or empty."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise DriverError(f"the driver's command {text!r} is malformed: {error}") from error
    if not words:
        raise DriverError("a driver's command is empty")
    return words


class Driver:
    """A driver's process, started now; answers come in order. `timeout`: maximum seconds without output while answers
    are due, and for the exit. A context manager that kills it. Raises DriverError if the command cannot be run.
    """

    def __init__(self, name: str, command: Sequence[str], timeout: float = 20.0) -> None:
        self.name, self.command, self.timeout = name, tuple(command), timeout
        try:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise DriverError(f"{name}: cannot run {command[0]}: {error.strerror or error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError, AttributeError):
                fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._come: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._buffer = bytearray()
        self._said = bytearray()
        self._threads = [
            threading.Thread(target=target, name=f"{name} {target.__name__}", daemon=True)
            for target in (self._write, self._read, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """The driver's process id."""
        return self._process.pid

    def send(self, requests: Sequence[bytes]) -> None:
        """Queues requests and returns at once; a thread sends them as fast as the driver reads them."""
        self._waiting.put(b"".join(map(blob, requests)))

    def receive(self, count: int) -> list[bytes]:
        """Returns the next `count` answers. Raises DriverExited or DriverTimeout, which loses those that arrived."""
        answers: list[bytes] = []
        while True:
            self._cut(answers, count)
            if len(answers) == count:
                return answers
            try:
                piece = self._come.get(timeout=self.timeout)
            except queue.Empty:
                raise DriverTimeout(len(answers), self.timeout) from None
            if piece is None:
                self._come.put(None)
                raise DriverExited(len(answers), self._process.wait(), self._last_words())
            self._buffer += piece

    def ask(self, request: bytes) -> bytes:
        """Sends one request and returns its answer. Raises DriverExited or DriverTimeout if none arrives."""
        self.send([request])
        return self.receive(1)[0]

    def close(self) -> int | None:
        """Closes its input. Returns the exit status, negative for a signal; None if it was killed after the timeout."""
        self._waiting.put(None)
        try:
            return self._process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        finally:
            self._finish()

    def kill(self) -> None:
        """Kills the process, and waits until it has exited."""
        self._process.kill()
        self._process.wait()
        self._waiting.put(None)
        self._finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def _finish(self) -> None:
        for thread in self._threads:
            thread.join(self.timeout)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    def _cut(self, answers: list[bytes], count: int) -> None:
        """Moves complete answers from the buffer to `answers`, until it has `count`."""
        at, buffer = 0, self._buffer
        while len(answers) < count and len(buffer) - at >= 4:
            end = at + 4 + int.from_bytes(buffer[at : at + 4], "big")
            if end > len(buffer):
                break
            answers.append(bytes(buffer[at + 4 : end]))
            at = end
        del buffer[:at]

    def _last_words(self) -> str:
        self._threads[2].join(1.0)
        lines = self._said.decode(errors="replace").strip().splitlines()
        return " | ".join(lines[-3:])

    # --- threads

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        with contextlib.suppress(OSError, ValueError):
            while (piece := self._waiting.get()) is not None:
                view = memoryview(piece)
                while view:
                    view = view[pipe.write(view) or 0 :]
        with contextlib.suppress(OSError):
            pipe.close()

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(pipe.fileno(), _READ_SIZE):
                self._come.put(piece)
        self._come.put(None)

    def _listen(self) -> None:
        pipe = self._process.stderr
        assert pipe is not None
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(pipe.fileno(), _READ_SIZE):
                self._said += piece
                del self._said[:-_STDERR_SIZE]
