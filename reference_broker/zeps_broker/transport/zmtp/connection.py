"""One peer: from the first octet of its greeting to the end of its connection, whatever kind of socket it talks to.

A generated machine (`zmtp_publisher.xml`, `zmtp_subscriber.xml`) decides about greetings, metadata and commands; this
is its host, and keeps what a machine does not: octets, frames and the queue of what the peer has still to take.
Messages never touch the machine: what becomes of them is the business of the kinds of sockets, each a subclass.

What is announced is never allocated: of a frame that is not whole yet only what has come is kept (ZMTP-X-2).
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
from zeps_wire.errors import DecodeError, UnexpectedEvent
from zeps_wire.zmtp import (
    CANCEL_HEAD,
    CANCEL_X_HEAD,
    ERROR_HEAD,
    PING_HEAD,
    PONG_HEAD,
    READY_HEAD,
    SUBSCRIBE_HEAD,
    SUBSCRIBE_X_HEAD,
    Error,
    Greeting,
    Message,
    Ping,
    Ready,
    decode,
)
from zeps_wire.zmtp_publisher import Event as PublisherEvent
from zeps_wire.zmtp_publisher import ServerMachine, State
from zeps_wire.zmtp_subscriber import ClientMachine
from zeps_wire.zmtp_subscriber import Event as SubscriberEvent

__all__ = [
    "COMMAND",
    "FRAMES_AT_ONCE",
    "MORE",
    "NULL",
    "READ_BYTES",
    "UNREAD_BYTES_MAX",
    "ZMTP_COMMAND_BYTES_MAX",
    "BrokenError",
    "Connection",
    "Limits",
    "property_of",
]

NULL = b"NULL".ljust(20, b"\0")
"""The mechanism without security, as a greeting has it."""

GREETING_SIZE = 64
_SIGNATURE_SIZE = 10
READ_BYTES = 256 << 10
"""What one read takes."""
COMMAND, MORE = 4, 1
_LEGAL_FLAGS = frozenset({0, 1, 2, 3, 4, 6})
_COMMANDS = frozenset(
    {
        READY_HEAD,
        ERROR_HEAD,
        PING_HEAD,
        PONG_HEAD,
        SUBSCRIBE_HEAD,
        CANCEL_HEAD,
        SUBSCRIBE_X_HEAD,
        CANCEL_X_HEAD,
    }
)
"""Names with their lengths, as a command begins with one. Other messages of the protocol are never in a command."""
ZMTP_COMMAND_BYTES_MAX = 128 << 10
"""The longest command of ZMTP; a connection that announces a longer one is closed."""
UNREAD_BYTES_MAX = 64 << 10
"""Bytes of our own answers that wait for a peer, on top of its queue; with more its connection is closed."""
_SIZE = Struct(">Q")
_BUFFERS_MAX = 64
_TAIL_BYTES_MAX = 4096
_BUFFER_BYTES = 200
"""What a buffer that waits takes besides its octets."""
FRAMES_AT_ONCE = 1024
"""Frames, or runs of frames, that a connection takes apart before others have their turn."""


class BrokenError(Exception):
    """The peer broke ZMTP, or refused us; the connection is over. The text says how, for a log.

    Never leaves a connection: see :attr:`Connection.broken`.
    """


@dataclass(frozen=True, slots=True)
class Limits:
    """Octets."""

    command: int
    """The longest frame that is handed on; a longer one is malformed."""
    frame: int
    """A connection that announces a longer frame is closed."""
    queue: int
    """What waits for one peer, at most, before it counts as full."""
    attached: Callable[[Connection], bool] = lambda connection: True
    """Whether a connection has a session. One that has none may hold few octets."""


class Connection:
    """A connection whose transport is up. `link` does not block. Implements the generated machines' hosts."""

    TYPE: ClassVar[bytes]
    """The Socket-Type of our end."""
    PEERS: ClassVar[frozenset[bytes]]
    """The Socket-Types that may talk to it."""
    MECHANISM: ClassVar[bytes] = NULL
    """The security mechanism that a peer's greeting must have."""
    READY_STATES: ClassVar[tuple[State, ...]] = (State.INTRODUCING, State.ANSWERING)
    """The states of the machine in which our READY is sent."""

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
        "grew",
        "limits",
        "link",
        "name",
        "outbox",
        "outbox_bytes",
        "outbox_octets",
        "refused",
        "source",
        "ttl",
        "watched",
    )

    def __init__(self, link: socket.socket, name: str, limits: Limits) -> None:
        """Greets at once. OSError if the connection is lost already."""
        self.link = link
        self.name = name
        self.limits = limits
        self.closed = False
        self.broken: str | None = None
        """Why the connection has to be ended; None while all is well."""
        self.outbox: deque[memoryview] = deque()
        """What the socket has not taken yet. Buffers are shared with other connections."""
        self.outbox_octets = 0
        self.outbox_bytes = 0
        """Memory that these take; a buffer that is shared counts in part."""
        self._costs: deque[int] = deque()
        self.refused = False
        """Whether it refused something since it was last said to be writable."""
        self.ttl = 0.0
        """Seconds of silence after which the peer is gone, by its own last PING; 0 for any (ZMTP-H-6)."""
        self.watched = False
        """Whether its owner waits for the socket to take more."""
        self.source: Hashable = None
        """The address of the peer's host."""
        self.counted_in = self.counted_out = 0
        """What its owner has counted of :attr:`partial_bytes` and :attr:`outbox_bytes`."""
        self.grew = 0.0
        """When the former grew last, on its owner's clock."""
        self.busy = False
        """Whether its last read brought much."""
        self._tail = b""
        self._unparsed: tuple[bytes, int] | None = None
        self._early = bytearray()  # of a frame that is not whole yet
        self._left = 0  # octets until it is
        self._received = 0  # octets since the last message, or call of `advanced`
        self._sent = 0  # octets the kernel took since then, and those that were not acknowledged then
        self._introduced = False
        self._machine = self._new_machine()
        self._machine.mechanism = self.MECHANISM
        self._machine.connected()

    def __repr__(self) -> str:
        return self.name

    @property
    def open(self) -> bool:
        """Whether the handshake is complete."""
        return self._machine.state == State.OPEN

    @property
    def unparsed(self) -> bool:
        """Whether frames that have arrived wait to be taken by another :meth:`feed`."""
        return self._unparsed is not None

    @property
    def partial_bytes(self) -> int:
        """Bytes that have arrived and wait: for the rest of a frame, or to be taken apart."""
        unparsed = len(self._unparsed[0]) if self._unparsed is not None else 0
        return len(self._early) + len(self._tail) + unparsed

    @property
    def read_bytes(self) -> int:
        """How much is to be read at once."""
        return READ_BYTES

    # What a kind of socket says

    def _new_machine(self) -> ServerMachine | ClientMachine:
        return ServerMachine(self)

    def _fast(self, data: bytes, at: int, found: list[Any]) -> int:
        """Take the messages that stand whole at `at` and after it, as far as that is easy; where it stopped."""
        return at

    def _passes_over(self, size: int, flags: int) -> bool:
        """Whether the octets of a message's frame are not to be kept; then :meth:`_pass_over` takes it."""
        return False

    def _pass_over(self, data: bytes, start: int, size: int, flags: int, found: list[Any]) -> int | None:
        """Where the frame ends in `data`; None if it goes on."""
        raise NotImplementedError

    def _going_on(self, data: bytes, found: list[Any]) -> int:
        """How many octets of `data` belong to a frame that is passed over."""
        return 0

    def _arrived(self, data: bytes, at: int, start: int, stop: int, flags: int, found: list[Any]) -> None:
        """A frame of a message: ``data[at:stop]``, its body from `start` on."""
        raise NotImplementedError

    # What arrives

    def feed(self, data: bytes = b"") -> list[Any]:
        """What `data`, the next octets of the connection, completes. Look at :attr:`broken` afterwards.

        Of a great number of frames only so many are taken; while :attr:`unparsed`, the next call has no data.
        """
        found: list[Any] = []
        try:
            if self._unparsed is not None:
                assert not data
                (data, at), self._unparsed = self._unparsed, None
                self._parse(data, at, found)
            else:
                self._feed(data, found)
        except BrokenError as error:
            self.broken = str(error)
        except OSError as error:  # of an answer: the peer was gone by then
            self.broken = f"lost: {error.strerror}"
        self._received = 0 if found else self._received + len(data)
        return found

    def _feed(self, data: bytes, found: list[Any]) -> None:
        at = self._going_on(data, found)
        if self._left:
            data = self._collect(data)
        elif self._tail:
            data = self._tail + data
            self._tail = b""
        if self._machine.state == State.GREETING and data:
            at = self._greeting(data)
            if not at:
                return
        self._frames(data, at, found)

    def _frames(self, data: bytes, at: int, found: list[Any]) -> None:
        """Takes the frames from `at` on, as they come from the socket."""
        self._parse(data, at, found)

    def _parse(self, data: bytes, at: int, found: list[Any]) -> None:
        """Takes a bounded number of plain frames from `at` on, and keeps the beginning of one that is not complete."""
        step: int | None = at
        left = FRAMES_AT_ONCE
        while step is not None:
            if not left or len(found) >= FRAMES_AT_ONCE:
                self._unparsed = data, step
                return
            left -= 1
            if self._machine.state == State.OPEN:
                step = self._fast(data, step, found)
            step = self._frame(data, step, found)

    def _greeting(self, data: bytes) -> int:
        """Where the greeting ends; 0 if it is not whole, and may still become one."""
        if data[0] != 0xFF or (len(data) >= _SIGNATURE_SIZE and not data[_SIGNATURE_SIZE - 1] & 1):
            raise BrokenError("a peer of ZMTP 1.0, or none of ZMTP")
        if len(data) > _SIGNATURE_SIZE and data[_SIGNATURE_SIZE] < 3:
            raise BrokenError("a peer of ZMTP 2.0")
        if len(data) < GREETING_SIZE:
            self._tail = data
            return 0
        self._take(data[:GREETING_SIZE])
        return GREETING_SIZE

    def _frame(self, data: bytes, at: int, found: list[Any]) -> int | None:
        """One frame of any kind; where it ends, or None if there is none, or none that is whole."""
        end = len(data)
        if at == end:
            return None
        flags = data[at]
        if flags not in _LEGAL_FLAGS:
            raise BrokenError(f"a frame with the flags %x{flags:02X}")
        head = 9 if flags & LONG else 2
        if end - at < head:
            self._tail = data[at:]
            return None
        size = _SIZE.unpack_from(data, at + 1)[0] if flags & LONG else data[at + 1]
        self._check_size(flags, size)
        start, stop = at + head, at + head + size
        if not flags & COMMAND and self._passes_over(size, flags):
            return self._pass_over(data, start, size, flags, found)
        if stop > end:
            self._wait(data, at, stop - end, found)
            return None
        if flags & COMMAND:
            self._command(data[start:stop], found)
        else:
            self._arrived(data, at, start, stop, flags, found)
        return stop

    def _check_size(self, flags: int, size: int) -> None:
        if flags & COMMAND:
            if size > ZMTP_COMMAND_BYTES_MAX:
                raise BrokenError(f"a command of {size} octets")
        elif self._machine.state != State.OPEN:
            raise BrokenError("a message before the handshake is complete")
        elif size > self.limits.frame:
            raise BrokenError(f"a frame of {size} octets")

    def _wait(self, data: bytes, at: int, missing: int, found: list[Any]) -> None:
        """Keep the beginning of a frame; that of a long one grows in place, however small the next pieces are."""
        if len(data) - at < _TAIL_BYTES_MAX:
            self._tail = data[at:]
            return
        self._early = bytearray(data[at:])
        self._left = missing

    def _collect(self, data: bytes) -> bytes:
        """The frame whose beginning was kept, once it is whole, with what follows it; nothing before."""
        self._early += data
        self._left -= len(data)
        if self._left > 0:
            return b""
        whole = bytes(self._early)
        self._early, self._left = bytearray(), 0
        return whole

    def _command(self, body: bytes, found: list[Any]) -> None:
        if not body or not 1 <= body[0] <= len(body) - 1:
            raise BrokenError("a command without a whole name")
        if body[: 1 + body[0]] in _COMMANDS:
            self._take(body, found)
            return
        self._machine.unknown()
        if self._machine.terminated:
            raise BrokenError("an unknown command before the handshake is complete")

    def _take(self, octets: bytes, found: list[Any] | None = None) -> None:
        """A greeting or a command, for the machine."""
        machine = self._machine
        try:
            message = decode(octets)
            self._check(message)
            self._receive(message, [] if found is None else found)
            if machine.state in self.READY_STATES and not self._introduced:
                self._introduced = True
                machine.introduce(self._ready())
        except (DecodeError, UnexpectedEvent) as error:
            machine.malformed()
            raise BrokenError(str(error)) from error
        if machine.terminated:
            raise BrokenError("the peer's greeting, metadata or command will not do")

    def _check(self, message: Message) -> None:
        """What a machine does not look at. BrokenError if it is none of what a peer may say."""
        if isinstance(message, Ready) and not all(name for name, _ in message.properties):
            raise BrokenError("a property without a name")
        if isinstance(message, Ping):
            self.ttl = message.ttl / 10

    def _receive(self, message: Message, found: list[Any]) -> None:
        """A message of the protocol's; what the application is to see of it goes to `found`."""
        self._machine.receive(message)

    # What leaves

    def write(self, octets: bytes | memoryview, sharers: int = 1) -> bool:
        """Send what the socket takes, keep the rest. False, and nothing is kept, if too much waits already.

        `sharers` connections are sent the same buffer. OSError if the connection is lost.
        """
        if self.outbox_octets:
            if self.outbox_octets >= self.limits.queue:
                self.refused = True
                return False
            self._keep(memoryview(octets), len(octets) // sharers)
            return True
        try:
            sent = self.link.send(octets)
        except BlockingIOError:
            sent = 0
        self._sent += sent
        if sent < len(octets):
            self._keep(memoryview(octets)[sent:], len(octets) // sharers)
        return True

    def _keep(self, rest: memoryview, cost: int) -> None:
        """Queue what is left of a buffer, all of which is held until the rest has left: `cost` bytes."""
        cost += _BUFFER_BYTES
        self.outbox.append(rest)
        self.outbox_octets += len(rest)
        self._costs.append(cost)
        self.outbox_bytes += cost

    def flush(self) -> None:
        """Send what the socket takes of what waits. OSError if the connection is lost."""
        outbox = self.outbox
        while outbox:
            batch = list(islice(outbox, _BUFFERS_MAX)) if len(outbox) > 1 else outbox
            try:
                sent = self.link.sendmsg(batch)
            except BlockingIOError:
                return
            self.outbox_octets -= sent
            self._sent += sent
            while outbox and sent >= len(outbox[0]):
                sent -= len(outbox.popleft())
                self.outbox_bytes -= self._costs.popleft()
            if sent:
                outbox[0] = outbox[0][sent:]
                return

    def advanced(self) -> int:
        """See :class:`zeps_broker.ports.Progress`. What the kernel has taken is under way until it is acknowledged."""
        queued = 0 if self.closed else _queued_bytes(self.link)
        received, self._received = self._received, 0
        acknowledged, self._sent = self._sent - queued, queued
        return max(
            received if self._tail or self._left else 0, acknowledged if queued or self.outbox_octets else 0
        )

    def end(self) -> None:
        """Close the socket and drop what waits. Its machine no longer refers to it, so that both are freed at once."""
        if not self.closed:
            del self._machine.host
        self.closed = True
        self.outbox.clear()
        self._costs.clear()
        self.outbox_octets = self.outbox_bytes = 0
        self._tail, self._early, self._unparsed = b"", bytearray(), None
        self.link.close()

    # Host actions

    def send(self, message: Message) -> None:
        """Ours, not the application's: it is queued whatever waits, but a peer that makes us say too much is left."""
        if self.outbox_octets > self.limits.queue + UNREAD_BYTES_MAX:
            raise BrokenError("the peer asks faster than it listens")
        octets = self._framed(message)
        if self.outbox_octets:
            self._keep(memoryview(octets), len(octets))
        else:
            Connection.write(self, octets)  # a subclass encrypts in `write`; these bytes are final

    def _framed(self, message: Message) -> bytes:
        octets = message.encode()
        return octets if isinstance(message, Greeting) else join_command(octets)

    def _ready(self) -> Ready:
        return Ready(properties=((b"Socket-Type", self.TYPE),))

    def check_greeting(self, message: Greeting) -> None:
        if message.major < 3 or message.mechanism != self._machine.mechanism:
            self._refuse()

    def ask_for_introduction(self, message: Greeting) -> None:
        """Answered as soon as the machine has taken the greeting."""

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

    def peer_refused(self, message: Error) -> None: ...

    def add_subscription(self, message: Message) -> None: ...

    def remove_subscription(self, message: Message) -> None: ...

    def close_connection(self, message: object) -> None:
        """The owner closes it; see :attr:`broken`."""


def _queued_bytes(link: socket.socket) -> int:
    """Bytes that were given to `link` and that its peer has not acknowledged."""
    queued = array("i", [0])
    ioctl(link, termios.TIOCOUTQ, queued)
    return queued[0]


def property_of(message: Ready, wanted: bytes) -> bytes | None:
    """The first property of that name, in any case (ZMTP-N-6); None if there is none."""
    return next((value for name, value in message.properties if name.lower() == wanted), None)
