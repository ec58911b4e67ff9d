"""Audit of one segment: its ranges of sequences, its holes and its storage rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from zeps_journal.columns import are_delivers
from zeps_journal.damage import SPOILT, TORN
from zeps_journal.walk import read_block
from zeps_pipeline.audit.findings import Kind
from zeps_pipeline.audit.merge import Hole, SequenceRange
from zeps_pipeline.journal import BlockHead, Damage, Segment, SegmentFile, walk
from zeps_pipeline.journal.columns import TIME_MAX

__all__ = ["RATE_SECONDS", "Rate", "audit_segment"]

RATE_SECONDS = (1, 10, 60, 600, 3600, 21_600, 86_400)
"""Possible lengths of a rate's bin; each divides the next."""
_BINS_MAX = 500
_SECOND = 1_000_000


class Rate(NamedTuple):
    """Messages and bytes stored in the `seconds` from `time` on, which is in microseconds since 1970."""

    time: int
    seconds: int
    messages: int
    octets: int


def audit_segment(segment: Segment) -> tuple[list[SequenceRange | Hole], list[Rate]]:
    """Read `segment` with every checksum checked. Returns its pieces in file order, and the rates of the readable
    messages, oldest first. Neighbouring blocks form one range. Rates spread a block's messages evenly over the block's
    time. Times beyond TIME_MAX count as TIME_MAX. Raises OSError.
    """
    name, first = Path(segment.path).name, segment.first_sequence
    header = SequenceRange(name, 0, segment.header_end, first, first - 1, begins_with=first)
    pieces: list[SequenceRange | Hole] = [header]
    heads: list[BlockHead] = []
    with SegmentFile(segment.path, segment.size) as file:
        for block in walk(segment, file):
            for piece in [block] if isinstance(block, Damage) else _read(segment, file, block):
                if isinstance(piece, Damage):
                    kind: Kind = "torn" if piece.kind == TORN else "damage"
                    pieces.append(Hole(name, piece.offset, piece.size, kind, *piece[4:6], piece.reason))
                    continue
                assert isinstance(block, BlockHead)
                head = piece._replace(
                    first_time=min(piece.first_time, TIME_MAX), last_time=min(piece.last_time, TIME_MAX)
                )
                _extend(pieces, name, head, block)
                heads.append(head)
    return pieces, list(_rates(heads))


def _extend(pieces: list[SequenceRange | Hole], name: str, head: BlockHead, block: BlockHead) -> None:
    """Add the messages of `head` in `block` to the last range if they follow it, otherwise as a new one."""
    last = pieces[-1]
    if isinstance(last, SequenceRange) and last.last >= last.first and last.last + 1 == head.first_sequence:
        pieces[-1] = last._replace(size=block.end - last.at, last=head.last_sequence, ended=head.last_time)
    else:
        span = (head.first_sequence, head.last_sequence, head.first_time, head.last_time)
        pieces.append(SequenceRange(name, block.at, block.size, *span, block.first_sequence))


def _read(segment: Segment, file: SegmentFile, head: BlockHead) -> Iterator[BlockHead | Damage]:
    """Yield the verified block of `head`; of a damaged block, its intact parts and its damage. A part whose frames do
    not have its sequences is damage too. Releases what was read before.
    """
    file.release()
    for piece in read_block(segment, file, head):
        if isinstance(piece, Damage):
            yield piece
            continue
        own = piece[0]
        if are_delivers(*piece):
            yield own
            continue
        reason = "the frames of a block do not have its sequences although its checksum is valid: its writer is faulty"
        lost = (own.first_sequence, own.last_sequence)
        yield Damage(segment.stream, segment.path, head.at, head.size, *lost, SPOILT, reason)


def _rates(heads: list[BlockHead]) -> Iterator[Rate]:
    """Rates, oldest first and without empty bins, of the smallest width that needs at most _BINS_MAX bins, or the
    largest.
    """
    if not heads:
        return
    first = min(head.first_time for head in heads)
    last = max(head.last_time for head in heads)
    seconds = next(
        (bin_seconds for bin_seconds in RATE_SECONDS if (last - first) // _SECOND // bin_seconds < _BINS_MAX),
        RATE_SECONDS[-1],
    )
    width = seconds * _SECOND
    messages: Counter[int] = Counter()
    byte_counts: Counter[int] = Counter()
    for head in heads:
        # Limits the bins of a block within which the clock was set far forward.
        begin = head.first_time // width
        end = min(head.last_time // width, begin + _BINS_MAX)
        parts = end - begin + 1
        for place in range(parts):
            messages[begin + place] += _share(head.messages, place, parts)
            byte_counts[begin + place] += _share(head.frames_size, place, parts)
    for place in sorted(messages):
        yield Rate(place * width, seconds, messages[place], byte_counts[place])


def _share(total: int, place: int, parts: int) -> int:
    """Share of part number `place` (from 0) when `total` is divided evenly into `parts`."""
    return (place + 1) * total // parts - place * total // parts
