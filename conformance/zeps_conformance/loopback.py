"""Ports of loopback that stay ours while nobody listens at them."""

from __future__ import annotations

import contextlib
import errno
import secrets
import socket
from pathlib import Path

__all__ = ["listen", "reserve", "stop"]

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST, _BEFORE = 10_240, 32_768
_TRIES = 1000


def reserve() -> socket.socket:
    """A socket that holds a port for :func:`listen`, and refuses whoever connects; the kernel gives the port to no
    connection.

    Whoever dials a port of the kernel's range at which nobody listens may be given that very port for its own end, and
    is then connected with itself; and who wants to listen there again finds it taken. Raises OSError.
    """
    ports = _below_the_kernels()
    for _ in range(_TRIES):
        held = socket.socket()
        try:
            held.bind(("127.0.0.1", ports[secrets.randbelow(len(ports))]))
        except OSError as error:
            held.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            # Only now: whoever reserves a port cannot have this one, whoever listens there can.
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            return held
    raise OSError(errno.EADDRINUSE, f"no port from {ports[0]} to {ports[-1]} is free")


def listen(held: socket.socket) -> socket.socket:
    """A server at the port that `held` holds: one at a time, but one after another. Raises OSError."""
    return socket.create_server(held.getsockname())


def stop(server: socket.socket) -> None:
    """Close `server`, for everybody: a process that is being started has it, too, until its program begins, and would
    listen there until then.
    """
    with contextlib.suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
    server.close()


def _below_the_kernels() -> range:
    """Ports without privileges that lie before those that the kernel gives to connections."""
    try:
        before = int(_RANGE.read_text().split()[0])
    except (OSError, ValueError, IndexError):  # no Linux
        before = _BEFORE
    return range(_LOWEST, max(before, _LOWEST + 1))
