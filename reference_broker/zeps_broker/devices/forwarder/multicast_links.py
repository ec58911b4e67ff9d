"""A forwarder's multicast links: libzmq sockets in addition to the hub's connections. Downstream, a group is one
subscriber to everything; upstream, it is a publisher that sends everything.
"""

from __future__ import annotations

import contextlib

import zmq

from zeps_broker.transport.errors import InvalidSettingError, TransportError
from zeps_broker.transport.zmtp.frames import join_parts, parts_of
from zeps_broker.transport.zmtp.pubsub import Whole
from zeps_multicast import (
    PART_MAX,
    InvalidEndpointError,
    MulticastError,
    MulticastOptions,
    open_receiver,
    open_sender,
)

__all__ = ["MulticastDownstream", "MulticastUpstream"]

_BATCH = 1000
Context = zmq.Context["zmq.Socket[bytes]"]


class MulticastDownstream:
    """Sends to a group; `sent` counts messages. The constructor raises TransportError if it cannot open the socket."""

    def __init__(self, endpoint: str, context: Context, options: MulticastOptions) -> None:
        self.endpoint = endpoint
        self.sent = 0
        self.too_long = 0
        """Messages that were not sent because NORM cannot carry a part of more than PART_MAX bytes."""
        self._part_max = PART_MAX if endpoint.startswith("norm:") else None
        try:
            self._socket = open_sender(endpoint, context, options)
        except MulticastError as error:
            raise _transport_error(error) from error

    def __repr__(self) -> str:
        return self.endpoint

    def write(self, run: list[bytes]) -> int:
        """Sends encoded messages; drops those that are too long or do not fit now. Returns how many were sent."""
        before = self.sent
        for message in run:
            parts = parts_of(message)
            if self._part_max is not None and max(map(len, parts)) > self._part_max:
                self.too_long += 1
                continue
            with contextlib.suppress(zmq.Again):
                self._socket.send_multipart(parts, zmq.NOBLOCK)
                self.sent += 1
        return self.sent - before

    def close(self, linger: float) -> None:
        """Closes the socket; waiting messages have `linger` seconds to be sent."""
        self._socket.close(round(linger * 1000))


class MulticastUpstream:
    """Receives from a group. The constructor raises TransportError if it cannot open the socket."""

    def __init__(self, endpoint: str, context: Context, options: MulticastOptions) -> None:
        self.endpoint = endpoint
        self.more = True
        """True if more input may be available that `descriptor` does not signal."""
        try:
            self._socket = open_receiver(endpoint, context, options)
        except MulticastError as error:
            raise _transport_error(error) from error

    @property
    def descriptor(self) -> int:
        """A file descriptor, readable when input may have arrived; not again until :meth:`receive` clears `more`."""
        return int(self._socket.getsockopt(zmq.FD))

    def receive(self) -> list[Whole]:
        """Returns up to 1000 messages that have arrived, oldest first, without waiting; sets `more`."""
        messages: list[Whole] = []
        self.more = True
        try:
            while len(messages) < _BATCH:
                parts = self._socket.recv_multipart(zmq.NOBLOCK)
                messages.append((parts[0], join_parts(parts)))
        except zmq.Again:
            self.more = False
        return messages

    def close(self) -> None:
        """Leaves the group."""
        self._socket.close(0)


def _transport_error(error: MulticastError) -> TransportError:
    kind = InvalidSettingError if isinstance(error, InvalidEndpointError) else TransportError
    return kind(str(error))
