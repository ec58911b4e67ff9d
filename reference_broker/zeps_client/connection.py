"""One connection to a broker: a DEALER socket of its own, and word of when it breaks.

libzmq would connect again by itself, and a broker that has restarted would then get what was meant for its
predecessor. So that is switched off: one socket is one connection, and whoever wants another makes another.
"""

from __future__ import annotations

import os
import struct
from collections import deque
from collections.abc import Sequence
from typing import Final

import zmq

from zeps_client.curve import Curve
from zeps_client.settings import LARGEST_FRAME
from zeps_wire import zeps

__all__ = ["Connection", "Context", "FramingError"]

Context = zmq.Context["zmq.Socket[bytes]"]

_BATCH: Final = 1024
"""Frames taken from, or given to, the socket in one go, at most."""
_FAREWELL_MS: Final = 200
_EVENT: Final = struct.Struct("=HI")
_ENDS: Final[dict[int, str]] = {
    zmq.EVENT_CLOSED: "nobody listens there",
    zmq.EVENT_DISCONNECTED: "the connection broke",
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL: "what listens there does not speak ZeroMQ, or it has keys and not these",
    zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL: "what listens there does not speak ZeroMQ as it should",
    zmq.EVENT_HANDSHAKE_FAILED_AUTH: "the broker does not let this client in",
}


class FramingError(Exception):
    """Something arrived that is not one frame; the text says what."""


class Connection:
    """Connecting happens in the background; what is sent before waits.

    Raises zmq.ZMQError for a bad endpoint.
    """

    def __init__(self, context: Context, endpoint: str, curve: Curve | None = None) -> None:
        self._process = os.getpid()
        self._socket = context.socket(zmq.DEALER)
        self._monitor: zmq.Socket[bytes] | None = None
        try:
            self._socket.setsockopt(zmq.LINGER, 0)
            self._socket.setsockopt(zmq.RECONNECT_IVL, -1)
            self._socket.setsockopt(zmq.MAXMSGSIZE, LARGEST_FRAME)
            if "[" in endpoint:
                self._socket.setsockopt(zmq.IPV6, 1)
            if curve is not None:
                curve.use(self._socket)
            self._monitor = self._socket.get_monitor_socket(sum(_ENDS))
            self._socket.connect(endpoint)
        except zmq.ZMQError:
            self.close([])
            raise

    @property
    def descriptors(self) -> tuple[int, int]:
        """What an event loop may watch for reading.

        Readiness is told once: ask `readable` after every use.
        """
        assert self._monitor is not None
        return int(self._socket.getsockopt(zmq.FD)), int(self._monitor.getsockopt(zmq.FD))

    def register(self, poller: zmq.Poller, *, writing: bool) -> None:
        """Wake `poller` when something arrives, when the connection breaks and, if `writing`, when there is
        room.
        """
        poller.register(self._socket, zmq.POLLIN | zmq.POLLOUT if writing else zmq.POLLIN)
        poller.register(self._monitor, zmq.POLLIN)

    def send(self, frames: deque[bytes]) -> bool:
        """Send from the left of `frames`; False if there is no room for the next one now."""
        send = self._socket.send
        try:
            for _ in range(min(_BATCH, len(frames))):
                send(frames[0], zmq.NOBLOCK)
                frames.popleft()
        except zmq.Again:
            return False
        return True

    def receive(self) -> list[bytes]:
        """What has arrived, up to some number of frames. Raises Garbled for a message of several parts.

        Asking whether more parts follow takes longer than receiving. So it is asked after everything but
        DELIVER, which is a whole command by itself, whatever follows it.
        """
        receive, usual = self._socket.recv, zeps.DELIVER_HEAD
        frames: list[bytes] = []
        try:
            for _ in range(_BATCH):
                frame = receive(zmq.NOBLOCK)
                if not frame.startswith(usual) and self._socket.getsockopt(zmq.RCVMORE):
                    raise FramingError("the broker sent a message of several parts")
                frames.append(frame)
        except zmq.Again:
            pass
        return frames

    def readable(self) -> bool:
        """Something has arrived and was not received."""
        return bool(int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN)

    def writable(self) -> bool:
        """There is room for a frame."""
        return bool(int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLOUT)

    def broken(self) -> str | None:
        """Why the connection is no more; None while it is."""
        assert self._monitor is not None
        reason = None
        while int(self._monitor.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            event, _ = _EVENT.unpack(self._monitor.recv_multipart()[0])
            reason = reason or _ENDS.get(event)
        return reason

    def close(self, final_frames: Sequence[bytes]) -> None:
        """Close, giving `final_frames` a moment to leave. Does nothing in a process that was forked since: the sockets'
        threads are not there.
        """
        if self._process != os.getpid():
            return
        if final_frames:
            self._socket.setsockopt(zmq.LINGER, _FAREWELL_MS)
            self.send(deque(final_frames))
        if self._monitor is not None:
            self._socket.disable_monitor()
            self._monitor.close(0)
            self._monitor = None
        self._socket.close()
