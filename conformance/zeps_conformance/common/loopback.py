"""Ports of loopback that stay ours while nobody listens at them."""

from __future__ import annotations

import contextlib
import errno
import secrets
import socket
from pathlib import Path

__all__ = ["listen", "reserve", "stop"]

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_KERNELS = 32_768, 60_999
_LOWEST, _END = 10_240, 65_536
_ENOUGH = 500
"""Fewer would be taken by cases that run side by side."""
_TRIES = 1000


def reserve() -> socket.socket:
    """A socket that holds a port for :func:`listen`, and refuses whoever connects; the kernel gives the port to no
    connection, where it leaves ports for others.

    Whoever dials a port of the kernel's range at which nobody listens may be given that very port for its own end, and
    is then connected with itself; and who wants to listen there again finds it taken. Raises OSError.
    """
    ports = _spare_ports()
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


def _spare_ports() -> range:
    """Ports without privileges that the kernel gives to no connection; any, if it keeps nearly all for that."""
    try:
        first, last = map(int, _RANGE.read_text().split())
    except (OSError, ValueError):  # no Linux
        first, last = _KERNELS
    spare = max(range(_LOWEST, first), range(last + 1, _END), key=len)
    return spare if len(spare) >= _ENOUGH else range(_LOWEST, _END)
