"""Coverage: unreachable states, unhandled messages, rows that are never taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..diagnostics import Location, Severity, remark, warning
from ..ir import EventKind, Host, Machine, Protocol, Send, Transition
from ..model import Dialect, RawClass, fold
from ..reach import reachable
from ..report import Place, Report

__all__ = ["check_coverage", "check_messages_used", "reached_states"]

UNREACHABLE = warning("ZC322", "an unreachable state")
UNHANDLED = warning("ZC323", "messages that a state does not handle")
NEVER_USED = warning("ZC324", "a message that no machine of its protocol sends or handles")
SHADOWED = warning("ZC325", "a row after a row without a guard")
NO_ELSE = remark("ZC326", "a host event or method of which all rows have guards")
NO_ELSE_MESSAGE = warning("ZC327", "a message of which all rows have guards, in a state without `*`")
NEVER_HANDLED = warning("ZC328", "a declared event or method that no state handles")


def reached_states(initial: str, edges: Iterable[tuple[str, str | None]]) -> set[str]:
    """The states that can be reached from `initial`, including it; `edges` are (state, next state or None)."""
    following: dict[str, list[str]] = {}
    for state, target in edges:
        if target is not None:
            following.setdefault(state, []).append(target)
    return reachable([initial], lambda state: following.get(state, ()))


def check_coverage(
    machine: Machine,
    raw: RawClass,
    sent_by_peer: frozenset[str] | None,
    places: Mapping[str, Location],
    report: Report,
) -> None:
    """Reports unreachable states, unhandled messages and events, and rows that are never taken or lack an else branch.
    `sent_by_peer` are the messages that the peer sends, None if the session grammar has no roles.
    """
    if not machine.states:
        return
    by_state: dict[str, dict[int, Transition]] = {state.name: {} for state in machine.states}
    for index, transition in enumerate(machine.transitions):
        by_state[transition.state][index] = transition
    reached = reached_states(machine.initial, ((row.state, row.next) for row in machine.transitions))
    for state in machine.states:
        place = _place(places, f"state:{machine.name}.{state.name}")
        if state.name not in reached:
            report.add(UNREACHABLE, place, f"the state {state.name} is unreachable")
        _check_unhandled(machine, raw, state.name, by_state[state.name].values(), sent_by_peer, place, report)
        _check_rows(machine, state.name, by_state[state.name], places, report)
    handled = {row.event for row in machine.transitions}
    raised = {name for step in machine.steps(Host) for name in step.events}
    for event in machine.events:
        declared = event.kind is not EventKind.MESSAGE and event.name not in handled | raised
        if declared and raw.dialect is Dialect.ZEPS:
            place = _place(
                places, f"event:{machine.name}.{event.name}", f"method:{machine.name}.{event.name}"
            )
            report.add(NEVER_HANDLED, place, f"no state handles the event {event.name}")


def _check_unhandled(
    machine: Machine,
    raw: RawClass,
    state: str,
    rows: Iterable[Transition],
    sent_by_peer: frozenset[str] | None,
    place: Place,
    report: Report,
) -> None:
    messages = [event.name for event in machine.events if event.kind is EventKind.MESSAGE]
    handled = {row.event for row in rows}
    missing = [name for name in messages if name not in handled]
    if not missing:
        return
    if len(missing) == len(messages) and raw.dialect is not Dialect.ZEPS:
        return  # zproto leaves messages in the mailbox while a state waits for internal events only
    from_peer = [name for name in missing if sent_by_peer is None or name in sent_by_peer]
    names = ", ".join(from_peer or missing)
    text = f"the state {state} does not handle {names}, and has no `*`"
    if from_peer:
        report.add(UNHANDLED, place, text, hint='add an <event name="*"> for all other messages')
    else:
        report.add(UNHANDLED, place, f"{text}; the peer does not send them", severity=Severity.INFO)


def _check_rows(
    machine: Machine,
    state: str,
    rows: Mapping[int, Transition],
    places: Mapping[str, Location],
    report: Report,
) -> None:
    """Checks the rows of one state, by index: of the rows of each event the last, and no other, has no guard."""
    kinds = {event.name: event.kind for event in machine.events}
    last: dict[str, int] = {}
    for index, row in rows.items():
        if row.event in last and rows[last[row.event]].guard is None:
            place = _place(places, f"transition:{machine.name}.{index}")
            text = f"this row of {row.event} in the state {state} is never taken: an earlier row has no guard"
            report.add(SHADOWED, place, text)
        else:
            last[row.event] = index
    for event, index in last.items():
        if rows[index].guard is None:
            continue
        place = _place(places, f"transition:{machine.name}.{index}")
        if kinds[event] is EventKind.MESSAGE:
            text = f"{event} is ignored in the state {state} if no guard is true"
            report.add(NO_ELSE_MESSAGE, place, text, hint="add a row without a guard, or `*`")
        else:
            report.add(NO_ELSE, place, f"{event} is ignored in the state {state} if no guard is true")


def check_messages_used(
    protocol: Protocol,
    machines: Iterable[tuple[Machine, RawClass]],
    places: Mapping[str, Location],
    report: Report,
) -> None:
    """Reports each message that no machine sends, handles by name or has in its API. Needs a client and a server."""
    used: set[str] = set()
    roles: set[str] = set()
    for machine, raw in machines:
        roles.add(machine.role.value)
        for row in machine.transitions:
            if not row.covered_by_star:
                used.add(fold(row.event))
        used.update(fold(step.message) for step in machine.steps(Send))
        used.update(
            fold(event.message) for event in machine.events if event.message and event.name != event.message
        )
        used.update(fold(name) for name, _ in raw.receives)
    if roles != {"client", "server"}:
        return
    for message in protocol.current:
        if fold(message.name) not in used:
            place = _place(places, f"message:{protocol.name}.{message.name}")
            report.add(NEVER_USED, place, f"no machine of {protocol.name} sends or handles {message.name}")


def _place(places: Mapping[str, Location], *keys: str) -> Place:
    for key in keys:
        if key in places:
            return Place(places[key].file, places[key].line)
    return Place("")
