"""Multicast sockets: NORM and PGM, if this process's libzmq supports them. A multicast transport is unidirectional, and
listeners cannot subscribe. So a sender sends everything, and a receiver gets everything and filters. libzmq opens a
transport in a thread of its own and aborts the process if that fails. So this package checks an endpoint first, and
reports its problems as :class:`MulticastError`.
"""

from __future__ import annotations

from .endpoints import (
    PART_MAX,
    InvalidEndpointError,
    MulticastEndpoint,
    MulticastError,
    is_multicast,
    parse,
)
from .sockets import MulticastOptions, open_receiver, open_sender

__all__ = [
    "PART_MAX",
    "InvalidEndpointError",
    "MulticastEndpoint",
    "MulticastError",
    "MulticastOptions",
    "is_multicast",
    "open_receiver",
    "open_sender",
    "parse",
]
