"""Whether the end of a file is a block that was never whole (JOURNAL-BLOCK-3), or one that is damaged.

An incomplete block was never acknowledged, and its sequences may be used again; those of a complete block whose
size is wrong because a bit of it fell over may not. So the size alone does not make a block incomplete.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from zeps_journal.segment_file import (
    HEAD_OCTETS,
    BlockHead,
    SegmentFile,
    index_holds,
    messages_max_in,
)
from zeps_wire.zeps import deliver_head

__all__ = ["could_be_torn"]


def could_be_torn(file: SegmentFile, head: BlockHead | None, at: int, sequence: int) -> bool:
    """Whether what stands from `at`, where `head` was read, to the end of the file is the beginning of the block
    of `sequence`.

    What is there of its times must lie between its first and last, what is there of its ends must ascend and, if
    all are there, agree with the size. An index that is whole must hold, and the first frame must begin after it;
    while the index is not whole, no frame may have begun.
    """
    octets = file.octets - at
    if messages_max_in(octets) == 0:
        return True
    if (
        head is None
        or head.first_sequence != sequence
        or head.octets <= octets
        or head.first_time > head.last_time
    ):
        return False
    numbers = file.read(at + HEAD_OCTETS, 12 * head.messages)
    if not _numbers_agree(head, numbers[: 8 * head.messages], numbers[8 * head.messages :]):
        return False
    frame = deliver_head(sequence)
    present = file.read(at, min(octets, head.frames_at + len(frame)))
    if octets < head.frames_at:
        return frame not in present
    return index_holds(pa.py_buffer(present), head) and frame.startswith(present[head.frames_at :])


def _numbers_agree(head: BlockHead, times: bytes, ends: bytes) -> bool:
    there = _numbers(times, ">u8")
    if len(there) and not head.first_time <= there.min() <= there.max() <= head.last_time:
        return False
    there = _numbers(ends, ">u4")
    if not len(there):
        return True
    whole = len(there) == head.messages
    last = int(there[-1])
    return bool(
        there[0] > 0
        and (there[1:] > there[:-1]).all()
        and (last == head.frames_size if whole else last < head.frames_size)
    )


def _numbers(octets: bytes, kind: str) -> npt.NDArray[np.integer]:
    """The numbers in `octets`, without one that is cut off."""
    size = np.dtype(kind).itemsize
    return np.frombuffer(octets, kind, len(octets) // size)
