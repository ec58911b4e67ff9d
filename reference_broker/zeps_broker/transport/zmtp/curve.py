"""The server side of CURVE (RFC 26), as a layer below the frames of a connection.

C/c and S/s are the long-term keys of client and server, C'/c' and S'/s' the keys of one connection. The commands are

    client                                                  server
    HELLO     C', Box[64 zeros](C'->S)                 ->
                                                       <-   WELCOME   Box[S', cookie](S->C')
    INITIATE  cookie, Box[C, vouch, metadata](C'->S')  ->
                                                       <-   READY     Box[metadata](S'->C'), or ERROR
    MESSAGE   Box[flags, body](C'->S')                <->   MESSAGE   Box[flags, body](S'->C')

The cookie contains C' and s', encrypted with a random key of this connection: until INITIATE returns the cookie, that
key is the only state of a handshake. The vouch is Box[C', S](C->S') and proves that the owner of c uses C' with this
server. A nonce is a prefix that names the command and a number that grows within the connection; WELCOME, cookie and
vouch have 16 random bytes in place of the number.

The metadata of INITIATE becomes the peer's READY for the generated machine, which then sends the server's READY. After
that every frame of the connection is one MESSAGE. The messages of one read are decrypted and passed together to the
code that reads plain frames. Output frames are encrypted one by one, for each peer. RFC 26 sends MESSAGE in a command
frame, libzmq in a message frame: both are accepted, and message frames are sent.
"""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from struct import Struct
from typing import Any

from nacl.bindings import (
    crypto_box_afternm,
    crypto_box_beforenm,
    crypto_box_keypair,
    crypto_box_open_afternm,
    crypto_secretbox,
    crypto_secretbox_open,
)
from nacl.exceptions import CryptoError

from zeps_broker.transport.certificates import ServerKeys
from zeps_broker.transport.zmtp.connection import COMMAND, MORE, BrokenError, Connection, Limits
from zeps_broker.transport.zmtp.frames import LONG, frame_header, join_command
from zeps_broker.transport.zmtp.router_connection import RouterConnection
from zeps_wire.zmtp import READY_HEAD, Greeting, Message, Ready
from zeps_wire.zmtp_publisher import State

__all__ = ["HANDSHAKE_BYTES_MAX", "CurveRouterConnection", "CurveSession"]

CURVE = b"CURVE".ljust(20, b"\0")
"""The CURVE mechanism, as encoded in a greeting."""

HANDSHAKE_BYTES_MAX = 4096
"""Maximum size of a handshake command; a longer command ends the connection. Only metadata varies in size."""

_HELLO = b"\x05HELLO\x01\x00"
_HELLO_SIZE = 200
_WELCOME = b"\x07WELCOME"
_INITIATE = b"\x08INITIATE"
_INITIATE_SIZE_MIN = 257
_READY = b"\x05READY"
_MESSAGE = b"\x07MESSAGE"
_MESSAGE_SIZE_MIN = 33
"""Bytes of a MESSAGE without a body: name, nonce, authenticator, flags."""
_NONCE = Struct(">Q")
_SIZE = Struct(">Q")
_KEY_SIZE = 32
_LONG_NONCE_SIZE = 16
_VOUCH_SIZE = 96
_REFUSED = b"400"
"""The reason in ERROR for a key that is not authorized: the status code of ZAP (RFC 27)."""

_FRAME_FLAGS = (0, MORE, COMMAND)
"""The flags of a frame, by the flags inside a MESSAGE."""
_BOX_FLAGS = {flags: bytes((number,)) for number, flags in enumerate(_FRAME_FLAGS)}


class CurveSession:
    """The keys and nonces of one connection. Its methods raise BrokenError for input that violates the protocol."""

    __slots__ = ("_cookie_key", "_keys", "_nonce", "_peer_nonce", "_shared", "client_key")

    def __init__(self, keys: ServerKeys) -> None:
        self._keys = keys
        self._cookie_key: bytes | None = None
        """Known from HELLO to INITIATE."""
        self._shared = b""
        """The shared key of C' and S'; known from INITIATE on."""
        self._nonce = 0
        self._peer_nonce = -1
        self.client_key: bytes | None = None
        """C, after the peer has proved that it owns it."""

    def authorized(self) -> bool:
        """Returns whether the peer has proved that it owns a key that may connect."""
        return self.client_key is not None and self._keys.admits(self.client_key)

    def handshake(self, command: bytes) -> tuple[bytes, bytes | None]:
        """Checks the peer's next command. Returns (WELCOME, None) for HELLO, and (b"", its metadata) for INITIATE."""
        try:
            if self._cookie_key is None:
                return self._welcome(command), None
            return b"", self._initiate(command, self._cookie_key)
        except CryptoError as error:
            raise BrokenError(f"CURVE: a box in the handshake cannot be opened: {error}") from error

    def _welcome(self, hello: bytes) -> bytes:
        if len(hello) != _HELLO_SIZE or not hello.startswith(_HELLO):
            raise BrokenError("CURVE: the first command is not a HELLO of version 1.0")
        client, nonce, box = hello[80:112], hello[112:120], hello[120:]
        shared = crypto_box_beforenm(client, self._keys.secret_key)
        self._accept_nonce(nonce)
        if any(crypto_box_open_afternm(box, b"CurveZMQHELLO---" + nonce, shared)):
            raise BrokenError("CURVE: the box of HELLO does not contain zeros")
        public, secret = crypto_box_keypair()
        self._cookie_key = os.urandom(_KEY_SIZE)
        cookie_nonce, welcome_nonce = os.urandom(_LONG_NONCE_SIZE), os.urandom(_LONG_NONCE_SIZE)
        cookie = cookie_nonce + crypto_secretbox(
            client + secret, b"COOKIE--" + cookie_nonce, self._cookie_key
        )
        box = crypto_box_afternm(public + cookie, b"WELCOME-" + welcome_nonce, shared)
        return _WELCOME + welcome_nonce + box

    def _initiate(self, initiate: bytes, cookie_key: bytes) -> bytes:
        if len(initiate) < _INITIATE_SIZE_MIN or not initiate.startswith(_INITIATE):
            raise BrokenError("CURVE: the second command is not an INITIATE")
        cookie, nonce, box = initiate[9:105], initiate[105:113], initiate[113:]
        opened = crypto_secretbox_open(
            cookie[_LONG_NONCE_SIZE:], b"COOKIE--" + cookie[:_LONG_NONCE_SIZE], cookie_key
        )
        short_client, short_secret = opened[:_KEY_SIZE], opened[_KEY_SIZE:]
        self._shared = crypto_box_beforenm(short_client, short_secret)
        self._accept_nonce(nonce)
        opened = crypto_box_open_afternm(box, b"CurveZMQINITIATE" + nonce, self._shared)
        client, vouch = opened[:_KEY_SIZE], opened[_KEY_SIZE : _KEY_SIZE + _VOUCH_SIZE]
        vouched = crypto_box_open_afternm(
            vouch[_LONG_NONCE_SIZE:],
            b"VOUCH---" + vouch[:_LONG_NONCE_SIZE],
            crypto_box_beforenm(client, short_secret),
        )
        if vouched != short_client + self._keys.public_key:
            raise BrokenError("CURVE: the vouch is for another connection or another server")
        self.client_key, self._cookie_key = client, None
        return opened[_KEY_SIZE + _VOUCH_SIZE :]

    def ready(self, metadata: bytes) -> bytes:
        """Returns the READY command, without a frame, with `metadata` encrypted."""
        nonce = self._next_nonce()
        return _READY + nonce + crypto_box_afternm(metadata, b"CurveZMQREADY---" + nonce, self._shared)

    def seal(self, frames: bytes | memoryview) -> bytes:
        """Encrypts complete frames, each as one MESSAGE; returns the frames of these."""
        data = memoryview(frames)
        sealed: list[bytes] = []
        at, end = 0, len(data)
        while at < end:
            flags = data[at]
            if flags & LONG:
                start = at + 9
                stop = start + _SIZE.unpack_from(data, at + 1)[0]
            else:
                start = at + 2
                stop = start + data[at + 1]
            nonce = self._next_nonce()
            plain = _BOX_FLAGS[flags & ~LONG] + data[start:stop]
            box = crypto_box_afternm(plain, b"CurveZMQMESSAGES" + nonce, self._shared)
            sealed += (frame_header(len(box) + 16), _MESSAGE, nonce, box)
            at = stop
        return b"".join(sealed)

    def open(self, data: bytes, start: int, stop: int, plain: list[bytes | memoryview]) -> None:
        """Decrypts the MESSAGE in ``data[start:stop]`` and appends its frame, header and body, to `plain`."""
        box = start + 16
        if stop - start < _MESSAGE_SIZE_MIN or not data.startswith(_MESSAGE, start):
            raise BrokenError("CURVE: a frame is not a MESSAGE")
        nonce = data[start + 8 : box]
        self._accept_nonce(nonce)
        try:
            opened = crypto_box_open_afternm(data[box:stop], b"CurveZMQMESSAGEC" + nonce, self._shared)
        except CryptoError as error:
            raise BrokenError("CURVE: the box of a MESSAGE cannot be opened") from error
        flags = opened[0]
        if flags >= len(_FRAME_FLAGS):
            raise BrokenError(f"CURVE: a MESSAGE with the invalid flags %x{flags:02X}")
        header = frame_header(len(opened) - 1)
        plain.append(header if not flags else bytes((header[0] | _FRAME_FLAGS[flags],)) + header[1:])
        plain.append(memoryview(opened)[1:])

    def _accept_nonce(self, nonce: bytes) -> None:
        (number,) = _NONCE.unpack(nonce)
        if number <= self._peer_nonce:
            raise BrokenError(f"CURVE: nonce {number} is not greater than the last, {self._peer_nonce}")
        self._peer_nonce = number

    def _next_nonce(self) -> bytes:
        self._nonce += 1
        return _NONCE.pack(self._nonce)


class CurveRouterConnection(RouterConnection):
    """A connection to a ROUTER that is a CURVE server, with the same items. Before READY it keeps at most
    HANDSHAKE_BYTES_MAX bytes of input and a frame's header; afterwards at most one frame and the overhead of a MESSAGE.
    """

    MECHANISM = CURVE
    READY_STATES = (State.ANSWERING,)

    __slots__ = ("_session",)

    def __init__(self, link: socket.socket, name: str, limits: Limits, keys: ServerKeys) -> None:
        self._session = CurveSession(keys)
        super().__init__(link, name, limits)

    # Input

    def _frames(self, data: bytes, at: int, items: list[Any]) -> None:
        step: int | None = at
        while not self.open:
            if step is None:
                return
            step = self._frame(data, step, items)
        if step is None:
            return
        plain: list[bytes | memoryview] = []
        try:
            at, missing = self._open_frames(data, step, plain)
        finally:  # frames before an invalid frame are processed
            self._parse(b"".join(plain), 0, items)
        if at < len(data):
            Connection._wait(self, data, at, missing, items)

    def _open_frames(self, data: bytes, at: int, plain: list[bytes | memoryview]) -> tuple[int, int]:
        """Decrypts complete frames from `at` on; returns their end, and how many bytes the next lacks at least."""
        end = len(data)
        size_max = self.limits.frame + _MESSAGE_SIZE_MIN
        while at < end:
            flags = data[at]
            if flags & ~(LONG | COMMAND):
                raise BrokenError(f"CURVE: invalid frame flags %x{flags:02X}")
            start = at + (9 if flags & LONG else 2)
            if start > end:
                return at, start - end
            size = _SIZE.unpack_from(data, at + 1)[0] if flags & LONG else data[at + 1]
            if size > size_max:
                raise BrokenError(f"CURVE: a frame of {size} bytes exceeds the limit of {size_max}")
            stop = start + size
            if stop > end:
                return at, stop - end
            self._session.open(data, start, stop, plain)
            at = stop
        return at, 0

    def _check_size(self, flags: int, size: int) -> None:
        if self.open:
            super()._check_size(flags, size)
        elif not flags & COMMAND:
            raise BrokenError("a message before the handshake is complete")
        elif size > HANDSHAKE_BYTES_MAX:
            raise BrokenError(f"CURVE: a handshake command of {size} bytes exceeds {HANDSHAKE_BYTES_MAX}")

    def _command(self, body: bytes, items: list[Any]) -> None:
        if self.open:
            super()._command(body, items)
            return
        answer, metadata = self._session.handshake(body)
        if metadata is None:
            super().write(join_command(answer))
        else:
            self._take(READY_HEAD + metadata)

    def check_greeting(self, message: Greeting) -> None:
        super().check_greeting(message)
        if message.as_server:
            self._refuse()

    def check_peer(self, message: Ready) -> None:
        if self._session.authorized():
            super().check_peer(message)
        else:
            self._machine.reason = _REFUSED
            self._refuse()

    # Output

    def write(self, data: bytes | memoryview, sharers: int = 1) -> bool:
        """See :meth:`Connection.write`; `data` are complete plain frames, which are encrypted for this peer alone."""
        if self.unsent_bytes < self.limits.queue:
            data = self._session.seal(data)
        return super().write(data)

    def _framed(self, message: Message) -> bytes:
        if isinstance(message, Greeting):
            return replace(message, as_server=1).encode()
        if isinstance(message, Ready):
            return join_command(self._session.ready(message.encode().removeprefix(READY_HEAD)))
        framed = super()._framed(message)
        return self._session.seal(framed) if self.open else framed
