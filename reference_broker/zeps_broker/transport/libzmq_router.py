"""The network through pyzmq: one ROUTER socket, any number of endpoints, of every kind that libzmq supports.

Properties of libzmq's ROUTER, and how this module handles them:

* With ``ROUTER_MANDATORY`` and without waiting, a full pipe (EAGAIN) and a missing peer (EHOSTUNREACH) are reported
  when the routing id is sent, before the frame is; both are returned as :class:`Undelivered`. libzmq learns of space in
  a pipe only when it reads its mailbox, so it is made to do so once before a pipe counts as full.
* A pipe's bound counts messages. So that one peer cannot hold the bytes of thousands of large messages, frames of
  ``shared_frame_bytes_min`` bytes and more are lent to libzmq instead of copied, once for all peers, and counted per
  peer until libzmq returns them.
* libzmq cannot tell which peer's pipe has space again; :meth:`LibzmqRouter.writable` returns a refused peer after a
  delay that doubles for as long as the peer takes nothing.
* A peer that chose its own routing id would reconnect as the same peer after the content of its pipe was lost: messages
  would be missing without notice. So all frames of such a peer are malformed. A peer that leaves the choice to the
  ROUTER, which is the default, reconnects as another peer, gets INVALID, attaches again and resumes (ZEPS-SESSION-2).
* Frames longer than any command, up to ``frame_bytes_max``, are answered with INVALID and never copied
  (ZEPS-INVALID-1, ZEPS-CHUNK-2). A longer frame is not even read: libzmq closes the connection.
* Peer ids are never shown to peers: libzmq accepts any id that a connection claims, and trusts that it is free.

The backend's ``send`` and ``recv`` are called without their wrappers, which take half of the time of a delivery
(``benchmarks/zmq_transport.py``).
"""

from __future__ import annotations

import errno
import logging
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import length_hint
from typing import TYPE_CHECKING, Any, cast

import zmq
from zmq.backend import Socket as _BackendSocket
from zmq.backend import zmq_poll

from zeps_broker.ports import Malformed, Output, Peer, Received, Undelivered
from zeps_broker.transport.errors import (
    MULTIPART,
    OWN_ID,
    TOO_LONG,
    InvalidSettingError,
    TransportError,
    reason_of,
)
from zeps_broker.transport.options import COMMAND_BYTES_MAX, RouterOptions
from zeps_wire.zeps import EndingCode

if TYPE_CHECKING:
    from zmq.auth.thread import ThreadAuthenticator

__all__ = ["LibzmqRouter"]

_NOBLOCK = 1
_NOBLOCK_MORE = 3
_FIRST_PAUSE = 0.001
_LAST_PAUSE = 0.064
_FORGET_AFTER = 1.0
_SETTLE_ALL_ABOVE = 64


@dataclass(slots=True)
class _Blocked:
    """A peer that refused a frame."""

    due: float
    pause: float
    named: bool = False


@dataclass(slots=True)
class _Lent:
    """Large frames that libzmq holds for one peer."""

    frames: deque[tuple[zmq.MessageTracker, int]] = field(default_factory=deque)
    byte_count: int = 0

    def settle(self) -> int:
        """Forgets the oldest frames, as far as libzmq has released them; returns the bytes of those still lent."""
        while self.frames and self.frames[0][0].done:
            self.byte_count -= self.frames.popleft()[1]
        return self.byte_count


def _context() -> zmq.Context[zmq.Socket[bytes]]:
    """Returns a context whose I/O thread has the priority of a batch job: it does not interrupt the loop for every
    frame, but sends all frames together when the loop pauses.
    """
    context = zmq.Context()
    if hasattr(os, "SCHED_BATCH"):
        context.set(zmq.THREAD_SCHED_POLICY, os.SCHED_BATCH)
    return context


class LibzmqRouter:
    """A :class:`zeps_broker.ports.Transport`. All methods but :meth:`wake` belong to one thread."""

    def __init__(
        self,
        endpoints: Sequence[str],
        options: RouterOptions | None = None,
        context: zmq.Context[zmq.Socket[bytes]] | None = None,
        clock: Callable[[], float] = time.monotonic,
        log: logging.Logger | None = None,
    ) -> None:
        """Listens on `endpoints`: tcp, ipc, or inproc with the `context` of its clients. Without a `context` it makes
        its own. With CURVE it starts pyzmq's authenticator thread. Raises TransportError.
        """
        self._options = options = options or RouterOptions()
        self.unseen_bytes = min(COMMAND_BYTES_MAX, options.frame_bytes_max)
        """See :class:`zeps_broker.ports.Progress`: libzmq reports only complete frames."""
        self._clock = clock
        self._context = context or _context()
        self._owns_context = context is None
        self._socket = self._context.socket(zmq.ROUTER)
        self._send: Callable[..., Any] = _BackendSocket.send.__get__(self._socket)
        self._recv: Callable[..., Any] = _BackendSocket.recv.__get__(self._socket)
        self._closing = threading.RLock()
        self._authenticator: ThreadAuthenticator | None = None
        self._full = False
        self._blocked: dict[Peer, _Blocked] = {}
        self._due = math.inf
        self._lent: dict[Peer, _Lent] = {}
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._items: Any = [(self._socket, zmq.POLLIN), (self._wake_read, zmq.POLLIN)]
        self.endpoints: list[str] = []
        """The endpoints, with the real ports."""
        self.gateway_endpoints: list[tuple[str, str, str]] = []
        """Empty: only the native engine has gateways."""
        self.gateway_refused = self.gateway_over_limit = 0
        self.figures: dict[str, int] = {}
        """Empty: libzmq does not report connections."""
        try:
            for option, value in _socket_options(options):
                self._socket.set(option, value)
            if options.curve.secret_key is not None:
                from zeps_broker.transport.certificates import (
                    open_curve,  # imported here, since it imports asyncio
                )

                self._authenticator = open_curve(self._socket, self._context, options.curve, log)
            for endpoint in endpoints:
                self.endpoints.append(self._bind(endpoint))
        except BaseException:
            self.close()
            raise

    def _bind(self, endpoint: str) -> str:
        self._socket.set(zmq.IPV6, int("[" in endpoint))
        try:
            self._socket.bind(endpoint)
        except zmq.ZMQError as error:
            kind = InvalidSettingError if error.errno in _MALFORMED else TransportError
            raise kind(f"cannot listen on {endpoint}: {_bind_reason(error)}") from error
        return cast("bytes", self._socket.get(zmq.LAST_ENDPOINT)).decode()

    # Receiving

    def hang_up(self, peer: Peer) -> None:
        """Does nothing: libzmq's ROUTER cannot close one connection."""

    def source_of(self, peer: Peer) -> Hashable:
        """See :class:`zeps_broker.ports.Transport`: returns `peer`, since libzmq's ROUTER does not know addresses."""
        return peer

    def receive(self, timeout: float, holds: Callable[[Peer], bool] | None = None) -> list[Received]:
        """Receives at most `turn_messages_max` messages; the last one may exceed `turn_bytes_max`. Calls only
        `holds(None)`. Returns early, perhaps without input, after :meth:`wake` and when a refused peer is due.
        """
        batch: list[Received] = []
        if holds is not None and holds(None):
            return batch
        if not (self._full or self._wait(timeout)):
            return batch
        self._full = False
        recv, append, room = self._recv, batch.append, self._options.turn_bytes_max
        try:
            for _ in range(self._options.turn_messages_max):
                peer = recv(_NOBLOCK)
                frame = recv(_NOBLOCK, False)
                if frame.more or peer[0] or len(frame) > COMMAND_BYTES_MAX:
                    append((peer, self._malformed(peer, frame)))
                    continue
                data = frame.bytes
                append((peer, data))
                room -= len(data)
                if room <= 0:
                    break
            self._full = True
        except zmq.Again:
            pass
        return batch

    def _wait(self, timeout: float) -> bool:
        """Waits for input, up to `timeout` seconds or until a refused peer is due; True if a frame can be received."""
        if self._due < math.inf:
            timeout = min(timeout, self._due - self._clock())
        milliseconds = math.ceil(min(max(timeout, 0.0), 3600.0) * 1000)
        ready = False
        for source, _ in zmq_poll(self._items, milliseconds):
            if source is self._socket:
                ready = True
            else:
                os.read(self._wake_read, 4096)
        return ready

    def _malformed(self, peer: bytes, frame: zmq.Frame) -> Malformed:
        parts = 1
        size = len(frame)
        while frame.more:
            frame = self._recv(_NOBLOCK, False)
            parts += 1
        if parts > 1:
            return Malformed(MULTIPART.format(parts))
        if peer[0]:
            return Malformed(OWN_ID, EndingCode.ROUTING_ID)
        return Malformed(TOO_LONG.format(size, COMMAND_BYTES_MAX))

    @property
    def wake_fd(self) -> int:
        """For `signal.set_wakeup_fd`: a signal ends a waiting receive."""
        return self._wake_write

    def wake(self) -> None:
        """Ends a waiting receive; may be called from any thread and from a signal handler."""
        with self._closing, suppress(BlockingIOError):  # the pipe is full of wake-ups
            if not self._socket.closed:
                os.write(self._wake_write, b"\0")

    # Sending

    def send(self, outputs: Iterable[Output]) -> list[Undelivered]:
        undelivered: list[Undelivered] = []
        refused: dict[Peer, bool] = {}
        send, shared_frame_bytes_min = self._send, self._options.shared_frame_bytes_min
        for output in outputs:
            frames = output.frames
            large = max(map(len, frames), default=0) >= shared_frame_bytes_min
            for peer in output.peers:
                if refused and peer in refused:
                    undelivered.append(Undelivered(peer, output, 0, refused[peer]))
                    continue
                accepted = 0
                if not large:
                    rest = iter(frames)
                    try:
                        for frame in rest:
                            send(peer, _NOBLOCK_MORE)
                            send(frame, _NOBLOCK)
                        continue
                    except zmq.ZMQError:
                        accepted = len(frames) - length_hint(rest) - 1
                accepted, gone = self._persist(peer, frames, accepted)
                if accepted < len(frames):
                    refused[peer] = gone
                    undelivered.append(Undelivered(peer, output, accepted, gone))
                    self._refused(peer, gone, accepted)
        return undelivered

    def _persist(self, peer: Peer, frames: Sequence[bytes], accepted: int) -> tuple[int, bool]:
        """Sends on from frame `accepted` until the pipe is full or a large frame would exceed `shared_bytes_max`.
        Returns the total number of accepted frames, and whether the peer is missing.
        """
        stuck_at = -1
        while accepted < len(frames):
            frame: bytes | zmq.Frame = frames[accepted]
            size = len(frame)
            lent = self._lend(peer, size) if size >= self._options.shared_frame_bytes_min else None
            if lent is None and size >= self._options.shared_frame_bytes_min:
                return accepted, False
            try:
                self._send(peer, _NOBLOCK_MORE)
            except zmq.Again:
                if stuck_at == accepted:
                    return accepted, False
                stuck_at = accepted
                self._socket.get(zmq.EVENTS)
                continue
            except zmq.ZMQError as error:
                if error.errno != errno.EHOSTUNREACH:
                    raise
                self._lent.pop(peer, None)
                return accepted, True
            if lent is not None:
                frame = zmq.Frame(frame, track=True, copy=False)
                lent.frames.append((frame.tracker, size))
                lent.byte_count += size
            self._send(frame, _NOBLOCK)
            accepted += 1
        return accepted, False

    def _lend(self, peer: Peer, size: int) -> _Lent | None:
        """Returns the peer's account if it may hold `size` more bytes (any size if it holds none), else None."""
        if len(self._lent) > _SETTLE_ALL_ABOVE and peer not in self._lent:
            self._lent = {other: lent for other, lent in self._lent.items() if lent.settle()}
        lent = self._lent.setdefault(peer, _Lent())
        out = lent.settle()
        return lent if not out or out + size <= self._options.shared_bytes_max else None

    # Refused peers

    def _refused(self, peer: Peer, gone: bool, accepted: int) -> None:
        before = self._blocked.get(peer)
        if gone:
            self._blocked.pop(peer, None)
            return
        pause = _FIRST_PAUSE if before is None or accepted else min(before.pause * 2, _LAST_PAUSE)
        due = self._clock() + pause
        self._blocked[peer] = _Blocked(due, pause)
        self._due = min(self._due, due)

    def writable(self) -> list[Peer]:
        if self._due == math.inf or (now := self._clock()) < self._due:
            return []
        self._blocked = {
            peer: blocked
            for peer, blocked in self._blocked.items()
            if not blocked.named or blocked.due + _FORGET_AFTER >= now
        }
        due = {peer: blocked for peer, blocked in self._blocked.items() if not blocked.named}
        named = [peer for peer, blocked in due.items() if blocked.due <= now]
        for peer in named:
            due.pop(peer).named = True
        self._due = min((blocked.due for blocked in due.values()), default=math.inf)
        return named

    def advanced(self, peer: Peer) -> int:
        return 0  # libzmq reports only complete frames

    def close(self, flush: float = 0.0) -> None:
        """Stops listening and closes all connections; frames in the pipes have `flush` seconds to be sent. Waits for
        them, unless a `context` was given. May be called again.
        """
        with self._closing:
            if self._socket.closed:
                return
            self._socket.close(linger=math.ceil(flush * 1000))
            if self._authenticator is not None:
                from zeps_broker.transport.certificates import close_curve

                close_curve(self._authenticator)
            os.close(self._wake_read)
            os.close(self._wake_write)
        if self._owns_context:
            self._context.term()


def _socket_options(options: RouterOptions) -> list[tuple[int, int]]:
    return [
        (zmq.LINGER, 0),
        (zmq.ROUTER_MANDATORY, 1),
        (zmq.ROUTER_HANDOVER, 0),
        (zmq.SNDHWM, options.send_messages_max),
        (zmq.RCVHWM, options.receive_messages_max),
        (zmq.MAXMSGSIZE, options.frame_bytes_max),
        (zmq.BACKLOG, 1024),
        (zmq.HANDSHAKE_IVL, 10_000),
        # A peer whose machine failed does not close its connection. ZEPS has its own heartbeats; ZMTP's stay off.
        (zmq.TCP_KEEPALIVE, 1),
        (zmq.TCP_KEEPALIVE_IDLE, 60),
        (zmq.TCP_KEEPALIVE_INTVL, 15),
        (zmq.TCP_KEEPALIVE_CNT, 4),
    ]


_MALFORMED = frozenset({errno.EINVAL, errno.EPROTONOSUPPORT, zmq.Errno.ENOCOMPATPROTO.value})
"""Errors of binding to an endpoint that is malformed, or of a transport that libzmq or a ROUTER does not support."""


def _bind_reason(error: zmq.ZMQError) -> str:
    reasons = {
        errno.ENODEV: "the interface does not exist",
        errno.EINVAL: "not an endpoint; examples: tcp://127.0.0.1:5670, ipc:///run/zeps.sock",
        errno.EPROTONOSUPPORT: "unknown transport; use tcp, ipc or inproc",
        zmq.Errno.ENOCOMPATPROTO.value: "a broker cannot use this transport; use tcp, ipc or inproc",
    }
    return reasons.get(error.errno or 0) or reason_of(error.errno)
