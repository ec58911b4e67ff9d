"""ZMTP frames in bulk: a whole read is cut in one pass, a whole run is joined into one buffer.

A frame is one octet of flags, its size in one or eight octets, and its body (RFC 37, Framing). Messages of one frame
are what ZEPS consists of, so they are what is fast here: where many frames of one size stand behind each other, which
is how a busy publisher sends and how a replay leaves, they are cut and joined without a step of Python for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Any

import numpy as np

from zeps_broker.ports import Run
from zeps_wire.zmtp_frame import COMMAND_HEAD, LAST_HEAD, LONG_COMMAND_HEAD, LONG_LAST_HEAD

__all__ = ["LONG", "SHORT_MAX", "cut", "cut_whole", "join", "join_command", "join_parts", "parts_of"]

_SHORT = LAST_HEAD[0]
LONG = LONG_LAST_HEAD[0]
"""The bit of the flags that says that the size has eight octets."""
SHORT_MAX = 255
"""Octets of the longest body with a size of one octet."""

_MORE = 1
_SIZE = Struct(">Q")
_RUN_MIN = 4
"""As many frames of one size are worth looking for more."""
_STEP = 64


@lru_cache(maxsize=1024)
def _header(size: int) -> bytes:
    """What stands before the body of a message's only frame."""
    if size <= SHORT_MAX:
        return LAST_HEAD + bytes((size,))
    return LONG_LAST_HEAD + _SIZE.pack(size)


def join(frames: Sequence[bytes]) -> bytes | memoryview:
    """`frames` as messages of one frame each, back to back."""
    if len(frames) == 1:
        return _header(len(frames[0])) + frames[0]
    if isinstance(frames, Run):
        return _join_run(frames)
    sizes = list(map(len, frames))
    size = sizes[0]
    if sizes.count(size) == len(sizes):
        header = _header(size)
        return header + header.join(frames)
    parts = [b""] * (2 * len(frames))
    parts[::2] = map(_header, sizes)
    parts[1::2] = frames
    return b"".join(parts)


def _join_run(run: Run) -> memoryview:
    header = _header(run.size)
    head, count = len(header), len(run)
    joined = np.empty((count, head + run.size), np.uint8)
    joined[:, :head] = np.frombuffer(header, np.uint8)
    octets = np.frombuffer(run.data, np.uint8, count * run.size, run.start)
    joined[:, head:] = octets.reshape(count, run.size)
    return memoryview(joined.reshape(-1).data)


def join_parts(parts: Sequence[bytes]) -> bytes:
    """One message with these parts, at least one."""
    joined: list[bytes] = []
    for part in parts[:-1]:
        header = _header(len(part))
        joined += (bytes((header[0] | _MORE,)) + header[1:], part)
    return b"".join((*joined, _header(len(parts[-1])), parts[-1]))


def parts_of(message: bytes) -> list[bytes]:
    """The parts of one whole message, as a connection has checked it."""
    parts: list[bytes] = []
    at = 0
    while at < len(message):
        if message[at] & LONG:
            start = at + 9
            stop = start + _SIZE.unpack_from(message, at + 1)[0]
        else:
            start = at + 2
            stop = start + message[at + 1]
        parts.append(message[start:stop])
        at = stop
    return parts


def join_command(body: bytes) -> bytes:
    """A command's frame; short if it can be."""
    if len(body) <= SHORT_MAX:
        return COMMAND_HEAD + bytes((len(body),)) + body
    return LONG_COMMAND_HEAD + _SIZE.pack(len(body)) + body


def cut(data: bytes, at: int, bodies: list[Any], size_max: int) -> int:
    """Append the bodies of the messages of one frame that stand whole at `at` and after it; returns where it stopped.

    It stops at the end, before a frame that is not whole, and before one that is something else: a command, a part of
    a longer message, a body of more than `size_max` octets, or flags that no frame has.
    """
    end = len(data)
    append = bodies.append
    before = -1
    while at + 2 <= end:
        flags = data[at]
        if flags == _SHORT:
            start = at + 2
            size = data[at + 1]
        elif flags == LONG:
            start = at + 9
            if start > end:
                break
            size = _SIZE.unpack_from(data, at + 1)[0]
            if size > size_max:
                break
        else:
            break
        stop = start + size
        if stop > end:
            break
        if size == before and end - stop >= _RUN_MIN * (stop - at):
            at = _cut_run(data, at, start - at, size, bodies)
            before = -1
            continue
        append(data[start:stop])
        at = stop
        before = size
    return at


def cut_whole(data: bytes, at: int, messages: list[Any], size_max: int) -> int:
    """As :func:`cut`, but appends (body, whole frame)."""
    bodies: list[bytes] = []
    stop = cut(data, at, bodies, size_max)
    for body in bodies:
        size = len(body)
        end = at + size + (9 if data[at] == LONG else 2)
        messages.append((body, data[at:end]))
        at = end
    return stop


def _cut_run(data: bytes, at: int, head: int, size: int, bodies: list[Any]) -> int:
    """The same for a run of frames with one header of `head` octets; the first is whole."""
    stride = head + size
    count = (len(data) - at) // stride
    headers = np.ndarray((count, head), np.uint8, data, at, (stride, 1))
    alike = (headers == headers[0]).all(axis=1)
    if not alike.all():
        count = int(alike.argmin())
    whole, rest = divmod(count, _STEP)
    cutter = _cutter(head, size, _STEP)
    for _ in range(whole):
        bodies += cutter.unpack_from(data, at)
        at += cutter.size
    if rest:
        cutter = _cutter(head, size, 1)
        bodies += [body for (body,) in cutter.iter_unpack(memoryview(data)[at : at + rest * stride])]
        at += rest * stride
    return at


@lru_cache(maxsize=256)
def _cutter(head: int, size: int, count: int) -> Struct:
    return Struct(f"{head}x{size}s" * count)
