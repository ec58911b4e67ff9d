"""Interfaces between the core and its environment.

The core is sans-IO: it gets batches and a time, and produces outputs. A disk and a network implement these protocols;
the real ones are in ``journal`` and ``transport``, the simulated ones in ``sim``.
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
"""A connection's handle, opaque to the core; for example, a ZeroMQ routing id."""


class JournalError(Exception):
    """A journal operation failed: disk full, folder in use, damage. The text gives the cause and the file or folder."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Input that is not one frame; `code` and `text` become INVALID's reason."""

    text: str
    code: EndingCode = EndingCode.MALFORMED


@dataclass(frozen=True, slots=True)
class Gone:
    """The peer's connection is closed: it sends and receives no more. libzmq does not report this."""


Received = tuple[Peer, "bytes | FrameBatch | Malformed | Gone"]
"""One received item: a frame, a batch of equal-sized frames, a Malformed marker, or, as its peer's last item, Gone."""


Wanted = Callable[[Sequence[bytes]], Sequence[bool]]
"""Called with distinct keys, returns for each whether its messages are needed; perhaps for fewer, but at least one."""


@dataclass(frozen=True, slots=True)
class Selected:
    """All needed messages from `first_sequence` to `last_sequence` (inclusive): the DELIVER frames, and the sequence of
    each, ascending. Both lists are empty if no message is needed.
    """

    first_sequence: int
    last_sequence: int
    sequences: Sequence[int]
    frames: Sequence[bytes]
    cost: int
    """Cost of finding them: the bytes read from the disk, and about one for each message inspected."""


GapReason = Literal["retention", "damage"]
"""Why messages are lost."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Consecutive sequences, both ends included, that the journal cannot serve because of `retention` or `damage`."""

    first_sequence: int
    last_sequence: int
    reason: GapReason


class StreamLog(Protocol):
    """The journal of one stream."""

    @property
    def name(self) -> str: ...

    @property
    def first_sequence(self) -> int:
        """The oldest retained sequence; `last_sequence + 1` if the stream retains no message."""

    @property
    def last_sequence(self) -> int:
        """The newest sequence; 0 for a stream that never had a message."""

    def append(self, frames: Sequence[bytes], time_us: int) -> None:
        """Stores `frames` (DELIVER frames whose sequences follow `last_sequence`; none: no change) as one or more
        blocks. Returns when they are as durable as the `sync` mode demands before a frame may be sent; stores none of
        them if it raises JournalError. `time_us` is the time of storage in microseconds since 1970, negative if the
        clock is before that.
        """

    def read(self, after: int) -> Block | Lost | None:
        """Returns the block or lost range that contains sequence `after + 1`, for `after` from 0 on; None if `after` is
        `last_sequence` or more. A block may begin before that sequence. A lost range begins with it, and ends before
        the next sequence that can be served, at `last_sequence`, or where the reason changes. A damaged block is
        returned by several calls, one for each run of messages that can be served. Raises JournalError if reading
        fails; damage is not an error.
        """

    def select(self, after: int, key_filter: Wanted) -> Block | Selected | Lost | None:
        """Like `read`, but need not read messages that are not needed. Returns a selection that begins at or before
        `after + 1`; or a complete block if selecting would save nothing or `key_filter` does not judge all its keys. A
        lost range may contain messages that are not needed, and a selection covers lost messages that are known not to
        be needed.
        """


class Store(Protocol):
    """The journals of all streams."""

    def open(self, stream: str) -> StreamLog:
        """Returns the stream's journal, created in memory if it is new; the same object until :meth:`leave`. The disk
        is not changed before the first message. Raises JournalError.
        """

    def leave(self, stream: str) -> None:
        """Records that the last session of the stream has ended: its log is not used before :meth:`open`. A stream that
        never had a message leaves no trace. Raises JournalError if a log that must be closed cannot be synced.
        """

    def streams(self) -> list[str]:
        """Returns the names of all streams that ever had a message, sorted. Raises JournalError."""

    def count(self) -> int:
        """Returns the number of streams that ever had a message. Raises JournalError."""

    def tick(self, now_us: int) -> None:
        """Performs syncs, retention and lock checks due at `now_us` (microseconds since 1970). Raises JournalError."""

    def close(self) -> None:
        """Syncs and closes every stream; then raises JournalError if one could not be synced."""


@dataclass(frozen=True, slots=True)
class Output:
    """`frames`, with `sequences` (None for control frames), for each of `peers`. Shared lists: must not be changed."""

    peers: Sequence[Peer]
    frames: Sequence[bytes]
    sequences: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A peer that took only the first `accepted` frames of an output; `gone` if it cannot take any more."""

    peer: Peer
    output: Output
    accepted: int
    gone: bool = False


class Progress(Protocol):
    """The transport's knowledge of incomplete frames (ZEPS-PING-15)."""

    @property
    def unseen_bytes(self) -> int:
        """Size of the longest frame that may be under way without being counted by `advanced`."""

    def advanced(self, peer: Peer) -> int:
        """Returns the bytes by which frames under way from or to `peer` have advanced since the last call for it: the
        larger value of both directions; 0 for a direction without a frame under way.
        """


class Transport(Progress, Protocol):
    """A network of peers."""

    def receive(self, timeout: float, holds: Callable[[Peer], bool] | None = None) -> list[Received]:
        """Returns input that has arrived, in order per peer, perhaps none; waits up to `timeout` seconds for the first
        item. It does not receive from peers for which `holds` is true; a transport that cannot choose between peers
        calls `holds(None)`, and receives nothing if that is true. Without `holds` it receives from all peers.
        """

    def send(self, outputs: Iterable[Output]) -> list[Undelivered]:
        """Sends without waiting; returns an item for each output and peer of which not all frames were taken. A peer
        that refused a frame is not offered later frames of the same call.
        """

    def hang_up(self, peer: Peer) -> None:
        """Closes a connection at once and drops its output; nothing if the transport cannot close just one (libzmq)."""

    def source_of(self, peer: Peer) -> Hashable:
        """Returns the address that a peer connects from; the peer itself if the address is not known."""

    def writable(self) -> list[Peer]:
        """Returns peers that refused a frame and may take more now, each once until it refuses again. A transport that
        cannot detect this returns each of them after a delay.
        """

    def close(self) -> None: ...
