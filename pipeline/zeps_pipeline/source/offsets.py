"""How far a query has come: offsets as Spark keeps them in its checkpoint, and limits of a batch.

An offset is flat JSON: `version`, and for each stream `stream:NAME`, the next sequence to read. Where a batch is the
first one of a stream, its end also has `from:NAME`, where that stream began: so the two offsets of a batch say by
themselves which messages it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from zeps_pipeline.errors import PipelineError
from zeps_pipeline.source.options import LATEST

__all__ = ["Budget", "Progress", "decode_offset", "encode_offset", "ranges"]

VERSION = 1
_STREAM = "stream:"
_FROM = "from:"


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a stream's next message is. `since` is where this batch begins, if the
    end of the one before does not say it.
    """

    following: int
    since: int | None = None


@dataclass(slots=True)
class Budget:
    """What one batch may still take, of messages and of their octets; None is no limit. The first message is
    taken however long it is.
    """

    messages: int | None = None
    octets: int | None = None
    taken: int = 0

    @property
    def is_spent(self) -> bool:
        """Nothing more fits."""
        return self.messages == 0 or (self.octets is not None and self.octets <= 0 and self.taken > 0)

    def take(self, messages: int, octets: int) -> None:
        """So much goes with the batch."""
        self.taken += messages
        if self.messages is not None:
            self.messages -= messages
        if self.octets is not None:
            self.octets -= octets


def encode_offset(streams: Mapping[str, Progress]) -> dict[str, int]:
    """As Spark keeps it: equal progress is equal text."""
    offset = {"version": VERSION}
    for name in sorted(streams):
        progress = streams[name]
        if progress.since is not None:
            offset[_FROM + name] = progress.since
        offset[_STREAM + name] = progress.following
    return offset


def decode_offset(offset: Mapping[str, int]) -> dict[str, Progress]:
    """Raises PipelineError for an offset that this version did not write."""
    if offset.get("version") != VERSION:
        raise PipelineError(
            f"the checkpoint has offsets of version {offset.get('version')}, not {VERSION}: it was written by "
            "another version of this source, or by another source"
        )
    names = [key[len(_STREAM) :] for key in offset if key.startswith(_STREAM)]
    return {name: Progress(offset[_STREAM + name], offset.get(_FROM + name)) for name in names}


def ranges(start: Mapping[str, int], end: Mapping[str, int]) -> Iterable[tuple[str, int, int]]:
    """The streams of a batch, each with its first sequence and the one after its last. Raises PipelineError."""
    before = decode_offset(start)
    for name, progress in decode_offset(end).items():
        first = before[name].following if name in before else LATEST
        if first == progress.following:
            continue
        if progress.since is not None:
            first = progress.since
        if first < progress.following:
            yield name, first, progress.following
