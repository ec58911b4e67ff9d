"""One stream: its published messages, and the subscribers that are caught up with it.

Every session that has subscribed is in one of two gears.

**High gear** is for sessions that have been sent every message that the stream holds for them. They form *groups*: a
group is the set of sessions with the same patterns (after the style has reduced them). All members are at the same
place and need the same messages, so one list of frames serves them all. A published run of messages costs its
validation, one journal block, and one look-up of groups by key for each message; each further subscriber costs one
comparison and subtraction (its credit) for the whole run. The disk is not read.

**Low gear** is for all other sessions: those that requested past messages, ran out of credit, or have a full pipe. Such
a session reads the journal in turns, from its own position on (`low_gear`). Sessions that read the same place share the
blocks, and those with the same patterns the selections made from them.

The change of gear is invisible (ZEPS-GEAR-1 to 3) because both gears define a place in the same way. A stream's `end`
is the sequence up to which all groups have been served, and the position of every session in high gear. When a session
leaves its group, at the first message that its credit or its pipe does not take, its position becomes the sequence
before that message. When a session in low gear has read up to `end` and has no fill left to read, it joins its group,
between two runs. So a message is neither lost between the gears nor delivered by both.

A run goes to the journal first (ZEPS-SEQUENCE-4), then to the groups. Between the two the stream is longer than `end`:
a session that subscribes in between reads the difference from the journal.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol, cast

from zeps_broker.core.output_queue import OutputQueue
from zeps_broker.core.reading import Reading
from zeps_broker.core.renumber import delivers, keys_of, keys_of_run
from zeps_broker.core.settings import Settings
from zeps_broker.core.style import WORK_PER_STEP, Index, Patterns, Style
from zeps_broker.frame_batch import FrameBatch, byte_count_of, sums_of
from zeps_broker.memory import Budget
from zeps_broker.ports import Peer, StreamLog
from zeps_wire.errors import DecodeError
from zeps_wire.text import check_printable
from zeps_wire.zeps_server import ServerMachine

__all__ = ["Group", "GroupMember", "Stream"]

_IDLE_GROUPS = 64
_PIECE = 256
"""Number of frames whose keys are looked up first if matching costs work; doubled if all of them are taken."""


class GroupMember(Protocol):
    """The interface of a session for its stream."""

    peer: Peer
    machine: ServerMachine
    reading: Reading
    group: Group | None
    credit_needed: int


class Group:
    """Subscribers in high gear with the same patterns."""

    __slots__ = ("_peers", "members", "patterns")

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns
        self.members: dict[GroupMember, None] = {}
        self._peers: tuple[Peer, ...] | None = None

    def add(self, session: GroupMember) -> None:
        self.members[session] = None
        self._peers = None

    def remove(self, session: GroupMember) -> None:
        del self.members[session]
        self._peers = None

    def peers(self) -> tuple[Peer, ...]:
        if self._peers is None:
            self._peers = tuple([session.peer for session in self.members])
        return self._peers


Sink = tuple[Callable[[bytes], None], Callable[[int], None]]


class Route:
    """The groups that a key goes to. Keys with the same groups share a route."""

    __slots__ = ("groups", "sinks", "whole")

    def __init__(self, groups: tuple[Group, ...]) -> None:
        self.groups = groups
        self.whole = frozenset(groups)
        self.sinks: list[Sink] = []


_KEY_BYTES = 300
"""Memory of a key in bytes, besides its own: its entries in the tables of routes and of matching."""


class Routes(dict[bytes, Route]):
    """Key to route, for recent keys. `routes[key]` adds a new key; DecodeError if it is invalid (ZEPS-TEXT-1, -2)."""

    def __init__(self, index: Index[Group], keys_max: int, memory: Budget) -> None:
        """Forgets all keys at `keys_max`, or without space in `memory`; a key that still has no space is not kept."""
        self._index = index
        self._keys_max = keys_max
        self._memory = memory
        self._held = 0
        self._routes: dict[tuple[Group, ...], Route] = {}

    def __missing__(self, key: bytes) -> Route:
        check_printable(key)
        cost = _KEY_BYTES + len(key)
        if len(self) >= self._keys_max or self._memory.free < cost:
            self.clear()
        groups = tuple(self._index.find(key))
        route = self._routes.get(groups)
        if route is None:
            route = self._routes[groups] = Route(groups)
        if self._memory.take(cost):
            self._held += cost
            self[key] = route
        return route

    def clear(self) -> None:
        super().clear()
        self._routes.clear()
        self._memory.give(self._held)
        self._held = 0


@dataclass(frozen=True, slots=True)
class Journalled:
    """The messages of one journal block, with their keys' routes for one `version` of the stream's groups."""

    first: int
    frames: Sequence[bytes]
    keys: list[bytes]
    routes: list[Route]
    version: int


class Stream:
    """A stream with at least one session, between the opening and the release of its journal.

    Invariants between turns, which the simulator asserts (`sim/invariants.py`): `sessions` is the number of its
    sessions. `end` is at most the journal's last sequence, and equal to it when nothing is unserved. A session is a
    member of one group at most. A group is idle exactly if it has no members.
    """

    def __init__(
        self, log: StreamLog, style: Style, outgoing: OutputQueue, settings: Settings, routes_memory: Budget
    ) -> None:
        """`routes_memory` bounds the keys that all streams remember together."""
        self.log = log
        self.style = style
        self.sessions = 0
        self.end = log.last_sequence
        self._outgoing = outgoing
        self._settings = settings
        self.matching = style.for_stream(settings.route_keys_max)
        self._index: Index[Group] = self.matching.index()
        self._routes = Routes(self._index, settings.route_keys_max, routes_memory)
        self._groups: dict[Patterns, Group] = {}
        self._idle: dict[Group, None] = {}
        """Groups without members, oldest first: at most 64, with as many patterns together as one session may have."""
        self._idle_patterns = 0
        self._version = 0
        self._pending: list[list[bytes] | FrameBatch] = []
        self._pending_keys: list[bytes] = []
        self._pending_routes: list[Route] = []
        self._pending_version = 0
        self._appended: list[Journalled] = []
        self.published_bytes = 0
        """Bytes of all PUBLISH frames that were committed since the stream was opened."""
        self.falls = 0
        """How often a session fell from high gear to low gear, for lack of credit or because its pipe was full."""
        self.climbs = 0
        """How often a session joined high gear after it had read the journal up to `end` in low gear."""

    @property
    def groups(self) -> int:
        """Number of groups, including idle ones."""
        return len(self._groups)

    @property
    def unserved(self) -> bool:
        """True if published messages wait to be served to the groups."""
        return bool(self._pending) or bool(self._appended)

    @property
    def joinable(self) -> bool:
        """True if a session that has been sent everything up to `end` may join its group now: not between
        :meth:`commit` and :meth:`serve`, and, if matching costs work, not while published messages wait to be
        committed.
        """
        return self.end == self.log.last_sequence and not (self.matching.costs and self.unserved)

    @property
    def steps(self) -> int:
        """The matching work so far, in steps of 10 to 20 microseconds."""
        return self.matching.work // WORK_PER_STEP

    def close(self) -> None:
        """Forgets the remembered keys, and frees their budget; called when no session is attached any more."""
        self._routes.clear()

    # publishing

    def publish(self, frames: Sequence[bytes], steps_max: int) -> int:
        """Takes the valid PUBLISH frames at the beginning of `frames`, which get sequences in :meth:`commit`; returns
        their number. If matching costs work, it stops after the frame with which `steps` has grown by
        `steps_max` or more.
        """
        keys, routes = self._look_up(frames, steps_max)
        taken = len(keys)
        if not taken:
            return 0
        if not self._pending:
            self._pending_version = self._version
        if isinstance(frames, FrameBatch):
            self._pending.append(frames[:taken])
        elif self._pending and isinstance(self._pending[-1], list):
            self._pending[-1] += frames[:taken]
        else:
            self._pending.append(list(frames[:taken]))
        self._pending_keys.extend(keys)
        self._pending_routes.extend(routes)
        return taken

    def commit(self, now_us: int) -> None:
        """Journals the pending messages, without delivery. Raises JournalError; those not journalled are then lost."""
        if not self._pending:
            return
        pending, keys, routes = self._pending, self._pending_keys, self._pending_routes
        self._pending, self._pending_keys, self._pending_routes = [], [], []
        low = 0
        for block in self._blocks(pending, len(keys)):
            first = self.log.last_sequence + 1
            frames = delivers(block, first)
            self.log.append(frames, now_us)
            part = slice(low, low + len(frames))
            self._appended.append(Journalled(first, frames, keys[part], routes[part], self._pending_version))
            low = part.stop

    def serve(self) -> None:
        """Delivers the messages journalled since the last call to the groups, and advances `end` past them."""
        appended, self._appended = self._appended, []
        for run in appended:
            self._fan_out(run)
            self.end = run.first + len(run.frames) - 1

    def _look_up(self, frames: Sequence[bytes], steps_max: int) -> tuple[list[bytes], list[Route]]:
        """Returns the keys of the frames that :meth:`publish` takes, and their routes. If matching costs work, it reads
        the keys of at most twice as many frames, plus `_PIECE`.
        """
        if not self.matching.costs:
            return self._look_up_piece(frames, inf)
        steps_end, ahead = self.steps + steps_max, _PIECE
        keys: list[bytes] = []
        routes: list[Route] = []
        while len(keys) < len(frames):
            piece = frames[len(keys) : len(keys) + ahead]
            some_keys, some_routes = self._look_up_piece(piece, steps_end)
            keys += some_keys
            routes += some_routes
            if len(some_keys) < len(piece) or self.steps >= steps_end:
                break
            ahead *= 2
        return keys, routes

    def _look_up_piece(self, frames: Sequence[bytes], steps_end: float) -> tuple[list[bytes], list[Route]]:
        """Looks up one piece, to the frame with which `steps` reaches `steps_end`, or before an invalid key."""
        keys = keys_of_run(frames) if isinstance(frames, FrameBatch) else None
        if keys is None:
            keys = keys_of(frames)
        try:
            if steps_end == inf:
                return keys, list(map(self._routes.__getitem__, keys))
        except DecodeError:
            pass
        known = list(map(self._routes.get, keys))
        if None not in known:
            return keys, cast("list[Route]", known)
        routes: list[Route] = []
        try:
            for key in keys:
                routes.append(self._routes[key])
                if self.steps >= steps_end:
                    break
        except DecodeError:
            pass
        return keys[: len(routes)], routes

    def _blocks(self, pending: Sequence[Sequence[bytes]], count: int) -> Iterator[Sequence[Sequence[bytes]]]:
        """Yields the frames of each block, `count` in all, and adds their bytes to `published_bytes`."""
        messages, bytes_max = self._settings.block_messages_max, self._settings.block_bytes_max
        total = sum(map(byte_count_of, pending))
        self.published_bytes += total
        if count <= messages and total <= bytes_max:
            yield pending
            return
        block: list[Sequence[bytes]] = []
        messages_left, bytes_left = messages, bytes_max
        for piece in pending:
            rest = piece
            while rest:
                fits = bisect_right(sums_of(rest), bytes_left, hi=min(len(rest), messages_left))
                if not fits and block:
                    yield block
                    block, messages_left, bytes_left = [], messages, bytes_max
                    continue
                taken, rest = rest[: max(fits, 1)], rest[max(fits, 1) :]
                block.append(taken)
                messages_left -= len(taken)
                bytes_left -= byte_count_of(taken)
        yield block

    # high gear

    def join(self, session: GroupMember) -> None:
        """Adds a session, which must be caught up with `end`, to the group with its patterns, created if it is new."""
        session.reading.rest()
        patterns = session.reading.patterns()
        group = self._groups.get(patterns)
        if group is None:
            group = self._groups[patterns] = Group(patterns)
            self._index.add(patterns, group)
            self._invalidate()
        if group in self._idle:
            self._use(group)
        group.add(session)
        session.group = group

    def leave(self, session: GroupMember, position: int) -> None:
        """Removes a session from its group; it has been sent everything up to `position`, and now reads the journal."""
        group = session.group
        assert group is not None
        group.remove(session)
        session.group = None
        session.reading.position = position
        if not group.members:
            self._idle[group] = None
            self._idle_patterns += len(group.patterns)
            while len(self._idle) > _IDLE_GROUPS or self._idle_patterns > self._settings.patterns_max:
                self._drop(next(iter(self._idle)))

    def _use(self, group: Group) -> None:
        """Marks the group as not idle."""
        del self._idle[group]
        self._idle_patterns -= len(group.patterns)

    def release(self, patterns: Collection[bytes]) -> None:
        """Releases the patterns of a session that leaves; drops idle groups of costly patterns without a session."""
        free = self.matching.release(patterns)
        if free:
            for group in [group for group in self._idle if not free.isdisjoint(group.patterns)]:
                self._drop(group)

    def _drop(self, group: Group) -> None:
        self._use(group)
        del self._groups[group.patterns]
        self._index.remove(group.patterns, group)
        self._invalidate()

    def _invalidate(self) -> None:
        """Clears the routes after a change of the groups; those of pending messages count as outdated."""
        self._routes.clear()
        self._version += 1

    def _fan_out(self, run: Journalled) -> None:
        routes = run.routes
        if run.version != self._version:
            routes = list(map(self._routes.__getitem__, run.keys))
        frames, sequences = run.frames, range(run.first, run.first + len(run.frames))
        distinct = dict.fromkeys(routes)
        whole = [group for group in routes[0].groups if all(group in route.whole for route in distinct)]
        for group in whole:
            self._deliver(group, frames, sequences)
        if len(distinct) > 1:
            self._fan_out_parts(frames, sequences, routes, distinct, frozenset(whole))

    def _fan_out_parts(
        self,
        frames: Sequence[bytes],
        sequences: range,
        routes: list[Route],
        distinct: dict[Route, None],
        served: frozenset[Group],
    ) -> None:
        """Delivers a run to the groups that need only parts of it; `served` are the groups that were sent all of it."""
        parts: dict[Group, tuple[list[bytes], list[int]]] = {}
        for route in distinct:
            route.sinks.clear()
            for group in route.groups:
                if group not in served and group.members:
                    part = parts.setdefault(group, ([], []))
                    route.sinks.append((part[0].append, part[1].append))
        for frame, sequence, route in zip(frames, sequences, routes, strict=True):
            for put_frame, put_sequence in route.sinks:
                put_frame(frame)
                put_sequence(sequence)
        for route in distinct:
            route.sinks.clear()
        for group, (some_frames, some_sequences) in parts.items():
            self._deliver(group, some_frames, some_sequences)

    def _deliver(self, group: Group, frames: Sequence[bytes], sequences: Sequence[int]) -> None:
        """Delivers to each member as far as its credit allows; without enough it falls to low gear (ZEPS-CREDIT-5)."""
        size = byte_count_of(frames)
        poor: list[GroupMember] | None = None
        for session in group.members:
            machine = session.machine
            if machine.credit >= size:
                machine.credit -= size
            elif poor is None:
                poor = [session]
            else:
                poor.append(session)
        if poor is not None:
            self._deliver_part(poor, frames, sequences)
        if group.members:
            self._outgoing.deliver(group.peers(), frames, sequences)

    def _deliver_part(
        self, poor: list[GroupMember], frames: Sequence[bytes], sequences: Sequence[int]
    ) -> None:
        """Delivers as many frames as each member's credit allows; the member then leaves its group (ZEPS-CREDIT-6)."""
        sums = sums_of(frames)
        shares: dict[int, list[GroupMember]] = {}
        for session in poor:
            count = bisect_right(sums, session.machine.credit)
            shares.setdefault(count, []).append(session)
            session.machine.credit -= sums[count - 1] if count else 0
            session.credit_needed = len(frames[count])
            self.falls += 1
            self.leave(session, sequences[count] - 1)
        for count, sessions in shares.items():
            if count:
                peers = tuple([session.peer for session in sessions])
                self._outgoing.deliver(peers, frames[:count], sequences[:count])
