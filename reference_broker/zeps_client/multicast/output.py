"""Sending multicast socket that is reopened when NORM has stalled. NORM has one rate for all receivers, which a
receiver that hangs for some seconds can reduce to one packet a second for minutes. So a NORM sender receives its own
messages: if a message does not come back within a time limit, a new socket replaces the old one. Messages that the old
socket had not sent are lost to multicast; receivers get them from history.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from typing import Final

import zmq

from zeps_client.connection import Context
from zeps_multicast import MulticastOptions, open_receiver, open_sender
from zeps_wire.errors import DecodeError
from zeps_wire.zeps import unpack_deliver_head

__all__ = ["MulticastOutput"]

_LOG: Final = logging.getLogger("zeps.client")
_HEARD_AT_ONCE: Final = 4096


class MulticastOutput:
    """Sends messages of a stream, each identified by its sequence. The constructor raises MulticastError. `stall` is
    the maximum time in seconds for a NORM message to come back; other transports are not watched.
    """

    def __init__(
        self, endpoint: str, context: Context, options: MulticastOptions, stall: float = 2.0
    ) -> None:
        self._endpoint = endpoint
        self._context = context
        self._options = options
        self._stall = stall
        self.renewed = 0
        """How often the socket was reopened."""
        self._probe: tuple[int, float] | None = None  # sequence to come back, and its time of sending
        self._hears = False  # a message has come back since
        self._socket = open_sender(endpoint, context, options)
        self._echo = open_receiver(endpoint, context, options) if endpoint.startswith("norm:") else None

    def send(self, now: float, sequence: int, parts: Sequence[bytes]) -> None:
        """Sends a message. Raises zmq.Again if the send buffer is full."""
        self._socket.send_multipart(parts, zmq.NOBLOCK)
        if self._probe is None and self._echo is not None:
            self._probe = sequence, now

    def wait(self, seconds: float) -> None:
        """Waits until the send buffer has space, for at most `seconds`."""
        self._socket.poll(round(seconds * 1000), zmq.POLLOUT)

    def look(self, now: float) -> bool:
        """Reads echoes; returns True if the socket stalled and was reopened. Raises MulticastError if that fails."""
        if self._echo is None:
            return False
        self._listen(self._echo)
        if self._probe is None or not self._hears or now - self._probe[1] < self._stall:
            return False
        _LOG.warning("%s has stalled; reopening the socket", self._endpoint)
        self.close()
        self._probe, self._hears = None, False
        self._socket = open_sender(self._endpoint, self._context, self._options)
        self._echo = open_receiver(self._endpoint, self._context, self._options)
        self.renewed += 1
        return True

    def close(self) -> None:
        """Closes the sockets."""
        self._socket.close()
        if self._echo is not None:
            self._echo.close()

    def _listen(self, echo: zmq.Socket[bytes]) -> None:
        with contextlib.suppress(zmq.Again, DecodeError):
            for _ in range(_HEARD_AT_ONCE):
                (sequence,) = unpack_deliver_head(echo.recv_multipart(zmq.NOBLOCK)[0])
                self._hears = True
                if self._probe is not None and sequence >= self._probe[0]:
                    self._probe = None
