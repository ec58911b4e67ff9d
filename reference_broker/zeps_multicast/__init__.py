"""Sockets on multicast: NORM and PGM, as far as this process's libzmq has them.

A multicast transport is unidirectional: what is sent goes to whoever listens, and nobody can say what he wants. A
sender therefore sends everything, and a receiver gets everything and filters.

libzmq opens such a transport in a thread of its own and ends the process if that fails. So everything that can be
wrong with an endpoint is looked for here first, and told as a :class:`MulticastError`.
"""

from __future__ import annotations

from .endpoints import PART_MAX, MulticastEndpoint, MulticastError, is_multicast, parse
from .sockets import MulticastOptions, open_receiver, open_sender

__all__ = [
    "PART_MAX",
    "MulticastEndpoint",
    "MulticastError",
    "MulticastOptions",
    "is_multicast",
    "open_receiver",
    "open_sender",
    "parse",
]
