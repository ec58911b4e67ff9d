"""libzmq's multicast sockets on checked endpoints."""

from __future__ import annotations

import random
from dataclasses import dataclass

import zmq

from .endpoints import NODE_MAX, MulticastEndpoint, MulticastError, parse

__all__ = ["MulticastOptions", "open_receiver", "open_sender"]

_Context = zmq.Context[zmq.Socket[bytes]]
_Socket = zmq.Socket[bytes]
_REMEDY = (
    "this process's libzmq {version} does not support {what}: pyzmq's wheels are built without it, Debian's libzmq "
    "has it; run `make multicast`, and use build/multicast/bin/zeps in place of zeps"
)


@dataclass(frozen=True, slots=True)
class MulticastOptions:
    """`queue` is the maximum number of waiting messages. The others apply to PGM and EPGM; NORM adapts its rate."""

    queue: int = 10_000
    rate: int = 100_000
    """Maximum rate of a sender, and the rate that a receiver expects, in kbit/s."""
    recovery: float = 1.0
    """Seconds for which a lost packet can be repaired; together with the rate it determines the memory."""


def open_sender(endpoint: str, context: _Context, options: MulticastOptions | None = None) -> _Socket:
    """Returns a sending socket; with NOBLOCK a send raises zmq.Again if the queue is full. Raises MulticastError."""
    return _open(endpoint, context, zmq.XPUB, options or MulticastOptions())


def open_receiver(endpoint: str, context: _Context, options: MulticastOptions | None = None) -> _Socket:
    """Returns a socket that receives all messages, but drops them while its queue is full. Raises MulticastError."""
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
    """Returns the endpoint in libzmq's notation; for NORM with a random node id, unless the endpoint has one: NORM's
    default, the machine's address, is shared by processes, and by machines whose name resolves to 127.0.1.1.
    """
    return endpoint.text(random.SystemRandom().randint(1, NODE_MAX))
