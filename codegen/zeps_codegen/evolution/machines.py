"""Comparison of two versions of a machine: changes that a peer, a host or an application would notice.

States, events and variables are matched by name, and the rows of a state and event by their guard. A state accepts a
message if it has a row for it that does not come from `*`; an explicit row may later replace `*`. The actions of a host
may be added and removed, but an action that may raise an additional event means that the state may reject a message
that it accepted. A row for a new event is compatible, because no host raises it; a timer that adds an effect on the
wire is breaking. A changed duration is compatible, because durations do not affect the order of messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir import (
    Assign,
    Event,
    EventKind,
    Expression,
    Host,
    Machine,
    Protocol,
    Send,
    Step,
    Terminate,
    Timer,
    Transition,
    Type,
    Variable,
)
from ..targets.describe import show, show_step
from ..targets.operators import greatest_of
from .changes import Change, Effect, breaking, compatible
from .wire import field_changes

__all__ = ["compare_machines"]

_EFFECTS = (Send, Assign, Terminate)  # steps with an effect on the wire, now or later

ROLE_CHANGED = breaking("role-changed", "a machine has another role, or another protocol")
INITIAL_CHANGED = breaking("initial-state-changed", "the initial state of a machine changes")
STATE_REMOVED = breaking("state-removed", "a state is removed")
STATE_ADDED = compatible("state-added", "a state is added")
EVENT_REMOVED = breaking("event-removed", "an event of the host or a method is removed")
EVENT_CHANGED = breaking("event-changed", "an event carries other data, or a method has other parameters")
EVENT_ADDED = compatible("event-added", "an event or a method is added")
VARIABLE_REMOVED = breaking("variable-removed", "a variable is removed")
VARIABLE_CHANGED = breaking(
    "variable-changed", "a variable has another type, a smaller range or another initial value"
)
VARIABLE_WIDENED = compatible("variable-widened", "a variable has a larger range")
VARIABLE_ADDED = compatible("variable-added", "a variable is added")
ROW_REMOVED = breaking("event-not-accepted", "a state no longer has a row for an event that it accepted")
ROW_ADDED = compatible("event-accepted", "a state has a row for an event that it did not accept")
GUARD_CHANGED = breaking("guard-changed", "a state accepts an event under other conditions")
GUARD_WIDENED = compatible("guard-widened", "a state accepts an event under additional conditions")
ANSWER_CHANGED = breaking("answer-changed", "an event leads to other messages")
NEXT_CHANGED = breaking("next-changed", "an event leads to another state")
EFFECT_CHANGED = breaking("assignment-changed", "an event has other assignments to variables")
RAISES_MORE = breaking("action-may-raise", "an action may raise an additional event")
ACTIONS_CHANGED = compatible("actions-changed", "a machine calls other host actions")
TIMERS_CHANGED = compatible("timers-changed", "a machine has other timers")
TIMER_EFFECT_CHANGED = breaking(
    "timer-effect-changed", "a timer adds an effect on the wire, or no longer sends a message"
)

_KINDS = {EventKind.HOST: "event of the host", EventKind.METHOD: "method", EventKind.REPLY: "reply"}


def compare_machines(old: Machine, new: Machine, was: Protocol, now: Protocol) -> list[Change]:
    """Every change of behaviour from `old`, which uses the protocol `was`, to `new`, which uses `now`."""
    return [
        *_heads(old, new),
        *_events(old, new, was, now),
        *_variables(old, new),
        *_timers(old, new),
        *_states(old, new),
    ]


def _heads(old: Machine, new: Machine) -> Iterator[Change]:
    before, after = (f"{item.role.value} of {item.protocol}" for item in (old, new))
    if before != after:
        yield ROLE_CHANGED.at(old.name, f"was the {before}, is the {after}")
    if old.initial != new.initial:
        yield INITIAL_CHANGED.at(old.name, f"began in {old.initial}, begins in {new.initial}")


def _events(old: Machine, new: Machine, was: Protocol, now: Protocol) -> Iterator[Change]:
    """Changes of the host's events and of methods; messages belong to the protocol."""
    before = {item.name: item for item in old.events if item.kind is not EventKind.MESSAGE}
    after = {item.name: item for item in new.events if item.kind is not EventKind.MESSAGE}
    for name, event in before.items():
        subject = f"{old.name}: {name}"
        if name not in after:
            yield EVENT_REMOVED.at(subject, f"the {_KINDS[event.kind]} is removed")
        elif (what := _event_change(event, after[name], was, now)) is not None:
            yield EVENT_CHANGED.at(subject, what)
    for name, event in after.items():
        if name not in before:
            yield EVENT_ADDED.at(f"{old.name}: {name}", f"the {_KINDS[event.kind]} is added")


def _event_change(old: Event, new: Event, was: Protocol, now: Protocol) -> str | None:
    if old.kind is not new.kind:
        before, after = (
            f"{'an' if kind is EventKind.HOST else 'a'} {_KINDS[kind]}" for kind in (old.kind, new.kind)
        )
        return f"was {before}, is {after}"
    if old.message != new.message:
        return f"carried {old.message or 'no message'}, carries {new.message or 'no message'}"
    took, takes = ([item.name for item in event.parameters] for event in (old, new))
    if took != takes:
        return f"took ({', '.join(took)}), takes ({', '.join(takes)})"
    for parameter, other in zip(old.parameters, new.parameters, strict=True):
        changes = list(field_changes(parameter.name, parameter, other, was, now))
        if changes and changes[0].effect is Effect.BREAK:
            return f"{parameter.name} {changes[0].message}"
    return None


def _variables(old: Machine, new: Machine) -> Iterator[Change]:
    after = {item.name: item for item in new.variables}
    for variable in old.variables:
        subject = f"{old.name}: {variable.name}"
        if variable.name not in after:
            yield VARIABLE_REMOVED.at(subject, "the variable is removed")
        else:
            yield from _variable(subject, variable, after[variable.name])
    known = {item.name for item in old.variables}
    for name in after:
        if name not in known:
            yield VARIABLE_ADDED.at(f"{old.name}: {name}", "the variable is added")


def _variable(subject: str, old: Variable, new: Variable) -> Iterator[Change]:
    if old.type is not new.type:
        yield VARIABLE_CHANGED.at(subject, f"was a {old.type.value}, is a {new.type.value}")
        return
    if old.value != new.value:
        yield VARIABLE_CHANGED.at(subject, f"began with {old.value!r}, begins with {new.value!r}")
    if old.type is Type.NUMBER and old.size != new.size:
        code = VARIABLE_WIDENED if new.size > old.size else VARIABLE_CHANGED
        yield code.at(subject, f"held up to {greatest_of(old)}, holds up to {greatest_of(new)}")


def _timers(old: Machine, new: Machine) -> Iterator[Change]:
    names = dict.fromkeys(timer.event for timer in (*old.timers, *new.timers))
    for name in names:
        before, after = ([_timer(t) for t in item.timers if t.event == name] for item in (old, new))
        if before != after:
            was, now = (", ".join(texts) or "absent" for texts in (before, after))
            effects = list(_timer_effects(old, new, name))
            code = TIMER_EFFECT_CHANGED if effects else TIMERS_CHANGED
            yield code.at(f"{old.name}: {name}", "; ".join([f"was {was}, is {now}", *effects]))


def _timer_effects(old: Machine, new: Machine, event: str) -> Iterator[str]:
    """The effects on peers where `event` became due or stopped being due, in the states that both machines have."""
    timed, due = (
        {state for t in item.timers if t.event == event for state in t.states} for item in (old, new)
    )
    shared = {state.name for state in new.states}
    for state in (state.name for state in old.states if state.name in shared):
        before, after = (_rows(item, state).get(event, []) for item in (old, new))
        known = [_effects(row) for row in before]
        if state in due - timed:
            for row in after:
                steps, leads_to = _effects(row)
                if (steps or leads_to != state) and (steps, leads_to) not in known:
                    to = "" if leads_to == state else f", and enters {leads_to}"
                    yield f"in {state} the timer adds: {_listed(steps)}{to}"
        if state in timed - due:
            for row in before:
                if sent := _of(row.steps, (Send,)):
                    yield f"in {state} the timer no longer triggers: {_listed(sent)}"


def _effects(row: Transition) -> tuple[list[Step], str]:
    """The sends, assignments and terminations of a row, and the state that it leads to."""
    return _of(row.steps, _EFFECTS), row.next or row.state


def _timer(timer: Timer) -> str:
    return f"{show(timer.milliseconds)} ms since {timer.since} in {' and '.join(timer.states)}"


def _states(old: Machine, new: Machine) -> Iterator[Change]:
    names = [state.name for state in new.states]
    for state in old.states:
        if state.name in names:
            yield from _state(old, new, state.name)
        else:
            yield STATE_REMOVED.at(f"{old.name}: {state.name}", "the state is removed")
    known = {state.name for state in old.states}
    for name in names:
        if name not in known:
            yield STATE_ADDED.at(f"{old.name}: {name}", "the state is added")


def _state(old: Machine, new: Machine, state: str) -> Iterator[Change]:
    before, after = _rows(old, state), _rows(new, state)
    for event, rows in before.items():
        subject = f"{old.name}: {state}.{event}"
        yield from _event(subject, rows, after.get(event, []))
    known = {item.name for item in old.events}
    for event, rows in after.items():
        if event not in before and not (event not in known and rows[0].covered_by_star):
            yield ROW_ADDED.at(f"{old.name}: {state}.{event}", "the state now has a row for it")


def _rows(machine: Machine, state: str) -> dict[str, list[Transition]]:
    by_event: dict[str, list[Transition]] = {}
    for row in machine.transitions:
        if row.state == state:
            by_event.setdefault(row.event, []).append(row)
    return by_event


def _event(subject: str, old: Sequence[Transition], new: Sequence[Transition]) -> Iterator[Change]:
    """Compares the rows of one state and event, of which the first with a true guard is taken."""
    before, after = _own(old), _own(new)
    if not new:
        yield ROW_REMOVED.at(subject, "no row handles it")
    elif before and after:
        yield from _pairs(subject, before, after)
        yield from _star(subject, old, new)
    elif not before and not after:
        yield from _row(subject, old[0], new[0])
    elif _shape(old) == _shape(new):
        return
    elif before:
        yield ROW_REMOVED.at(subject, "only `*` handles it")
    else:
        yield ROW_ADDED.at(subject, "an explicit row handles it instead of `*`")


def _star(subject: str, old: Sequence[Transition], new: Sequence[Transition]) -> Iterator[Change]:
    """Compares the behaviour of `*` if no guard is true."""
    before, after = old[-1], new[-1]
    if before.covered_by_star and after.covered_by_star:
        yield from _row(f"{subject} [no guard is true]", before, after)
    elif before.covered_by_star and after.guard is not None:
        yield ROW_REMOVED.at(subject, "no row handles it if no guard is true")
    elif after.covered_by_star and before.guard is not None:
        yield GUARD_WIDENED.at(subject, "`*` handles it if no guard is true")


def _own(rows: Sequence[Transition]) -> list[Transition]:
    return [row for row in rows if not row.covered_by_star]


def _shape(rows: Sequence[Transition]) -> list[tuple[object, ...]]:
    return [(row.guard, row.steps, row.next, row.before_at) for row in rows]


def _pairs(subject: str, old: Sequence[Transition], new: Sequence[Transition]) -> Iterator[Change]:
    before, after = ([row.guard for row in rows] for rows in (old, new))
    shared = [guard for guard in before if guard in after]
    if len(old) == len(new) == 1 and before[0] is not None and after[0] is None:
        yield GUARD_WIDENED.at(subject, f"the guard was {_guard(before[0])}, is removed")
        yield from _row(subject, old[0], new[0])
        return
    if shared != before or shared != [guard for guard in after if guard in before]:
        yield GUARD_CHANGED.at(subject, f"the guard was {_guards(before)}, is {_guards(after)}")
        return
    if after[: len(before)] != before:
        yield GUARD_CHANGED.at(subject, f"the first guards were {_guards(before)}, are {_guards(after)}")
        return
    if len(after) > len(before) and before[-1] is not None:
        yield GUARD_WIDENED.at(subject, f"additional guards: {_guards(after[len(before) :])}")
    for row, other in zip(old, new[: len(old)], strict=True):
        guard = f" [{_guard(row.guard)}]" if row.guard is not None else ""
        yield from _row(f"{subject}{guard}", row, other)


def _guards(guards: Sequence[Expression | None]) -> str:
    return ", then ".join(map(_guard, guards))


def _guard(guard: Expression | None) -> str:
    return "always true" if guard is None else show(guard)


def _row(subject: str, old: Transition, new: Transition) -> Iterator[Change]:
    """Compares two rows with the same guard."""
    if (old.next or old.state) != (new.next or new.state):
        yield NEXT_CHANGED.at(subject, f"led to {old.next or old.state}, leads to {new.next or new.state}")
    before, after = _of(old.steps, _EFFECTS), _of(new.steps, _EFFECTS)
    answers = _of(before, (Send, Terminate)) != _of(after, (Send, Terminate))
    if before != after:
        code = ANSWER_CHANGED if answers else EFFECT_CHANGED
        yield code.at(subject, f"was {_listed(before)}, is {_listed(after)}")
    raised, raises = _raises(old.steps), _raises(new.steps)
    if raises - raised:
        yield RAISES_MORE.at(subject, f"may raise {', '.join(sorted(raises - raised))}")
    if _of(old.steps, (Host,)) != _of(new.steps, (Host,)) and raises <= raised:
        before, after = _of(old.steps, (Host,)), _of(new.steps, (Host,))
        yield ACTIONS_CHANGED.at(subject, f"was {_listed(before)}, is {_listed(after)}")


def _of(steps: Sequence[Step], kinds: tuple[type[Step], ...]) -> list[Step]:
    return [step for step in steps if isinstance(step, kinds)]


def _listed(steps: Sequence[Step]) -> str:
    return "; ".join(map(show_step, steps)) or "absent"


def _raises(steps: Sequence[Step]) -> set[str]:
    return {name for step in steps if isinstance(step, Host) for name in step.events}
