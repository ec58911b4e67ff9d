"""Invariants of the core, asserted while the simulator runs it. The structures' docstrings state them.
`watch_deliveries` compares the core, which subtracts a batch's credit at once, with the server machine (ZEPS-CREDIT-5).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import cast

from zeps_broker.core.broker import Broker
from zeps_broker.core.output_queue import Undo
from zeps_broker.core.session import DELIVER_MIN, Session
from zeps_broker.core.stream import Stream
from zeps_broker.frame_batch import byte_count_of
from zeps_broker.ports import Peer
from zeps_broker.sim.faults import Violation
from zeps_wire.zeps import Deliver, decode
from zeps_wire.zeps_server import ServerHost, State

__all__ = ["check", "watch_deliveries"]


class _Sent:
    """A host that keeps what its machine sends."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def send(self, message: Deliver) -> None:
        self.frames.append(message.encode())


def watch_deliveries(broker: Broker) -> None:
    """Makes `broker.outgoing.deliver` raise Violation if messages or credit differ from the machine's row `deliver`."""
    deliver = broker.outgoing.deliver

    def watched(
        peers: Sequence[Peer], frames: Sequence[bytes], sequences: Sequence[int], undo: Undo | None = None
    ) -> None:
        messages = [cast("Deliver", decode(bytes(frame))) for frame in frames]
        for peer in peers:
            session = broker.session(peer)
            if session is None:
                raise Violation(f"{peer!r} is sent a DELIVER and has no session")
            machine, sent = copy.copy(session.machine), _Sent()
            machine.host = cast("ServerHost", sent)
            machine.credit += byte_count_of(frames)
            for message in messages:
                if not machine.deliver(message):
                    raise Violation(
                        f"ZEPS-CREDIT-5: the machine does not deliver {message.sequence} to {peer!r}"
                    )
            if machine.credit != session.machine.credit or sent.frames != list(map(bytes, frames)):
                raise Violation(
                    f"ZEPS-CREDIT-5: the machine leaves {peer!r} another credit, or sends other frames"
                )
        deliver(peers, frames, sequences, undo)

    broker.outgoing.deliver = watched  # type: ignore[method-assign]


def check(broker: Broker) -> None:
    """Raises Violation if an invariant of the core does not hold. To be called between turns."""
    for broken in _broken(broker):
        raise Violation(f"invariant: {broken}")


def _broken(broker: Broker) -> Iterator[str]:
    sessions = broker._sessions
    for peer, session in sessions.items():
        if session.peer != peer:
            yield f"the session of {peer!r} belongs to {session.peer!r}"
        yield from _session(session, broker)
    for name, stream in broker._streams.items():
        attached = [session for session in sessions.values() if session._stream is stream]
        if stream.sessions != len(attached):
            yield f"stream {name} counts {stream.sessions} of {len(attached)} sessions"
        yield from _stream(name, stream)
    held = sum(session.held for session in sessions.values())
    waiting = sum(64 * len(box.frames) + box.byte_count for box in broker.outgoing.boxes.values())
    if broker.memory.used != held + waiting:
        yield f"memory counts {broker.memory.used} bytes; sessions hold {held}, outboxes {waiting}"
    for peer, box in broker.outgoing.boxes.items():
        if box.byte_count != byte_count_of(box.frames):
            yield f"the outbox of {peer!r} counts {box.byte_count} bytes of {byte_count_of(box.frames)}"


def _session(session: Session, broker: Broker) -> Iterator[str]:
    peer, machine, reading = session.peer, session.machine, session.reading
    if (machine.state == State.OPEN) and session._stream is None:
        yield f"{peer!r} is open without a stream"
    if session.group is not None:
        if reading.filling:
            yield f"{peer!r} is in high gear and has a fill to read"
        if session not in session.group.members:
            yield f"{peer!r} is not a member of its group"
        if broker.outgoing.blocked(peer):
            yield f"{peer!r} is in high gear with a full pipe"
    elif session.reads and not broker.outgoing.blocked(peer):
        if session.credit_needed < DELIVER_MIN:
            yield f"{peer!r} waits for {session.credit_needed} bytes of credit, fewer than the smallest DELIVER has"
        if machine.credit >= session.credit_needed and not session.queued and session not in broker._unplaced:
            yield f"{peer!r} could read, and has no turn"


def _stream(name: str, stream: Stream) -> Iterator[str]:
    if stream.end > stream.log.last_sequence:
        yield f"stream {name} has served {stream.end} of {stream.log.last_sequence} messages"
    if not stream.unserved and stream.end != stream.log.last_sequence:
        yield f"stream {name} has served up to {stream.end}, and its journal ends at {stream.log.last_sequence}"
    for group in stream._groups.values():
        if any(session.group is not group for session in group.members):
            yield f"stream {name} has a member of two groups"
        if (group in stream._idle) == bool(group.members):
            yield f"stream {name} has a group that is idle with members, or in use without"
    if stream._idle_patterns != sum(len(group.patterns) for group in stream._idle):
        yield f"stream {name} counts {stream._idle_patterns} patterns of idle groups"
