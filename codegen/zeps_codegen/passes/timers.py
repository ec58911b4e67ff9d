"""Timers: resolution of their events, states and durations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol as Interface

from ..diagnostics import error
from ..ir import EventKind, Timer, Transition, Type, Variable
from ..model import Dialect, RawClass, RawState, RawTimer, fold, snake
from ..report import Report
from .events import STAR, Events
from .expressions import Scope, resolve_expression
from .inheritance import ancestors

__all__ = ["resolve_timers"]

TIMER_EVENT = error("ZC332", "a timer for an event that carries data, is not declared or is not handled")
TIMER_SINCE = error("ZC333", "a timer with an unknown start")
TIMER_TWICE = error("ZC334", "a state with two timers for one event")

_SINCE = ("entered", "sent", "received")


class _Builder(Interface):
    """The part of a machine's builder that timers need."""

    raw: RawClass
    events: Events
    variables: tuple[Variable, ...]
    constants: dict[str, int | str]
    report: Report


def resolve_timers(builder: _Builder, rows: Sequence[Transition], left_out: set[str]) -> tuple[Timer, ...]:
    """The timers of all states but those of the folded names `left_out`, in order. A state inherits its parent's
    timers, except for events with a timer of its own. Errors are reported.
    """
    by_name = {fold(state.name): state for state in builder.raw.states}
    handled = {(row.state, row.event) for row in rows}
    states: dict[Timer, list[str]] = {}
    for state in builder.raw.states:
        if fold(state.name) in left_out:
            continue
        for raw in _of_state(state, by_name, builder):
            timer = _timer(raw, builder)
            if timer is None:
                continue
            if (snake(state.name), timer.event) not in handled:
                text = f"{timer.event} is due in the state {state.name}, which has no row for it"
                builder.report.add(TIMER_EVENT, raw.place, text, attribute="event")
            states.setdefault(timer, []).append(snake(state.name))
    return tuple(replace(timer, states=tuple(names)) for timer, names in states.items())


def _of_state(state: RawState, by_name: Mapping[str, RawState], builder: _Builder) -> list[RawTimer]:
    timers: dict[str, RawTimer] = {}
    for ancestor in ancestors(state, by_name):
        own: dict[str, RawTimer] = {}
        for raw in ancestor.timers:
            event = builder.events.resolve(raw.event, raw.place, "event")
            if event in own and ancestor is state:
                text = f"the state {state.name} has two timers for {raw.event}"
                builder.report.add(TIMER_TWICE, raw.place, text, attribute="event")
            own.setdefault(event, raw)
        timers = {**own, **timers}
    return list(timers.values())


def _timer(raw: RawTimer, builder: _Builder) -> Timer | None:
    name = builder.events.resolve(raw.event, raw.place, "event")
    event = None if name == STAR else builder.events.event(name)
    if event is None or event.kind is not EventKind.HOST or event.message is not None:
        text = f"{raw.event} is not a host event without data"
        builder.report.add(TIMER_EVENT, raw.place, text, attribute="event")
        return None
    if builder.raw.dialect is Dialect.ZEPS and not builder.events.is_declared(name):
        text, hint = f"the event {raw.event} is not declared", "declare it with an <event> of the class"
        builder.report.add(TIMER_EVENT, raw.place, text, hint=hint, attribute="event")
        return None
    since = raw.since or "entered"
    if since not in _SINCE:
        text = f"since={raw.since!r} is not one of {', '.join(_SINCE)}"
        builder.report.add(TIMER_SINCE, raw.place, text, attribute="since")
        return None
    scope = Scope({variable.name: variable for variable in builder.variables}, builder.constants)
    milliseconds = resolve_expression(
        raw.milliseconds, Type.NUMBER, scope, raw.place, "milliseconds", builder.report
    )
    return None if milliseconds is None else Timer(name, milliseconds, since, ())
