"""All paths of an event through a machine's table, computed symbolically.

A guard, an assignment or a choice of the host forks a path. The conditions of a path are in terms of the variables and
the received message *before* it, so that a path is one atomic step of a model checker, with the semantics of
:mod:`zeps_codegen.passes.local` and the abstraction of data of :mod:`zeps_codegen.passes.abstraction`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product

from ...ir import (
    RAISES_MAX,
    Assign,
    Binary,
    Event,
    Expression,
    Host,
    Literal,
    Machine,
    Name,
    Send,
    Size,
    Terminate,
    Transition,
    Type,
    Unary,
)
from ...passes.abstraction import READING, SIZE_OF_A_MESSAGE, Abstraction, Bindings, Value
from ...passes.local import THEN, LocalMachine, Regime, evaluate

__all__ = ["Ending", "Path", "Sent", "Stored", "paths_of"]


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


class Ending(str, Enum):
    """How a path ends. Only a path that ends in `move` is taken; the others are faults, or not explored."""

    MOVE = "move"
    CUT = "cut"  # a number would exceed its limit: not explored
    UNSPECIFIED = "unspecified"  # a message that no row handles
    UNHANDLED = "unhandled"  # a host action raised an event that no row handles


@dataclass(frozen=True, slots=True)
class Stored:
    """An assignment to a variable that can reach a guard; values above `least`, if set, are stored as `least`."""

    variable: str
    value: Expression
    least: int | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A message, with its relevant fields: those whose values can reach a guard."""

    message: str
    fields: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """One path of an event through the table.

    `conditions` are in terms of the values before the path; `effects` run in order, and read the variables at that
    moment. `inputs` came with a call of the application or an event of the host. `raised` has for each host action that
    may fail or raise an event that event, with the prefix THEN if it is handled after the row, or None if the action
    returned. `rows` are indices in the table; the first is the event's own.
    """

    state: str
    event: str
    received: bool
    inputs: Bindings = ()
    conditions: tuple[Expression, ...] = ()
    effects: tuple[Stored | Sent, ...] = ()
    next: str = ""
    terminated: bool = False
    raised: tuple[str | None, ...] = ()
    refuses: bool = False  # an action fails with an event that is not a reading of a message
    rows: tuple[int, ...] = ()
    ending: Ending = Ending.MOVE

    @property
    def sends(self) -> tuple[Sent, ...]:
        """The sent messages, in order."""
        return tuple(item for item in self.effects if isinstance(item, Sent))

    def stored(self) -> dict[str, Expression]:
        """The final value of each assigned variable, in terms of the values before the path."""
        final: dict[str, Expression] = {}
        for item in self.effects:
            if isinstance(item, Stored):
                value = _folded(_with(item.value, final, {}))
                final[item.variable] = value if item.least is None else _Least.of(value, item.least)
        return final


@dataclass(frozen=True, slots=True)
class _Run:
    """A path in progress, with the variables in terms of those before it."""

    path: Path
    known: Mapping[str, Expression]
    pending: str | None = None
    """The event that is handled after the row."""

    def add(self, **changes: object) -> _Run:
        return replace(self, path=replace(self.path, **changes))  # type: ignore[arg-type]

    def ended(self, ending: Ending) -> _Run:
        return self.add(ending=ending)

    def under(self, condition: Expression) -> _Run | None:
        """The run under `condition`, or None if that is always false."""
        condition = _folded(condition)
        if isinstance(condition, Literal):
            return self if condition.value else None
        return self.add(conditions=(*self.path.conditions, condition))


def paths_of(machine: Machine, abstraction: Abstraction) -> list[Path]:
    """All paths, also cut or faulty ones, by state in the model's order; paths of calls before those of messages."""
    return list(_Walker(machine, abstraction).walk())


class _Walker:
    def __init__(self, machine: Machine, abstraction: Abstraction) -> None:
        self.machine, self.abstraction = machine, abstraction
        local = LocalMachine(machine, abstraction, Regime(excluded=frozenset()))
        self.calls = {state.name: local.spontaneous(state.name) for state in machine.states}
        self.listening = [
            state.name for state in machine.states if local.listens(replace(local.initial, state=state.name))
        ]
        self.rows: dict[tuple[str, str], list[tuple[int, Transition]]] = {}
        for index, row in enumerate(machine.transitions):
            self.rows.setdefault((row.state, row.event), []).append((index, row))

    def walk(self) -> Iterator[Path]:
        for state in self.machine.states:
            for event in self.calls[state.name]:
                yield from self._call(state.name, event)
            if state.name in self.listening:
                for message in self.abstraction.protocol.messages:
                    yield from self._receive(state.name, message.name)

    def _call(self, state: str, event: Event) -> Iterator[Path]:
        for inputs in self.abstraction.inputs(self.machine, event):
            start = self._start(Path(state, event.name, received=False, inputs=inputs, next=state))
            values = {name: _literal(value) for name, value in inputs}
            yield from (run.path for run in self._take(start, event.name, values, 0, None))

    def _receive(self, state: str, message: str) -> Iterator[Path]:
        start = self._start(Path(state, message, received=True, next=state))
        values: dict[str, Expression] = {
            item.name: Name(item.name, "message", Type.NUMBER) for item in self.abstraction.carried(message)
        }
        yield from (run.path for run in self._take(start, message, values, 0, Ending.UNSPECIFIED))

    def _start(self, path: Path) -> _Run:
        return _Run(
            path,
            {
                item.name: Name(item.name, "variable", item.type)
                for item in self.abstraction.variables(self.machine)
            },
        )

    def _take(
        self, run: _Run, event: str, inputs: Mapping[str, Expression], depth: int, otherwise: Ending | None
    ) -> Iterator[_Run]:
        """The runs of each row whose guard may be the first true one; one to `otherwise` if all guards may be false."""
        rest: _Run | None = run
        for index, row in self.rows.get((run.path.next, event), ()):
            guard = _literal(True) if row.guard is None else _with(row.guard, run.known, inputs)
            taken = rest.under(guard) if rest else None
            if taken is not None:
                taken = taken.add(rows=(*taken.path.rows, index))
                yield from self._steps(taken, row, 0, inputs, depth)
            rest = rest.under(Unary("not", guard)) if rest else None
        if rest is not None and otherwise is not None:
            yield rest.ended(otherwise)

    def _steps(
        self, run: _Run, row: Transition, at: int, inputs: Mapping[str, Expression], depth: int
    ) -> Iterator[_Run]:
        if row.next is not None and at == row.before_at:
            run = run.add(next=row.next)
        if run.path.ending is not Ending.MOVE:
            yield run
            return
        if at == len(row.steps):
            yield from self._ended(run, depth)
            return
        step = row.steps[at]
        if isinstance(step, Host) and (step.raises or step.then):
            reading = inputs.get(READING)
            returning: _Run | None = run
            for name in step.raises:
                raising: _Run | None = run.add(raised=(*run.path.raised, name), refuses=reading is None)
                if reading is not None:
                    read = Binary("==", reading, _literal(name), Type.BOOLEAN)
                    raising = run.add(raised=(*run.path.raised, name)).under(read)
                    returning = returning and returning.under(Unary("not", read))
                if raising is not None:
                    yield from self._raise(raising, name, depth)
            for name in step.then:
                later: _Run | None = run.add(raised=(*run.path.raised, f"{THEN}{name}"))
                if reading is not None and later is not None:
                    read = Binary("==", reading, _literal(name), Type.BOOLEAN)
                    later = later.under(read)
                    returning = returning and returning.under(Unary("not", read))
                if later is not None:
                    yield from self._steps(replace(later, pending=name), row, at + 1, inputs, depth)
            if returning is None:
                return
            run = returning.add(raised=(*run.path.raised, None))
        after: Sequence[_Run] = [run]
        match step:
            case Assign(variable, value) if self.abstraction.matters(self.machine, variable):
                after = self._assign(run, variable, value, inputs)
            case Send():
                after = self._send(run, step, inputs)
            case Terminate():
                after = [run.add(terminated=True)]
        for next_run in after:
            yield from self._steps(next_run, row, at + 1, inputs, depth)

    def _ended(self, run: _Run, depth: int) -> Iterator[_Run]:
        """Handles the event that was raised in a row after the row's end, unless the machine has terminated."""
        event, run = run.pending, replace(run, pending=None)
        if event is None or run.path.terminated:
            yield run
        else:
            yield from self._raise(run, event, depth)

    def _raise(self, run: _Run, event: str, depth: int) -> Iterator[_Run]:
        run = replace(run, pending=None)
        if depth == RAISES_MAX:
            yield run.ended(Ending.UNHANDLED)
            return
        declared = self.abstraction.event(self.machine, event)
        for bindings in self.abstraction.inputs(self.machine, declared) if declared else ((),):
            inputs = {name: _literal(value) for name, value in bindings}
            yield from self._take(run, event, inputs, depth + 1, Ending.UNHANDLED)

    def _assign(
        self, run: _Run, variable: str, value: Expression, inputs: Mapping[str, Expression]
    ) -> list[_Run]:
        written = _folded(_with(value, {}, inputs))
        after = _folded(_with(value, run.known, inputs))
        kind = next(item.type for item in self.machine.variables if item.name == variable)
        if kind is not Type.NUMBER:
            return [self._stored(run, Stored(variable, written), after)]
        top, exact = self.abstraction.greatest(self.machine, variable)
        if isinstance(after, Literal) and isinstance(after.value, int) and after.value <= top:
            return [self._stored(run, Stored(variable, written), after)]
        if exact:
            saturated = _literal(top) if isinstance(after, Literal) else _Least.of(after, top)
            return [self._stored(run, Stored(variable, written, top), saturated)]
        beyond = run.under(Binary(">", after, _literal(top), Type.BOOLEAN))
        within = run.under(Binary("<=", after, _literal(top), Type.BOOLEAN))
        cut = [beyond.ended(Ending.CUT)] if beyond else []
        return [*cut, self._stored(within, Stored(variable, written), after)] if within else cut

    @staticmethod
    def _stored(run: _Run, effect: Stored, after: Expression) -> _Run:
        run = run.add(effects=(*run.path.effects, effect))
        return replace(run, known={**run.known, effect.variable: after})

    def _send(self, run: _Run, step: Send, inputs: Mapping[str, Expression]) -> list[_Run]:
        given = dict(step.fields)
        choices: list[list[tuple[str, Expression]]] = []
        for item in self.abstraction.carried(step.message):
            if item.name == READING:
                values: list[Expression] = [_literal(step.read_as or "")]
            elif item.name in given:
                values = [_folded(_with(given[item.name], {}, inputs))]
            elif step.forward and item.name in inputs:
                values = [inputs[item.name]]
            else:
                values = [_literal(value) for value in self.abstraction.domain(item)]
            choices.append([(item.name, value) for value in values])
        sent = [Sent(step.message, fields) for fields in product(*choices)]
        return [run.add(effects=(*run.path.effects, effect)) for effect in sent]


class _Least:
    """A number that saturates at a maximum, as an expression."""

    @staticmethod
    def of(value: Expression, top: int) -> Expression:
        """`value`, limited to `top`: top - (top - value), since a difference saturates at 0."""
        inner = Binary("-", _literal(top), value, Type.NUMBER)
        return Binary("-", _literal(top), inner, Type.NUMBER)


def _literal(value: Value) -> Literal:
    kind = Type.BOOLEAN if isinstance(value, bool) else Type.NUMBER if isinstance(value, int) else Type.STRING
    return Literal(value, kind)


def _with(
    expression: Expression, variables: Mapping[str, Expression], inputs: Mapping[str, Expression]
) -> Expression:
    """The expression with known values substituted for names, and 1 for the size of a message."""
    match expression:
        case Name(name, "variable"):
            return variables.get(name, expression)
        case Name(name):
            return inputs.get(name, expression)
        case Size():
            return _literal(SIZE_OF_A_MESSAGE)
        case Unary(operator, operand):
            return Unary(operator, _with(operand, variables, inputs))
        case Binary(operator, left, right, kind):
            return Binary(operator, _with(left, variables, inputs), _with(right, variables, inputs), kind)
        case _:
            return expression


def _folded(expression: Expression) -> Expression:
    """The expression with every constant part evaluated, and `not` moved into a comparison."""
    match expression:
        case Unary(operator, operand):
            inner = _folded(operand)
            if isinstance(inner, Unary):
                return inner.operand
            if isinstance(inner, Binary) and inner.operator in _OPPOSITE:
                return replace(inner, operator=_OPPOSITE[inner.operator])
            expression = Unary(operator, inner)
            return _literal(evaluate(expression, {}, {})) if isinstance(inner, Literal) else expression
        case Binary(operator, left, right, kind):
            first, second = _folded(left), _folded(right)
            expression = Binary(operator, first, second, kind)
            if isinstance(first, Literal) and isinstance(second, Literal):
                return _literal(evaluate(expression, {}, {}))
            return _shortened(expression)
        case _:
            return expression


def _shortened(expression: Binary) -> Expression:
    """Simplifies `and` and `or` with one known operand."""
    if expression.operator not in ("and", "or"):
        return expression
    for operand, other in ((expression.left, expression.right), (expression.right, expression.left)):
        if isinstance(operand, Literal):
            return other if bool(operand.value) is (expression.operator == "and") else operand
    return expression
