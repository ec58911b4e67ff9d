"""A multicast socket to send on, which is opened anew when NORM has stalled.

NORM has one rate for all its receivers, that of the slowest. A receiver that hangs for some seconds can bring it down
to a packet a second, from which it does not recover in minutes, and libzmq has no option against it. So a sender by
NORM listens to itself: if what it sent has not come back for a while, it begins as a new sender, with a rate of its
own. What the old one had not sent is lost to multicast, and receivers ask history for it.
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
    """Sends messages of a stream, each named by its sequence. Raises MulticastError, when it is made.

    `stall` is how many seconds a message may take to come back.
    """

    def __init__(
        self, endpoint: str, context: Context, options: MulticastOptions, stall: float = 2.0
    ) -> None:
        self._endpoint = endpoint
        self._context = context
        self._options = options
        self._stall = stall
        self.renewed = 0
        """How often it was opened anew."""
        self._probe: tuple[int, float] | None = None  # a sequence that is to come back, and when it was sent
        self._hears = False  # something has come back
        self._socket = open_sender(endpoint, context, options)
        self._echo = open_receiver(endpoint, context, options) if endpoint.startswith("norm:") else None

    def send(self, now: float, sequence: int, parts: Sequence[bytes]) -> None:
        """Raises zmq.Again if there is no room."""
        self._socket.send_multipart(parts, zmq.NOBLOCK)
        if self._probe is None and self._echo is not None:
            self._probe = sequence, now

    def wait(self, seconds: float) -> None:
        """Wait until there is room, or for so long."""
        self._socket.poll(round(seconds * 1000), zmq.POLLOUT)

    def look(self, now: float) -> bool:
        """Listen to oneself; True if the socket had to be opened anew."""
        if self._echo is None:
            return False
        self._listen(self._echo)
        if self._probe is None or not self._hears or now - self._probe[1] < self._stall:
            return False
        _LOG.warning("%s has stalled; it begins anew", self._endpoint)
        self.close()
        self._probe, self._hears = None, False
        self._socket = open_sender(self._endpoint, self._context, self._options)
        self._echo = open_receiver(self._endpoint, self._context, self._options)
        self.renewed += 1
        return True

    def close(self) -> None:
        """Give the sockets back."""
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
