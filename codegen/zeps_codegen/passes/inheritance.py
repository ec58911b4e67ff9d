"""Inheritance: a state has its own rows, and the rows of its superstates for all other events, recursively, but not
their `before` and `after`. Models for which zproto's single pass in document order differs are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..diagnostics import error, warning
from ..model import RawEvent, RawState, fold, snake
from ..report import Report

__all__ = ["Inherited", "ancestors", "check_orders", "flatten"]

UNKNOWN_PARENT = error("ZC304", "a state that inherits from an unknown state")
CYCLE = error("ZC305", "a state that inherits from itself")
ORDERS_DIFFER = warning("ZC306", "inheritance that zproto's single pass resolves differently")


@dataclass(frozen=True, slots=True)
class Inherited:
    """A row of a state, and the name of the superstate that it is inherited from, None if it is the state's own."""

    event: RawEvent
    origin: str | None = None


Key = Callable[[RawEvent], str]


def flatten(states: tuple[RawState, ...], key: Key, report: Report) -> dict[str, tuple[Inherited, ...]]:
    """Each state's rows by its folded name, with inherited ones. Unknown parents and circles are reported."""
    by_name = {fold(state.name): state for state in states}
    rows: dict[str, tuple[Inherited, ...]] = {}
    for state in states:
        if fold(state.name) not in rows:
            rows[fold(state.name)] = _rows(state, by_name, key, report)
    return rows


def _rows(
    state: RawState, by_name: Mapping[str, RawState], key: Key, report: Report
) -> tuple[Inherited, ...]:
    rows = [Inherited(event) for event in state.events]
    heirs = {fold(state.name): state}
    heir = state
    while heir.inherit:
        parent = by_name.get(fold(heir.inherit))
        if parent is None:
            message = f"{heir.name} inherits from {heir.inherit!r}, which is not a state"
            report.add(UNKNOWN_PARENT, heir.place, message, attribute="inherit")
            break
        if fold(parent.name) in heirs:
            message = f"{heir.name} inherits from itself through {parent.name}"
            report.add(CYCLE, heir.place, message, attribute="inherit")
            break
        named = {key(row.event) for row in rows}
        origin = snake(parent.name)
        rows += [Inherited(event, origin) for event in parent.events if key(event) not in named]
        heirs[fold(parent.name)] = heir = parent
    return tuple(rows)


def ancestors(state: RawState, by_name: Mapping[str, RawState]) -> list[RawState]:
    """The state, its parent, its grandparent and so on, each once."""
    chain = [state]
    while chain[-1].inherit and (parent := by_name.get(fold(chain[-1].inherit))) and parent not in chain:
        chain.append(parent)
    return chain


def check_orders(
    states: tuple[RawState, ...], rows: Mapping[str, tuple[Inherited, ...]], key: Key, report: Report
) -> None:
    """Reports each state for which a single pass in document order inherits fewer events than recursion."""
    single: dict[str, list[RawEvent]] = {fold(state.name): list(state.events) for state in states}
    if len(single) < len(states):
        return  # two states with one name: reported already
    for state in states:
        if not state.inherit or fold(state.inherit) not in single:
            continue
        mine = single[fold(state.name)]
        named = {key(event) for event in mine}
        mine.extend(event for event in single[fold(state.inherit)] if key(event) not in named)
    for state in states:
        lost = {key(row.event): row.event for row in rows[fold(state.name)]}
        for event in single[fold(state.name)]:
            lost.pop(key(event), None)
        if lost:
            names = ", ".join(event.name for event in lost.values())
            message = f"{state.name} inherits {names} only if inheritance is recursive"
            hint = f"move the state {state.inherit} after its own parent"
            report.add(ORDERS_DIFFER, state.place, message, hint=hint, attribute="inherit")
