"""Walks a segment from block to block, using only their heads.

:func:`walk` yields the content of the file; :func:`served` yields what may be served: blocks in the order of their
sequences, and a :class:`Damage` for each loss between them. When a block is read, it may turn out that only some of its
messages can be served, or none (:mod:`zeps_journal.salvage`). A head has no checksum of its own. It is accepted if its
sequence is the expected one and another head follows at the place given by its sizes; otherwise the whole block, like
the last of a file, is read and verified. So a wrongly accepted head can only have damaged times or checksums, which
reading the block detects.
"""

from __future__ import annotations

from collections.abc import Iterator

from zeps_journal.block import MAGIC, BlockHead, block_holds, unpack_head
from zeps_journal.columns import HeldBlock
from zeps_journal.damage import MISPLACED, MISSING, SPOILT, TORN, Damage
from zeps_journal.header import HEADER_SIZE_MAX, header_fault
from zeps_journal.salvage import LostRange, salvage
from zeps_journal.scan import damaged_block, hole_at
from zeps_journal.segment_file import Segment, SegmentFile

__all__ = ["read_block", "served", "walk"]


def walk(
    segment: Segment, file: SegmentFile, *, at: int | None = None, sequence: int | None = None
) -> Iterator[BlockHead | Damage]:
    """Yields, in file order, the heads of blocks that are valid or have an intact index, whatever their place, and
    damage. Starts at offset `at`, where the block of `sequence` should be, or with the header if either is None. Raises
    OSError.
    """
    if at is None or sequence is None:
        damage = _header_damage(segment, file)
        if damage is not None:
            yield damage
            if damage.size == segment.size:
                return
        at, sequence = segment.header_end, segment.first_sequence
    while at < file.size:
        head = file.head(at)
        if head is not None and (_credible(file, head, sequence) or file.holds(head)):
            yield head
            at, sequence = head.end, head.next_sequence
        elif damaged := damaged_block(file.read, at, sequence, file.size, segment.limit):
            yield damaged.head
            at, sequence = damaged.end, damaged.next_sequence
            if damaged.missing:
                reason = "sequences are missing before this block"
                yield _damage(segment, at, at, damaged.head.next_sequence, sequence, MISSING, reason)
        else:
            hole = hole_at(file.read, at, sequence, file.size, segment.limit)
            yield _damage(segment, at, hole.end, sequence, hole.next_sequence, hole.kind, hole.reason)
            at, sequence = hole.end, hole.next_sequence


def served(
    segment: Segment, file: SegmentFile, *, at: int | None = None, sequence: int | None = None
) -> Iterator[BlockHead | Damage]:
    """Like :func:`walk`, but yields blocks in sequence, and missing or misplaced sequences as :class:`Damage`."""
    due = segment.first_sequence if sequence is None else sequence
    for piece in walk(segment, file, at=at, sequence=sequence):
        if isinstance(piece, Damage):
            due = max(due, piece.last_sequence + 1)
            yield piece
            continue
        exceeds = segment.limit is not None and piece.last_sequence > segment.limit
        if piece.first_sequence < due or exceeds:
            reason = f"a block of sequences {piece.first_sequence} to {piece.last_sequence} out of its place"
            yield _damage(segment, piece.at, piece.end, due, due, MISPLACED, reason)
            continue
        if piece.first_sequence > due:
            reason = "sequences are missing before this block"
            yield _damage(segment, piece.at, piece.at, due, piece.first_sequence, MISSING, reason)
        yield piece
        due = piece.next_sequence
    if segment.limit is not None and due <= segment.limit:
        reason = "sequences are missing before the next segment"
        yield _damage(segment, file.size, file.size, due, segment.limit + 1, MISSING, reason)


def read_block(segment: Segment, file: SegmentFile, head: BlockHead) -> list[HeldBlock | Damage]:
    """Returns the verified messages of the block of `head`, and its lost messages, in the order of their sequences. If
    it is damaged, all heads have its offset. Their data are valid until `file.release()`. Raises OSError.
    """
    data = file.borrow(head)
    if block_holds(data, head) and bytes(data[: len(MAGIC)]) == MAGIC:
        return [(head, data)]
    salvaged = salvage(data, head)
    if salvaged is None:
        reason = "a block's checksum does not match"
        return [_damage(segment, head.at, head.end, head.first_sequence, head.next_sequence, SPOILT, reason)]
    pieces: list[HeldBlock | Damage] = []
    for piece in salvaged.in_order():
        if isinstance(piece, LostRange):
            following = piece.last_sequence + 1
            pieces.append(
                _damage(segment, piece.at, piece.end, piece.first_sequence, following, SPOILT, piece.reason)
            )
        else:
            own = b"".join(piece.encoded)
            own_head = unpack_head(own, 0, head.at)
            assert own_head is not None
            pieces.append((own_head, own))
    return pieces


def _credible(file: SegmentFile, head: BlockHead, sequence: int) -> bool:
    """Returns whether the head can be accepted without reading its block."""
    if head.first_sequence != sequence or head.end >= file.size or head.first_time > head.last_time:
        return False
    following = file.head(head.end)
    return following is not None and following.first_sequence == head.next_sequence


def _header_damage(segment: Segment, file: SegmentFile) -> Damage | None:
    """Returns the damage of the file's header, or None. A foreign or incomplete header is damage of the whole file."""
    first, size = segment.first_sequence, segment.header_end
    if segment.size < size:
        return _damage(segment, 0, segment.size, first, first, TORN, "an incomplete segment header")
    fault = header_fault(file.read(0, HEADER_SIZE_MAX + len(MAGIC)), segment.stream, first)
    if fault is None:
        return None
    if not fault.is_foreign:
        return _damage(segment, 0, size, first, first, SPOILT, fault.reason)
    following = first if segment.limit is None else segment.limit + 1
    return _damage(segment, 0, segment.size, first, following, MISPLACED, fault.reason)


def _damage(
    segment: Segment, at: int, end: int, sequence: int, following: int, kind: str, reason: str
) -> Damage:
    return Damage(segment.stream, segment.path, at, end - at, sequence, following - 1, kind, reason)
