"""Two versions of a machine: what a peer on the wire would notice, and what a host or an application would.

States, events and variables are followed by name, and the rows of a state and event by their guard. A state
accepts a message if it has a row for it that is not made of `*`; what only `*` took may be taken by a row of
its own later, since nobody could count on being refused. What a host does in its actions is its own business:
actions may come and go, but one that may newly raise an event is a state that may refuse what it accepted.

A host raises no event that it does not know, so a row for a new event is compatible; a timer raises it by itself.
Durations are not part of the order of messages: another one is compatible.
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
from .changes import Change, Effect, define
from .wire import field_changes

__all__ = ["compare_machines"]

_BREAK, _COMPATIBLE = Effect.BREAK, Effect.COMPATIBLE
_EFFECTS = (Send, Assign, Terminate)  # what shows on the wire, sooner or later

ROLE_CHANGED = define("role-changed", _BREAK, "a machine is of the other side, or speaks another protocol")
INITIAL_CHANGED = define("initial-state-changed", _BREAK, "a machine begins in another state")
STATE_REMOVED = define("state-removed", _BREAK, "a state is gone")
STATE_ADDED = define("state-added", _COMPATIBLE, "a state is new")
EVENT_REMOVED = define("event-removed", _BREAK, "an event of the host or a method is gone")
EVENT_CHANGED = define(
    "event-changed", _BREAK, "an event carries something else, or a method takes something else"
)
EVENT_ADDED = define("event-added", _COMPATIBLE, "an event or a method is new")
VARIABLE_REMOVED = define("variable-removed", _BREAK, "a variable is gone")
VARIABLE_CHANGED = define(
    "variable-changed", _BREAK, "a variable has another type, holds less or begins with another value"
)
VARIABLE_WIDENED = define("variable-widened", _COMPATIBLE, "a variable holds greater numbers")
VARIABLE_ADDED = define("variable-added", _COMPATIBLE, "a variable is new")
ROW_REMOVED = define("event-not-accepted", _BREAK, "a state has no row any more for what it accepted")
ROW_ADDED = define("event-accepted", _COMPATIBLE, "a state has a row for what it did not accept")
GUARD_CHANGED = define(
    "guard-changed", _BREAK, "a state accepts something under other conditions than before"
)
GUARD_WIDENED = define("guard-widened", _COMPATIBLE, "a state accepts something also where no guard held")
ANSWER_CHANGED = define("answer-changed", _BREAK, "the messages that follow an event are others")
NEXT_CHANGED = define("next-changed", _BREAK, "an event leads to another state")
EFFECT_CHANGED = define("assignment-changed", _BREAK, "an event changes variables in another way")
RAISES_MORE = define("action-may-raise", _BREAK, "an action may refuse what it did not")
ACTIONS_CHANGED = define("actions-changed", _COMPATIBLE, "a host is asked to do something else")
TIMERS_CHANGED = define("timers-changed", _COMPATIBLE, "a machine wants other timers")
TIMER_EFFECT_CHANGED = define(
    "timer-effect-changed", _BREAK, "a machine does by itself what it did not, or sends no more what it did"
)

_KINDS = {EventKind.HOST: "event of the host", EventKind.METHOD: "method", EventKind.REPLY: "reply"}


def compare_machines(old: Machine, new: Machine, was: Protocol, now: Protocol) -> list[Change]:
    """Every change of behaviour from `old`, which speaks `was`, to `new`, which speaks `now`."""
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
    """Events of the host and methods; messages are the protocol's."""
    before = {item.name: item for item in old.events if item.kind is not EventKind.MESSAGE}
    after = {item.name: item for item in new.events if item.kind is not EventKind.MESSAGE}
    for name, event in before.items():
        subject = f"{old.name}: {name}"
        if name not in after:
            yield EVENT_REMOVED.at(subject, f"the {_KINDS[event.kind]} is gone")
        elif (what := _event_change(event, after[name], was, now)) is not None:
            yield EVENT_CHANGED.at(subject, what)
    for name, event in after.items():
        if name not in before:
            yield EVENT_ADDED.at(f"{old.name}: {name}", f"the {_KINDS[event.kind]} is new")


def _event_change(old: Event, new: Event, was: Protocol, now: Protocol) -> str | None:
    if old.kind is not new.kind:
        before, after = (
            f"{'an' if one is EventKind.HOST else 'a'} {_KINDS[one]}" for one in (old.kind, new.kind)
        )
        return f"was {before}, is {after}"
    if old.message != new.message:
        return f"carried {old.message or 'nothing'}, carries {new.message or 'nothing'}"
    took, takes = ([item.name for item in event.parameters] for event in (old, new))
    if took != takes:
        return f"took ({', '.join(took)}), takes ({', '.join(takes)})"
    for one, other in zip(old.parameters, new.parameters, strict=True):
        changes = list(field_changes(one.name, one, other, was, now))
        if changes and changes[0].effect is Effect.BREAK:
            return f"{one.name} {changes[0].message}"
    return None


def _variables(old: Machine, new: Machine) -> Iterator[Change]:
    after = {item.name: item for item in new.variables}
    for variable in old.variables:
        subject = f"{old.name}: {variable.name}"
        if variable.name not in after:
            yield VARIABLE_REMOVED.at(subject, "the variable is gone")
        else:
            yield from _variable(subject, variable, after[variable.name])
    known = {item.name for item in old.variables}
    for name in after:
        if name not in known:
            yield VARIABLE_ADDED.at(f"{old.name}: {name}", "the variable is new")


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
    names = dict.fromkeys(one.event for one in (*old.timers, *new.timers))
    for name in names:
        before, after = ([_timer(one) for one in item.timers if one.event == name] for item in (old, new))
        if before != after:
            was, now = (", ".join(texts) or "none" for texts in (before, after))
            effects = list(_timer_effects(old, new, name))
            code = TIMER_EFFECT_CHANGED if effects else TIMERS_CHANGED
            yield code.at(f"{old.name}: {name}", "; ".join([f"was {was}, is {now}", *effects]))


def _timer_effects(old: Machine, new: Machine, event: str) -> Iterator[str]:
    """What peers notice where `event` became due or is due no more, in the states that both machines have."""
    timed, due = (
        {state for one in item.timers if one.event == event for state in one.states} for item in (old, new)
    )
    shared = {state.name for state in new.states}
    for state in (one.name for one in old.states if one.name in shared):
        before, after = (_rows(item, state).get(event, []) for item in (old, new))
        known = [_effects(row) for row in before]
        if state in due - timed:
            for row in after:
                steps, leads_to = _effects(row)
                if (steps or leads_to != state) and (steps, leads_to) not in known:
                    to = "" if leads_to == state else f", and goes to {leads_to}"
                    yield f"in {state} it does by itself: {_listed(steps)}{to}"
        if state in timed - due:
            for row in before:
                if sent := _of(row.steps, (Send,)):
                    yield f"in {state} it does not do by itself any more: {_listed(sent)}"


def _effects(row: Transition) -> tuple[list[Step], str]:
    """What a row does that shows on the wire, and where it leads."""
    return _of(row.steps, _EFFECTS), row.next or row.state


def _timer(timer: Timer) -> str:
    return f"{show(timer.milliseconds)} ms since {timer.since} in {' and '.join(timer.states)}"


def _states(old: Machine, new: Machine) -> Iterator[Change]:
    names = [state.name for state in new.states]
    for state in old.states:
        if state.name in names:
            yield from _state(old, new, state.name)
        else:
            yield STATE_REMOVED.at(f"{old.name}: {state.name}", "the state is gone")
    known = {state.name for state in old.states}
    for name in names:
        if name not in known:
            yield STATE_ADDED.at(f"{old.name}: {name}", "the state is new")


def _state(old: Machine, new: Machine, state: str) -> Iterator[Change]:
    before, after = _rows(old, state), _rows(new, state)
    for event, rows in before.items():
        subject = f"{old.name}: {state}.{event}"
        yield from _event(subject, rows, after.get(event, []))
    known = {item.name for item in old.events}
    for event, rows in after.items():
        if event not in before and not (event not in known and rows[0].covered_by_star):
            yield ROW_ADDED.at(f"{old.name}: {state}.{event}", "the state has a row for it")


def _rows(machine: Machine, state: str) -> dict[str, list[Transition]]:
    found: dict[str, list[Transition]] = {}
    for row in machine.transitions:
        if row.state == state:
            found.setdefault(row.event, []).append(row)
    return found


def _event(subject: str, old: Sequence[Transition], new: Sequence[Transition]) -> Iterator[Change]:
    """The rows of one state and event, of which the first whose guard holds is taken."""
    before, after = _own(old), _own(new)
    if not new:
        yield ROW_REMOVED.at(subject, "no row takes it")
    elif before and after:
        yield from _pairs(subject, before, after)
        yield from _star(subject, old, new)
    elif not before and not after:
        yield from _row(subject, old[0], new[0])
    elif _shape(old) == _shape(new):
        return
    elif before:
        yield ROW_REMOVED.at(subject, "only `*` takes it")
    else:
        yield ROW_ADDED.at(subject, "a row of its own takes it, where only `*` did")


def _star(subject: str, old: Sequence[Transition], new: Sequence[Transition]) -> Iterator[Change]:
    """What `*` does where no guard holds."""
    before, after = old[-1], new[-1]
    if before.covered_by_star and after.covered_by_star:
        yield from _row(f"{subject} [no guard holds]", before, after)
    elif before.covered_by_star and after.guard is not None:
        yield ROW_REMOVED.at(subject, "no row takes it where no guard holds")
    elif after.covered_by_star and before.guard is not None:
        yield GUARD_WIDENED.at(subject, "`*` takes it where no guard holds")


def _own(rows: Sequence[Transition]) -> list[Transition]:
    return [row for row in rows if not row.covered_by_star]


def _shape(rows: Sequence[Transition]) -> list[tuple[object, ...]]:
    return [(row.guard, row.steps, row.next, row.before_at) for row in rows]


def _pairs(subject: str, old: Sequence[Transition], new: Sequence[Transition]) -> Iterator[Change]:
    before, after = ([row.guard for row in rows] for rows in (old, new))
    shared = [guard for guard in before if guard in after]
    if len(old) == len(new) == 1 and before[0] is not None and after[0] is None:
        yield GUARD_WIDENED.at(subject, f"takes it always, where it asked for {_guard(before[0])}")
        yield from _row(subject, old[0], new[0])
        return
    if shared != before or shared != [guard for guard in after if guard in before]:
        yield GUARD_CHANGED.at(subject, f"asked for {_guards(before)}, asks for {_guards(after)}")
        return
    if after[: len(before)] != before:
        yield GUARD_CHANGED.at(subject, f"asked for {_guards(before)}, asks for {_guards(after)} first")
        return
    if len(after) > len(before) and before[-1] is not None:
        yield GUARD_WIDENED.at(subject, f"takes it also with {_guards(after[len(before) :])}")
    for one, other in zip(old, new[: len(old)], strict=True):
        guard = f" [{_guard(one.guard)}]" if one.guard is not None else ""
        yield from _row(f"{subject}{guard}", one, other)


def _guards(guards: Sequence[Expression | None]) -> str:
    return ", then ".join(map(_guard, guards))


def _guard(guard: Expression | None) -> str:
    return "anything" if guard is None else show(guard)


def _row(subject: str, old: Transition, new: Transition) -> Iterator[Change]:
    """Two rows that are taken alike."""
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
    return "; ".join(map(show_step, steps)) or "nothing"


def _raises(steps: Sequence[Step]) -> set[str]:
    return {name for step in steps if isinstance(step, Host) for name in (*step.raises, *step.then)}
