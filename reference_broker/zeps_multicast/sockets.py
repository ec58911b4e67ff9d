"""libzmq's sockets on checked endpoints."""

from __future__ import annotations

import random
from dataclasses import dataclass

import zmq

from .endpoints import NODE_MAX, MulticastEndpoint, MulticastError, parse

__all__ = ["MulticastOptions", "open_receiver", "open_sender"]

_Context = zmq.Context[zmq.Socket[bytes]]
_Socket = zmq.Socket[bytes]
_REMEDY = (
    "this process's libzmq {version} has no {what}: pyzmq's wheels bring one that lacks it, Debian's has it; "
    "run `make multicast`, and then build/multicast/bin/zeps in place of zeps"
)


@dataclass(frozen=True, slots=True)
class MulticastOptions:
    """`queue` messages wait in a socket. The others are PGM's; NORM finds its own rate."""

    queue: int = 10_000
    rate: int = 100_000
    """kbit/s that a sender does not exceed, and that a receiver is ready for."""
    recovery: float = 1.0
    """Seconds for which a lost packet can be repaired; with the rate it says how much memory that takes."""


def open_sender(endpoint: str, context: _Context, options: MulticastOptions | None = None) -> _Socket:
    """A socket that sends everything to everybody, and refuses (zmq.Again) when its queue is full.

    Raises MulticastError.
    """
    return _open(endpoint, context, zmq.XPUB, options or MulticastOptions())


def open_receiver(endpoint: str, context: _Context, options: MulticastOptions | None = None) -> _Socket:
    """A socket that receives everything. When its queue is full, the transport drops. Raises MulticastError."""
    return _open(endpoint, context, zmq.SUB, options or MulticastOptions())


def _open(endpoint: str, context: _Context, kind: int, options: MulticastOptions) -> _Socket:
    needed = "norm" if endpoint.startswith("norm:") else "pgm"
    if not zmq.has(needed):
        raise MulticastError(f"{endpoint}: " + _REMEDY.format(version=zmq.zmq_version(), what=needed.upper()))
    checked = parse(endpoint)
    socket = context.socket(kind)
    try:
        socket.linger = 0
        socket.sndhwm = socket.rcvhwm = options.queue
        socket.set(zmq.XPUB_NODROP, 1) if kind == zmq.XPUB else socket.subscribe(b"")
        if needed == "pgm":
            socket.set(zmq.RATE, options.rate)
            socket.set(zmq.RECOVERY_IVL, round(options.recovery * 1000))
        socket.connect(_own(checked))
    except zmq.ZMQError as error:
        socket.close()
        raise MulticastError(f"{endpoint}: {error.strerror}") from error
    return socket


def _own(endpoint: MulticastEndpoint) -> str:
    """The endpoint with a node id of this socket's own.

    NORM takes the machine's address otherwise, which two processes of a machine share, and machines whose name means
    127.0.1.1 to them; then nobody can tell who asks for a repair.
    """
    return endpoint.text(random.SystemRandom().randint(1, NODE_MAX))
