"""Implementations under test, each behind an adapter: a small program that owns its sockets.

    kind = "adapter"                  # distinguishes it from a broker; "shim" is accepted, with a warning
    name = "JeroMQ"
    command = ["java", "-jar", "{build}/jeromq/adapter.jar"]
    types = ["PUB", "XPUB", "SUB", "XSUB", "PROXY"]   # the roles in which it is judged
    start_timeout = 20                # seconds, the default
    [environment]                     # added to the suite's own
    NAME = "value"

A client of a broker has the kind ``client``, and no `types`. `kind`, `command` and `types` are required; `name`
defaults to the file's name without its suffix.
Placeholders in `command`: ``{build}`` (output folder of ``make adapters``), ``{here}`` (the TOML file's) and
``{python}`` (the interpreter that runs the suite). ``conformance/adapters/README.md`` describes requests and answers.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from zeps_conformance.common.document_values import check_keys, seconds_of, texts_of, words_of
from zeps_conformance.common.processes import resident
from zeps_conformance.common.renamed import warn_renamed
from zeps_conformance.common.toml_files import fill_placeholders, read_toml
from zeps_conformance.common.verdicts import CrashedError, UnsupportedError

__all__ = [
    "CLIENT",
    "Adapter",
    "AdapterError",
    "Implementation",
    "RefusedError",
    "is_implementation",
    "load_implementation",
]

KEYS = {"kind", "name", "command", "types", "start_timeout", "environment"}
TYPES = ("PUB", "XPUB", "SUB", "XSUB", "PROXY")
CLIENT = "CLIENT"  # the only type of an implementation of kind "client"
LOG_KEPT = 40  # lines
ANSWER = 10.0  # seconds for an answer, in addition to the time of the request itself


class AdapterError(OSError):
    """The adapter cannot be started, or violates the adapter protocol; the text contains the reason."""


class RefusedError(Exception):
    """The library, or its adapter, answered a request with an error. The text is its message."""


@dataclass(frozen=True, slots=True)
class Implementation:
    """Description of an adapter in the file `path`; `id` is that file's name without its suffix."""

    path: Path
    name: str
    command: tuple[str, ...]
    types: tuple[str, ...]
    start_timeout: float = 20.0
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.path.stem

    def filled_command(self) -> list[str]:
        """Returns the start command with its placeholders replaced."""
        here = self.path.resolve().parent
        build = _root(here) / "build" / "adapters"
        places = {"build": str(build), "here": str(here), "python": sys.executable}
        return [fill_placeholders(word, places) for word in self.command]


def is_implementation(path: Path) -> bool:
    """Returns whether `path` describes an adapter, not a broker. Raises ValueError if it is unreadable or not TOML."""
    return read_toml(path).get("kind") in ("adapter", "client", "shim")


def load_implementation(path: Path) -> Implementation:
    """Loads a description; warns of the old kind ``shim``. Raises ValueError, for the user, if it is invalid."""
    raw = read_toml(path)
    if raw.get("kind") == "shim":
        warn_renamed(f'{path}: kind = "shim"', 'kind = "adapter"')
    elif raw.get("kind") not in ("adapter", "client"):
        raise ValueError(
            f'{path}: does not describe an implementation: it needs kind = "adapter" or kind = "client"'
        )
    is_client = raw["kind"] == "client"
    check_keys(path, raw, KEYS - {"types"} if is_client else KEYS)
    if is_client:
        raw["types"] = [CLIENT]
    types, command = words_of(path, raw, "types"), words_of(path, raw, "command")
    if wrong := set(types) - {*TYPES, *([CLIENT] if is_client else [])}:
        raise ValueError(f"{path}: unknown types: {', '.join(sorted(wrong))}; known: {', '.join(TYPES)}")
    return Implementation(
        path=path,
        name=str(raw.get("name", path.stem)),
        command=command,
        types=types,
        start_timeout=seconds_of(path, raw, "start_timeout", 20.0),
        environment=texts_of(path, raw, "environment"),
    )


class Adapter:
    """A running adapter: requests and answers, one at a time. A context manager that stops it. `announced` contains the
    known versions of ZMTP that it announced, by socket type; `beyond` the results of probes of version 3.1 against
    those that announce a lower version. A `retired` adapter has failed a case or a clean-up, and runs no further cases.
    `ended` is how it exited, empty if that is not known.
    """

    def __init__(self, implementation: Implementation) -> None:
        """Raises AdapterError if it does not start, or gives no correct answer within `start_timeout` and 10 s more."""
        self.implementation = implementation
        self.ended = ""
        self.retired = False
        self.announced: dict[str, tuple[int, int]] = {}
        self.beyond: dict[str, str] = {}
        self._log: deque[str] = deque(maxlen=LOG_KEPT)
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        command = implementation.filled_command()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **implementation.environment},
                start_new_session=True,
            )
        except OSError as error:
            raise AdapterError(
                f"{implementation.name}: cannot run {command[0]}: {error.strerror or error}; build it with "
                "make adapters"
            ) from error
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._readers = [
            threading.Thread(target=self._read_answers, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._read_log, args=(self._process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self.library, self.version, self.details = self._greet()

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return not self.ended and self._process.poll() is None

    def ends(self, within: float) -> bool:
        """Returns whether it has exited, or exits within the given seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(within)
        return not self.alive

    @property
    def fit(self) -> bool:
        """Whether it can run another case."""
        return self.alive and not self.retired

    @property
    def log(self) -> str:
        """The last lines of its standard error."""
        return "\n".join(self._log)

    def ask(self, op: str, /, patience: float = 2.0, **fields: Any) -> Mapping[str, Any]:
        """Sends the request `op` with the members `fields`, and returns its answer. Raises RefusedError or
        UnsupportedError as it answers, AdapterError if the answer is malformed, and CrashedError if it has exited, or
        does not answer within `patience` and 10 s more (then it is killed).
        """
        request = json.dumps({"op": op, **fields}).encode() + b"\n"
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # the exit is detected below
            self._process.stdin.write(request)
            self._process.stdin.flush()
        try:
            line = self._answers.get(timeout=patience + ANSWER)
        except queue.Empty:
            self.kill()
            self.ended = "hung"
            raise CrashedError(
                f"an answer to {op} within {patience + ANSWER:g} s", f"nothing{self._told()}"
            ) from None
        if line is None:
            self._answers.put(None)  # for later requests
            raise CrashedError(f"an answer to {op}", self.obituary())
        return self._judge(op, line)

    def memory(self) -> int:
        """Returns the resident bytes of its process and of its descendants; 0 if it has exited, or not on Linux."""
        return resident(self._process.pid)

    def kill(self) -> None:
        """Kills its process group, and waits until it has exited."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, 9)
        self._process.wait()

    def stop(self) -> None:
        """Closes its input, waits at most 2 s for its exit, and kills what is left of its process group. A descendant
        in another group may keep its output open; it is not waited for.
        """
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2.0)
        self.kill()
        for reader in self._readers:
            reader.join(1.0)

    def __enter__(self) -> Adapter:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _greet(self) -> tuple[str, str, str]:
        try:
            hello = self.ask("hello", self.implementation.start_timeout)
            return str(hello["name"]), str(hello["version"]), str(hello.get("details", ""))
        except BaseException as error:
            self.stop()
            if not isinstance(error, CrashedError | RefusedError | UnsupportedError | KeyError):
                raise
            seen = error.seen if isinstance(error, CrashedError) else repr(error)
            raise AdapterError(f"{self.implementation.name}: invalid answer to hello: {seen}") from error

    def _judge(self, op: str, line: bytes) -> Mapping[str, Any]:
        try:
            answer = json.loads(line)
            ok = answer["ok"]
        except (ValueError, KeyError, TypeError) as error:
            raise AdapterError(
                f"{self.implementation.name}: {line[:200]!r} is not an answer to {op}"
            ) from error
        if ok is True:
            return dict(answer)
        if "unsupported" in answer:
            raise UnsupportedError(str(answer["unsupported"]))
        raise RefusedError(str(answer.get("error", "an error without a text")))

    def obituary(self) -> str:
        """Returns how it exited, and the end of its log; also sets `ended`. Kills it if it still runs after 1 s."""
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.kill()
            self.ended = "closed its output"
        else:
            self.ended = f"ended by signal {-code}" if code < 0 else f"ended with exit status {code}"
        self._readers[1].join(1.0)
        return f"its process {self.ended}{self._told()}"

    def _told(self) -> str:
        return f"; its last output: {self.log}" if self._log else ""

    def _read_answers(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._answers.put(line)
        self._answers.put(None)

    def _read_log(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._log.append(line.decode("utf-8", "replace").rstrip("\n"))


def _root(here: Path) -> Path:
    """Returns the nearest folder from `here` upwards with a ``pyproject.toml``, else the current folder."""
    return next(
        (folder for folder in (here, *here.parents) if (folder / "pyproject.toml").exists()), Path.cwd()
    )
