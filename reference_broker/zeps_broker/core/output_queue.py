"""Output of the core, refused output, and answers that wait for a peer whose pipe is full.

After a poll the outputs are *in flight* until the transport has reported which of them it could not deliver. A peer
that refused a frame is *blocked*: all answers for it then wait in its outbox, bounded in frames and bytes, and no other
frame may overtake them. Deliveries do not wait there, since they are in the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from zeps_broker.frame_batch import byte_count_of
from zeps_broker.memory import Budget
from zeps_broker.ports import Output, Peer, Undelivered

__all__ = ["Outbox", "OutputQueue", "Refusal", "Undo"]

_FRAME_BYTES = 64
"""Overhead in bytes of a waiting frame, besides its content."""

Undo = Callable[[int | None], None]
"""Moves a low-gear reader back to the last accepted sequence of a delivery or notice; None without one."""


@dataclass(slots=True)
class Outbox:
    """Answers that wait for a blocked peer. `since` is when it was blocked, in seconds of the core's clock."""

    since: float
    frames: list[bytes] = field(default_factory=list)
    byte_count: int = 0


def _cost(box: Outbox) -> int:
    return _FRAME_BYTES * len(box.frames) + box.byte_count


@dataclass(slots=True)
class Refusal:
    """The part of the outputs in flight that one peer did not take."""

    peer: Peer
    gone: bool = False
    byte_count: int = 0
    """Bytes of the refused DELIVER frames, to be credited again."""
    sequence: int | None = None
    """The first refused sequence; None if no delivery was refused, or if a notice was refused before it."""
    accepted: int | None = None
    """The last accepted sequence of the output that has `sequence`; None if no frame of that output was accepted."""
    undo: Undo | None = None
    """Moves the reader of the first refused delivery or notice back; None for a high-gear delivery."""
    control: list[bytes] = field(default_factory=list)


class OutputQueue:
    """Collects all output of the core."""

    def __init__(self, frames_max: int, bytes_max: int, memory: Budget) -> None:
        """`memory` bounds all outboxes, with 64 bytes per frame besides its content; the others bound one outbox."""
        self._frames_max = frames_max
        self._bytes_max = bytes_max
        self._memory = memory
        self._outputs: list[Output] = []
        self._undo: dict[int, Undo] = {}
        self._flight: list[Output] = []
        self._flight_undo: dict[int, Undo] = {}
        self._run_peer: Peer = None
        self._run: list[bytes] | None = None
        self.boxes: dict[Peer, Outbox] = {}
        self.overflowed: list[Peer] = []
        """Peers whose outbox overflowed; the broker drops their sessions."""
        self.notices = 0
        """Number of notices since the start, without refused ones."""

    def __bool__(self) -> bool:
        return bool(self._outputs)

    def blocked(self, peer: Peer) -> bool:
        return peer in self.boxes

    def control(self, peer: Peer, frame: bytes) -> None:
        """Queues a control frame, mostly an answer, in the outbox of a blocked peer; without space there, adds the peer
        to `overflowed`.
        """
        if self.boxes and peer in self.boxes:
            self._store(peer, (frame,))
        elif self._run is not None and self._run_peer == peer:
            self._run.append(frame)
        else:
            self._run_peer, self._run = peer, [frame]
            self._outputs.append(Output((peer,), self._run))

    def deliver(
        self,
        peers: Sequence[Peer],
        frames: Sequence[bytes],
        sequences: Sequence[int],
        undo: Undo | None = None,
    ) -> None:
        """Queues DELIVER frames for `peers`, none of them blocked; `undo` is for deliveries from the journal."""
        self._run = None
        if undo is not None:
            self._undo[len(self._outputs)] = undo
        self._outputs.append(Output(peers, frames, sequences))

    def notice(self, peer: Peer, frame: bytes, undo: Undo) -> None:
        """Queues a control frame in a delivery's place: if it is refused, `undo` moves the session that reads the
        journal back to before it, instead of an outbox storing it.
        """
        self._run = None
        self.notices += 1
        self._undo[len(self._outputs)] = undo
        self._outputs.append(Output((peer,), (frame,)))

    def poll(self) -> list[Output]:
        """Returns all output to send now; it is in flight until the next poll."""
        self._flight, self._flight_undo = self._outputs, self._undo
        self._outputs, self._undo, self._run = [], {}, None
        return self._flight

    def discard(self) -> None:
        """Discards output that is not yet in flight."""
        self._outputs, self._undo, self._run = [], {}, None

    def refused(self, items: Iterable[Undelivered]) -> list[Refusal]:
        """Returns one Refusal for each peer in `items`: everything of the flight that it did not take, in flight order.
        After a refused frame no later frame of the flight reached the peer, whether the transport lists those outputs
        or not. Subtracts refused notices from `notices`.
        """
        numbers = {id(output): number for number, output in enumerate(self._flight)}
        begin: dict[Peer, tuple[int, int]] = {}
        refusals: dict[Peer, Refusal] = {}
        for item in items:
            refusal = refusals.setdefault(item.peer, Refusal(item.peer))
            refusal.gone = refusal.gone or item.gone
            place = (numbers.get(id(item.output), -1), item.accepted)
            if place[0] >= 0 and place < begin.get(item.peer, (len(self._flight), 0)):
                begin[item.peer] = place
        for number in range(min((place[0] for place in begin.values()), default=0), len(self._flight)):
            output = self._flight[number]
            for peer in output.peers:
                place = begin.get(peer, (len(self._flight), 0))
                if number >= place[0]:
                    accepted = place[1] if number == place[0] else 0
                    self._collect(refusals[peer], output, accepted, self._flight_undo.get(number))
        return list(refusals.values())

    def block(self, refusal: Refusal, now: float) -> None:
        """Keeps a peer's answers until :meth:`unblock`, refused ones first; beyond a bound adds it to `overflowed`."""
        if refusal.peer not in self.boxes:
            self.boxes[refusal.peer] = Outbox(now)
        self._store(refusal.peer, refusal.control)

    def unblock(self, peer: Peer) -> bool:
        """Ends a peer's block and queues its waiting answers as output; returns False if it was not blocked."""
        box = self.forget(peer)
        if box is None:
            return False
        for frame in box.frames:
            self.control(peer, frame)
        return True

    def forget(self, peer: Peer) -> Outbox | None:
        """Ends a peer's block; returns its outbox, without sending the answers, or None if it was not blocked."""
        box = self.boxes.pop(peer, None)
        if box is not None:
            self._memory.give(_cost(box))
        return box

    def _store(self, peer: Peer, frames: Sequence[bytes]) -> None:
        box = self.boxes[peer]
        for frame in frames:
            is_full = len(box.frames) >= self._frames_max or box.byte_count + len(frame) > self._bytes_max
            if is_full or not self._memory.take(_FRAME_BYTES + len(frame)):
                self.overflowed.append(peer)
                return
            box.frames.append(frame)
            box.byte_count += len(frame)

    def _collect(self, refusal: Refusal, output: Output, accepted: int, undo: Undo | None) -> None:
        if accepted == len(output.frames):
            return
        is_first = refusal.sequence is None and refusal.undo is None
        if output.sequences is not None:
            refusal.byte_count += byte_count_of(output.frames[accepted:])
            if is_first:
                refusal.sequence = output.sequences[accepted]
                refusal.accepted = output.sequences[accepted - 1] if accepted else None
                refusal.undo = undo
        elif undo is not None:
            self.notices -= 1
            if is_first:
                refusal.undo = undo
        else:
            refusal.control.extend(output.frames[accepted:])
