"""Random models as IR that the front end accepts: protocols of every dispatch; machines with variables and guards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from random_protocols import COLOUR, RIGHTS, fields

from zeps_codegen.compose import shown_fields
from zeps_codegen.ir import (
    Assign,
    Binary,
    Bundle,
    Constant,
    Dispatch,
    Enumeration,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
    Host,
    Literal,
    Machine,
    Message,
    Method,
    Name,
    Protocol,
    Role,
    Send,
    Size,
    State,
    Step,
    Terminate,
    Text,
    Transition,
    Type,
    Unary,
    Variable,
)

WORDS = Enumeration("word", (Constant("yes", "yes"), Constant("no", "no"), Constant("long one", "é§ 1")))
U64_MAX = 2**64 - 1
_TYPES = {
    FieldType.NUMBER: Type.NUMBER,
    FieldType.VARINT: Type.NUMBER,
    FieldType.STRING: Type.STRING,
    FieldType.CHUNK: Type.OCTETS,
    FieldType.OCTETS: Type.OCTETS,
    FieldType.UUID: Type.OCTETS,
    FieldType.REST: Type.OCTETS,
}
_NUMBERS = (0, 1, 7, 255, 256, 2**32, 2**63, U64_MAX)
_TEXTS = ("", "x", 'a "b" \\ c', "it's", "é\u2028 ${x} %s {0}")
_NAMES = ("PING", "ATTACH-OK", "message", "any", "Error", "type", "STATE", "self")


@st.composite
def protocols(draw: st.DrawFn, name: str) -> Protocol:
    """A protocol of two to four messages, each of one frame; or of one message without leading constants."""
    dispatch = draw(st.sampled_from(list(Dispatch)))
    alone = dispatch is Dispatch.CONSTANT and draw(st.booleans())
    messages = []
    for number in range(1, (1 if alone else draw(st.integers(2, 4))) + 1):
        message_fields = draw(fields(False))
        if dispatch is Dispatch.CONSTANT and not alone:
            magic = Field("magic", FieldType.OCTETS, 4, value=f"MSG{number}".encode())
            message_fields = (magic, *message_fields)
        if draw(st.booleans()):
            word = Field("word", FieldType.STRING, draw(st.sampled_from((1, 4))), enumeration=WORDS.name)
            at = 1 if dispatch is Dispatch.CONSTANT and not alone else 0
            message_fields = (*message_fields[:at], word, *message_fields[at:])
        title = draw(st.sampled_from(_NAMES))
        messages.append(Message(f"{title}-{number}", number * 7, message_fields))
    enumerations = (COLOUR, RIGHTS, WORDS)
    signature = draw(st.integers(0, 15))
    return Protocol(name, f"The {name}", dispatch, signature, 1, tuple(messages), enumerations=enumerations)


@dataclass(frozen=True)
class _World:
    """The names that a machine's expressions can use."""

    protocol: Protocol
    variables: tuple[Variable, ...]

    def carried(self, event: Event) -> dict[Type, list[str]]:
        """The fields of the event's data that expressions can read."""
        if event.message is not None:
            message = self.protocol.message(event.message)
            readable_fields = [f for f in shown_fields(self.protocol, message) if f in message.fields]
        else:
            readable_fields = list(event.parameters)
        names: dict[Type, list[str]] = {}
        for field in readable_fields:
            kind = self.readable(field)
            if kind is not None:
                names.setdefault(kind, []).append(field.name)
        return names

    def settable(self) -> dict[str, Mapping[str, Type]]:
        """The messages that can be sent with values, and the types of these."""
        by_message = {}
        for message in self.protocol.messages:
            kinds = {field.name: self.readable(field) for field in shown_fields(self.protocol, message)}
            if self.protocol.dispatch is not Dispatch.PUBSUB and all(kinds.values()):
                by_message[message.name] = {name: kind for name, kind in kinds.items() if kind is not None}
        return by_message

    def readable(self, field: Field) -> Type | None:
        """The type of a field in an expression, if it has one."""
        if field.type is FieldType.STRING and field.text is Text.OCTETS:
            return Type.OCTETS
        return _TYPES.get(field.type)


@st.composite
def machines(draw: st.DrawFn, name: str, protocol: Protocol, role: Role) -> Machine:
    """A machine of one to three states."""
    variables = tuple(draw(_variables()))
    world = _World(protocol, variables)
    events, methods = draw(_events(protocol))
    states = [f"state {number}".replace(" ", "_") for number in range(1, draw(st.integers(1, 3)) + 1)]
    rows: list[Transition] = []
    for state in states:
        for event in events:
            rows += draw(st.lists(_rows(world, event, state, states), max_size=2))
    raised = {name for row in rows for step in row.steps if isinstance(step, Host) for name in step.raises}
    return Machine(
        name,
        f"The {name}",
        role,
        protocol.name,
        tuple(State(state_name) for state_name in states),
        events,
        tuple(rows),
        variables,
        methods,
        internal=tuple(sorted(raised)),
    )


@st.composite
def _variables(draw: st.DrawFn) -> list[Variable]:
    variables = [
        Variable("credit", Type.NUMBER, draw(st.sampled_from((1, 2, 4, 8))), draw(st.integers(0, 255)))
    ]
    variables.append(Variable("class", Type.BOOLEAN, value=draw(st.booleans())))
    variables.append(Variable("reason", Type.STRING, value=draw(st.sampled_from(_TEXTS))))
    variables.append(Variable("token", Type.OCTETS, value=draw(st.sampled_from(("", "abc")))))
    variables.append(Variable("tries", Type.NUMBER, 1, 3))
    return variables[: draw(st.integers(1, 5))]


@st.composite
def _events(draw: st.DrawFn, protocol: Protocol) -> tuple[tuple[Event, ...], tuple[Method, ...]]:
    events = [Event(message.name, EventKind.MESSAGE, message.name) for message in protocol.messages]
    carried = draw(st.sampled_from([None, *[message.name for message in protocol.messages]]))
    events += [Event("oops", EventKind.HOST), Event("deliver", EventKind.HOST, carried)]
    parameters = (
        Field("size", FieldType.NUMBER, draw(st.sampled_from((1, 4, 8))), draw(st.booleans())),
        Field("name", FieldType.STRING, 1),
        Field("body", FieldType.CHUNK, 4),
    )[: draw(st.integers(0, 3))]
    method = Method("follow", parameters)
    return (*events, Event("follow", EventKind.METHOD, None, parameters)), (method,)


@st.composite
def _rows(draw: st.DrawFn, world: _World, event: Event, state: str, states: list[str]) -> Transition:
    steps = tuple(draw(st.lists(_steps(world, event), max_size=4)))
    guard = draw(st.none() | _expressions(world, Type.BOOLEAN, event))
    following = draw(st.none() | st.sampled_from(states))
    split = draw(st.integers(0, len(steps))) if following else len(steps)
    return Transition(state, event.name, guard, steps, following, split)


@st.composite
def _steps(draw: st.DrawFn, world: _World, event: Event) -> Step:
    kinds = ["assign", "assign", "host", "host", "send", "send", "forward", "terminate"]
    settable = world.settable()
    match draw(st.sampled_from(kinds)):
        case "forward" if event.message is not None:
            return Send(event.message, forward=True)
        case "send" | "forward" if settable:
            name = draw(st.sampled_from(sorted(settable)))
            values = {field: draw(_expressions(world, kind, event)) for field, kind in settable[name].items()}
            return Send(name, tuple(values.items()))
        case "assign":
            variable = draw(st.sampled_from(world.variables))
            return Assign(variable.name, draw(_expressions(world, variable.type, event)))
        case "terminate":
            return Terminate()
        case _:
            name = draw(st.sampled_from(["do_this", "class", "fail", "send_it"]))
            return Host(name, () if name == "do_this" else ("oops",))


@st.composite
def _expressions(draw: st.DrawFn, world: _World, kind: Type, event: Event, depth: int = 2) -> Expression:
    """An expression of type `kind` over the variables and the event's data."""
    carried = world.carried(event).get(kind, [])
    known = [variable.name for variable in world.variables if variable.type is kind]
    choices = [
        "literal",
        *(["variable", "variable"] if known else []),
    ]
    choices += ["field", "field", "field"] if carried else []
    if depth > 0 and kind is Type.NUMBER:
        choices += ["sum", "sum"] + ["size"] * (event.message is not None)
    if depth > 0 and kind is Type.BOOLEAN:
        choices += ["compare", "compare", "equal", "logic", "not"]
    match draw(st.sampled_from(choices)):
        case "literal":
            values: dict[Type, tuple[Any, ...]] = {
                Type.NUMBER: _NUMBERS,
                Type.STRING: _TEXTS,
                Type.OCTETS: ("", "abc", "§ 1"),
                Type.BOOLEAN: (True, False),
            }
            return Literal(draw(st.sampled_from(values[kind])), kind)
        case "variable":
            return Name(draw(st.sampled_from(known)), "variable", kind)
        case "field":
            return Name(draw(st.sampled_from(carried)), "message", kind)
        case "size":
            return Size(str(event.message))
        case "not":
            return Unary("not", draw(_expressions(world, Type.BOOLEAN, event, depth - 1)))
        case "sum":
            operator, inner = draw(st.sampled_from("+-")), Type.NUMBER
        case "logic":
            operator, inner = draw(st.sampled_from(["and", "or"])), Type.BOOLEAN
        case "compare":
            operator, inner = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="])), Type.NUMBER
        case _:
            kinds = [Type.NUMBER, Type.STRING, Type.OCTETS, Type.BOOLEAN]
            operator, inner = draw(st.sampled_from(["==", "!="])), draw(st.sampled_from(kinds))
    sides = _expressions(world, inner, event, depth - 1)
    return Binary(operator, draw(sides), draw(sides), kind)


@st.composite
def bundles(draw: st.DrawFn) -> Bundle:
    """A model: one or two protocols, and a machine or two over the first."""
    names = ["alpha", "beta"][: draw(st.integers(1, 2))]
    drawn_protocols = tuple(draw(protocols(name)) for name in names)
    roles = [("alpha_server", Role.SERVER), ("alpha_client", Role.CLIENT)][: draw(st.integers(1, 2))]
    return Bundle(
        drawn_protocols, tuple(draw(machines(name, drawn_protocols[0], role)) for name, role in roles)
    )
