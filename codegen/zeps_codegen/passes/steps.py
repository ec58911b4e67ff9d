"""Steps: resolution of actions and assignments, with their messages, values and types."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..diagnostics import error, remark
from ..ir import (
    Assign,
    Event,
    Expression,
    Field,
    Host,
    Literal,
    Message,
    Send,
    Step,
    Terminate,
    Type,
    Variable,
)
from ..model import Dialect, RawAction, RawAssign, RawFill, RawSet, RawStep, snake
from ..report import Place, Report
from .events import Events
from .expressions import Scope, field_type, resolve_expression

__all__ = ["PlacedStep", "StepContext", "resolve_steps"]

SEND_WHAT = error("ZC310", "a send without a message")
FIELD_NOT_SET = error("ZC311", "a send without values for some fields of its message")
HOST_FILLS = remark("ZC127", "a send whose fields the host fills")
UNKNOWN_SET = error("ZC312", "a send that sets an unknown field, or a field that cannot be set")
SET_TWICE = error("ZC313", "a send that sets or fills a field twice")
UNKNOWN_VARIABLE = error("ZC314", "an assignment to a variable that does not exist")
UNTYPED_FIELD = error("ZC315", "a send that sets a field of a type that expressions cannot have")


@dataclass(frozen=True, slots=True)
class PlacedStep:
    step: Step
    place: Place


@dataclass(frozen=True, slots=True)
class StepContext:
    """The context of steps: the machine's events and variables, and the event that they handle, if any."""

    events: Events
    scope: Scope
    event: Event | None
    dialect: Dialect
    report: Report


def resolve_steps(steps: tuple[RawStep, ...], context: StepContext) -> tuple[PlacedStep, ...]:
    """Resolves the valid steps; errors in the others are reported."""
    resolved: list[PlacedStep] = []
    for raw in steps:
        step = _assign(raw, context) if isinstance(raw, RawAssign) else _action(raw, context)
        if step is not None:
            resolved.append(PlacedStep(step, raw.place))
    return tuple(resolved)


def _assign(raw: RawAssign, context: StepContext) -> Assign | None:
    variable: Variable | None = context.scope.variables.get(raw.variable)
    if variable is None:
        message = f"unknown variable {raw.variable!r}"
        hint = ", ".join(context.scope.variables)
        context.report.add(UNKNOWN_VARIABLE, raw.place, message, hint=hint, attribute="variable")
        return None
    value = resolve_expression(raw.value, variable.type, context.scope, raw.place, "value", context.report)
    return None if value is None else Assign(raw.variable, value)


def _action(raw: RawAction, context: StepContext) -> Step | None:
    name = snake(raw.name)
    if name == "send":
        sent = _send(raw, context)
        return replace(sent, read_as=snake(raw.read_as)) if sent and raw.read_as else sent
    if name == "terminate":
        return Terminate()
    return Host(name, _events(raw.raises, raw, "raises", context), _events(raw.then, raw, "then", context))


def _events(names: str | None, raw: RawAction, attribute: str, context: StepContext) -> tuple[str, ...]:
    listed = (names or "").replace(",", " ").split()
    return tuple(context.events.resolve(item, raw.place, attribute) for item in listed)


def _send(raw: RawAction, context: StepContext) -> Send | None:
    if raw.message is None:
        context.report.add(SEND_WHAT, raw.place, "the send action has no message")
        return None
    message = context.events.message(raw.message, raw.place)
    if message is None:
        return None
    protocol = context.events.protocol
    needed = [field for field in message.fields if protocol.has(field) and not field.hidden]
    if needed and not raw.sets and not raw.fills:
        if context.event is not None and context.event.message == message.name:
            return Send(message.name, forward=True)
        if context.dialect is not Dialect.ZEPS:
            names = tuple(field.name for field in needed)
            text = f"the host fills {', '.join(names)} of {message.name}"
            context.report.add(HOST_FILLS, raw.place, text)
            return Send(message.name, filled=names, defaults=True)
    values = _values(raw, message, needed, context)
    filled = _filled(raw, message, needed, values, context)
    defaults = {field.name: default for field in needed if (default := _default(field)) is not None}
    values = {**{name: value for name, value in defaults.items() if name not in filled}, **values}
    missing = [field for field in needed if field.name not in values and field.name not in filled]
    if missing:
        text = f"{message.name} is sent without a value for {', '.join(field.name for field in missing)}"
        context.report.add(FIELD_NOT_SET, raw.place, text, hint=_how_to_set(missing))
    fields = tuple((field.name, value) for field in needed if (value := values.get(field.name)) is not None)
    return Send(message.name, fields, filled=filled)


def _default(field: Field) -> Literal | None:
    """The value of a field that a send does not set; None without a default that expressions can have."""
    kind = field_type(field)
    if kind is Type.NUMBER and isinstance(field.default, int) and field.default >= 0:
        return Literal(field.default, kind)
    value = field.default
    if isinstance(value, bytes) and value.isascii():
        value = value.decode()
    return Literal(value, kind) if kind in (Type.STRING, Type.OCTETS) and isinstance(value, str) else None


def _how_to_set(missing: list[Field]) -> str:
    """The hint for fields without a value."""
    if any(field_type(field) is None for field in missing):
        return '<fill field="…"/> within the action: the host fills the field'
    return '<set field="…" value="…"/> within the action, or <fill field="…"/> if the host fills the field'


def _filled(
    raw: RawAction,
    message: Message,
    needed: list[Field],
    values: dict[str, Expression | None],
    context: StepContext,
) -> tuple[str, ...]:
    """The fields that the host fills, in the message's order."""
    fields = {field.name: field for field in needed}
    names: dict[str, None] = {}
    for item in raw.fills:
        name = snake(item.field)
        if name in values or name in names:
            context.report.add(SET_TWICE, item.place, f"{name} is set twice", attribute="field")
        elif name not in fields:
            _unknown_set(item, message, fields, context)
        else:
            names[name] = None
    return tuple(name for name in fields if name in names)


def _values(
    raw: RawAction, message: Message, needed: list[Field], context: StepContext
) -> dict[str, Expression | None]:
    """Each field that is set, with its value; None if the value is wrong and has been reported."""
    fields = {field.name: field for field in needed}
    values: dict[str, Expression | None] = {}
    for item in raw.sets:
        name = snake(item.field)
        if name in values:
            context.report.add(SET_TWICE, item.place, f"{name} is set twice", attribute="field")
        elif name not in fields:
            _unknown_set(item, message, fields, context)
        else:
            values[name] = _value(item, message, fields[name], context)
    return values


def _unknown_set(
    item: RawSet | RawFill, message: Message, fields: dict[str, Field], context: StepContext
) -> None:
    field = next((field for field in message.fields if field.name == snake(item.field)), None)
    if field is None:
        text = f"{message.name} has no field {item.field!r}"
    elif not (protocol := context.events.protocol).has(field):
        text = f"{protocol.name} has version {protocol.version}, which does not include {message.name}.{field.name}"
    elif field.reserved:
        text = f"{message.name}.{field.name} is reserved and cannot be set"
    elif field.derived:
        text = f"{message.name}.{field.name} is computed and cannot be set"
    else:
        text = f"{message.name}.{field.name} is constant and cannot be set"
    hint = "fields that can be set: " + (", ".join(fields) or "none")
    context.report.add(UNKNOWN_SET, item.place, text, hint=hint, attribute="field")


def _value(item: RawSet, message: Message, field: Field, context: StepContext) -> Expression | None:
    kind = field_type(field)
    if kind is None:
        text = f"{field.name} is a {field.type.value}, which expressions cannot have"
        hint = '<fill field="…"/> if the host fills the field'
        context.report.add(UNTYPED_FIELD, item.place, text, hint=hint, attribute="field")
        return None
    return resolve_expression(item.value, kind, context.scope, item.place, "value", context.report)
