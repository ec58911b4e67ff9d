"""Machines that wait for ever: situations in which only a timer, or not even a timer, helps.

A deadlock, in which no step is possible, is rare if an application may call at any time. A more common fault is that
*one* machine waits for a message that its peer will never send, until a timer gives up. So the timers are removed, and
for each machine the question is whether, from every reachable situation, a future exists in which it leaves its state
(AG EF in temporal logic). A state that no row leaves, or only rows of timers, is an end state, in which a machine may
stay. The same applies to a machine that has terminated, to a machine in its initial state that only listens and whose
peer has terminated, and to a server's session whose client has terminated: no conversation is stuck there.

The peer's host may happen to provide such a future: a broker that shuts down frees every client. So the question is
asked a second time, without events that the peer's host raises unasked, for states with a timer that gives up (such a
timer shows that an answer is expected). Calls of the peer's application still count, since a server waits for those.

Only situations without messages in transit are reported, so that two full channels, which a larger bound or a host
that does not block would empty, are not reported. A future that needs a number beyond its limit is not found.

The opposite case is a peer that has vanished. Then only timers are left, and from each reached configuration they must
return the machine to its initial state, or to an end state. This is checked for machines with timers that give up.
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
    """Every transition; `unasked` is the actor if its host raised the event of its own accord, otherwise ``""``."""

    sources: array[int] = field(default_factory=lambda: array("l"))
    targets: array[int] = field(default_factory=lambda: array("l"))
    unasked: list[str] = field(default_factory=list)


def find_waiting(explorer: Explorer) -> list[Finding]:
    """One finding for each state in which a machine can wait for ever: `waiting`, or `unanswered` if only an event that
    the peer's host raises unasked would help. Raises ValueError after a search with reduction.
    """
    if explorer.reduce:
        raise ValueError("the reduction drops futures: use an explorer with reduce=False")
    edges = _edges(explorer)
    findings = []
    for side, peer in ((explorer.client, explorer.server), (explorer.server, explorer.client)):
        stuck = _waiting(explorer, side, peer, edges, peers_host=True)
        doubtful = _waiting(explorer, side, peer, edges, peers_host=False)
        expecting = _left_by_timers(side)
        findings += [
            Finding("waiting", side.actor, "", explorer.trace(at), state) for state, at in stuck.items()
        ]
        findings += [
            Finding("unanswered", side.actor, "", explorer.trace(at), state)
            for state, at in doubtful.items()
            if state in expecting and state not in stuck
        ]
    return findings


def _edges(explorer: Explorer) -> _Edges:
    edges = _Edges()
    for source, target, side, local, number in explorer.edges():
        edges.sources.append(source)
        edges.targets.append(target)
        edges.unasked.append(side.actor if _is_unasked(side, local, number) else "")
    return edges


def _is_unasked(side: Side, local: int, number: int) -> bool:
    """Whether the host raises the event of its own accord; in a state that waits for the host, it does not."""
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
    """The states in which the machine can wait for ever, each with the number of the first situation that shows it."""
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
    first: dict[str, int] = {}
    for index, state in enumerate(states):
        if not hopeful[index] and explorer.is_quiet(index):
            first.setdefault(state, index)
    return first


def find_orphans(explorer: Explorer) -> list[Finding]:
    """One finding for each state from which timers do not return a machine to its initial state. `explorer` has run."""
    return [
        Finding("orphan", side.actor, "", explorer.trace(at), state)
        for side in (explorer.client, explorer.server)
        if _left_by_timers(side)
        for state, at in _orphans(explorer, side).items()
    ]


def _orphans(explorer: Explorer, side: Side) -> dict[str, int]:
    home = side.state(side.initial)
    lost = {local for local, _ in side.met() if not _comes_home(side, local, home)}
    first: dict[str, int] = {}
    for index in range(explorer.situations) if lost else ():
        local = explorer.local_of(side, index)
        if local in lost:
            first.setdefault(side.state(local), index)
    return first


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
