"""Options of a run, and control of the broker's process."""

from __future__ import annotations

from dataclasses import dataclass
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

    def damage(self, data: bytes) -> int:
        """Flips one bit in every copy of `data` in the stopped broker's files. Returns the number of copies."""


@dataclass(frozen=True, slots=True)
class Streams:
    """Prefixes of the names of specially configured streams, None without such streams. `regex`: patterns are regular
    expressions. `brief`: they retain about `brief_octets` bytes; an empty prefix means every stream.
    """

    regex: str | None = None
    brief: str | None = None
    brief_octets: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run, times in seconds. `timeout`: maximum time for an answer. `grace`: silence required after a
    barrier. `client_timeout`: the silence after which the broker ends a session, if known. `patience`: maximum wait for
    it if it is unknown; cases that wait for a longer `client_timeout` are unsupported. `nonce`: separates the streams
    of runs. `control`: None if the suite did not start the broker. `service`: how a peer checks that a ROUTER serves
    it. `pid`: the process of the ROUTER whose memory is measured, or None.
    """

    endpoint: Endpoint
    timeout: float = 5.0
    grace: float = 0.03
    patience: float = 33.0
    client_timeout: float | None = None
    seed: int = 0
    nonce: str = "0"
    control: Control | None = None
    streams: Streams = Streams()
    service: str = "zeps"
    pid: int | None = None
