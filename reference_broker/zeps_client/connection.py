"""One connection to a broker: a DEALER socket of its own that reports when the connection breaks. libzmq does not
reconnect it, since a restarted broker would then receive frames that were meant for its predecessor.
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
"""Maximum number of frames per read or write of the socket."""
_FAREWELL_MS: Final = 200
_EVENT: Final = struct.Struct("=HI")
_ENDS: Final[dict[int, str]] = {
    zmq.EVENT_CLOSED: "no listener at the endpoint",
    zmq.EVENT_DISCONNECTED: "the connection broke",
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL: "handshake failed: the peer does not speak ZeroMQ, or its CURVE keys differ",
    zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL: "handshake failed: the peer violates the ZeroMQ protocol",
    zmq.EVENT_HANDSHAKE_FAILED_AUTH: "handshake failed: the broker rejects this client's key",
}


class FramingError(Exception):
    """A received message is not exactly one frame; the text gives the reason."""


class Connection:
    """Connects in the background, once; frames sent before that wait. `curve` None: without encryption. Raises
    zmq.ZMQError for an invalid endpoint, or if no socket can be created.
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
        """Descriptors to watch for reading; they signal once, so check `readable` after every use."""
        assert self._monitor is not None
        return int(self._socket.getsockopt(zmq.FD)), int(self._monitor.getsockopt(zmq.FD))

    def register(self, poller: zmq.Poller, *, writing: bool) -> None:
        """Registers the sockets with `poller` for input, a broken connection and, if `writing`, output space."""
        poller.register(self._socket, zmq.POLLIN | zmq.POLLOUT if writing else zmq.POLLIN)
        poller.register(self._monitor, zmq.POLLIN)

    def send(self, frames: deque[bytes]) -> bool:
        """Sends up to 1024 frames from the left of `frames` and removes them, without waiting; returns False if the
        socket accepts no more now. True does not mean that `frames` is empty.
        """
        send = self._socket.send
        try:
            for _ in range(min(_BATCH, len(frames))):
                send(frames[0], zmq.NOBLOCK)
                frames.popleft()
        except zmq.Again:
            return False
        return True

    def receive(self) -> list[bytes]:
        """Returns up to 1024 frames that have arrived, without waiting. Raises FramingError for a message of several
        parts. DELIVER frames are not checked for further parts, because the check takes longer than a receive.
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
        """True if input has arrived and was not received."""
        return bool(int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN)

    def writable(self) -> bool:
        """True if the socket accepts a frame."""
        return bool(int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLOUT)

    def broken(self) -> str | None:
        """Why the connection broke; None while it is open. A reason is returned only once."""
        assert self._monitor is not None
        reason = None
        while int(self._monitor.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            event, _ = _EVENT.unpack(self._monitor.recv_multipart()[0])
            reason = reason or _ENDS.get(event)
        return reason

    def close(self, final_frames: Sequence[bytes]) -> None:
        """Closes without waiting; libzmq sends `final_frames` for up to 200 ms. Does nothing in a forked child."""
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
