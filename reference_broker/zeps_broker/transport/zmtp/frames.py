"""ZMTP frames in bulk: splits a whole read in one pass, and joins a whole run into one buffer.

A frame is one byte of flags, its size in one or eight bytes, and its body (RFC 37, Framing). Adjacent messages of one
frame and one size, as from a busy publisher or in a replay, are handled without a Python step for each.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Any

import numpy as np

from zeps_broker.frame_batch import FrameBatch
from zeps_wire.zmtp_frame import COMMAND_HEAD, LAST_HEAD, LONG_COMMAND_HEAD, LONG_LAST_HEAD

__all__ = [
    "LONG",
    "RUN_FRAMES_MAX",
    "SHORT_MAX",
    "cut",
    "cut_whole",
    "frame_header",
    "join",
    "join_command",
    "join_parts",
    "parts_of",
]

_SHORT = LAST_HEAD[0]
LONG = LONG_LAST_HEAD[0]
"""The flag of an eight-byte size."""
SHORT_MAX = 255
"""Maximum bytes of a body with a one-byte size."""

_MORE = 1
_SIZE = Struct(">Q")
_RUN_MIN = 32
"""Minimum number of equal-sized frames that are treated as one run."""
RUN_FRAMES_MAX = 16_384
"""Maximum number of frames of all runs that are split in one call."""


@lru_cache(maxsize=1024)
def frame_header(size: int) -> bytes:
    """Returns the bytes before the body of a message's only frame, whose body has `size` bytes."""
    if size <= SHORT_MAX:
        return LAST_HEAD + bytes((size,))
    return LONG_LAST_HEAD + _SIZE.pack(size)


def join(frames: Sequence[bytes]) -> bytes | memoryview:
    """Encodes `frames`, at least one, as adjacent messages of one frame each."""
    if len(frames) == 1:
        return frame_header(len(frames[0])) + frames[0]
    if isinstance(frames, FrameBatch):
        return _join_run(frames)
    sizes = list(map(len, frames))
    size = sizes[0]
    if sizes.count(size) == len(sizes):
        header = frame_header(size)
        return header + header.join(frames)
    parts = [b""] * (2 * len(frames))
    parts[::2] = map(frame_header, sizes)
    parts[1::2] = frames
    return b"".join(parts)


def _join_run(run: FrameBatch) -> memoryview:
    header = frame_header(run.size)
    head = len(header)
    joined = np.empty((len(run), head + run.size), np.uint8)
    joined[:, :head] = np.frombuffer(header, np.uint8)
    joined[:, head:] = run.rows()
    return memoryview(joined.reshape(-1).data)


def join_parts(parts: Sequence[bytes]) -> bytes:
    """Encodes one message with these parts, at least one."""
    joined: list[bytes] = []
    for part in parts[:-1]:
        header = frame_header(len(part))
        joined += (bytes((header[0] | _MORE,)) + header[1:], part)
    return b"".join((*joined, frame_header(len(parts[-1])), parts[-1]))


def parts_of(message: bytes) -> list[bytes]:
    """Returns the bodies of the frames of one complete encoded message, which a connection has validated."""
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
    """Encodes the frame of a command (its name and data), with a one-byte size if possible."""
    if len(body) <= SHORT_MAX:
        return COMMAND_HEAD + bytes((len(body),)) + body
    return LONG_COMMAND_HEAD + _SIZE.pack(len(body)) + body


def cut(
    data: bytes,
    at: int,
    bodies: list[Any],
    size_max: int,
    count_max: int = sys.maxsize,
    run_frames_max: int = RUN_FRAMES_MAX,
) -> int:
    """Appends the bodies of complete one-frame messages from `at` on; returns where it stopped: with `count_max` items,
    at the end, before an incomplete frame, a command, a part of a longer message, a body of more than `size_max` bytes,
    or invalid flags. A run of 32 or more adjacent frames of one size is appended as one :class:`FrameBatch`; all runs
    together have at most `run_frames_max` frames.
    """
    end = len(data)
    append = bodies.append
    before = search_from = 0
    while at + 2 <= end and len(bodies) < count_max:
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
        stride = stop - at
        if stride == before and run_frames_max >= _RUN_MIN and len(bodies) >= search_from:
            first, head = at - stride, start - at
            count = _alike(data, first, head, stride, run_frames_max)
            if count >= _RUN_MIN:
                bodies[-1] = FrameBatch(data, first + head, size, count, stride)
                run_frames_max -= count
                at = first + count * stride
                before = 0
                continue
            if count > 1:
                search_from = len(bodies) + _RUN_MIN
        append(data[start:stop])
        at = stop
        before = stride
    return at


def cut_whole(data: bytes, at: int, messages: list[Any], size_max: int, count_max: int = sys.maxsize) -> int:
    """Like :func:`cut`, but appends (body, whole frame) of each message, and no FrameBatch."""
    pieces: list[bytes | FrameBatch] = []
    most = count_max - len(messages)
    stop = cut(data, at, pieces, size_max, most, most)
    for piece in pieces:
        for body in piece if isinstance(piece, FrameBatch) else (piece,):
            end = at + len(body) + (9 if data[at] == LONG else 2)
            messages.append((body, data[at:end]))
            at = end
    return stop


def _alike(data: bytes, at: int, head: int, stride: int, most: int) -> int:
    """Returns how many frames from `at` on, `most` at most and `stride` bytes apart, have the header of the first."""
    most = min(most, (len(data) - at) // stride)
    header = data[at : at + head]
    if most < _RUN_MIN or not data.startswith(header, at + (_RUN_MIN - 1) * stride):
        return 1
    count, step = 1, _RUN_MIN
    while count < most:
        step = min(step, most - count)
        headers = np.ndarray((step, head), np.uint8, data, at + count * stride, (stride, 1))
        alike = (headers == np.frombuffer(header, np.uint8)).all(axis=1)
        if not alike.all():
            return count + int(alike.argmin())
        count += step
        step *= 4
    return count
