"""What two machines' data comes to when only control is of interest.

A machine with variables of 64 bits and messages with text has more states than can be looked at. Five steps
make them few, and none of them invents behaviour that the machines do not have, so that an alarm is never
false:

- *Slicing.* A variable, message field or parameter matters only if its value can reach a guard, through
  assignments and through the fields of messages that are sent. All others are left out. This is exact.
- *Liveness.* A variable that will be assigned before it is read again is kept at its initial value. Exact,
  too.
- *Small values.* A text that matters is one of the literals that the machines hold, or `'a'`; a number that
  the application or the host chooses is 1, or a literal it is compared with; `size(MESSAGE)` is 1. So the
  unit of credit is one DELIVER, whatever its length. This leaves behaviour out: sizes that differ are not
  looked at.
- *Readings.* What a message's text says to the host that reads it is one more field, which `read_as` gives: the
  event that the host's action raises, or none. Exact, if the hosts keep to it.
- *Small numbers.* A number that only grows from constants and is only compared with constants stops growing
  just above the greatest of them, which no guard can tell from growing on (exact). Any other number has a
  limit: a transition that would pass it is *cut*, not taken with a wrong value, because a saturated copy of a
  credit on one side only would accuse the other of overspending. This leaves out the runs in which more than
  `limit` units are outstanding at once, as the bound of the channels leaves out those with more messages on
  their way.

The result is a smaller data type for each place, and :mod:`.local` runs the tables on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from ..ir import (
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
    Size,
    Step,
    Transition,
    Type,
    Unary,
    Variable,
)

__all__ = ["Abstraction", "Bindings", "Value", "names_in"]

Value = int | str | bool
Bindings = tuple[tuple[str, Value], ...]

READING = "read as"  # no field of a model can have this name
SIZE_OF_A_MESSAGE = 1  # in units of credit
THRESHOLD_MAX = 8  # a counter compared with more than this is limited instead
# ("variable", machine, name), ("field", message, name), ("event", machine.event, name)
_Place = tuple[str, str, str]


def names_in(expression: Expression) -> Iterator[Name]:
    """Every variable and field that the expression reads."""
    match expression:
        case Name():
            yield expression
        case Unary(_, operand):
            yield from names_in(operand)
        case Binary(_, left, right):
            yield from names_in(left)
            yield from names_in(right)
        case Literal() | Size():
            return


def _comparisons(expression: Expression) -> Iterator[Binary]:
    match expression:
        case Unary(_, operand):
            yield from _comparisons(operand)
        case Binary(operator, left, right):
            if operator in ("==", "!=", "<", "<=", ">", ">="):
                yield expression
            yield from _comparisons(left)
            yield from _comparisons(right)
        case Literal() | Name() | Size():
            return


class Abstraction:
    """The small data types of `machines`, which speak `protocol`. `limit` bounds the numbers that need it."""

    def __init__(self, protocol: Protocol, machines: Iterable[Machine], limit: int = 2) -> None:
        self.protocol = protocol
        self.machines = tuple(machines)
        self.limit = limit
        self._events = {
            (machine.name, event.name): event for machine in self.machines for event in machine.events
        }
        self._readings = {
            step.message
            for machine in self.machines
            for row in machine.transitions
            for step in row.steps
            if isinstance(step, Send) and step.read_as is not None
        }
        self._relevant = self._slice()
        self._texts = self._literals()
        self._live = {machine.name: self._liveness(machine) for machine in self.machines}
        self._tops = {
            (machine.name, variable.name): self._top(machine, variable)
            for machine in self.machines
            for variable in machine.variables
        }

    # What others ask

    def event(self, machine: Machine, name: str) -> Event | None:
        """The event called `name`, if the machine declares it."""
        return self._events.get((machine.name, name))

    def variables(self, machine: Machine) -> tuple[Variable, ...]:
        """The variables that matter, in the model's order."""
        return tuple(
            item for item in machine.variables if ("variable", machine.name, item.name) in self._relevant
        )

    def matters(self, machine: Machine, variable: str) -> bool:
        """Whether the variable's value can reach a guard."""
        return ("variable", machine.name, variable) in self._relevant

    def live(self, machine: Machine, state: str) -> frozenset[str]:
        """The variables whose value in `state` may be read before it is replaced."""
        return self._live[machine.name][state]

    def fields(self, message: str) -> tuple[Field, ...]:
        """The fields of `message` that matter, in its order."""
        return tuple(
            item
            for item in self.protocol.message(message).fields
            if ("field", message, item.name) in self._relevant
        )

    def carried(self, message: str) -> tuple[Field, ...]:
        """The fields of `message` that matter, and how it is read, if any send of it says so."""
        read = (Field(READING, FieldType.STRING),) if message in self._readings else ()
        return (*self.fields(message), *read)

    def inputs(self, machine: Machine, event: Event) -> tuple[Bindings, ...]:
        """All that a method's parameters, or the message that a host event carries, may hold."""
        items = [item for item in _carried(self.protocol, event) if self._input_matters(machine, event, item)]
        values = [[(item.name, value) for value in self.domain(item)] for item in items]
        return tuple(tuple(choice) for choice in product(*values))

    def domain(self, item: Field) -> tuple[Value, ...]:
        """The values that a field or parameter takes when nothing says which."""
        if item.value is not None and not isinstance(item.value, bytes):
            return (item.value,)
        if item.type in (FieldType.NUMBER, FieldType.VARINT):
            return (1, *sorted(self._compared_numbers(item.name) - {1}))
        return self._texts

    def store(self, machine: Machine, variable: str, value: Value) -> Value | None:
        """What the variable holds after an assignment; None if that would pass the limit."""
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        top, exact = self._tops[machine.name, variable]
        if value <= top:
            return value
        return top if exact else None

    def greatest(self, machine: Machine, variable: str) -> tuple[int, bool]:
        """The greatest number that the variable holds, and whether what is greater is kept as that."""
        return self._tops[machine.name, variable]

    # Slicing

    def _slice(self) -> frozenset[_Place]:
        found: set[_Place] = set()
        for machine in self.machines:
            for row in machine.transitions:
                if row.guard is not None:
                    found.update(self._read(machine, row.event, row.guard))
        size = -1
        while size != len(found):
            size = len(found)
            for machine in self.machines:
                for row in machine.transitions:
                    for step in row.steps:
                        found.update(self._flow(machine, row.event, step, found))
        return frozenset(found)

    def _flow(self, machine: Machine, event: str, step: Step, found: set[_Place]) -> Iterator[_Place]:
        if isinstance(step, Assign):
            if ("variable", machine.name, step.variable) in found:
                yield from self._read(machine, event, step.value)
        elif isinstance(step, Send):
            for name, value in step.fields:
                if ("field", step.message, name) in found:
                    yield from self._read(machine, event, value)
            if step.forward:
                for item in self.protocol.message(step.message).fields:
                    if ("field", step.message, item.name) in found:
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

    # Liveness: backwards from what each row reads to the state it leaves, until nothing is added

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
        found: set[int] = set()
        for machine in self.machines:
            for comparison in _guards(machine):
                sides = (comparison.left, comparison.right)
                if any(
                    isinstance(side, Name) and side.scope == "message" and side.name == name for side in sides
                ):
                    found.update(_numbers(sides))
        return found

    def _top(self, machine: Machine, variable: Variable) -> tuple[int, bool]:
        """The greatest value kept, and whether to stop there is exact."""
        last = 2 ** (8 * variable.size) - 1 if variable.type is Type.NUMBER else 0
        if variable.type is not Type.NUMBER:
            return last, True
        threshold = self._threshold(machine, variable)
        if threshold is not None:
            return min(last, threshold), True
        start = variable.value if isinstance(variable.value, int) else 0
        return (last, True) if last <= self.limit else (max(self.limit, start), False)

    def _threshold(self, machine: Machine, variable: Variable) -> int | None:
        """Just above all that it is compared with, if it only grows from constants; otherwise None."""
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
    found: set[int] = set()
    for expression in expressions:
        match expression:
            case Literal(value) if isinstance(value, int) and not isinstance(value, bool):
                found.add(value)
            case Binary(_, left, right):
                found |= _numbers((left, right))
            case _:
                pass
    return found


def _fixed(machine: Machine) -> dict[str, int]:
    """The numeric variables that nothing assigns: constants by another name."""
    assigned = {
        step.variable for row in machine.transitions for step in row.steps if isinstance(step, Assign)
    }
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
    """How far above the constant values stop to differ: `v >= 3` and `v < 3` know 3 as "or more"."""
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
