"""Exploration of a client and a server that two ordered channels of `bound` messages join.

A situation is (client, server, messages in transit to the server, messages in transit to the client);
:class:`Explorer` visits all reachable situations, breadth first. A machine that sends into a full channel waits. A
burst (several messages that one row sends) may exceed the bound of a channel that was empty, since a row is atomic.

*Reduction.* The machines interact only through the channels, so a step of one and a step of the other commute unless
one of them finds a channel empty or full. If a message has arrived for a machine, and none of its steps waits for
space in its channel, its peer can neither disable these steps nor enable others: they are a persistent set
(Godefroid), and exploring this machine's steps first is sufficient. Deadlocks and all situations in which both
channels are empty are preserved, because every path to them takes one of these steps eventually. So that no step is
deferred for ever, the peer's steps are explored as well unless a step of the set leads to a situation that is not yet
expanded (the condition of Bošnački, Leue and Lluch Lafuente for searches in any order). This preserves the behaviour
of each machine by itself: which rows it takes, in which states, and what the server observes. `reduce=False` explores
every order, for comparison and for shortest traces.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from ..diagnostics import Code, Diagnostic, Locations
from ..ir import Machine
from .local import Outcome
from .sides import LOCAL_BITS, NOTHING, QUEUE_BITS, Channel, Moves, Side
from .traces import Trace, TraceStep, render_line

__all__ = ["SHORTEST_STATES_MAX", "Explorer", "Finding", "Result", "situations_max", "with_traces_of"]

#: The limit of situations of a search for shortest traces, which is without reduction.
SHORTEST_STATES_MAX = 200_000


def situations_max(bound: int) -> int:
    """The maximum number of situations of a check: some seconds at bound 2, a minute at bound 3."""
    return 5_000 * int(10**bound)


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault or a remark, such as a `kind` of `deadlock`, of the `actor` client or server. `trace` leads to it."""

    kind: str
    actor: str
    detail: str
    trace: Trace = ()
    state: str = ""
    event: str = ""
    rows: tuple[int, ...] = ()

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What a search reports once: of an event whatever led to it, of a situation what it is."""
        return self.kind, self.actor, self.state, self.event or self.detail

    def diagnostic(self, code: Code, message: str, machine: Machine, where: Locations) -> Diagnostic:
        """The diagnostic at the first of `rows`, or else at the event or state; its hint is the trace on one line."""
        place = where.find(
            *(f"transition:{machine.name}.{row}" for row in self.rows[:1]),
            f"event:{machine.name}.{self.state}.{self.event}",
            f"state:{machine.name}.{self.state}",
        )
        return code.at(place.file, place.line, message, f"trace: {render_line(self.trace)}")


def with_traces_of(findings: Iterable[Finding], others: Iterable[Finding]) -> list[Finding]:
    """The findings in order, each replaced by the same one of `others`, if any."""
    known = {item.identity: item for item in others}
    return [known.get(item.identity, item) for item in findings]


@dataclass(slots=True)
class Result:
    """The result of an exploration. `complete` is False if it stopped early, see :meth:`Explorer.run`."""

    states: int
    transitions: int
    complete: bool
    findings: list[Finding]
    cut: int  # configurations in which a number would exceed the limit
    rows: dict[str, set[int]]  # the rows that each actor took
    reached: dict[str, set[str]]  # the states that each actor was in
    star: dict[
        str, dict[tuple[str, str], bool]
    ]  # (state, message) that `*` handled: whether the state changed


@dataclass(frozen=True, slots=True)
class _Way:
    """The layout of one machine in a situation's number: its channels, and the shift of each part."""

    inbox: Channel
    outbox: Channel
    local_shift: int
    inbox_shift: int
    outbox_shift: int


class Explorer:
    """A breadth-first search through up to `states_max` situations (None: no limit). `run` may be called once. `quiet`
    is called for every (client, server) pair of configurations with two empty channels, and returns (kind, actor,
    detail) to report a fault, otherwise None.
    """

    def __init__(
        self,
        client: Side,
        server: Side,
        bound: int,
        *,
        reduce: bool = True,
        states_max: int | None = None,
        quiet: Callable[[int, int], tuple[str, str, str] | None] | None = None,
    ) -> None:
        self.client, self.server = client, server
        self.to_server = Channel(client.packets, bound)
        self.to_client = Channel(server.packets, bound)
        local = 2 * QUEUE_BITS
        self._server_way = _Way(self.to_server, self.to_client, local, QUEUE_BITS, 0)
        self._client_way = _Way(self.to_client, self.to_server, local + LOCAL_BITS, 0, QUEUE_BITS)
        self.reduce = reduce
        self.states_max = states_max
        self.quiet = quiet
        self.transitions = 0
        self.findings: list[Finding] = []
        self._index: dict[int, int] = {}
        self._order: array[int] = array("q")
        self._parent: array[int] = array("l")
        self._fired: dict[str, set[int]] = {"client": set(), "server": set()}
        self._said: set[tuple[object, ...]] = set()
        self._at = 0

    # The search

    def run(self) -> Result:
        """Visits all situations, or enough of them if reduced; stops early at `states_max` or if too many to number."""
        self._visit(self._pack(self.client.initial, self.server.initial, 0, 0), 0)
        limit = self.states_max
        complete = True
        while self._at < len(self._order):
            if limit is not None and len(self._order) > limit:
                complete = False
                break
            try:
                self._expand(self._at)
            except OverflowError:  # more configurations or channel contents than can be numbered
                complete = False
                break
            self._at += 1
        return self._result(complete)

    def _expand(self, index: int) -> None:
        here = self._order[index]
        client, server, to_server, to_client = self._unpack(here)
        server_head = self.to_server.head[to_server]
        client_head = self.to_client.head[to_client]
        server_moves = self.server.moves(server, server_head)
        client_moves = self.client.moves(client, client_head)
        server_moves.met = client_moves.met = True
        if server_moves.bad:
            self._object(index, self.server, server_moves, self.to_client, to_client)
        if client_moves.bad:
            self._object(index, self.client, client_moves, self.to_server, to_server)
        if self.quiet is not None and not to_server and not to_client:
            self._ask(index, client, server)
        server_next, server_waits = self._steps(
            self._server_way, here, server, to_server, to_client, server_moves
        )
        server_first = self.reduce and server_head != NOTHING and not server_waits
        if server_first and self._take(index, self.server, server_next):
            return
        client_next, client_waits = self._steps(
            self._client_way, here, client, to_client, to_server, client_moves
        )
        client_first = self.reduce and client_head != NOTHING and not client_waits
        if client_first and self._take(index, self.client, client_next):
            return
        if not server_first:
            self._take(index, self.server, server_next)
        if not client_first:
            self._take(index, self.client, client_next)
        stopped = server_moves.cut or client_moves.cut or server_moves.bad or client_moves.bad
        if not server_next and not client_next and not stopped:
            self._dead(index, client, server, server_waits or client_waits)

    @staticmethod
    def _steps(
        way: _Way, here: int, local: int, inbox: int, outbox: int, moves: Moves
    ) -> tuple[list[tuple[int, int]], bool]:
        """The enabled moves with the resulting situations, and whether others wait for channel space."""
        enabled = []
        waits = False
        pushed = way.outbox.pushed
        taking = here + ((way.inbox.rest[inbox] - inbox) << way.inbox_shift)
        for number, target, burst, taken in moves.steps:
            key = (taking if taken else here) + ((target - local) << way.local_shift)
            if burst:
                filled = pushed.get(burst << QUEUE_BITS | outbox)
                if filled is None:
                    filled = way.outbox.push(outbox, burst)
                if filled < 0:
                    waits = True
                    continue
                key += (filled - outbox) << way.outbox_shift
            enabled.append((number, key))
        return enabled, waits

    def _take(self, index: int, side: Side, steps: list[tuple[int, int]]) -> bool:
        """Counts, checks and queues the steps. Returns whether a target is not yet expanded."""
        known = self._index
        self.transitions += len(steps)
        numbers = [number for number, _ in steps]
        self._fired[side.actor].update(numbers)
        if side.odd and not side.odd.isdisjoint(numbers):
            for number in side.odd.intersection(numbers):
                self._say(index, side, "odd", "", side.outcomes[number])
        suffices = False
        for _, key in steps:
            seen = known.get(key)
            if seen is None:
                self._visit(key, index)
                suffices = True
            elif seen > index:
                suffices = True
        return suffices

    def _visit(self, key: int, parent: int) -> None:
        self._index[key] = len(self._order)
        self._order.append(key)
        self._parent.append(parent)

    @staticmethod
    def _pack(client: int, server: int, to_server: int, to_client: int) -> int:
        return ((client << LOCAL_BITS | server) << QUEUE_BITS | to_server) << QUEUE_BITS | to_client

    @staticmethod
    def _unpack(key: int) -> tuple[int, int, int, int]:
        mask = (1 << QUEUE_BITS) - 1
        local = key >> 2 * QUEUE_BITS
        return local >> LOCAL_BITS, local & (1 << LOCAL_BITS) - 1, key >> QUEUE_BITS & mask, key & mask

    # Queries after the search

    @property
    def situations(self) -> int:
        """The number of visited situations; they are numbered in the order of the visits, from 0."""
        return len(self._order)

    def local_of(self, side: Side, index: int) -> int:
        """The number of one machine's configuration in a situation."""
        client, server, _, _ = self._unpack(self._order[index])
        return client if side is self.client else server

    def edges(self) -> Iterator[tuple[int, int, Side, int, int]]:
        """Every transition: (source, target, side that moves, its configuration, move's number). Raises KeyError after
        a search with reduction, which has not visited every target.
        """
        for index in range(self._at):
            for side, local, number, key in self._all(self._order[index]):
                yield index, self._index[key], side, local, number

    def _all(self, here: int) -> Iterator[tuple[Side, int, int, int]]:
        """Every step from a situation: its side, its configuration, the move's number, the resulting situation."""
        client, server, to_server, to_client = self._unpack(here)
        moves = self.server.moves(server, self.to_server.head[to_server])
        for number, key in self._steps(self._server_way, here, server, to_server, to_client, moves)[0]:
            yield self.server, server, number, key
        moves = self.client.moves(client, self.to_client.head[to_client])
        for number, key in self._steps(self._client_way, here, client, to_client, to_server, moves)[0]:
            yield self.client, client, number, key

    def is_quiet(self, index: int) -> bool:
        """Whether both channels are empty in the situation with that number."""
        _, _, to_server, to_client = self._unpack(self._order[index])
        return not to_server and not to_client

    # Findings

    def _object(self, index: int, side: Side, moves: Moves, outbox: Channel, content: int) -> None:
        """Records each fault of these moves, unless its messages wait for channel space."""
        for kind, detail, outcome, burst in moves.bad:
            if not burst or outbox.push(content, burst) != NOTHING:
                self._say(index, side, kind, detail, outcome)

    def _say(self, index: int, side: Side, kind: str, detail: str, outcome: Outcome) -> None:
        """Records a fault, once for each kind, machine, state and event."""
        local = self.local_of(side, index)
        state = side.state(local)
        said = (kind, side.actor, state, outcome.event)
        if said not in self._said:
            self._said.add(said)
            trace = (*self.trace(index), side.step(local, outcome))
            self.findings.append(Finding(kind, side.actor, detail, trace, state, outcome.event, outcome.rows))

    def _ask(self, index: int, client: int, server: int) -> None:
        assert self.quiet is not None
        if ("quiet", client, server) in self._said:
            return
        self._said.add(("quiet", client, server))
        answer = self.quiet(client, server)
        if answer is not None and answer not in self._said:
            self._said.add(answer)
            kind, actor, detail = answer
            state = (self.client if actor == "client" else self.server).state(
                client if actor == "client" else server
            )
            self.findings.append(Finding(kind, actor, detail, self.trace(index), state))

    def _dead(self, index: int, client: int, server: int, waits: bool) -> None:
        """Records a situation without steps, once per pair of states, unless the session has ended."""
        names = (self.client.state(client), self.server.state(server))
        forsaken = self.server.machine.machine.session and self.client.has_terminated(client)
        ended = not waits and self.client.is_end(client) and (forsaken or self.server.is_end(server))
        kind = "standstill" if waits else "deadlock"
        if ended or (kind, *names) in self._said:
            return
        self._said.add((kind, *names))
        detail = f"client in {names[0]}, server in {names[1]}"
        self.findings.append(Finding(kind, "client", detail, self.trace(index), names[0]))

    def trace(self, index: int) -> Trace:
        """The steps by which the situation was first reached; the shortest path unless the search is reduced."""
        path = [index]
        while path[-1] != 0:
            path.append(self._parent[path[-1]])
        path.reverse()
        return tuple(self._between(self._order[at], self._order[next_]) for at, next_ in pairwise(path))

    def _between(self, before: int, after: int) -> TraceStep:
        for side, local, number, key in self._all(before):
            if key == after:
                return side.step(local, side.outcomes[number])
        raise AssertionError("the situation is not a successor of its parent")

    def _result(self, complete: bool) -> Result:
        rows: dict[str, set[int]] = {}
        reached: dict[str, set[str]] = {}
        star: dict[str, dict[tuple[str, str], bool]] = {}
        cut = 0
        for side in (self.client, self.server):
            met = side.met()
            taken = [side.outcomes[number] for number in self._fired[side.actor]]
            taken += [outcome for _, moves in met for outcome in moves.idle]
            table = side.machine.machine.transitions
            rows[side.actor] = {row for outcome in taken for row in outcome.rows}
            reached[side.actor] = {side.state(local) for local, _ in met}
            cut += sum(moves.cut for _, moves in met)
            star[side.actor] = {
                (table[row].state, table[row].event): table[row].next is not None
                for row in sorted(rows[side.actor])
                if table[row].covered_by_star and table[row].event in side.machine.messages
            }
        return Result(len(self._order), self.transitions, complete, self.findings, cut, rows, reached, star)
