"""Who waits for ever: situations in which only a timer helps.

A deadlock in which nothing at all can happen is rare when a user may call at any time. The commoner fault is
that *one* machine waits for a message that its peer will never send, and sits there until a timer gives up
for it. So the timers are taken away, and for each machine the question is whether, from every situation that
can be reached, a future exists in which it leaves the state that it is in (AG EF in temporal logic). A state
that no row leaves at all, or only timers' rows, is an end, and may be stayed in. So is having terminated. And a
machine whose peer has terminated, and that stands where it began with nothing to do but listen, waits for
nobody: there is no conversation that could be stuck.

Only situations with nothing on its way are reported, so that two full channels, which a larger bound or a
host that does not block would empty, accuse nobody. A future that needs more than the limit of a number is
not seen.
"""

from __future__ import annotations

from array import array

from .composition import Explorer, Finding
from .sides import Side

__all__ = ["find_waiting"]


def find_waiting(explorer: Explorer) -> list[Finding]:
    """One finding for each state in which a machine can be left waiting. `explorer` has run, unreduced."""
    if explorer.reduce:
        raise ValueError("the reduction drops futures: explore without it")
    sources, targets = array("l"), array("l")
    for source, target in explorer.edges():
        sources.append(source)
        targets.append(target)
    return [
        finding
        for side, peer in ((explorer.client, explorer.server), (explorer.server, explorer.client))
        for finding in _waiting(explorer, side, peer, sources, targets)
    ]


def _waiting(
    explorer: Explorer, side: Side, peer: Side, sources: array[int], targets: array[int]
) -> list[Finding]:
    locals_ = [explorer.local_of(side, index) for index in range(explorer.situations)]
    states = [side.state(local) for local in locals_]
    hopeful = bytearray(
        side.is_end(local) or (peer.has_terminated(explorer.local_of(peer, index)) and side.is_at_rest(local))
        for index, local in enumerate(locals_)
    )
    before: list[list[int]] = [[] for _ in states]
    for source, target in zip(sources, targets, strict=True):
        before[target].append(source)
        if states[source] != states[target]:
            hopeful[source] = 1
    open_ = [index for index, hope in enumerate(hopeful) if hope]
    while open_:
        for source in before[open_.pop()]:
            if not hopeful[source]:
                hopeful[source] = 1
                open_.append(source)
    found: dict[str, Finding] = {}
    for index, state in enumerate(states):
        if not hopeful[index] and state not in found and explorer.is_quiet(index):
            found[state] = Finding("waiting", side.actor, "", explorer.trace(index), state)
    return list(found.values())
