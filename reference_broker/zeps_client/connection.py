"""One connection to a broker: a DEALER socket of its own, and word of when it breaks."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import zmq
from zmq.utils.monitor import recv_monitor_message

__all__ = ["Connection", "Garbled"]

_BATCH = 4096
"""Frames taken from the socket in one go, at most."""
_FAREWELL_MS = 200


class Garbled(Exception):  # noqa: N818
    """Something arrived that is not one frame; the text says what."""


class Connection:
    """Connecting happens in the background; what is sent before waits.

    Raises zmq.ZMQError for a bad endpoint.
    """

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], endpoint: str) -> None:
        self._socket = context.socket(zmq.DEALER)
        self._monitor: zmq.Socket[bytes] | None = None
        try:
            self._socket.setsockopt(zmq.LINGER, 0)
            self._monitor = self._socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
            self._socket.connect(endpoint)
        except zmq.ZMQError:
            self.close([])
            raise

    def register(self, poller: zmq.Poller, writing: bool) -> None:
        """Wake `poller` when something arrives, when the connection breaks and, if `writing`, when there is
        room.
        """
        poller.register(self._socket, zmq.POLLIN | zmq.POLLOUT if writing else zmq.POLLIN)
        poller.register(self._monitor, zmq.POLLIN)

    def send(self, frames: deque[bytes]) -> None:
        """Send from the left of `frames` as long as there is room; what is left could not be sent."""
        send = self._socket.send
        try:
            while frames:
                send(frames[0], zmq.NOBLOCK)
                frames.popleft()
        except zmq.Again:
            return

    def receive(self) -> list[bytes]:
        """What has arrived. Raises Garbled for a message of several parts."""
        receive, frames = self._socket.recv, []
        try:
            for _ in range(_BATCH):
                frames.append(receive(zmq.NOBLOCK))  # noqa: PERF401
        except zmq.Again:
            pass
        if self._socket.getsockopt(zmq.RCVMORE):
            raise Garbled("the broker sent a message of several parts")
        return frames

    def broken(self) -> str | None:
        """Why the connection is no more; None while it is."""
        assert self._monitor is not None
        reason = None
        while self._monitor.poll(0):
            recv_monitor_message(self._monitor)
            reason = "the connection broke"
        return reason

    def close(self, farewell: Sequence[bytes]) -> None:
        """Close, giving `farewell` a moment to leave."""
        if farewell:
            self._socket.setsockopt(zmq.LINGER, _FAREWELL_MS)
            self.send(deque(farewell))
        if self._monitor is not None:
            self._socket.disable_monitor()
            self._monitor = None
        self._socket.close()
