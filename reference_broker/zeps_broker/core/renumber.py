"""Converts PUBLISH frames to DELIVER frames: keys and new heads, for many frames at once where they are alike.

The two differ only in their heads. Frames of one size (:class:`zeps_broker.frame_batch.FrameBatch`), typical of a busy
publisher, are compared, cut and renumbered in one operation each.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count

import numpy as np

from zeps_broker.frame_batch import FrameBatch
from zeps_broker.ports import Malformed
from zeps_wire.errors import DecodeError
from zeps_wire.zeps import PUBLISH_HEAD, deliver_head, scan_publish

__all__ = ["delivers", "keys_of", "keys_of_run"]

_OLD_HEAD = len(PUBLISH_HEAD)
_NEW_HEAD = len(deliver_head(0))
_MARK = bytes(range(1, 9))
_SEQUENCE_AT = deliver_head(int.from_bytes(_MARK, "big")).index(_MARK)
"""Offset of the sequence in a DELIVER's head."""


def keys_of(frames: Sequence[bytes | FrameBatch | Malformed]) -> list[bytes]:
    """Returns the keys, not validated as text, of the valid PUBLISH frames before the first other item."""
    keys: list[bytes] = []
    keep = keys.append
    scan = scan_publish
    try:
        for frame in frames:
            if not isinstance(frame, bytes):
                break
            places = scan(frame)
            keep(frame[places[0] : places[1]])
    except DecodeError:
        pass
    return keys


def keys_of_run(run: FrameBatch) -> list[bytes] | None:
    """Returns the keys of all of `run`, which must not be empty; None if its first frame is not a valid PUBLISH or its
    frames differ in more than the content of key and body. The keys' text is not validated.
    """
    try:
        key, key_end, body, _ = scan_publish(run[0])
    except DecodeError:
        return None
    rows = run.rows()
    for low, high in ((0, key), (key_end, body)):
        if (rows[:, low:high] != rows[0, low:high]).any():
            return None
    return list(run.column(key, key_end))


def delivers(pieces: Sequence[Sequence[bytes]], first: int) -> Sequence[bytes]:
    """Returns the DELIVER frames, numbered from `first` on, for the PUBLISH frames of all `pieces`: FrameBatches or
    lists, not empty, of valid frames. Raises EncodeError if a number would exceed 2^64-1.
    """
    if any(isinstance(piece, FrameBatch) for piece in pieces) and _same_size(pieces):
        return _delivers_alike(pieces, first)
    frames, heads = chain.from_iterable(pieces), map(deliver_head, count(first))
    return [head + frame[_OLD_HEAD:] for frame, head in zip(frames, heads, strict=False)]


def _same_size(pieces: Sequence[Sequence[bytes]]) -> bool:
    size = len(pieces[0][0])
    for piece in pieces:
        if (
            piece.size != size
            if isinstance(piece, FrameBatch)
            else any(len(frame) != size for frame in piece)
        ):
            return False
    return True


def _delivers_alike(pieces: Sequence[Sequence[bytes]], first: int) -> FrameBatch:
    total, size = sum(map(len, pieces)), len(pieces[0][0])
    deliver_head(first + total - 1)  # raises if the last number is not a valid sequence
    frames = np.empty((total, _NEW_HEAD - _OLD_HEAD + size), np.uint8)
    frames[:, :_NEW_HEAD] = np.frombuffer(deliver_head(first), np.uint8)
    sequences = np.arange(first, first + total, dtype=np.uint64).astype(">u8")
    frames[:, _SEQUENCE_AT : _SEQUENCE_AT + 8] = sequences.view(np.uint8).reshape(total, 8)
    at = 0
    for piece in pieces:
        run = piece if isinstance(piece, FrameBatch) else FrameBatch(b"".join(piece), 0, size, len(piece))
        frames[at : at + len(run), _NEW_HEAD:] = run.rows()[:, _OLD_HEAD:]
        at += len(run)
    return FrameBatch(frames.tobytes(), 0, frames.shape[1], total)
