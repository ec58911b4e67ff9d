"""What the core needs of the world, and what it says to it.

The core is sans-IO: it is handed batches and a time, and leaves outputs. A disk (:class:`Store`, :class:`StreamLog`)
and a network (:class:`Transport`) stand behind these protocols; the real ones are in ``journal`` and ``transport``, the
simulated ones in ``sim``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from zeps_broker.frame_batch import FrameBatch
from zeps_journal.block import Block
from zeps_wire.zeps import EndingCode

__all__ = [
    "Block",
    "GapReason",
    "JournalError",
    "Lost",
    "Malformed",
    "Output",
    "Peer",
    "Progress",
    "Received",
    "Selected",
    "Store",
    "StreamLog",
    "Transport",
    "Undelivered",
    "Wanted",
]

Peer = Hashable
"""A connection's handle, opaque to the core; a ZeroMQ routing id, for one."""


class JournalError(Exception):
    """The journal cannot do what was asked: a full disk, a folder in use, damage. The text says what and where."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Input that is not one frame; `code` and `text` become INVALID's reason."""

    text: str
    code: EndingCode = EndingCode.MALFORMED


@dataclass(frozen=True, slots=True)
class Gone:
    """The peer's connection is closed: nothing more comes from it or reaches it. Not every transport reports that."""


Received = tuple[Peer, "bytes | FrameBatch | Malformed | Gone"]
"""A frame, or many of one size that arrived behind each other, or what was none; last, that the peer is gone."""


Wanted = Callable[[Sequence[bytes]], Sequence[bool]]
"""Told some distinct keys, says of each whether its messages are wanted; only of the first ones, but at least one, if
matching all of them would take too long.
"""


@dataclass(frozen=True, slots=True)
class Selected:
    """All that is wanted of a run of consecutive sequences: the DELIVER frames, and the sequence of each."""

    first_sequence: int
    last_sequence: int
    sequences: Sequence[int]
    frames: Sequence[bytes]
    octets: int
    """How much was read to find them."""


GapReason = Literal["retention", "damage"]
"""Why messages are lost."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Consecutive sequences that the journal cannot serve: `retention` removed them, or `damage` did."""

    first_sequence: int
    last_sequence: int
    reason: GapReason


class StreamLog(Protocol):
    """The journal of one stream."""

    @property
    def name(self) -> str: ...

    @property
    def first_sequence(self) -> int:
        """The oldest sequence that is retained; `last_sequence + 1` if none is."""

    @property
    def last_sequence(self) -> int:
        """The newest sequence; 0 for a stream that never had a message."""

    def append(self, frames: Sequence[bytes], time_us: int) -> None:
        """Store `frames` (DELIVER frames whose sequences follow `last_sequence`) as one block.

        Returns once the block is as durable as the journal's `sync` mode promises before a frame may leave. Raises
        JournalError, in which case nothing of the block is stored. `time_us` is negative if the clock is before 1970.
        """

    def read(self, after: int) -> Block | Lost | None:
        """What holds sequence `after + 1`, for `after` from 0 on.

        Returns a block that holds it, which may begin before it; the lost range that begins with it, which ends
        before the next sequence that can be served, or with `last_sequence`, or where the reason changes; None if
        `after` is `last_sequence` or more. A damaged block is returned as several blocks, one for each run of
        messages that can be served. Raises JournalError.
        """

    def select(self, after: int, wanted: Wanted) -> Block | Selected | Lost | None:
        """Like `read`, without reading what is not wanted.

        Returns a selection that begins at or before `after + 1`; a block, unselected, where selecting would save
        nothing, or `wanted` does not judge all its keys. A lost range may contain messages that are not wanted, and a
        selection covers lost messages whose keys are known and not wanted.
        """


class Store(Protocol):
    """All streams' journals."""

    def open(self, stream: str) -> StreamLog:
        """The stream's journal, made if it is new; the same object until :meth:`leave`. Raises JournalError."""

    def leave(self, stream: str) -> None:
        """The last session of the stream has ended: its log may be closed, and is not used again before :meth:`open`.

        A stream that never had a message leaves nothing behind, in memory or on the disk. Raises JournalError if a log
        that has to be closed cannot be synced.
        """

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""

    def count(self) -> int:
        """How many streams there are."""

    def tick(self, now_us: int) -> None:
        """Do what is due: interval syncs, retention. Raises JournalError."""

    def close(self) -> None:
        """Sync and close every stream."""


@dataclass(frozen=True, slots=True)
class Output:
    """`frames` to each of `peers`, in this order. All lists are shared: nobody changes them.

    `sequences` is None for control frames; for deliveries it holds the sequence of each frame.
    """

    peers: Sequence[Peer]
    frames: Sequence[bytes]
    sequences: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A peer that took only the first `accepted` frames of an output; `gone` if it takes none ever again."""

    peer: Peer
    output: Output
    accepted: int
    gone: bool = False


class Progress(Protocol):
    """What a transport knows of frames that are not whole yet (ZEPS-PING-7)."""

    @property
    def unseen_bytes(self) -> int:
        """Size of the longest frame that may be under way without `advanced` counting it."""

    def advanced(self, peer: Peer) -> int:
        """Bytes by which the frames that are under way from or to `peer` have advanced since the last call.

        The larger of both directions; 0 for a direction in which no frame is under way.
        """


class Transport(Progress, Protocol):
    """A network of peers."""

    def receive(self, timeout: float, holds: Callable[[Peer], bool] | None = None) -> list[Received]:
        """What has arrived, in order per peer; waits up to `timeout` seconds for the first.

        Receives nothing of peers for which `holds` is true; a transport that cannot choose between peers asks for None.
        """

    def send(self, outputs: Iterable[Output]) -> list[Undelivered]:
        """Send without waiting, and say who did not take all.

        A peer that refused a frame is offered no later one of the same call.
        """

    def hang_up(self, peer: Peer) -> None:
        """Close a peer's connection, if the transport can close one."""

    def source_of(self, peer: Peer) -> Hashable:
        """The address that a peer connects from; the peer itself if that is not known."""

    def writable(self) -> list[Peer]:
        """Peers that refused a frame and may take more now.

        A transport that cannot tell names them all after a while.
        """

    def close(self) -> None: ...
