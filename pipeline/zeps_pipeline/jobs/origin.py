"""Which journal a stream's segments are of: sequences alone do not say, for every journal begins with 1.

A segment is known by its time of creation and by the checksum of its first block, which covers the times of its
messages. Either is enough, so that no bit that fell over makes another journal of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zeps_journal.header import HEADER_SIZE_MAX, read_header
from zeps_pipeline.journal import Segment

__all__ = ["Origin", "is_another", "origin_of"]

Origin = Mapping[str, Sequence[int]]
"""Of each segment of a stream, by its first sequence: time of creation and checksum, 0 for what cannot be read."""
_CHECKSUM_AT = 4
"""In a block (`protocol/journal.xml`)."""


def origin_of(segments: Sequence[Segment]) -> Origin:
    """Of those that are still there."""
    origin = {}
    for segment in segments:
        try:
            with open(segment.path, "rb") as file:
                octets = file.read(HEADER_SIZE_MAX + 8)
        except FileNotFoundError:
            continue
        header = read_header(octets)
        at = segment.header_octets + _CHECKSUM_AT
        checksum = int.from_bytes(octets[at : at + 4], "big")
        origin[str(segment.first_sequence)] = (0 if header is None else header.created, checksum)
    return origin


def is_another(known: Origin, found: Origin) -> bool:
    """Whether `found` is not the journal that had the segments `known`. A journal only gets newer segments: each that
    is no newer than the newest known one was there before.
    """
    newest = max(map(int, known), default=0)
    shared = [first for first in found if int(first) <= newest]
    return bool(shared) and not any(_agree(known.get(first, (0, 0)), found[first]) for first in shared)


def _agree(known: Sequence[int], found: Sequence[int]) -> bool:
    return any(before == now != 0 for before, now in zip(known, found, strict=True))
