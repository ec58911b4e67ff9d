"""Ports of loopback that stay ours while nobody listens at them."""

from __future__ import annotations

import errno
import secrets
import socket
from pathlib import Path

__all__ = ["listen"]

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST, _BEFORE = 10_240, 32_768
_TRIES = 1000


def listen() -> socket.socket:
    """A server at a port that the kernel gives to no connection.

    Whoever dials a port of the kernel's range at which nobody listens may be given that very port for its own end, and
    is then connected with itself; and who wants to listen there again finds it taken. Raises OSError.
    """
    ports = _below_the_kernels()
    for _ in range(_TRIES):
        try:
            return socket.create_server(("127.0.0.1", ports[secrets.randbelow(len(ports))]))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    return socket.create_server(("127.0.0.1", 0))


def _below_the_kernels() -> range:
    """Ports without privileges that lie before those that the kernel gives to connections."""
    try:
        before = int(_RANGE.read_text().split()[0])
    except (OSError, ValueError, IndexError):  # no Linux
        before = _BEFORE
    return range(_LOWEST, max(before, _LOWEST + 1))
