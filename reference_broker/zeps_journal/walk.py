"""A segment from block to block, by heads alone.

:func:`walk` says what stands in the file; :func:`served` what of it may be served: the blocks in the order of
their sequences, and a :class:`Damage` for whatever is lost between them.

A head has no checksum of its own. One is believed if another head, or the end of the file, follows where its sizes say
and its sequence is the one that is due; otherwise the whole block is read, and its checksum decides. The last
block of a file is always read whole. So what is believed wrongly can only be a head whose times or checksums
are damaged, which reading the block finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import ne

from zeps_journal.damage import MISPLACED, MISSING, SPOILT, TORN, Damage
from zeps_journal.segment_file import MAGIC, BlockHead, SegmentFile
from zeps_pipeline.journal.folder import HEADER_OCTETS_MAX, Segment, read_header
from zeps_pipeline.journal.resync import resync
from zeps_pipeline.journal.torn import could_be_torn

__all__ = ["served", "walk"]


def walk(
    segment: Segment,
    file: SegmentFile,
    *,
    at: int | None = None,
    sequence: int | None = None,
    verify: bool = False,
) -> Iterator[BlockHead | Damage]:
    """What stands in `segment`: blocks that hold, wherever they belong, and octets that are no block; in the
    order of the file.

    From `at`, where the block of `sequence` should stand, on; by default all of it, the file's header
    included. With `verify` every block is read and its checksum is checked. Raises OSError.
    """
    if at is None or sequence is None:
        damage = _header_damage(segment, file)
        if damage is not None:
            yield damage
            if damage.octets == segment.octets:
                return
        at, sequence = segment.header_octets, segment.first_sequence
    while at < file.octets:
        head = file.head(at)
        if head is not None and ((_credible(file, head, sequence) and not verify) or file.holds(head)):
            yield head
            at, sequence = head.end, head.last_sequence + 1
            continue
        if segment.limit is None and could_be_torn(file, head, at, sequence):
            yield _damage(segment, at, file.octets, sequence, sequence, TORN, "an incomplete block")
            return
        end, following = resync(file, at, sequence, segment.limit)
        known = sequence if following is None else following
        if following is None and segment.limit is not None:
            known = max(sequence, segment.limit + 1)
        yield _damage(segment, at, end, sequence, known, SPOILT, _reason(file, head, at))
        at, sequence = end, known


def served(
    segment: Segment,
    file: SegmentFile,
    *,
    at: int | None = None,
    sequence: int | None = None,
    verify: bool = False,
) -> Iterator[BlockHead | Damage]:
    """Like :func:`walk`, but only blocks whose sequences follow what came before and do not pass the segment's
    limit; whatever is missing or out of place is a :class:`Damage`.
    """
    due = segment.first_sequence if sequence is None else sequence
    for piece in walk(segment, file, at=at, sequence=sequence, verify=verify):
        if isinstance(piece, Damage):
            due = max(due, piece.last_sequence + 1)
            yield piece
            continue
        past = segment.limit is not None and piece.last_sequence > segment.limit
        if piece.first_sequence < due or past:
            reason = f"a block of sequences {piece.first_sequence} to {piece.last_sequence} out of its place"
            yield _damage(segment, piece.at, piece.end, due, due, MISPLACED, reason)
            continue
        if piece.first_sequence > due:
            reason = "sequences are missing before this block"
            yield _damage(segment, piece.at, piece.at, due, piece.first_sequence, MISSING, reason)
        yield piece
        due = piece.last_sequence + 1
    if segment.limit is not None and due <= segment.limit:
        reason = "sequences are missing before the next segment"
        yield _damage(segment, file.octets, file.octets, due, segment.limit + 1, MISSING, reason)


def _credible(file: SegmentFile, head: BlockHead, sequence: int) -> bool:
    """Whether the head can be believed without reading its block."""
    if head.first_sequence != sequence or head.end >= file.octets or head.first_time > head.last_time:
        return False
    following = file.head(head.end)
    return following is not None and following.first_sequence == head.last_sequence + 1


def _reason(file: SegmentFile, head: BlockHead | None, at: int) -> str:
    if file.read(at, len(MAGIC)) != MAGIC:
        return "no block begins here"
    if head is None:
        return "a block's head with values that no block has"
    if head.end > file.octets:
        return "a block's sizes do not agree with its content"
    return "a block's checksum does not hold"


def _header_damage(segment: Segment, file: SegmentFile) -> Damage | None:
    """What is wrong with the file's header. A damaged one costs no message; one that names another stream says
    that the file does not belong here, and none of it is served.
    """
    first, size = segment.first_sequence, segment.header_octets
    if segment.octets < size:
        return _damage(segment, 0, segment.octets, first, first, TORN, "an incomplete segment header")
    octets = file.read(0, HEADER_OCTETS_MAX + len(MAGIC))
    header = read_header(octets)
    if header is None:
        return _damage(segment, 0, size, first, first, SPOILT, "a damaged segment header")
    if header.stream != segment.stream:
        reason = f"the segment header names the stream {header.stream!r}"
        if not _foreign(segment, header.stream, octets):
            return _damage(segment, 0, size, first, first, SPOILT, reason)
        following = first if segment.limit is None else segment.limit + 1
        return _damage(segment, 0, segment.octets, first, following, MISPLACED, reason)
    if header.first_sequence != first:
        reason = "the header's sequence is not the file name's"
        return _damage(segment, 0, size, first, first, SPOILT, reason)
    return None


def _foreign(segment: Segment, stream: str, octets: bytes) -> bool:
    """Whether the header really is another stream's: one octet that fell over leaves the name's length right, or
    what follows it no block.
    """
    name, own = stream.encode(), segment.stream.encode()
    if len(name) == len(own):
        return bool(sum(map(ne, name, own)) > 1)
    end = segment.header_octets + len(name) - len(own)
    return octets[end : end + len(MAGIC)] in (MAGIC, b"")


def _damage(
    segment: Segment, at: int, end: int, sequence: int, following: int, kind: str, reason: str
) -> Damage:
    return Damage(segment.stream, segment.path, at, end - at, sequence, following - 1, kind, reason)
