"""The part of ZMTP 3.1 that the load needs: splitting input into frames, and making frames."""

from __future__ import annotations

import struct
from typing import NamedTuple

__all__ = ["GREETING", "Frame", "Reader", "cancel", "message", "ping", "pong", "ready", "subscribe", "wish"]

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(20, b"\0") + bytes(32)
_MORE, _LONG, _COMMAND = 1, 2, 4
_PING, _PONG, _READY = b"\x04PING", b"\x04PONG", b"\x05READY"
_CONTEXT = b"tree"


class Frame(NamedTuple):
    """A frame, or the greeting, which has no body. `encoded` is all of it; `first` marks a message's first frame."""

    encoded: bytes
    body: bytes
    command: bool
    first: bool

    @property
    def is_ready(self) -> bool:
        return self.command and self.body.startswith(_READY)

    @property
    def is_pong(self) -> bool:
        """Whether the frame answers a :func:`ping` of the load."""
        return self.command and self.body == _PONG + _CONTEXT


class Reader:
    """Splits one direction of a connection into frames."""

    def __init__(self) -> None:
        self._data = b""
        self._greeted = False
        self._inside = False

    def feed(self, data: bytes) -> list[Frame]:
        """Add `data`, and return the frames that it completes; the greeting is returned as the first one."""
        self._data += data
        frames: list[Frame] = []
        if not self._greeted:
            if len(self._data) < len(GREETING):
                return frames
            frames.append(Frame(self._data[: len(GREETING)], b"", False, False))
            self._data = self._data[len(GREETING) :]
            self._greeted = True
        at = 0
        while (frame := self._cut(at)) is not None:
            frames.append(frame)
            at += len(frame.encoded)
        self._data = self._data[at:]
        return frames

    def _cut(self, at: int) -> Frame | None:
        data = self._data
        head = 9 if len(data) > at and data[at] & _LONG else 2
        if len(data) < at + head:
            return None
        flags = data[at]
        size = struct.unpack_from(">Q", data, at + 1)[0] if flags & _LONG else data[at + 1]
        end = at + head + size
        if len(data) < end:
            return None
        command = bool(flags & _COMMAND)
        first = not command and not self._inside
        if not command:
            self._inside = bool(flags & _MORE)
        return Frame(data[at:end], data[at + head : end], command, first)


def wish(frame: Frame) -> tuple[bool, bytes] | None:
    """(True, topic) if the frame subscribes, (False, topic) if it cancels; None for other frames."""
    body = frame.body
    if frame.command:
        for name, more in ((b"\x09SUBSCRIBE", True), (b"\x06CANCEL", False)):
            if body.startswith(name):
                return more, body[len(name) :]
        return None
    return (body[0] == 1, body[1:]) if body[:1] in (b"\0", b"\1") else None


def _frame(flags: int, body: bytes) -> bytes:
    if len(body) < 256:
        return bytes((flags, len(body))) + body
    return struct.pack(">BQ", flags | _LONG, len(body)) + body


def message(*parts: bytes) -> bytes:
    return b"".join(_frame(_MORE, part) for part in parts[:-1]) + _frame(0, parts[-1])


def ready(kind: bytes) -> bytes:
    return _frame(_COMMAND, _READY + b"\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind)


def subscribe(topic: bytes, *, as_message: bool = False) -> bytes:
    """A subscription as a command (ZMTP 3.1), or as a message (3.0), which publishers of 3.1 also accept."""
    return _frame(0, b"\1" + topic) if as_message else _frame(_COMMAND, b"\x09SUBSCRIBE" + topic)


def cancel(topic: bytes, *, as_message: bool = False) -> bytes:
    return _frame(0, b"\0" + topic) if as_message else _frame(_COMMAND, b"\x06CANCEL" + topic)


def ping() -> bytes:
    return _frame(_COMMAND, _PING + b"\0\0" + _CONTEXT)


def pong(frame: Frame) -> bytes | None:
    """The answer to a PING; None for other frames."""
    if not frame.command or not frame.body.startswith(_PING):
        return None
    return _frame(_COMMAND, _PONG + frame.body[len(_PING) + 2 :])
