"""Equivalence of two machines, by the product of their states.

Starting from both initial states, every reachable pair of states is compared, event by event: the same guards in the
same order, the same host actions and messages, the same values of the variables that are still read, and next states
that are again such a pair. Then the machines are bisimilar, for a host with these properties:

- It raises internal events only as failures of host actions.
- A *quiet* action never fails, and has no effect on the wire before another event of the session. It closes the
  session's stream: without one it has no effect.
- A *passive* action may fail, but neither sends nor reads variables. Any other action may raise events at once.
- It raises its own events, except those that it raises *always*, only in a session that has a stream.
- It treats an event for which no row is taken in one way, whatever the reason.
- An *opening* action opens a stream, unless it fails; the same at once again has no effect. After the *stop* event it
  fails with an event that it may raise. So a quiet action then has no effect on the wire, except on the time at which
  the host exits.

The comparison of guards and values is that of their text, so that a proof is certain, and some proofs are missed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["HostProperties", "bisimilar"]

Tree = Mapping[str, Any]
Row = Mapping[str, Any]
_Pair = tuple[str, str, str | None, bool, tuple[bool, bool]]
"""A state of each machine, the event that is raised in them (None: any), whether the stop event has been raised, and
whether each session has a stream.
"""


@dataclass(frozen=True)
class HostProperties:
    """Names of host actions and events with the properties that the module's text defines; `stop` is an event."""

    quiet: frozenset[str] = frozenset()
    passive: frozenset[str] = frozenset()
    opening: frozenset[str] = frozenset()
    stop: str | None = None
    always: frozenset[str] = frozenset()


@dataclass
class _Exit:
    """A point at which other rows may run: the state, the event that is raised (None: any), and the variables."""

    state: str
    event: str | None
    values: dict[str, Tree]
    has_stream: bool


@dataclass
class _Effect:
    """A row: what it does, in order, and where others continue; the last exit is its end."""

    outputs: list[Any] = field(default_factory=list)
    exits: list[_Exit] = field(default_factory=list)


def bisimilar(original: Mapping[str, Any], changed: Mapping[str, Any], host: HostProperties) -> bool:
    """Returns whether two machines, parsed JSON of the model, are proved equivalent."""
    machines = [_Machine(raw, host) for raw in (original, changed)]
    if json.dumps(original["variables"]) != json.dumps(changed["variables"]):
        differing = _differing(original["variables"], changed["variables"])
        if differing & (machines[0].live[machines[0].start] | machines[1].live[machines[1].start]):
            return False
    pending: list[_Pair] = [(machines[0].start, machines[1].start, None, False, (False, False))]
    known = set(pending)
    while pending:
        first, second, event, stopped, streams = pending.pop()
        for name in [event] if event is not None else machines[0].external | machines[1].external:
            followers = _compare(machines, (first, second), name, stopped or name == host.stop, streams)
            if followers is None:
                return False
            fresh = [follower for follower in followers if follower not in known]
            known.update(fresh)
            pending += fresh
    return True


def _differing(variables: Sequence[Mapping[str, Any]], changed: Sequence[Mapping[str, Any]]) -> set[str]:
    return {a["name"] for a, b in zip(variables, changed, strict=True) if a != b}


def _compare(
    machines: Sequence[_Machine],
    states: tuple[str, str],
    event: str,
    stopped: bool,
    streams: tuple[bool, bool],
) -> list[_Pair] | None:
    """Compares the rows of an event in a pair of states. Returns the pairs that follow, or None for a difference."""
    rows = [machine.rows(state, event) for machine, state in zip(machines, states, strict=True)]
    if streams[0] != streams[1] and machines[0].needs_stream(event) and any(rows):
        return None
    if [_key(row["guard"]) for row in rows[0]] != [_key(row["guard"]) for row in rows[1]]:
        return None
    followers: list[_Pair] = []
    for pair in zip(*rows, strict=True):
        effects = [
            machine.effect(row, stopped, has)
            for machine, row, has in zip(machines, pair, streams, strict=True)
        ]
        if effects[0].outputs != effects[1].outputs:
            return None
        for a, b in zip(effects[0].exits, effects[1].exits, strict=True):
            if a.event != b.event or (a.has_stream != b.has_stream and not stopped):
                return None
            live = machines[0].live[a.state] | machines[1].live[b.state]
            if any(_key(a.values.get(name)) != _key(b.values.get(name)) for name in live):
                return None
            followers.append((a.state, b.state, a.event, stopped, (a.has_stream, b.has_stream)))
    return followers


class _Machine:
    def __init__(self, raw: Mapping[str, Any], host: HostProperties) -> None:
        self._host = host
        self._rows: dict[tuple[str, str], list[Row]] = {}
        for row in raw["transitions"]:
            self._rows.setdefault((row["state"], row["event"]), []).append(row)
        internal = set(raw.get("internal", ()))
        self.start: str = raw["states"][0]["name"]
        self.external = {event["name"] for event in raw["events"]} - internal
        self._own = {event["name"] for event in raw["events"] if event["kind"] == "host"}
        self._variables = {variable["name"] for variable in raw["variables"]}
        self.live: dict[str, set[str]] = {state["name"]: set() for state in raw["states"]}
        self._find_live()

    def needs_stream(self, event: str) -> bool:
        """Returns whether the host raises the event only in a session that has a stream."""
        return event in self._own and event not in self._host.always

    def rows(self, state: str, event: str) -> list[Row]:
        """Returns the rows that can be taken, in order."""
        rows: list[Row] = []
        for row in self._rows.get((state, event), ()):
            guard = row["guard"]
            if _key(guard) not in [_key(other["guard"]) for other in rows]:
                rows.append(row)
            if guard is None:
                break
        return rows

    def effect(self, row: Row, stopped: bool = False, has_stream: bool = True) -> _Effect:
        """Returns what a row does, after the stop event if `stopped`, in a session that may have a stream."""
        effect, state = _Effect(), str(row["state"])
        values: dict[str, Tree] = {name: _variable(name) for name in self._variables}
        steps, split, moves = row["steps"], row["before_at"], row["next"] is not None
        for index, step in enumerate(steps):
            state = row["next"] if moves and index == split else state
            if step["kind"] == "send":
                fields = [[name, _replaced(tree, values)] for name, tree in step["fields"]]
                effect.outputs.append(_key({**step, "fields": fields, "read_as": None}))
            elif step["kind"] == "assign":
                values[step["variable"]] = _replaced(step["value"], values)
            elif step["kind"] == "host" and step["name"] in self._host.quiet:
                if has_stream and not stopped:
                    _put_quiet(effect.outputs, step["name"])
                has_stream = False
            elif index == 0 or step != steps[index - 1] or step.get("name") not in self._host.opening:
                fails = stopped and step.get("name") in self._host.opening
                effect.outputs.append(_key({**step, "has_stream": has_stream and not fails}))
                effect.exits += [
                    _Exit(state, event, dict(values), has_stream) for event in step.get("raises", ())
                ]
                if fails and step.get("raises"):
                    return effect
                has_stream = has_stream or step.get("name") in self._host.opening
                if step.get("name") not in self._host.passive:
                    effect.exits.append(_Exit(state, None, dict(values), has_stream))
                    values = {name: _variable(f"{name} after {index}") for name in self._variables}
        state = row["next"] if moves else state
        effect.exits.append(_Exit(state, None, values, has_stream))
        return effect

    def _find_live(self) -> None:
        """Finds the variables that are read in each state, or later, before they are assigned."""
        grown = True
        while grown:
            grown = False
            for (state, _), rows in self._rows.items():
                read = set().union(*(self._read(row) for row in rows)) - self.live[state]
                if read:
                    self.live[state] |= read
                    grown = True

    def _read(self, row: Row) -> set[str]:
        effect = self.effect(row)
        read = set(_names(row["guard"]))
        for output in effect.outputs:
            read.update(_names(json.loads(output)) if isinstance(output, str) else ())
        for leaving in effect.exits:
            for name in self.live[leaving.state]:
                read.update(_names(leaving.values[name]))
        return read & self._variables


def _put_quiet(outputs: list[Any], name: str) -> None:
    """Puts a quiet action before the messages that precede it, with which it can be exchanged."""
    at = len(outputs)
    while at and isinstance(outputs[at - 1], str) and json.loads(outputs[at - 1])["kind"] == "send":
        at -= 1
    if at == 0 or outputs[at - 1] != (name,):  # a second time has no effect
        outputs.insert(at, (name,))


def _variable(name: str) -> Tree:
    return {"kind": "name", "name": name, "scope": "variable"}


def _key(tree: Any) -> str:
    return json.dumps(tree, sort_keys=True)


def _replaced(tree: Tree, values: Mapping[str, Tree]) -> Tree:
    """Returns an expression in terms of the variables at the row's beginning."""
    if tree["kind"] == "name" and tree["scope"] == "variable":
        return values[tree["name"]]
    inner = {name: _replaced(tree[name], values) for name in ("left", "right", "operand") if name in tree}
    return {**tree, **inner}


def _names(tree: Any) -> Iterator[str]:
    """Yields the variables that an expression, or a step, reads."""
    if isinstance(tree, Mapping):
        if tree.get("kind") == "name" and tree.get("scope") == "variable":
            yield tree["name"]
        for value in tree.values():
            yield from _names(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _names(value)
