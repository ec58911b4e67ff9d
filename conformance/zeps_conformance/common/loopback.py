"""Reserved loopback ports, which stay reserved while no socket listens on them."""

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
"""Minimum number of ports, because cases that run side by side use many."""
_TRIES = 1000


def reserve() -> socket.socket:
    """Returns a socket that refuses connections and reserves a port for :func:`listen` until it is closed, if possible
    not an ephemeral one, from which a client could connect to itself. Raises OSError if no port can be reserved.
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
            # Set only now: another reservation cannot take this port, but a listener can.
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            return held
    raise OSError(errno.EADDRINUSE, f"no port from {ports[0]} to {ports[-1]} is free")


def listen(held: socket.socket) -> socket.socket:
    """Returns a listening socket on the port that `held` reserves: one at a time, but repeatedly. Raises OSError."""
    return socket.create_server(held.getsockname())


def stop(server: socket.socket) -> None:
    """Shuts down and closes a listening socket, also for child processes that inherit it while they start."""
    with contextlib.suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
    server.close()


def _spare_ports() -> range:
    """Returns the longer run of ports from 10240 outside the ephemeral range, or all of them if it has under 500."""
    try:
        first, last = map(int, _RANGE.read_text().split())
    except (OSError, ValueError):  # not Linux
        first, last = _KERNELS
    spare = max(range(_LOWEST, first), range(last + 1, _END), key=len)
    return spare if len(spare) >= _ENOUGH else range(_LOWEST, _END)
