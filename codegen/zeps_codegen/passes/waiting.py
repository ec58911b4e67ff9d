"""Who waits for ever: situations in which only a timer helps, and those in which not even a timer does.

A deadlock in which nothing at all can happen is rare when a user may call at any time. The commoner fault is
that *one* machine waits for a message that its peer will never send, and sits there until a timer gives up
for it. So the timers are taken away, and for each machine the question is whether, from every situation that
can be reached, a future exists in which it leaves the state that it is in (AG EF in temporal logic). A state
that no row leaves at all, or only timers' rows, is an end, and may be stayed in. So is having terminated. And
a machine whose peer has terminated, and that stands where it began with nothing to do but listen, waits for
nobody: there is no conversation that could be stuck. Nor does a session of a server whose client has terminated.

A peer's host may happen to bring such a future: a broker that shuts down frees everybody. So the question is
asked a second time for states with a timer that gives up, which says that an answer is expected: without what
the peer's host brings unasked. Calls of the peer's application still count, since a server waits for those.

Only situations with nothing on its way are reported, so that two full channels, which a larger bound or a
host that does not block would empty, accuse nobody. A future that needs more than the limit of a number is
not seen.

The opposite case is a peer that has vanished. Then only timers are left, and from each configuration that was
reached they have to bring the machine back to its initial state, or to an end. This is asked of machines that
have timers which give up.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from ..ir import EventKind
from .composition import Explorer, Finding
from .sides import Side

__all__ = ["find_orphans", "find_waiting"]


@dataclass(slots=True)
class _Edges:
    """Every transition; `unasked` holds the actor if its host brought it, of its own accord, otherwise
    ``""``."""

    sources: array[int] = field(default_factory=lambda: array("l"))
    targets: array[int] = field(default_factory=lambda: array("l"))
    unasked: list[str] = field(default_factory=list)


def find_waiting(explorer: Explorer) -> list[Finding]:
    """One finding for each state in which a machine can be left waiting. `explorer` has run, unreduced.

    The kind is `waiting`, or `unanswered` if only what the peer's host may bring unasked would help.
    """
    if explorer.reduce:
        raise ValueError("the reduction drops futures: explore without it")
    edges = _edges(explorer)
    found = []
    for side, peer in ((explorer.client, explorer.server), (explorer.server, explorer.client)):
        stuck = _waiting(explorer, side, peer, edges, peers_host=True)
        doubtful = _waiting(explorer, side, peer, edges, peers_host=False)
        expecting = _left_by_timers(side)
        found += [
            Finding("waiting", side.actor, "", explorer.trace(at), state) for state, at in stuck.items()
        ]
        found += [
            Finding("unanswered", side.actor, "", explorer.trace(at), state)
            for state, at in doubtful.items()
            if state in expecting and state not in stuck
        ]
    return found


def _edges(explorer: Explorer) -> _Edges:
    edges = _Edges()
    for source, target, side, local, number in explorer.edges():
        edges.sources.append(source)
        edges.targets.append(target)
        edges.unasked.append(side.actor if _is_unasked(side, local, number) else "")
    return edges


def _is_unasked(side: Side, local: int, number: int) -> bool:
    """Whether the host brings it of its own accord; in a state that waits for the host, it is asked to."""
    outcome = side.outcomes[number]
    event = side.machine.abstraction.event(side.machine.machine, outcome.event)
    return event is not None and event.kind is EventKind.HOST and side.machine.listens(side.locals[local][0])


def _left_by_timers(side: Side) -> set[str]:
    timers = side.machine.regime.timers
    rows = side.machine.machine.transitions
    return {row.state for row in rows if row.next not in (None, row.state) and row.event in timers}


def _waiting(
    explorer: Explorer, side: Side, peer: Side, edges: _Edges, *, peers_host: bool
) -> dict[str, int]:
    """The states in which the machine can be left, each with the first situation that shows it."""
    locals_ = [explorer.local_of(side, index) for index in range(explorer.situations)]
    states = [side.state(local) for local in locals_]
    session = side.machine.machine.session
    hopeful = bytearray(
        side.is_end(local)
        or (peer.has_terminated(explorer.local_of(peer, index)) and (session or side.is_at_rest(local)))
        for index, local in enumerate(locals_)
    )
    before: list[list[int]] = [[] for _ in states]
    for source, target, unasked in zip(edges.sources, edges.targets, edges.unasked, strict=True):
        if unasked in ("", side.actor) or peers_host:
            before[target].append(source)
            if states[source] != states[target]:
                hopeful[source] = 1
    open_ = [index for index, hope in enumerate(hopeful) if hope]
    while open_:
        for source in before[open_.pop()]:
            if not hopeful[source]:
                hopeful[source] = 1
                open_.append(source)
    found: dict[str, int] = {}
    for index, state in enumerate(states):
        if not hopeful[index] and explorer.is_quiet(index):
            found.setdefault(state, index)
    return found


def find_orphans(explorer: Explorer) -> list[Finding]:
    """One finding for each state from which timers alone do not bring a machine back. `explorer` has run."""
    return [
        Finding("orphan", side.actor, "", explorer.trace(at), state)
        for side in (explorer.client, explorer.server)
        if _left_by_timers(side)
        for state, at in _orphans(explorer, side).items()
    ]


def _orphans(explorer: Explorer, side: Side) -> dict[str, int]:
    home = side.state(side.initial)
    lost = {local for local, _ in side.met() if not _comes_home(side, local, home)}
    found: dict[str, int] = {}
    for index in range(explorer.situations) if lost else ():
        local = explorer.local_of(side, index)
        if local in lost:
            found.setdefault(side.state(local), index)
    return found


def _comes_home(side: Side, local: int, home: str) -> bool:
    start = side.locals[local][0]
    seen, open_ = {start}, [start]
    while open_:
        at = open_.pop()
        if at.terminated or at.state == home or side.is_end_state(at.state):
            return True
        for outcome in side.machine.act(at):
            target = outcome.target
            alone = outcome.event in side.machine.regime.timers or not side.machine.listens(at)
            if alone and target is not None and target not in seen:
                seen.add(target)
                open_.append(target)
    return False
