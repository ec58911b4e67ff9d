"""Machines over ZEPS: random machines, a reference executor of their IR, and a host that records its calls."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from hypothesis import strategies as st

from zeps_codegen.ir import (
    RAISES_MAX,
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
    Name,
    Protocol,
    Role,
    Send,
    Size,
    State,
    Step,
    Terminate,
    Transition,
    Type,
    Unary,
    Variable,
)
from zeps_codegen.naming import pascal, snake
from zeps_codegen.targets.python.machine import MachineView
from zeps_codegen.targets.python.target import template
from zeps_wire import zeps

U64_MAX = 2**64 - 1
VARIABLES = (
    Variable("credit", Type.NUMBER, 8, 0),
    Variable("tries", Type.NUMBER, 1, 250),
    Variable("state", Type.STRING, value="x"),  # a machine has a state of its own
    Variable("ready", Type.BOOLEAN, value=False),
)
EVENTS = (
    Event("ATTACH", EventKind.MESSAGE, "ATTACH"),
    Event("CREDIT", EventKind.MESSAGE, "CREDIT"),
    Event("PING-OK", EventKind.MESSAGE, "PING-OK"),
    Event("oops", EventKind.HOST),
    Event("deliver", EventKind.HOST, "DELIVER"),
    Event(
        "credit",
        EventKind.METHOD,
        parameters=(Field("size", FieldType.NUMBER, 8), Field("class", FieldType.STRING)),
    ),
)
#: The fields of the events' messages, by type.
CARRIED = {
    "ATTACH": {Type.STRING: ["stream"]},
    "CREDIT": {Type.NUMBER: ["credit"]},
    "PING-OK": {},
    "oops": {},
    "deliver": {Type.NUMBER: ["sequence"], Type.STRING: ["key"]},
    "credit": {Type.NUMBER: ["size"], Type.STRING: ["class"]},
}


@st.composite
def expressions(draw: st.DrawFn, kind: Type, event: Event | None, depth: int = 2) -> Expression:
    """An expression of type `kind` over the variables and the event's data."""
    carried = CARRIED[event.name].get(kind, []) if event is not None else []
    choices = ["literal", "variable", *(["field", "field"] if carried else [])]
    if kind is Type.NUMBER:
        choices += ["sum", "sum"] * (depth > 0) + ["size"] * (event is not None and event.message is not None)
    if kind is Type.BOOLEAN:
        choices += ["compare", "compare", "compare text", "logic", "not"] * (depth > 0)
    match draw(st.sampled_from(choices)):
        case "literal":
            values: dict[Type, list[Any]] = {
                Type.NUMBER: [0, 1, 7, 255, 2**32, U64_MAX],
                Type.STRING: ["", "x", 'a "b"', "it's"],
                Type.BOOLEAN: [True, False],
            }
            return Literal(draw(st.sampled_from(values[kind])), kind)
        case "variable":
            return Name(
                draw(st.sampled_from([variable.name for variable in VARIABLES if variable.type is kind])),
                "variable",
                kind,
            )
        case "field":
            return Name(draw(st.sampled_from(carried)), "message", kind)
        case "size":
            assert event is not None
            return Size(str(event.message))
        case "not":
            return Unary("not", draw(expressions(Type.BOOLEAN, event, depth - 1)))
        case "sum":
            operator, inner = draw(st.sampled_from("+-")), Type.NUMBER
        case "logic":
            operator, inner = draw(st.sampled_from(["and", "or"])), Type.BOOLEAN
        case "compare":
            operator, inner = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="])), Type.NUMBER
        case _:
            operator, inner = draw(st.sampled_from(["==", "!="])), Type.STRING
    sides = expressions(inner, event, depth - 1)
    return Binary(operator, draw(sides), draw(sides), kind)


@st.composite
def steps(draw: st.DrawFn, event: Event) -> Step:
    match draw(st.sampled_from(["send", "send", "forward", "assign", "assign", "host", "host", "terminate"])):
        case "forward" if event.message is not None:
            return Send(event.message, forward=True)
        case "send" | "forward":
            fields = (("credit", draw(expressions(Type.NUMBER, event))),)
            return draw(st.sampled_from([Send("PING"), Send("CREDIT", fields)]))
        case "assign":
            variable = draw(st.sampled_from(VARIABLES))
            return Assign(variable.name, draw(expressions(variable.type, event)))
        case "host":
            return Host(draw(st.sampled_from(["do_this", "class", "fail"])), ("oops",))
        case _:
            return Terminate()


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    names = ["start", "open", "class"][: draw(st.integers(1, 3))]
    transitions = []
    for state in names:
        for event in EVENTS:
            for _ in range(draw(st.integers(0, 2))):
                row_steps = tuple(draw(st.lists(steps(event), max_size=4)))
                guard = draw(st.none() | expressions(Type.BOOLEAN, event))
                following = draw(st.none() | st.sampled_from(names))
                before_at = draw(st.integers(0, len(row_steps))) if following else len(row_steps)
                transitions.append(Transition(state, event.name, guard, row_steps, following, before_at))
    states = tuple(State(name) for name in names)
    return Machine(
        "toy", "Toy", Role.SERVER, "zeps", states, EVENTS, tuple(transitions), VARIABLES, internal=("oops",)
    )


# --- the plain executor


class Missing(Exception):  # noqa: N818
    """No row handles the event, or too many events follow: UnexpectedEvent or UnhandledEvent in generated code."""


class PlainMachine:
    """Executes the IR according to its docstrings. `log` has the calls of the host."""

    def __init__(self, machine: Machine, protocol: Protocol, fails: Iterator[bool]) -> None:
        self.machine, self.protocol, self.fails = machine, protocol, fails
        self.state = machine.initial
        self.variables = {variable.name: variable.value for variable in machine.variables}
        self.terminated = False
        self.log: list[Any] = []

    def handle(self, name: str, message: Any, raised: int = 0) -> bool:
        rows = [row for row in self.machine.transitions if (row.state, row.event) == (self.state, name)]
        if not rows or raised > RAISES_MAX:
            raise Missing
        for row in rows:
            if row.guard is None or self.value(row.guard, message):
                self.take(row, message, raised)
                return True
        return False

    def take(self, row: Transition, message: Any, raised: int) -> None:
        for index, step in enumerate(row.steps):
            if row.next is not None and index == row.before_at:
                self.state = row.next
            failed = self.step(step, message)
            if failed is not None:
                if not self.handle(failed, None, raised + 1):
                    raise Missing
                return
        self.state = row.next or self.state

    def step(self, step: Step, message: Any) -> str | None:
        match step:
            case Send(forward=True):
                self.log.append(message)
            case Send(name, fields):
                kind = getattr(zeps, pascal(name))
                self.log.append(kind(**{field: self.value(value, message) for field, value in fields}))
            case Assign(name, value):
                new_value = self.value(value, message)
                variable = next(candidate for candidate in self.machine.variables if candidate.name == name)
                self.variables[name] = (
                    min(new_value, 256**variable.size - 1) if variable.type is Type.NUMBER else new_value
                )
            case Host(name, raises):
                self.log.append((name, message))
                return raises[0] if raises and next(self.fails) else None
            case Terminate():
                self.terminated = True
        return None

    def value(self, expression: Expression, message: Any) -> Any:
        match expression:
            case Name(name, "variable"):
                return self.variables[name]
            case Name(name):
                return (
                    getattr(message, name, None)
                    if name not in ("size", "class")
                    else getattr(message, name + "_")
                )
            case Literal(value):
                return value
            case Size():
                return len(message.encode())
            case Unary(_, operand):
                return not self.value(operand, message)
            case Binary(operator, left, right):
                return _apply(operator, self.value(left, message), self.value(right, message))


def _apply(operator: str, left: Any, right: Any) -> Any:
    match operator:
        case "+":
            return min(left + right, U64_MAX)
        case "-":
            return max(left - right, 0)
        case "and":
            return left and right
        case "or":
            return left or right
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case _:
            return left >= right


#: Methods in Python: the action that each implements, and the events that it may raise.
Names = dict[str, tuple[str, tuple[str, ...]]]


class Notebook:
    """A host of any generated machine: records all calls, and fails as requested."""

    def __init__(
        self, module: ModuleType, names: dict[str, tuple[str, tuple[str, ...]]], fails: Iterator[bool]
    ) -> None:
        self.module, self.names, self.fails = module, names, fails
        self.machine: Any = None
        self.log: list[Any] = []

    def send(self, message: Any) -> None:
        self.log.append(message)

    def __getattr__(self, method: str) -> Any:
        name, raises = self.names[method]

        def act(message: Any) -> None:
            self.log.append((name, message))
            if raises and next(self.fails):
                self.machine.fail(self.module.Event[f"ON_{raises[0].upper()}"])

        return act


def host_methods(machine: Machine) -> Names:
    """The host's methods in Python: the action that each implements, and the events that it may raise."""
    methods = {}
    for row in machine.transitions:
        for step in row.steps:
            if isinstance(step, Host):
                methods[f"{step.name}_" if step.name == "class" else step.name] = (step.name, step.raises)
    return methods


@contextmanager
def generated_machine(machine: Machine, protocol: Protocol) -> Iterator[ModuleType]:
    """The machine's module, made and loaded."""
    name = "zeps_wire.random_machine"
    module = types.ModuleType(name)
    module.__package__ = "zeps_wire"
    sys.modules[name] = module
    try:
        source = template("machine.py.j2").render(view=MachineView(machine, protocol))
        exec(compile(source, name, "exec"), module.__dict__)
        yield module
    finally:
        del sys.modules[name]


def method_of(machine: Machine, event: str) -> str:
    """The method of a generated machine for an event of the host or the application."""
    name = snake(event)
    return f"{name}_" if name in {variable.name for variable in machine.variables} else name
