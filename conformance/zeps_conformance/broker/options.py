"""What a run is told, and what it may ask of whoever started the broker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from zeps_conformance.wire.endpoint import Endpoint

__all__ = ["Control", "Options", "Streams"]


class Control(Protocol):
    """The broker under test as a process that the suite may stop and start. Its data survives."""

    def kill(self) -> None:
        """End it at once (SIGKILL), and wait until it is gone."""

    def ask_to_stop(self) -> None:
        """Ask it to stop in order (SIGTERM), and do not wait."""

    def wait_stopped(self, timeout: float) -> int | None:
        """Its exit code once it has stopped; None if it has not within `timeout` seconds."""

    def start(self) -> None:
        """Start it again on the same endpoint and the same data, and wait until it serves.

        OSError if it does not.
        """

    def damage(self, octets: bytes) -> int:
        """Change one bit in the middle of every copy of `octets` in its files, while it is stopped.

        Returns how many copies there were.
        """


@dataclass(frozen=True, slots=True)
class Streams:
    """Streams that the broker treats in a way of their own, known by how their names begin; None if there are none.

    `regex`: their patterns are regular expressions. `brief`: they retain about `brief_octets` octets of messages.
    """

    regex: str | None = None
    brief: str | None = None
    brief_octets: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """Times are in seconds.

    `timeout` is how long an answer may take; `grace` how long silence is listened to after a barrier has
    proved it; `patience` how long a case waits for the broker to forget a silent session; `client_timeout` is
    the broker's own timeout, if known; `nonce` keeps the streams of one run apart from those of another.
    `service` says what being served by a ROUTER means; `pid` is its process, whose memory is watched, if known.
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
