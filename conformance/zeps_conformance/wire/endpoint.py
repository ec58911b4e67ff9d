"""ZeroMQ endpoints for plain sockets: ``tcp://host:port`` and ``ipc://path``."""

from __future__ import annotations

import socket
from dataclasses import dataclass

__all__ = ["Endpoint", "parse_endpoint"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint. `transport` is ``tcp``, with `host` and `port`, or ``ipc``, with `path`; `text` is the original. A
    path that begins with ``@`` is an abstract name (Linux).
    """

    text: str
    transport: str
    host: str = ""
    port: int = 0
    path: str = ""

    def connect(self, timeout: float) -> socket.socket:
        """Returns a connected socket, which keeps the timeout. Raises OSError on failure or after `timeout` seconds."""
        if self.transport == "tcp":
            connected = socket.create_connection((self.host, self.port), timeout)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connected
        local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            local.settimeout(timeout)
            local.connect(self._address)
        except OSError:
            local.close()
            raise
        return local

    def listen(self) -> socket.socket:
        """Returns a listening socket; for tcp with port 0 the system chooses a port. Raises OSError if that fails."""
        if self.transport == "tcp":
            return socket.create_server((self.host, self.port), backlog=512)
        local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            local.bind(self._address)
            local.listen(512)
        except OSError:
            local.close()
            raise
        return local

    @property
    def _address(self) -> str:
        """The path as the system expects it."""
        return "\0" + self.path[1:] if self.path.startswith("@") else self.path


def parse_endpoint(text: str) -> Endpoint:
    """Parses an endpoint. Raises ValueError, with a message for the user, if `text` is not an endpoint."""
    if text.startswith("ipc://") and len(text) > len("ipc://"):
        return Endpoint(text, "ipc", path=text.removeprefix("ipc://"))
    if text.startswith("tcp://"):
        host, _, port = text.removeprefix("tcp://").rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if host and port.isdecimal() and 0 <= int(port) <= 65535:
            return Endpoint(text, "tcp", host=host, port=int(port))
    raise ValueError(f"{text!r} is not an endpoint: write tcp://HOST:PORT or ipc://PATH")
