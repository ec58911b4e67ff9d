"""Identity of the journal that a stream's segments belong to; every journal begins with sequence 1. A segment is
identified by its creation time and by the checksum of its first block. Either is sufficient, so one flipped bit does
not make it a different journal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zeps_journal.header import HEADER_SIZE_MAX, read_header
from zeps_pipeline.journal import Segment

__all__ = ["Origin", "is_another", "origin_of"]

Origin = Mapping[str, Sequence[int]]
"""Creation time and checksum (0 if unreadable) of each segment of a stream, by the segment's first sequence."""
_CHECKSUM_AT = 4
"""Offset of the checksum in a block (`protocol/journal.xml`)."""


def origin_of(segments: Sequence[Segment]) -> Origin:
    """Origin of those `segments` whose files still exist. Raises OSError if one cannot be read."""
    origin = {}
    for segment in segments:
        try:
            with open(segment.path, "rb") as file:
                data = file.read(HEADER_SIZE_MAX + 8)
        except FileNotFoundError:
            continue
        header = read_header(data)
        at = segment.header_end + _CHECKSUM_AT
        checksum = int.from_bytes(data[at : at + 4], "big")
        origin[str(segment.first_sequence)] = (0 if header is None else header.created, checksum)
    return origin


def is_another(known: Origin, current: Origin) -> bool:
    """Whether `current` is another journal than the one with the segments `known`; False if they cannot be compared. In
    the same journal, each segment that is not newer than the newest known one was known before.
    """
    newest = max(map(int, known), default=0)
    shared = [first for first in current if int(first) <= newest]
    return bool(shared) and not any(_agree(known.get(first, (0, 0)), current[first]) for first in shared)


def _agree(known: Sequence[int], current: Sequence[int]) -> bool:
    return any(before == now != 0 for before, now in zip(known, current, strict=True))
