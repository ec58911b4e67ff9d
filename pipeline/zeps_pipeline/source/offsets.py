"""Progress of a query: offsets in Spark's checkpoint, and the limits of a batch. An offset is flat JSON: `version`, and
for each stream `stream:NAME`, the next sequence to read. The end offset of a stream's first batch may also have
`from:NAME`, the first sequence of that batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from zeps_pipeline.errors import PipelineError
from zeps_pipeline.source.options import LATEST

__all__ = ["Budget", "StreamProgress", "decode_offset", "encode_offset", "ranges"]

VERSION = 1
_STREAM = "stream:"
_FROM = "from:"


@dataclass(frozen=True, slots=True)
class StreamProgress:
    """`following` is the next sequence of a stream to read; `since` is the first sequence of this batch, None if that
    is `following` of the previous offset.
    """

    following: int
    since: int | None = None


@dataclass(slots=True)
class Budget:
    """Messages and bytes that one batch may still take (None: no limit), and the messages `taken` so far. A batch's
    first message may exceed the limit of bytes.
    """

    messages: int | None = None
    byte_count: int | None = None
    taken: int = 0

    @property
    def is_spent(self) -> bool:
        """Whether no further message fits."""
        return self.messages == 0 or (self.byte_count is not None and self.byte_count <= 0 and self.taken > 0)

    def take(self, messages: int, byte_count: int) -> None:
        """Reduce the budget by these numbers of messages and bytes; the bytes may become negative."""
        self.taken += messages
        if self.messages is not None:
            self.messages -= messages
        if self.byte_count is not None:
            self.byte_count -= byte_count


def encode_offset(streams: Mapping[str, StreamProgress]) -> dict[str, int]:
    """Offset for Spark's checkpoint. Equal progress gives equal text, whatever the order of `streams`."""
    offset = {"version": VERSION}
    for name in sorted(streams):
        progress = streams[name]
        if progress.since is not None:
            offset[_FROM + name] = progress.since
        offset[_STREAM + name] = progress.following
    return offset


def decode_offset(offset: Mapping[str, int]) -> dict[str, StreamProgress]:
    """Progress of each stream in an offset. Raises PipelineError if another version wrote it."""
    if offset.get("version") != VERSION:
        raise PipelineError(
            f"the checkpoint has offsets of version {offset.get('version')}, not {VERSION}: it was written by "
            "another version of this source, or by another source"
        )
    names = [key[len(_STREAM) :] for key in offset if key.startswith(_STREAM)]
    return {name: StreamProgress(offset[_STREAM + name], offset.get(_FROM + name)) for name in names}


def ranges(start: Mapping[str, int], end: Mapping[str, int]) -> Iterable[tuple[str, int, int]]:
    """Streams with messages in a batch, each with its first sequence and the sequence after its last. Raises
    PipelineError if another version wrote an offset.
    """
    before = decode_offset(start)
    for name, progress in decode_offset(end).items():
        first = before[name].following if name in before else LATEST
        if first == progress.following:
            continue
        if progress.since is not None:
            first = progress.since
        if first < progress.following:
            yield name, first, progress.following
