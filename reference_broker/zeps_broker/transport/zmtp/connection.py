"""One connection, from the first byte of the greeting to its end, for every socket type.

A generated machine (`zmtp_publisher.xml`, `zmtp_subscriber.xml`) handles greetings, metadata and commands. This class
is its host, and keeps bytes, frames and the output queue. Its subclasses, the socket types, handle messages. Of an
incomplete frame only the received bytes are kept, whatever its announced size (ZMTP-X-4).
"""

from __future__ import annotations

import socket
import termios
from array import array
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fcntl import ioctl
from itertools import islice
from struct import Struct
from typing import Any, ClassVar

from zeps_broker.transport.zmtp.frames import LONG, join_command
from zeps_wire import zmtp
from zeps_wire.errors import DecodeError, UnexpectedEvent
from zeps_wire.zmtp import Error, Greeting, Message, Ping, Ready, decode
from zeps_wire.zmtp_publisher import Event as PublisherEvent
from zeps_wire.zmtp_publisher import ServerMachine, State
from zeps_wire.zmtp_subscriber import ClientMachine
from zeps_wire.zmtp_subscriber import Event as SubscriberEvent

__all__ = [
    "COMMAND",
    "FRAMES_AT_ONCE",
    "MORE",
    "NULL",
    "QUIET_BYTES",
    "READ_BYTES",
    "UNREAD_BYTES_MAX",
    "ZMTP_COMMAND_BYTES_MAX",
    "BrokenError",
    "Connection",
    "Limits",
    "property_of",
]

NULL = b"NULL".ljust(20, b"\0")
"""The NULL mechanism, as encoded in a greeting."""

GREETING_SIZE = 64
_SIGNATURE_SIZE = 10
READ_BYTES = 256 << 10
"""Maximum bytes of one read."""
COMMAND, MORE = 4, 1
_LEGAL_FLAGS = frozenset({0, 1, 2, 3, 4, 6})
_COMMANDS = frozenset((zmtp.READY_HEAD, zmtp.ERROR_HEAD, zmtp.PING_HEAD, zmtp.PONG_HEAD)).union(
    (zmtp.SUBSCRIBE_HEAD, zmtp.CANCEL_HEAD, zmtp.SUBSCRIBE_X_HEAD, zmtp.CANCEL_X_HEAD)
)
"""Names with their lengths, as at the start of a command. Other messages of the protocol are never in a command."""
ZMTP_COMMAND_BYTES_MAX = 128 << 10
"""Maximum size of a ZMTP command, except from a subscriber; a connection that announces a longer one is closed."""
UNREAD_BYTES_MAX = 64 << 10
"""Maximum bytes of ZMTP's own answers that wait for a peer, beyond its queue; above it the connection is closed."""
_SIZE = Struct(">Q")
_BUFFERS_MAX = 64
_TAIL_BYTES_MAX = 4096
_BUFFER_BYTES = 200
"""Overhead in bytes of a waiting buffer, besides its content."""
FRAMES_AT_ONCE = 1024
"""Maximum number of frames, or runs of frames, that a busy connection parses before others have their turn."""
QUIET_BYTES, QUIET_FRAMES = 16 << 10, 64
"""The same limits of bytes and frames for a connection that is not busy: one whose last read stayed below them."""


class BrokenError(Exception):
    """The peer violated ZMTP, exceeded a limit or refused this side; reported by :attr:`Connection.broken`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits in bytes."""

    command: int
    """Maximum frame that is passed on; a longer frame is malformed."""
    frame: int
    """A connection that announces a longer frame is closed."""
    queue: int
    """Bytes that wait for one peer from which on its queue counts as full; the last output may exceed them."""
    attached: Callable[[Connection], bool] = lambda connection: True
    """Returns whether a connection has a session. Without one a ROUTER's connection may hold few bytes."""


class Connection:
    """Owns an open non-blocking socket, which :meth:`end` closes. Implements the generated machines' hosts."""

    TYPE: ClassVar[bytes]
    """The Socket-Type of this side."""
    PEERS: ClassVar[frozenset[bytes]]
    """The Socket-Types allowed for the peer."""
    MECHANISM: ClassVar[bytes] = NULL
    """The security mechanism that a peer's greeting must have."""
    READY_STATES: ClassVar[tuple[State, ...]] = (State.INTRODUCING, State.ANSWERING)
    """The states of the machine in which READY is sent."""

    __slots__ = (
        "_costs",
        "_early",
        "_introduced",
        "_left",
        "_machine",
        "_received",
        "_sent",
        "_tail",
        "_unparsed",
        "broken",
        "busy",
        "closed",
        "counted_in",
        "counted_out",
        "endpoint",
        "grew",
        "limits",
        "link",
        "name",
        "outbox",
        "outbox_bytes",
        "peer_error",
        "refused",
        "source",
        "ttl",
        "unsent_bytes",
        "watched",
    )

    def __init__(self, link: socket.socket, name: str, limits: Limits) -> None:
        """Sends the greeting; `name` is for logs. Raises OSError, with `link` open, if the connection is lost."""
        self.link = link
        self.name = name
        self.limits = limits
        self.closed = False
        self.broken: str | None = None
        """Why the connection must be closed; None in normal operation."""
        self.peer_error: bytes | None = None
        """The reason of the peer's ERROR; None if it has not sent one."""
        self.outbox: deque[memoryview] = deque()
        """Output that the socket has not taken yet. Buffers are shared with other connections."""
        self.unsent_bytes = 0
        self.outbox_bytes = 0
        """Memory of the waiting output; a shared buffer counts in part."""
        self._costs: deque[int] = deque()
        self.refused = False
        """True if it refused output since it was last reported as writable."""
        self.ttl = 0.0
        """Seconds of silence after which the peer is lost, from its last PING; 0 for no limit (ZMTP-H-6)."""
        self.watched = False
        """True if its owner waits for the socket to become writable."""
        self.source: Hashable = None
        """The IP address of the peer, or "ipc"; set by the owner."""
        self.endpoint = ""
        """The peer's address and port as an endpoint, or "ipc", for logs; set by the owner."""
        self.counted_in = self.counted_out = 0
        """The values of :attr:`partial_bytes` and :attr:`outbox_bytes` that its owner has counted."""
        self.grew = 0.0
        """When `partial_bytes` last changed, on its owner's clock."""
        self.busy = False
        """True if its last read was large, or left frames to parse; set by the owner."""
        self._tail = b""
        self._unparsed: tuple[bytes, int] | None = None
        self._early = bytearray()  # of an incomplete frame
        self._left = 0  # bytes until it is complete
        self._received = 0  # bytes since the last message, or call of `advanced`
        self._sent = 0  # bytes the kernel took since then, and those that were not acknowledged then
        self._introduced = False
        self._machine = self._new_machine()
        self._machine.mechanism = self.MECHANISM
        self._machine.connected()

    def __repr__(self) -> str:
        return self.name

    @property
    def open(self) -> bool:
        """True from the end of the handshake to the end of the connection."""
        return self._machine.state == State.OPEN

    @property
    def unparsed(self) -> bool:
        """True if received frames wait to be parsed by another :meth:`feed`."""
        return self._unparsed is not None

    @property
    def partial_bytes(self) -> int:
        """Bytes that are kept: of an incomplete frame, or of the last read while it has unparsed frames."""
        unparsed = len(self._unparsed[0]) if self._unparsed is not None else 0
        return len(self._early) + len(self._tail) + unparsed

    @property
    def read_bytes(self) -> int:
        """Maximum bytes of the next read."""
        return READ_BYTES

    # Overridden by the socket types

    def _new_machine(self) -> ServerMachine | ClientMachine:
        return ServerMachine(self)

    def _fast(self, data: bytes, at: int, items: list[Any], most: int) -> int:
        """Appends the items of complete messages that a fast path handles to `items`, until it has `most`; returns
        where it stopped.
        """
        return at

    def _passes_over(self, size: int, flags: int) -> bool:
        """Returns whether a message frame should be skipped; :meth:`_pass_over` then handles it."""
        return False

    def _pass_over(self, data: bytes, start: int, size: int, flags: int, items: list[Any]) -> int | None:
        """Skips a frame; returns its end in `data`, or None if it continues."""
        raise NotImplementedError

    def _going_on(self, data: bytes, items: list[Any]) -> int:
        """Skips the beginning of `data` that belongs to a frame being skipped; returns its length, 0 without one."""
        return 0

    def _arrived(self, data: bytes, at: int, start: int, stop: int, flags: int, items: list[Any]) -> None:
        """Handles a message frame: ``data[at:stop]``, its body from `start` on."""
        raise NotImplementedError

    # Input

    def feed(self, data: bytes = b"") -> list[Any]:
        """Returns the items that `data`, the next bytes of the connection, completes. Check :attr:`broken` afterwards,
        and while :attr:`unparsed`, call it again without data.
        """
        items: list[Any] = []
        try:
            if self._unparsed is not None:
                assert not data
                (data, at), self._unparsed = self._unparsed, None
                self._parse(data, at, items)
            else:
                self._feed(data, items)
        except BrokenError as error:
            self.broken = str(error)
        except OSError as error:  # of an answer: the peer has disconnected
            self.broken = f"lost: {error.strerror}"
        self._received = 0 if items else self._received + len(data)
        return items

    def _feed(self, data: bytes, items: list[Any]) -> None:
        at = self._going_on(data, items)
        if self._left:
            data = self._collect(data)
        elif self._tail:
            data = self._tail + data
            self._tail = b""
        if self._machine.state == State.GREETING and data:
            at = self._greeting(data)
            if not at:
                return
        self._frames(data, at, items)

    def _frames(self, data: bytes, at: int, items: list[Any]) -> None:
        """Parses the frames from `at` on, as they come from the socket; a subclass may have to decrypt them first."""
        self._parse(data, at, items)

    def _parse(self, data: bytes, at: int, items: list[Any]) -> None:
        """Parses a bounded number of plain frames from `at` on, and keeps the beginning of an incomplete frame."""
        step: int | None = at
        left = most = FRAMES_AT_ONCE if self.busy else QUIET_FRAMES
        while step is not None:
            if not left or len(items) >= most:
                self._unparsed = data, step
                return
            left -= 1
            if self._machine.state == State.OPEN:
                step = self._fast(data, step, items, most)
            step = self._frame(data, step, items)

    def _greeting(self, data: bytes) -> int:
        """Handles a complete greeting and returns its end; 0 if it is incomplete but valid. Raises BrokenError."""
        if data[0] != 0xFF or (len(data) >= _SIGNATURE_SIZE and not data[_SIGNATURE_SIZE - 1] & 1):
            raise BrokenError("peer speaks ZMTP 1.0 or does not speak ZMTP")
        if len(data) > _SIGNATURE_SIZE and data[_SIGNATURE_SIZE] < 3:
            raise BrokenError("peer speaks ZMTP 2.0")
        if len(data) < GREETING_SIZE:
            self._tail = data
            return 0
        self._take(data[:GREETING_SIZE])
        return GREETING_SIZE

    def _frame(self, data: bytes, at: int, items: list[Any]) -> int | None:
        """Parses one frame of any kind; returns its end, or None and keeps an incomplete frame. Raises BrokenError."""
        end = len(data)
        if at == end:
            return None
        flags = data[at]
        if flags not in _LEGAL_FLAGS:
            raise BrokenError(f"invalid frame flags %x{flags:02X}")
        head = 9 if flags & LONG else 2
        if end - at < head:
            self._tail = data[at:]
            return None
        size = _SIZE.unpack_from(data, at + 1)[0] if flags & LONG else data[at + 1]
        self._check_size(flags, size)
        start, stop = at + head, at + head + size
        if not flags & COMMAND and self._passes_over(size, flags):
            return self._pass_over(data, start, size, flags, items)
        if stop > end:
            self._wait(data, at, stop - end, items)
            return None
        if flags & COMMAND:
            self._command(data[start:stop], items)
        else:
            self._arrived(data, at, start, stop, flags, items)
        return stop

    def _check_size(self, flags: int, size: int) -> None:
        if flags & COMMAND:
            if size > ZMTP_COMMAND_BYTES_MAX:
                raise BrokenError(f"a command of {size} bytes exceeds the limit of {ZMTP_COMMAND_BYTES_MAX}")
        elif self._machine.state != State.OPEN:
            raise BrokenError("a message before the handshake is complete")
        elif size > self.limits.frame:
            raise BrokenError(f"a frame of {size} bytes exceeds the limit of {self.limits.frame}")

    def _wait(self, data: bytes, at: int, missing: int, items: list[Any]) -> None:
        """Keeps the beginning of an incomplete frame; a long frame grows in place, however small its pieces are."""
        if len(data) - at < _TAIL_BYTES_MAX:
            self._tail = data[at:]
            return
        self._early = bytearray(data[at:])
        self._left = missing

    def _collect(self, data: bytes) -> bytes:
        """Returns the kept frame and the bytes after it, once the frame is complete; before that, b""."""
        self._early += data
        self._left -= len(data)
        if self._left > 0:
            return b""
        whole = bytes(self._early)
        self._early, self._left = bytearray(), 0
        return whole

    def _command(self, body: bytes, items: list[Any]) -> None:
        if not body or not 1 <= body[0] <= len(body) - 1:
            raise BrokenError("a command with an incomplete name")
        if body[: 1 + body[0]] in _COMMANDS:
            self._take(body, items)
            return
        self._machine.unknown()
        if self._machine.terminated:
            raise BrokenError("an unknown command before the handshake is complete")

    def _take(self, data: bytes, items: list[Any] | None = None) -> None:
        """Passes a greeting or a command to the machine, and sends READY when it is due. Raises BrokenError."""
        machine = self._machine
        try:
            message = decode(data)
            self._check(message)
            self._receive(message, [] if items is None else items)
            if machine.state in self.READY_STATES and not self._introduced:
                self._introduced = True
                machine.introduce(self._ready())
        except (DecodeError, UnexpectedEvent) as error:
            machine.malformed()
            raise BrokenError(str(error)) from error
        if machine.terminated:
            raise BrokenError(
                "handshake rejected: invalid greeting, metadata, key or command, or the peer sent ERROR"
            )

    def _check(self, message: Message) -> None:
        """Checks what the machine does not check, and takes a PING's time to live. Raises BrokenError."""
        if isinstance(message, Ready) and not all(name for name, _ in message.properties):
            raise BrokenError("a property without a name")
        if isinstance(message, Ping):
            self.ttl = message.ttl / 10

    def _receive(self, message: Message, items: list[Any]) -> None:
        """Handles a ZMTP message; items for the application are appended to `items`."""
        self._machine.receive(message)

    # Output

    def write(self, data: bytes | memoryview, sharers: int = 1) -> bool:
        """Sends as much as the socket takes and queues the rest. Returns False, without queueing, and sets `refused` if
        `limits.queue` bytes or more wait already. `data` are complete frames, a buffer that is sent to `sharers`
        connections. Raises OSError if the connection is lost.
        """
        if self.unsent_bytes:
            if self.unsent_bytes >= self.limits.queue:
                self.refused = True
                return False
            self._keep(memoryview(data), len(data) // sharers)
            return True
        try:
            sent = self.link.send(data)
        except BlockingIOError:
            sent = 0
        self._sent += sent
        if sent < len(data):
            self._keep(memoryview(data)[sent:], len(data) // sharers)
        return True

    def _keep(self, rest: memoryview, cost: int) -> None:
        """Queues the rest of a buffer; until it is sent, all of the buffer is held, and `cost` bytes are counted."""
        cost += _BUFFER_BYTES
        self.outbox.append(rest)
        self.unsent_bytes += len(rest)
        self._costs.append(cost)
        self.outbox_bytes += cost

    def flush(self) -> None:
        """Sends as much waiting output as the socket takes, in order. Raises OSError if the connection is lost."""
        outbox = self.outbox
        while outbox:
            batch = list(islice(outbox, _BUFFERS_MAX)) if len(outbox) > 1 else outbox
            try:
                sent = self.link.sendmsg(batch)
            except BlockingIOError:
                return
            self.unsent_bytes -= sent
            self._sent += sent
            while outbox and sent >= len(outbox[0]):
                sent -= len(outbox.popleft())
                self.outbox_bytes -= self._costs.popleft()
            if sent:
                outbox[0] = outbox[0][sent:]
                return

    def advanced(self) -> int:
        """See :class:`zeps_broker.ports.Progress`; bytes in the kernel advance when they are acknowledged."""
        queued = 0 if self.closed else _queued_bytes(self.link)
        received, self._received = self._received, 0
        acknowledged, self._sent = self._sent - queued, queued
        return max(
            received if self._tail or self._left else 0, acknowledged if queued or self.unsent_bytes else 0
        )

    def end(self) -> None:
        """Closes the socket, and drops waiting output and incomplete input. May be called again."""
        if not self.closed:
            del self._machine.host
        self.closed = True
        self.outbox.clear()
        self._costs.clear()
        self.unsent_bytes = self.outbox_bytes = 0
        self._tail, self._early, self._unparsed = b"", bytearray(), None
        self.link.close()

    # Host actions

    def send(self, message: Message) -> None:
        """Sends or queues a ZMTP message, even if the queue is full. Raises BrokenError if more than UNREAD_BYTES_MAX
        bytes beyond a full queue wait already, and OSError if the connection is lost.
        """
        if self.unsent_bytes > self.limits.queue + UNREAD_BYTES_MAX:
            raise BrokenError("the peer sends requests faster than it reads the answers")
        data = self._framed(message)
        if self.unsent_bytes:
            self._keep(memoryview(data), len(data))
        else:
            Connection.write(self, data)  # a subclass encrypts in `write`; these bytes are final

    def _framed(self, message: Message) -> bytes:
        encoded = message.encode()
        return encoded if isinstance(message, Greeting) else join_command(encoded)

    def _ready(self) -> Ready:
        return Ready(properties=((b"Socket-Type", self.TYPE),))

    def check_greeting(self, message: Greeting) -> None:
        if message.major < 3 or message.mechanism != self._machine.mechanism:
            self._refuse()

    def ask_for_introduction(self, message: Greeting) -> None:
        """Does nothing: READY is sent once the machine is in one of `READY_STATES`."""

    def check_peer(self, message: Ready) -> None:
        if property_of(message, b"socket-type") not in self.PEERS:
            self._machine.reason = b"Invalid socket type"
            self._refuse()

    def _refuse(self) -> None:
        machine = self._machine
        if isinstance(machine, ServerMachine):
            machine.fail(PublisherEvent.ON_REFUSED)
        else:
            machine.fail(SubscriberEvent.ON_REFUSED)

    def opened(self, message: Ready | None) -> None: ...

    def peer_refused(self, message: Error) -> None:
        self.peer_error = message.reason

    def add_subscription(self, message: Message) -> None: ...

    def remove_subscription(self, message: Message) -> None: ...

    def close_connection(self, message: object) -> None:
        """Does nothing: the owner closes it; see :attr:`broken`."""


def _queued_bytes(link: socket.socket) -> int:
    """Returns the bytes that were given to `link` and that its peer has not acknowledged."""
    queued = array("i", [0])
    ioctl(link, termios.TIOCOUTQ, queued)
    return queued[0]


def property_of(message: Ready, lower_name: bytes) -> bytes | None:
    """Returns the first property whose name in lower case is `lower_name` (ZMTP-N-6); None if it is missing."""
    return next((value for name, value in message.properties if name.lower() == lower_name), None)
