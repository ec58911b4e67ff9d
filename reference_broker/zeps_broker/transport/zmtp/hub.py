"""Many connections in one thread: epoll, accepting, dialling, time-outs of handshakes and silence, and writing.

The owner of a hub supplies the type of new connections (a subclass of :class:`Connection`), takes the items that they
parse, and is notified when a connection has ended. Each connection is read at most once per turn, busy ones last.
"""

from __future__ import annotations

import errno
import logging
import math
import os
import resource
import select
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from zeps_broker.memory import Budget
from zeps_broker.transport.zmtp.connection import QUIET_BYTES, QUIET_FRAMES, READ_BYTES, Connection
from zeps_broker.transport.zmtp.endpoints import Address, Remote, connect, listen
from zeps_broker.transport.zmtp.queue_memory import QueueMemory
from zeps_broker.transport.zmtp.unused_connections import UnusedConnections
from zeps_broker.turns import Turns

__all__ = ["Hub", "Make", "Take"]

Make = Callable[[socket.socket, str], Connection]
"""Creates the connection of a non-blocking socket, with a name for logs. May raise OSError if it is lost already."""
Take = Callable[[Connection, list[Any], int], bool]
"""Handles the items of a connection's read of this many bytes; returns False to end reading for this turn."""

_LOG_AGAIN_SECONDS = 10.0
_DESCRIPTORS_KEPT = 16
"""Descriptors reserved to accept a connection and to open files."""
_ACCEPT_AT_ONCE = 64
_ACCEPT_PAUSE = 0.1
_IN, _OUT = select.EPOLLIN | select.EPOLLRDHUP, select.EPOLLOUT
_NO_DESCRIPTORS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Attempt:
    """A dialled endpoint: its addresses are tried one after the other; `failed` is called if none can be connected."""

    make: Make
    failed: Callable[[], None]
    addresses: deque[Address]
    """Addresses that were not tried yet."""
    link: socket.socket | None = None
    """The socket that is connecting."""
    due: float = math.inf
    """When that attempt times out, on the hub's clock."""


class Hub:
    """Connections of one thread, which calls all methods but :meth:`wake`. Names are looked up in other threads."""

    def __init__(
        self,
        *,
        ended: Callable[[Connection], None] = lambda connection: None,
        handshakes_max: int = 1024,
        handshake_seconds_max: float = 10.0,
        queue: int = 4 << 20,
        incoming: Budget | None = None,
        outgoing: Budget | None = None,
        connections_max: int | None = None,
        unused_seconds_max: float = math.inf,
        is_used: Callable[[Connection], bool] = lambda connection: True,
        log: logging.Logger | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """At most `handshakes_max` accepted connections may be in their handshake (ZMTP-X-1), each for at most
        `handshake_seconds_max`; a further one closes the oldest. `ended` is called after a connection has ended.
        `queue` is as in Limits. `incoming` and `outgoing` bound the waiting input and output of all connections; None:
        no bound. While `connections_max` are open (by default as many as the process has descriptors left, less a
        reserve), a new connection replaces an unused one, or is closed. A connection for which `is_used` is false for
        `unused_seconds_max` is closed, after at most twice this time.
        """
        self._ended = ended
        self._handshakes_max = handshakes_max
        self._handshake_timeout = handshake_seconds_max
        self._incoming = incoming or Budget(sys.maxsize)
        self._queues = QueueMemory(outgoing or Budget(sys.maxsize), queue)
        self._connections_max = connections_max or _descriptors_free()
        self._unused = UnusedConnections(unused_seconds_max, is_used)
        self._log = log or _log
        self._clock = clock
        self._closing = threading.RLock()
        self.closed = False
        self._epoll = select.epoll()
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._epoll.register(self._wake_read, select.EPOLLIN)
        self._listeners: dict[int, tuple[socket.socket, Make]] = {}
        self._dialled: dict[int, _Attempt] = {}
        """Attempts by descriptor."""
        self._looked_up: deque[tuple[_Attempt, list[Address]]] = deque()
        """Filled by the threads that look up names."""
        self._file_removals: list[Callable[[], None]] = []
        """Functions that remove the files of the endpoints."""
        self.connections: dict[int, Connection] = {}
        """Connections by descriptor, the oldest first."""
        self._handshakes: dict[Connection, float] = {}
        """Handshake deadline of each connection, the oldest first."""
        self._pending_accepts: dict[Connection, None] = {}
        """The accepted ones among them; dialled connections are not closed for new ones."""
        self.counts = {"connections_refused": 0, "connections_unused": 0, "frames_dropped": 0}
        """Connections since the start: refused, closed because unused, closed to free memory for others' frames."""
        self._full_logged = -math.inf
        self._turns: Turns[Connection] = Turns()
        """Connections that must be read, or have frames to parse."""
        self._ttl_deadlines: dict[Connection, float] = {}
        """Deadline for a sign of life of each connection whose peer has set a time to live."""
        self._ttl_due = math.inf
        """Not after the first of these deadlines; earlier if that connection has sent since."""
        self.writable: dict[Connection, None] = {}
        """Connections that refused output and have space again, or are closed. The owner handles them and clears it."""
        self._made = 0
        self._accept_again = math.inf

    # Opening and closing

    @property
    def memory(self) -> dict[str, int]:
        """Bytes that all connections hold now: incomplete or unparsed input, and unread output."""
        return {"incoming_bytes": self._incoming.used, "outgoing_bytes": self._queues.used}

    def listen(self, endpoint: str, make: Make) -> str:
        """Accepts connections at `endpoint`; returns it with its real port or path. Raises TransportError."""
        server, real, remove_files = listen(endpoint)
        self._listeners[server.fileno()] = server, make
        self._epoll.register(server.fileno(), select.EPOLLIN)
        self._file_removals.append(remove_files)
        return real

    def dial(self, endpoint: str, make: Make, failed: Callable[[], None]) -> None:
        """Connects in the background; calls `failed`, perhaps before it returns, if that does not succeed. Raises
        TransportError if the endpoint is invalid. All addresses of a name are tried, each for at most the duration of a
        handshake.
        """
        remote = Remote.parse(endpoint)
        attempt = _Attempt(make, failed, deque())
        addresses = remote.addresses()
        if addresses is None:
            try:
                threading.Thread(target=self._look_up, args=[remote, attempt], daemon=True).start()
            except RuntimeError:  # no more threads can be started now
                failed()
            return
        attempt.addresses.extend(addresses)
        self._try_next(attempt)

    def _look_up(self, remote: Remote, attempt: _Attempt) -> None:
        self._looked_up.append((attempt, remote.look_up()))
        self.wake()

    def _try_next(self, attempt: _Attempt) -> None:
        """Connects to the next address that can be tried; calls `failed` if no address is left."""
        while attempt.addresses:
            try:
                attempt.link = connect(attempt.addresses.popleft())
            except OSError:
                continue
            attempt.due = self._clock() + self._handshake_timeout
            self._dialled[attempt.link.fileno()] = attempt
            self._epoll.register(attempt.link.fileno(), _OUT)
            return
        attempt.failed()

    def watch(self, descriptor: int) -> None:
        """Makes a waiting turn return when `descriptor`, which is not the hub's, becomes readable."""
        self._epoll.register(descriptor, select.EPOLLIN | select.EPOLLET)

    def end(self, connection: Connection, reason: str) -> None:
        """Closes a connection, unless closed already, with the loss of its output; logs `reason`, and calls the hub's
        `ended`.
        """
        if connection.closed:
            return
        fields = {"connection": connection.name, "peer": connection.endpoint, "reason": reason}
        event = {"event": "connection-closed", **fields}
        self._log.debug("%s is closed: %s", connection, reason, extra={"zeps": event})
        fd = connection.link.fileno()
        del self.connections[fd]
        self._handshakes.pop(connection, None)
        self._pending_accepts.pop(connection, None)
        self._ttl_deadlines.pop(connection, None)
        self._unused.discard(connection)
        self._turns.discard(connection)
        self._queues.forget(connection)
        self._epoll.unregister(fd)
        connection.end()
        self._count_incoming(connection)
        self._count_outgoing(connection)
        if connection.refused:
            connection.refused = False
            self.writable[connection] = None
        self._ended(connection)

    def _open_connection(self, link: socket.socket, make: Make) -> Connection | None:
        """Creates a link's connection, and starts the time of its handshake; None if the link is lost already."""
        link.setblocking(False)
        if link.family != socket.AF_UNIX:
            for level, option, value in _TCP_OPTIONS:
                link.setsockopt(level, option, value)
        self._made += 1
        try:
            source, endpoint = _peer_of(link)
            connection = make(link, f"connection-{self._made}")
        except OSError:
            link.close()
            return None
        connection.source, connection.endpoint = source, endpoint
        self.connections[link.fileno()] = connection
        self._epoll.register(link.fileno(), _IN)
        self._handshakes[connection] = self._clock() + self._handshake_timeout
        return connection

    def _accept(self, server: socket.socket, make: Make) -> None:
        for _ in range(_ACCEPT_AT_ONCE):
            try:
                link, _address = server.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _NO_DESCRIPTORS:
                    self._log_full()
                    self._pause_accepting()
                    return
                continue  # the peer closed before it was accepted
            if not self._has_place():
                self.counts["connections_refused"] += 1
                link.close()
                continue
            connection = self._open_connection(link, make)
            if connection is not None:
                self._pending_accepts[connection] = None

    def _has_place(self) -> bool:
        """Returns whether another connection can be accepted. For it closes the oldest pending handshake if there are
        too many, and the oldest pending or unused connection if `connections_max` are open.
        """
        if len(self._pending_accepts) >= self._handshakes_max:
            self.end(next(iter(self._pending_accepts)), "too many incomplete handshakes")
        if len(self.connections) < self._connections_max:
            return True
        self._log_full()
        unused = next(iter(self._pending_accepts), None) or self._unused.oldest()
        if unused is None:
            return False
        self.counts["connections_unused"] += 1
        self.end(unused, "too many connections: it was unused")
        return True

    def _log_full(self) -> None:
        """Logs, at most every 10 seconds, that the maximum number of connections or descriptors is reached."""
        if self._clock() - self._full_logged < _LOG_AGAIN_SECONDS:
            return
        self._full_logged = self._clock()
        fields = {"event": "connections-full", "connections": len(self.connections), **self.counts}
        text = "connections or descriptors are used up; new ones replace unused ones, wait or are refused"
        self._log.warning("%s", text, extra={"zeps": {**fields, "reason": text}})

    def _answered(self, fd: int) -> None:
        """Handles a dialled link that is connected or has failed."""
        attempt = self._dialled.pop(fd)
        link = attempt.link
        assert link is not None
        self._epoll.unregister(fd)
        if link.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            link.close()
            self._try_next(attempt)
        elif self._open_connection(link, attempt.make) is None:
            attempt.failed()

    def _give_up(self, fd: int) -> None:
        """Handles an address that does not answer in time."""
        attempt = self._dialled.pop(fd)
        assert attempt.link is not None
        self._epoll.unregister(fd)
        attempt.link.close()
        self._try_next(attempt)

    def _pause_accepting(self) -> None:
        """Stops accepting for 0.1 seconds when descriptors are exhausted."""
        for fd in self._listeners:
            self._epoll.modify(fd, 0)
        self._accept_again = self._clock() + _ACCEPT_PAUSE

    def _check_timeouts(self, now: float) -> None:
        while self._handshakes:
            connection, due = next(iter(self._handshakes.items()))
            if due > now:
                break
            self.end(connection, f"handshake not complete after {self._handshake_timeout:g} s")
        for connection in self._unused.overdue(now):
            self.counts["connections_unused"] += 1
            self.end(connection, "unused")
        for fd in [fd for fd, attempt in self._dialled.items() if attempt.due <= now]:
            self._give_up(fd)
        if self._ttl_due <= now:
            self._expire_idle(now)
        if self._accept_again <= now:
            self._accept_again = math.inf
            for fd in self._listeners:
                self._epoll.modify(fd, select.EPOLLIN)

    def _expire_idle(self, now: float) -> None:
        """Closes connections that have been silent for longer than their peers' time to live (ZMTP-H-6)."""
        for connection in [silent for silent, due in self._ttl_deadlines.items() if due <= now]:
            if _has_unread_input(connection.link):  # it was not silent: the hub has not read it yet
                self._ttl_deadlines[connection] = now + connection.ttl
            else:
                self.end(connection, f"silent for {connection.ttl:g} s")
        self._ttl_due = min(self._ttl_deadlines.values(), default=math.inf)

    def _refresh_ttl(self, connection: Connection) -> None:
        """Updates the deadline after a sign of life of a peer that has set or removed a time to live."""
        if not connection.ttl:
            del self._ttl_deadlines[connection]
            return
        self._ttl_deadlines[connection] = due = self._clock() + connection.ttl
        self._ttl_due = min(self._ttl_due, due)

    # Reading

    def turn(self, timeout: float, take: Take, holds: Callable[[Connection], bool] | None = None) -> None:
        """Reads once from every connection with input, except those for which `holds` is true; waits up to `timeout`
        seconds for the first. Also accepts, sends waiting output and closes what has timed out. Returns early after
        :meth:`wake`, when a connection is writable again, and when `take` returns False; the rest is then read in the
        next turn.
        """
        for fd, event in self._poll(0.0 if self._turns else timeout):
            connection = self.connections.get(fd)
            if connection is None:
                self._attend(fd)
                continue
            if event & _OUT:
                self.flush(connection)
            if event & ~_OUT and not connection.closed:
                self._turns.add(connection, heavy=connection.busy)
        for connection in self._turns.round():
            if holds is not None and holds(connection):
                if connection.unparsed:
                    self._turns.add(connection, heavy=True)
            elif not self._read(connection, take):
                return

    def _poll(self, timeout: float) -> list[tuple[int, int]]:
        if self.writable:
            timeout = 0.0
        timers = self._handshakes or self._ttl_deadlines or self._dialled or self._accept_again < math.inf
        if timers or self._unused.next_due() < math.inf:
            now = self._clock()
            self._check_timeouts(now)
            dialled = min((attempt.due for attempt in self._dialled.values()), default=math.inf)
            handshake = next(iter(self._handshakes.values()), math.inf)
            due = min(handshake, self._unused.next_due(), dialled, self._ttl_due, self._accept_again)
            timeout = min(timeout, due - now)
        return self._epoll.poll(max(timeout, 0.0))

    def _read(self, connection: Connection, take: Take) -> bool:
        if connection.unparsed:
            data = b""
        else:
            try:
                most = connection.read_bytes
                data = connection.link.recv(most if connection.busy else min(most, QUIET_BYTES))
            except BlockingIOError:
                return True
            except OSError as error:
                self.end(connection, f"lost: {error.strerror}")
                return True
            if not data:
                self.end(connection, "the peer closed it")
                return True
        items = connection.feed(data)
        connection.busy = connection.unparsed or len(data) >= QUIET_BYTES or len(items) > QUIET_FRAMES
        if connection.unparsed:
            self._turns.add(connection, heavy=True)
        if self._handshakes and connection in self._handshakes and connection.open:
            del self._handshakes[connection]
            self._pending_accepts.pop(connection, None)
            self._unused.add(connection, self._clock())
        if connection.ttl or connection in self._ttl_deadlines:
            self._refresh_ttl(connection)
        goes_on = take(connection, items, len(data))
        if connection.broken is not None:
            self.end(connection, connection.broken)
        elif not connection.closed:
            if connection.unsent_bytes:
                self._watch(connection)
            self._count_incoming(connection)
        return goes_on

    def _count_incoming(self, connection: Connection) -> None:
        """Counts a connection's waiting input. While all connections together hold too much, closes the worst one, by
        its bytes times the seconds since they last changed.
        """
        held, budget = connection.partial_bytes, self._incoming
        if held == connection.counted_in:
            return
        budget.used += held - connection.counted_in
        connection.counted_in = held
        if held:
            connection.grew = self._clock()
        while budget.used > budget.size:
            now = self._clock()
            worst = max(
                self.connections.values(),
                key=lambda candidate: candidate.counted_in * (now - candidate.grew + 0.1),
            )
            self.counts["frames_dropped"] += 1
            self.end(worst, f"incomplete frames of all connections take {budget.used} bytes")

    def _attend(self, fd: int) -> None:
        """Handles other descriptors: a wake-up, a listener, or a dialled link."""
        if fd == self._wake_read:
            with suppress(BlockingIOError):
                os.read(fd, 4096)
            while self._looked_up:
                attempt, addresses = self._looked_up.popleft()
                attempt.addresses.extend(addresses)
                self._try_next(attempt)
        elif fd in self._listeners:
            self._accept(*self._listeners[fd])
        elif fd in self._dialled:
            self._answered(fd)

    @property
    def wake_fd(self) -> int:
        """For `signal.set_wakeup_fd`: a signal ends a waiting turn."""
        return self._wake_write

    def wake(self) -> None:
        """Ends a waiting turn; may be called from any thread and from a signal handler."""
        with self._closing, suppress(BlockingIOError):  # the pipe is full of wake-ups
            if not self.closed:
                os.write(self._wake_write, b"\0")

    # Writing

    def write(self, connection: Connection, data: bytes | memoryview, sharers: int = 1) -> bool:
        """Sends or queues complete frames, a buffer sent to `sharers` connections; returns False if too many bytes wait
        already (then `refused` is set), or if the connection is lost (then it is closed).
        """
        if self._queues.refuses(connection, len(data) // sharers):
            return False
        try:
            taken = connection.write(data, sharers)
        except OSError as error:
            self.end(connection, f"lost: {error.strerror}")
            return False
        if connection.unsent_bytes:
            self._watch(connection)
            self._count_outgoing(connection)
        return taken

    def _count_outgoing(self, connection: Connection) -> None:
        """Counts a connection's waiting output; connections refused only for lack of memory may then take more."""
        for fed in self._queues.count(connection):
            self.writable[fed] = None

    def flush(self, connection: Connection) -> None:
        """Sends as much waiting output as the socket takes; a lost connection is closed. A connection that refused
        output, and whose queue has run down, is added to `writable`.
        """
        try:
            connection.flush()
        except OSError as error:
            self.end(connection, f"lost: {error.strerror}")
            return
        left = connection.unsent_bytes
        self._count_outgoing(connection)
        if connection.refused and self._queues.has_run_down(connection):
            connection.refused = False
            self.writable[connection] = None
        if left:
            self._watch(connection)
        elif connection.watched:
            connection.watched = False
            self._epoll.modify(connection.link.fileno(), _IN)

    def _watch(self, connection: Connection) -> None:
        if not connection.watched:
            connection.watched = True
            self._epoll.modify(connection.link.fileno(), _IN | _OUT)

    def close(self, flush: float = 0.0) -> None:
        """Stops listening, waits up to `flush` seconds until waiting output is sent, and closes all connections.
        Removes the files of ipc endpoints. May be called again.
        """
        with self._closing:
            if self.closed:
                return
            self.closed = True
            for server, _ in self._listeners.values():
                server.close()
            for remove_files in self._file_removals:
                remove_files()
            for attempt in self._dialled.values():
                if attempt.link is not None:
                    attempt.link.close()
            self._drain(self._clock() + flush)
            for connection in list(self.connections.values()):
                self.end(connection, "stopped")
            self._epoll.close()
            os.close(self._wake_read)
            os.close(self._wake_write)

    def _drain(self, until: float) -> None:
        def waiting() -> bool:
            return any(connection.outbox for connection in self.connections.values())

        while (left := until - self._clock()) > 0 and waiting():
            for fd, event in self._epoll.poll(left):
                connection = self.connections.get(fd)
                if connection is None:
                    continue
                if event & _OUT:
                    self.flush(connection)
                elif event & (select.EPOLLHUP | select.EPOLLERR | select.EPOLLRDHUP):
                    self.end(connection, "the peer closed it")
                else:
                    with suppress(OSError):
                        connection.link.recv(READ_BYTES)


def _descriptors_free() -> int:
    """Returns how many descriptors the process can still open, less a reserve; at least 1."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return sys.maxsize
    return max(soft - len(os.listdir("/proc/self/fd")) - _DESCRIPTORS_KEPT, 1)


def _peer_of(link: socket.socket) -> tuple[str, str]:
    """Returns the peer's IP address and endpoint, both "ipc" for an ipc peer. Raises OSError if the link is lost."""
    if link.family == socket.AF_UNIX:
        return "ipc", "ipc"
    host, port = link.getpeername()[:2]
    return host, f"tcp://[{host}]:{port}" if link.family == socket.AF_INET6 else f"tcp://{host}:{port}"


def _has_unread_input(link: socket.socket) -> bool:
    """Returns whether unread input has arrived, including the end of the stream."""
    try:
        link.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


_TCP_OPTIONS = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    # A peer whose machine failed does not close its connection, and ZMTP's heartbeats are off.
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 15),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4),
)
