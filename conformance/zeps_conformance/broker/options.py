"""Options of a run, and control of the broker's process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from zeps_conformance.wire.endpoint import Endpoint

__all__ = ["Control", "Options", "Streams"]


class Control(Protocol):
    """Control of the broker under test as a process that the suite stops and starts. Its data persists."""

    def kill(self) -> None:
        """Kills the process (SIGKILL), and waits until it has exited."""

    def ask_to_stop(self) -> None:
        """Requests an orderly stop (SIGTERM), without waiting."""

    def wait_stopped(self, timeout: float) -> int | None:
        """Returns the exit code after the process has stopped, or None if it still runs after `timeout` seconds."""

    def start(self) -> None:
        """Restarts the broker on its endpoint and data, and waits until it serves. Raises OSError if that fails."""

    @property
    def pid(self) -> int | None:
        """The process id of its latest start, or None if it was never started."""

    @property
    def running(self) -> bool:
        """Whether the process runs."""

    @property
    def crashed(self) -> bool:
        """Whether the process has exited although the suite did not stop it."""

    @property
    def output(self) -> str:
        """The last lines of its output."""

    def damage(self, data: bytes) -> int:
        """Flips one bit in every copy of `data` in the stopped broker's files. Returns the number of copies."""


@dataclass(frozen=True, slots=True)
class Streams:
    """Prefixes of the names of specially configured streams, None without such streams. `regex`: patterns are regular
    expressions. `brief`: they retain about `brief_octets` bytes; an empty prefix means every stream. `closed`: the
    broker refuses to open them.
    """

    regex: str | None = None
    brief: str | None = None
    brief_octets: int = 0
    closed: str | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run, times in seconds. `timeout`: maximum time for an answer. `grace`: silence required after a
    barrier. `client_timeout`: the silence after which the broker ends a session, if known. `patience`: maximum wait for
    it if it is unknown, or for the end of an unfinished handshake; cases that wait for a longer `client_timeout` are
    unsupported. `nonce`: separates the streams of runs. `pace`: the factor by which `timeout` and `grace` are
    multiplied already, and by which the limits of cases are. `volume`: the share of the full volume in cases of scale.
    `control`: None if the suite did not start the broker. `service`: how a peer checks that a ROUTER serves it, with
    the protocol of the file `model`, by default the packaged one. `pid`: the process under test, if the suite did not
    start it, or None. `extra_states`: states that a broker may have in addition to the model's, for the complete test
    suite. `record`: the bytes of all connections are recorded.
    """

    endpoint: Endpoint
    timeout: float = 5.0
    grace: float = 0.03
    patience: float = 33.0
    client_timeout: float | None = None
    seed: int = 0
    nonce: str = "0"
    pace: float = 1.0
    volume: float = 1.0
    control: Control | None = None
    streams: Streams = Streams()
    service: str = "zeps"
    model: Path | None = None
    pid: int | None = None
    record: bool = False
    extra_states: int = 0

    @property
    def retained(self) -> int | None:
        """Bytes that every stream retains, or None if that is not limited."""
        return self.streams.brief_octets if self.streams.brief == "" else None

    @property
    def process(self) -> int | None:
        """The id of the process under test, or None if it is not known."""
        return self.pid if self.control is None else self.control.pid
