"""Inspection of a stream's journal, from a store opened with `read_only`, while a broker may be writing to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from zeps_broker.journal.recovery import TornTail
from zeps_broker.journal.segment import Segment
from zeps_broker.journal.stream_journal import StreamJournal
from zeps_broker.ports import JournalError
from zeps_journal.block import Block
from zeps_journal.damage import SPOILT, Damage
from zeps_journal.salvage import Salvage
from zeps_journal.scan import Piece, blocks_of
from zeps_wire.errors import DecodeError
from zeps_wire.zeps import Deliver, decode, scan_deliver

__all__ = [
    "Message",
    "Progress",
    "SalvagedBlock",
    "StreamSummary",
    "Verdict",
    "blocks_after",
    "messages",
    "summary",
    "verify",
]

Progress = Callable[[int, int], None]
"""Called with the number of bytes read so far and the total number."""


@dataclass(frozen=True, slots=True)
class StreamSummary:
    """One line of `zeps journal ls`. `messages` counts retained sequences, lost ones included; `octets` are file bytes.
    `oldest_us` (of the oldest readable message) and `newest_us` (of the last) are microseconds since the epoch; None if
    no message is retained or it cannot be read.
    """

    stream: str
    first_sequence: int
    last_sequence: int
    messages: int
    octets: int
    segments: int
    oldest_us: int | None
    newest_us: int | None


class Message(NamedTuple):
    """A stored message; `time_us` is in microseconds since the epoch. In `key`, U+FFFD replaces invalid UTF-8."""

    sequence: int
    time_us: int
    key: str
    body: bytes


@dataclass(frozen=True, slots=True)
class SalvagedBlock:
    """A damaged block with an intact index: `octets` bytes at `offset` of `file`; `saved` messages can be served."""

    file: str
    offset: int
    octets: int
    first_sequence: int
    last_sequence: int
    saved: int
    lost: int

    def __str__(self) -> str:
        return (
            f"{self.file}: a damaged block at {self.offset}, sequences {self.first_sequence} to {self.last_sequence}: "
            f"{self.saved} messages saved, {self.lost} lost"
        )


@dataclass(slots=True)
class Verdict:
    """The result of `verify` for one stream."""

    stream: str
    first_sequence: int
    last_sequence: int
    messages: int = 0
    """Number of messages that can be served."""
    byte_count: int = 0
    """Bytes of the segments that were verified."""
    damages: list[Damage] = field(default_factory=list)
    salvaged: list[SalvagedBlock] = field(default_factory=list)
    torn: TornTail | None = None


def summary(log: StreamJournal) -> StreamSummary:
    """Returns the summary of one stream. Raises JournalError."""
    first, last = log.first_sequence, log.last_sequence
    oldest = next(blocks_after(log, first - 1), None)
    newest = next(blocks_after(log, last - 1), None) if last >= first else None
    return StreamSummary(
        log.name,
        first,
        last,
        last - first + 1,
        sum(segment.size for segment in log.segments),
        len(log.segments),
        oldest.times[0] if oldest else None,
        newest.times[-1] if newest else None,
    )


def messages(log: StreamJournal, start: int = 1, count: int | None = None) -> Iterator[Message]:
    """Yields the readable messages from sequence `start` on, at most `count`. Raises JournalError while iterated."""
    start = max(start, 1)
    readable = (message for block in blocks_after(log, start - 1) for message in _messages_in(block, start))
    return islice(readable, count)


def blocks_after(log: StreamJournal, after: int) -> Iterator[Block]:
    """Yields the readable blocks from the one with sequence `after + 1` on, which may begin earlier; small neighbours
    are joined. Raises JournalError if a file cannot be read.
    """
    while (item := log.read(after)) is not None:
        if isinstance(item, Block):
            yield item
        after = item.last_sequence


def _messages_in(block: Block, start: int) -> Iterator[Message]:
    index = max(0, start - block.first_sequence)
    for frame in block.frames(index):
        key_at, key_end, body_at, body_end = scan_deliver(frame)
        key = frame[key_at:key_end].decode(errors="replace")
        yield Message(block.first_sequence + index, block.times[index], key, frame[body_at:body_end])
        index += 1


def verify(log: StreamJournal, progress: Progress | None = None) -> Verdict:
    """Reads and verifies everything: headers, checksums, consecutive sequences, and that all frames are complete
    DELIVERs. Damage is in the verdict, by file and offset, and logged, except invalid frames in valid blocks. Files
    that a running broker removes in the meantime are skipped. Raises JournalError if a file cannot be read.
    """
    verdict = Verdict(log.name, log.first_sequence, log.last_sequence, torn=log.torn)
    total = sum(segment.size for segment in log.segments)
    for segment in log.segments:
        try:
            for piece in segment.pieces():
                for block in blocks_of(piece):
                    verdict.messages += block.count
                    verdict.damages += _wrong_frames(segment, piece, block)
                if isinstance(piece, Salvage):
                    verdict.salvaged.append(_salvaged(segment, piece))
                if progress is not None:
                    progress(verdict.byte_count + piece.end, total)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise JournalError(
                f"{segment.path}: cannot read: {error.strerror or error}; make the file readable, or check the device"
            ) from error
        verdict.byte_count += segment.size
    verdict.damages += log.damages
    verdict.damages.sort(key=lambda damage: (damage.file, damage.offset))
    return verdict


def _salvaged(segment: Segment, piece: Salvage) -> SalvagedBlock:
    head = piece.head
    saved = sum(encoded.block.count for encoded in piece.saved)
    span = (head.first_sequence, head.last_sequence)
    return SalvagedBlock(str(segment.path), head.at, head.size, *span, saved, head.messages - saved)


def _wrong_frames(segment: Segment, piece: Piece, block: Block) -> Iterator[Damage]:
    """Yields damage for frames that are invalid although their checksum is correct: they were written invalid."""
    sequence = block.first_sequence
    for frame in block.frames():
        reason = None
        try:
            message = decode(frame)
        except DecodeError as error:
            reason = f"the frame of sequence {sequence} cannot be decoded ({error})"
        else:
            if not isinstance(message, Deliver) or message.sequence != sequence:
                kind = type(message).__name__
                reason = f"the frame of sequence {sequence} is {kind}, or has another sequence"
        if reason is not None:
            size = piece.end - piece.at
            path = str(segment.path)
            yield Damage(segment.stream, path, piece.at, size, sequence, sequence, SPOILT, reason)
        sequence += 1
