"""Traffic of a case: the bytes of each connection in both directions, with their times."""

from __future__ import annotations

import base64
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

__all__ = ["LIMIT", "Chunk", "End", "RecordedConnection", "Traffic"]

LIMIT = 64 << 20  # bytes of a case that are recorded
SECONDS_MAX = 1 << 33  # of a time in a file


class End(str, Enum):
    """How a connection ended."""

    OPEN = "open"
    BY_SUITE = "closed by the suite"
    RESET_BY_SUITE = "reset by the suite"
    BY_PEER = "closed by the peer"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes of one read or write, `at` seconds after the beginning; `sent`: by the suite."""

    at: float
    sent: bool
    data: bytes


@dataclass(slots=True, eq=False)
class RecordedConnection:
    """A connection of the suite. `suite` and `peer` are host and port, with the host empty for a local socket;
    `accepted`: the peer opened it. `opened`, `ended`: seconds after the beginning.
    """

    name: str
    suite: tuple[str, int]
    peer: tuple[str, int]
    accepted: bool
    opened: float
    chunks: list[Chunk] = field(default_factory=list)
    ended: float = 0.0
    end: End = End.OPEN


class Traffic:
    """The connections of a case, recorded up to `LIMIT` bytes: then `cut` is set, and nothing more is recorded.
    `started` is in seconds since 1970.
    """

    def __init__(self, started: float | None = None) -> None:
        self.started = time.time() if started is None else started
        self.connections: list[RecordedConnection] = []
        self.cut = False
        self._size = 0
        self._open: list[tuple[socket.socket, RecordedConnection]] = []
        self._accepted: list[socket.socket] = []

    def accepted(self, link: socket.socket) -> None:
        """Notes that the peer opened the connection of `link`; call it before :meth:`connection`."""
        self._accepted.append(link)

    def connection(self, link: socket.socket, name: str, at: float) -> RecordedConnection:
        """Returns the record of `link`, a new one unless the socket was handed over from another connection."""
        for known, recorded in self._open:
            if known is link:
                return recorded
        accepted = any(known is link for known in self._accepted)
        self._accepted = [known for known in self._accepted if known is not link]
        made = RecordedConnection(name, _address(link.getsockname), _address(link.getpeername), accepted, at)
        if not self.cut:
            self.connections.append(made)
            self._open.append((link, made))
        return made

    def add(self, connection: RecordedConnection, at: float, sent: bool, data: bytes) -> None:
        """Records bytes that were read or written."""
        if self.cut or self._size + len(data) > LIMIT:
            self.cut = True
            return
        self._size += len(data)
        connection.chunks.append(Chunk(at, sent, data))

    def ended(self, connection: RecordedConnection, at: float, end: End) -> None:
        """Records the end of a connection."""
        if not self.cut and connection.end is End.OPEN:
            connection.ended, connection.end = at, end
        self._open = [(link, recorded) for link, recorded in self._open if recorded is not connection]

    def to_json(self) -> dict[str, Any]:
        """Returns the traffic as JSON values, bytes in base64."""
        return {
            "started": self.started,
            "cut": self.cut,
            "connections": [
                {
                    "name": connection.name,
                    "suite": list(connection.suite),
                    "peer": list(connection.peer),
                    "accepted": connection.accepted,
                    "opened": connection.opened,
                    "ended": connection.ended,
                    "end": connection.end.value,
                    "chunks": [
                        f"{chunk.at:.6f} {'>' if chunk.sent else '<'} {base64.b64encode(chunk.data).decode()}"
                        for chunk in connection.chunks
                    ],
                }
                for connection in self.connections
            ],
        }

    @staticmethod
    def from_json(where: str, document: Mapping[str, Any]) -> Traffic:
        """Parses the result of :meth:`to_json`. Raises ValueError, which begins with `where`, for another form."""
        try:
            traffic = Traffic(_seconds(document["started"]))
            traffic.cut = bool(document["cut"])
            traffic.connections = [
                RecordedConnection(
                    str(raw["name"]),
                    _pair(raw["suite"]),
                    _pair(raw["peer"]),
                    bool(raw["accepted"]),
                    _seconds(raw["opened"]),
                    [_chunk(line) for line in raw["chunks"]],
                    _seconds(raw["ended"]),
                    End(raw["end"]),
                )
                for raw in document["connections"]
            ]
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{where}: invalid traffic: {type(error).__name__}: {error}") from error
        return traffic


def _chunk(line: str) -> Chunk:
    at, direction, data = line.split(" ")
    if direction not in ("<", ">"):
        raise ValueError(f"a direction {direction!a}")
    return Chunk(_seconds(at), direction == ">", base64.b64decode(data, validate=True))


def _pair(raw: Any) -> tuple[str, int]:
    host, port = raw
    if port not in range(1 << 16):
        raise ValueError(f"a port {port!a}")
    return str(host), port


def _seconds(raw: Any) -> float:
    """Returns a time that a capture can represent."""
    seconds = float(raw)
    if not 0 <= seconds < SECONDS_MAX:
        raise ValueError(f"a time of {raw!a} seconds")
    return seconds


def _address(name: Any) -> tuple[str, int]:
    """Returns host and port that `name` returns, and an empty host for a local socket or one that has ended."""
    try:
        address = name()
    except OSError:
        return "", 0
    return (str(address[0]), int(address[1])) if isinstance(address, tuple) else ("", 0)
