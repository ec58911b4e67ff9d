"""Abstraction of the data of two machines, for exploring their control flow.

Machines with 64-bit variables and messages with text have too many states to explore. Five steps reduce the number.
They only leave out behaviour and never add any, so every alarm is real:

- *Slicing.* A variable, message field or parameter matters only if its value can reach a guard, through
  assignments and through the fields of messages that are sent. All others are dropped. This is exact.
- *Liveness.* A variable that is assigned before it is read again keeps its initial value. This is exact too.
- *Small values.* A relevant text is one of the literals in guards, or `'a'`; a number that the application or the host
  chooses is 1, or a literal that it is compared with; `size(MESSAGE)` is 1. So the unit of credit is one DELIVER of
  any length. This leaves out behaviour: messages of different sizes are not explored.
- *Readings.* The content of a text is an additional field of its message, with the value of `read_as`: the event that
  the receiving host's action raises, or none. This is exact if the hosts conform to it.
- *Small numbers.* A number that only grows by constants and is only compared with constants stops at the first value
  from which no guard distinguishes greater ones, if that is at most THRESHOLD_MAX (exact). Any other number has a
  limit: a transition that would exceed it is *cut* instead of taken with a wrong value, because a saturated credit on
  one side only would look like overspending by the other. This leaves out runs in which more than `limit` units are
  outstanding at once, just as the bound of the channels leaves out runs with more messages in transit.

The result is a small domain for each place; :mod:`.local` runs the transition tables on these domains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from ..ir import (
    COMPARISONS,
    Assign,
    Binary,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
    Host,
    Literal,
    Machine,
    Message,
    Name,
    Protocol,
    Send,
    Step,
    Transition,
    Type,
    Variable,
    walk,
)

__all__ = ["Abstraction", "Bindings", "Value", "names_in"]

Value = int | str | bool
Bindings = tuple[tuple[str, Value], ...]

READING = "read as"  # no field of a model can have this name
SIZE_OF_A_MESSAGE = 1  # in units of credit
THRESHOLD_MAX = 8  # a counter that would stop above this is limited instead
# ("variable", machine, name), ("field", message, name), ("event", machine.event, name)
_Place = tuple[str, str, str]


def names_in(expression: Expression) -> Iterator[Name]:
    """Yields every variable and field that the expression reads."""
    return (part for part in walk(expression) if isinstance(part, Name))


def _comparisons(expression: Expression) -> Iterator[Binary]:
    return (part for part in walk(expression) if isinstance(part, Binary) and part.operator in COMPARISONS)


class Abstraction:
    """The small domains of `machines`. A transition beyond `limit`, for numbers without an exact bound, is cut."""

    def __init__(self, protocol: Protocol, machines: Iterable[Machine], limit: int = 2) -> None:
        self.protocol = protocol
        self.machines = tuple(machines)
        self.limit = limit
        self._events = {
            (machine.name, event.name): event for machine in self.machines for event in machine.events
        }
        sends = [step for machine in self.machines for step in machine.steps(Send)]
        self._readings = {step.message for step in sends if step.read_as is not None}
        self._relevant = self._slice()
        self._texts = self._literals()
        self._live = {machine.name: self._liveness(machine) for machine in self.machines}
        self._tops = {
            (machine.name, variable.name): self._top(machine, variable)
            for machine in self.machines
            for variable in machine.variables
        }

    # Public interface

    def event(self, machine: Machine, name: str) -> Event | None:
        """The machine's event called `name`; None if it does not exist."""
        return self._events.get((machine.name, name))

    def variables(self, machine: Machine) -> tuple[Variable, ...]:
        """The variables whose values can reach a guard, in the model's order."""
        return tuple(item for item in machine.variables if self.matters(machine, item.name))

    def matters(self, machine: Machine, variable: str) -> bool:
        """Whether the variable's value can reach a guard."""
        return ("variable", machine.name, variable) in self._relevant

    def live(self, machine: Machine, state: str) -> frozenset[str]:
        """The variables whose value in `state` can still reach a guard before it is overwritten."""
        return self._live[machine.name][state]

    def fields(self, message: str) -> tuple[Field, ...]:
        """The fields of `message` whose values can reach a guard, in wire order."""
        fields = self.protocol.message(message).fields
        return tuple(item for item in fields if ("field", message, item.name) in self._relevant)

    def carried(self, message: str) -> tuple[Field, ...]:
        """The fields of `message` whose values can reach a guard, then READING if any send of it has `read_as`."""
        read = (Field(READING, FieldType.STRING),) if message in self._readings else ()
        return (*self.fields(message), *read)

    def inputs(self, machine: Machine, event: Event) -> tuple[Bindings, ...]:
        """Every combination of values of an event's relevant parameters or fields; one empty combination if none is."""
        items = [item for item in _carried(self.protocol, event) if self._input_matters(machine, event, item)]
        values = [[(item.name, value) for value in self.domain(item)] for item in items]
        return tuple(tuple(choice) for choice in product(*values))

    def domain(self, item: Field) -> tuple[Value, ...]:
        """The values to explore of a field or parameter whose value the application or the host chooses."""
        if item.value is not None and not isinstance(item.value, bytes):
            return (item.value,)
        if item.type in (FieldType.NUMBER, FieldType.VARINT):
            return (1, *sorted(self._compared_numbers(item.name) - {1}))
        return self._texts

    def store(self, machine: Machine, variable: str, value: Value) -> Value | None:
        """The variable's value after an assignment, limited by an exact bound; None if the transition is cut."""
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        top, exact = self._tops[machine.name, variable]
        if value <= top:
            return value
        return top if exact else None

    def greatest(self, machine: Machine, variable: str) -> tuple[int, bool]:
        """The variable's greatest value (0 unless a number). True: it replaces greater values; False: a transition that
        would exceed it is cut.
        """
        return self._tops[machine.name, variable]

    # Slicing

    def _slice(self) -> frozenset[_Place]:
        places: set[_Place] = set()
        for machine in self.machines:
            for row in machine.transitions:
                if row.guard is not None:
                    places.update(self._read(machine, row.event, row.guard))
        size = -1
        while size != len(places):
            size = len(places)
            for machine in self.machines:
                for row in machine.transitions:
                    for step in row.steps:
                        places.update(self._flow(machine, row.event, step, places))
        return frozenset(places)

    def _flow(self, machine: Machine, event: str, step: Step, places: set[_Place]) -> Iterator[_Place]:
        if isinstance(step, Assign):
            if ("variable", machine.name, step.variable) in places:
                yield from self._read(machine, event, step.value)
        elif isinstance(step, Send):
            for name, value in step.fields:
                if ("field", step.message, name) in places:
                    yield from self._read(machine, event, value)
            if step.forward:
                for item in self.protocol.message(step.message).fields:
                    if ("field", step.message, item.name) in places:
                        yield self._input_place(machine, event, item.name)

    def _read(self, machine: Machine, event: str, expression: Expression) -> Iterator[_Place]:
        for name in names_in(expression):
            if name.scope == "variable":
                yield ("variable", machine.name, name.name)
            else:
                yield self._input_place(machine, event, name.name)

    def _input_place(self, machine: Machine, event: str, name: str) -> _Place:
        declared = self._events.get((machine.name, event))
        if declared is None or declared.kind is EventKind.MESSAGE:
            return ("field", event if declared is None else declared.message or event, name)
        return ("event", f"{machine.name}.{event}", name)

    def _input_matters(self, machine: Machine, event: Event, item: Field) -> bool:
        return ("event", f"{machine.name}.{event.name}", item.name) in self._relevant

    # Liveness: from what each row reads, backwards to the state that it leaves, up to a fixed point

    def _liveness(self, machine: Machine) -> Mapping[str, frozenset[str]]:
        live = {state.name: frozenset[str]() for state in machine.states}
        changed = True
        while changed:
            changed = False
            for row in machine.transitions:
                needed = self._needed(machine, row, live)
                if not needed <= live[row.state]:
                    live[row.state] |= needed
                    changed = True
        return live

    def _needed(self, machine: Machine, row: Transition, live: Mapping[str, frozenset[str]]) -> set[str]:
        after = row.next or row.state
        needed = set(live[after])
        for index in reversed(range(len(row.steps))):
            step = row.steps[index]
            if isinstance(step, Assign):
                if step.variable in needed:
                    needed.discard(step.variable)
                    needed.update(_variables(step.value))
            elif isinstance(step, Send):
                for name, value in step.fields:
                    if ("field", step.message, name) in self._relevant:
                        needed.update(_variables(value))
            elif isinstance(step, Host) and step.raises:
                needed |= live[row.state if index < row.before_at else after]
        if row.guard is not None:
            needed.update(_variables(row.guard))
        return {name for name in needed if self.matters(machine, name)}

    # Values

    def _literals(self) -> tuple[Value, ...]:
        texts = {"a"}
        for machine in self.machines:
            for comparison in _guards(machine):
                for side in (comparison.left, comparison.right):
                    if isinstance(side, Literal) and isinstance(side.value, str):
                        texts.add(side.value)
        return tuple(sorted(texts))

    def _compared_numbers(self, name: str) -> set[int]:
        numbers: set[int] = set()
        for machine in self.machines:
            for comparison in _guards(machine):
                sides = (comparison.left, comparison.right)
                if any(
                    isinstance(side, Name) and side.scope == "message" and side.name == name for side in sides
                ):
                    numbers.update(_numbers(sides))
        return numbers

    def _top(self, machine: Machine, variable: Variable) -> tuple[int, bool]:
        """The greatest value to keep, and whether stopping there is exact."""
        last = 2 ** (8 * variable.size) - 1 if variable.type is Type.NUMBER else 0
        if variable.type is not Type.NUMBER:
            return last, True
        threshold = self._threshold(machine, variable)
        if threshold is not None:
            return min(last, threshold), True
        start = variable.value if isinstance(variable.value, int) else 0
        return (last, True) if last <= self.limit else (max(self.limit, start), False)

    def _threshold(self, machine: Machine, variable: Variable) -> int | None:
        """The least value from which no guard distinguishes greater ones, if the variable is only set to, increased by
        and compared with constants, or never assigned; otherwise, or beyond THRESHOLD_MAX, None.
        """
        fixed = _fixed(machine)
        if variable.name in fixed:
            return fixed[variable.name]
        start = variable.value if isinstance(variable.value, int) else 0
        for row in machine.transitions:
            for step in row.steps:
                if isinstance(step, Assign) and step.variable == variable.name:
                    if not _only_grows(step.value, variable.name):
                        return None
                    start = max([start, *_numbers((step.value,))])
                elif variable.name in _read_by(step):
                    return None
        top = start
        for comparison in _guards(machine):
            sides = (comparison.left, comparison.right)
            if not any(variable.name in _variables(side) for side in sides):
                continue
            values = [_constant(side, fixed) for side in sides if not _is_variable(side, variable.name)]
            if len(values) != 1 or values[0] is None:
                return None
            top = max(top, values[0] + _beyond(comparison, variable.name))
        return top if top <= THRESHOLD_MAX else None


def _carried(protocol: Protocol, event: Event) -> tuple[Field, ...]:
    if event.message is not None:
        message: Message = protocol.message(event.message)
        return message.fields
    return event.parameters


def _guards(machine: Machine) -> Iterator[Binary]:
    for row in machine.transitions:
        if row.guard is not None:
            yield from _comparisons(row.guard)


def _variables(expression: Expression) -> set[str]:
    return {name.name for name in names_in(expression) if name.scope == "variable"}


def _read_by(step: Step) -> set[str]:
    if isinstance(step, Assign):
        return _variables(step.value)
    if isinstance(step, Send):
        return {name for _, value in step.fields for name in _variables(value)}
    return set()


def _numbers(expressions: Iterable[Expression]) -> set[int]:
    literals = [part for expression in expressions for part in walk(expression) if isinstance(part, Literal)]
    return {part.value for part in literals if isinstance(part.value, int) and part.type is Type.NUMBER}


def _fixed(machine: Machine) -> dict[str, int]:
    """The numeric variables without assignments, which are constants."""
    assigned = {step.variable for step in machine.steps(Assign)}
    return {
        item.name: item.value
        for item in machine.variables
        if item.type is Type.NUMBER and item.name not in assigned and isinstance(item.value, int)
    }


def _only_grows(value: Expression, variable: str) -> bool:
    match value:
        case Literal():
            return True
        case Binary("+", Name(name, "variable"), Literal()) | Binary("+", Literal(), Name(name, "variable")):
            return name == variable
        case _:
            return False


def _beyond(comparison: Binary, variable: str) -> int:
    """The distance above the constant from which values are equivalent: 0 for `v >= 3` and `v < 3`, otherwise 1."""
    inclusive = (">=", "<") if _is_variable(comparison.left, variable) else ("<=", ">")
    return 0 if comparison.operator in inclusive else 1


def _is_variable(expression: Expression, name: str) -> bool:
    return isinstance(expression, Name) and expression.scope == "variable" and expression.name == name


def _constant(expression: Expression, fixed: Mapping[str, int]) -> int | None:
    match expression:
        case Literal(value) if isinstance(value, int) and not isinstance(value, bool):
            return value
        case Name(name, "variable"):
            return fixed.get(name)
        case _:
            return None
