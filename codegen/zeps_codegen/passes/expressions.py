"""Expressions: resolution of names, and type checking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..diagnostics import error
from ..ir import (
    Binary,
    Expression,
    Field,
    FieldType,
    Literal,
    Message,
    Name,
    Protocol,
    Size,
    Text,
    Type,
    Unary,
    Variable,
)
from ..model import fold
from ..report import Place, Report, did_you_mean
from ..source import expressions as source

__all__ = ["Scope", "field_type", "resolve_expression"]

SYNTAX = error("ZC401", "a syntax error in a guard or value")
UNKNOWN_NAME = error("ZC402", "an unknown name in an expression")
WRONG_TYPE = error("ZC403", "a type error in an expression")
NO_MESSAGE = error("ZC404", "an expression reads a message in a place without a message")
WRONG_SIZE = error("ZC405", "size() of a message that the event does not carry")
OTHER_VERSION = error("ZC406", "an expression reads a field that the model's version does not have")

NUMBER_MAX = 2**64 - 1
_TYPES = {
    FieldType.NUMBER: Type.NUMBER,
    FieldType.VARINT: Type.NUMBER,
    FieldType.STRING: Type.STRING,
    FieldType.CHUNK: Type.OCTETS,
    FieldType.OCTETS: Type.OCTETS,
    FieldType.UUID: Type.OCTETS,
    FieldType.REST: Type.OCTETS,
    FieldType.FRAME: Type.OCTETS,
}


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that an expression can use. `fields` belong to the message or method of `event`."""

    variables: Mapping[str, Variable]
    constants: Mapping[str, int | str] = field(default_factory=dict)
    event: str | None = None
    fields: Mapping[str, Field] | None = None
    message: Message | None = None
    protocol: Protocol | None = None

    def has(self, item: Field) -> bool:
        """Whether the model's version includes the field; True without a protocol."""
        return self.protocol is None or self.protocol.has(item)


def field_type(item: Field) -> Type | None:
    """The type of a field in an expression: octets for a string of text class `octets`; None if it cannot have one."""
    if item.type is FieldType.STRING and item.text is Text.OCTETS:
        return Type.OCTETS
    return _TYPES.get(item.type)


def resolve_expression(
    text: str, expected: Type, scope: Scope, place: Place, attribute: str, report: Report
) -> Expression | None:
    """Resolves a typed expression; None, with a finding, if the text is wrong or its type is not `expected`."""
    try:
        node = source.parse_expression(text)
    except source.SyntaxFault as fault:
        message = f"{attribute}={text!r}: {fault}"
        report.add(
            SYNTAX, place, message, hint=f"column {fault.column} of the expression", attribute=attribute
        )
        return None
    resolver = _Resolver(text, scope, place, attribute, report)
    resolved = resolver.resolve(node)
    if resolved is None:
        return None
    resolved = _as(resolved, expected)
    if (actual := type_of(resolved)) is not expected:
        resolver.fault(f"is a {actual.value}, not a {expected.value}")
        return None
    return resolved


def type_of(expression: Expression) -> Type:
    """The type of a resolved expression."""
    if isinstance(expression, Size):
        return Type.NUMBER
    if isinstance(expression, Unary):
        return Type.BOOLEAN
    return expression.type


class _Resolver:
    def __init__(self, text: str, scope: Scope, place: Place, attribute: str, report: Report) -> None:
        self.text, self.scope, self.place = text, scope, place
        self.attribute, self.report = attribute, report

    def fault(self, message: str) -> None:
        text = f"{self.attribute}={self.text!r} {message}"
        self.report.add(WRONG_TYPE, self.place, text, attribute=self.attribute)

    def resolve(self, node: source.Node) -> Expression | None:
        if isinstance(node, source.Literal):
            return _literal(node.value)
        if isinstance(node, source.SizeOf):
            return self.size(node.message)
        if isinstance(node, source.Reference):
            return self.field(node.name) if node.message else self.name(node.name)
        operands = [self.resolve(operand) for operand in node.operands]
        if any(operand is None for operand in operands):
            return None
        return self.apply(node.operator, [operand for operand in operands if operand is not None])

    def apply(self, operator: str, operands: list[Expression]) -> Expression | None:
        if Type.OCTETS in (types := [type_of(operand) for operand in operands]):
            operands = [_as(operand, Type.OCTETS) for operand in operands]
            types = [type_of(operand) for operand in operands]
        if operator == "not":
            if types[0] is not Type.BOOLEAN:
                self.fault(f"negates a {types[0].value}, not a boolean")
                return None
            return Unary("not", operands[0])
        left, right = operands
        if operator in ("and", "or"):
            expected, result = Type.BOOLEAN, Type.BOOLEAN
        elif operator in ("+", "-"):
            expected, result = Type.NUMBER, Type.NUMBER
        elif operator in ("==", "!="):
            expected, result = types[0], Type.BOOLEAN
        else:
            expected, result = Type.NUMBER, Type.BOOLEAN
        if types != [expected, expected]:
            self.fault(f"applies {operator} to a {types[0].value} and a {types[1].value}")
            return None
        return Binary(operator, left, right, result)

    def name(self, name: str) -> Expression | None:
        if name in self.scope.variables:
            return Name(name, "variable", self.scope.variables[name].type)
        if name in self.scope.constants:
            return _literal(self.scope.constants[name])
        self.unknown(name, [*self.scope.variables, *self.scope.constants], "variable or constant")
        return None

    def field(self, name: str) -> Expression | None:
        if self.scope.fields is None:
            where = f"the event {self.scope.event}" if self.scope.event else "an action on entry or exit"
            message = (
                f"{self.attribute}={self.text!r} reads message.{name}, but {where} has no single message"
            )
            self.report.add(NO_MESSAGE, self.place, message, attribute=self.attribute)
            return None
        item = self.scope.fields.get(name)
        if item is None:
            self.unknown(name, list(self.scope.fields), f"field of {self.scope.event}")
            return None
        if not self.scope.has(item):
            self.absent(item)
            return None
        if item.reserved:
            self.fault(f"reads {name}, which is reserved and not part of message objects")
            return None
        kind = field_type(item)
        if kind is None:
            self.fault(f"reads {name}, but expressions cannot use a {item.type.value}")
            return None
        if item.derived:
            self.fault(
                f"reads {name}, which counts or measures another field and is not part of message objects"
            )
            return None
        return Name(name, "message", kind) if item.value is None else self.constant(name, item.value, kind)

    def absent(self, item: Field) -> None:
        """Reports the use of a field of another version."""
        protocol, message = self.scope.protocol, self.scope.message
        assert protocol is not None
        assert message is not None
        span = (
            f"exists until version {item.until}"
            if item.since <= protocol.version
            else f"exists since version {item.since}"
        )
        text = f"{self.attribute}={self.text!r} reads {item.name}, which {span}; {protocol.name} has version "
        text += str(protocol.version)
        names = ", ".join(field.name for field in message.fields if protocol.has(field) and not field.hidden)
        hint = f"{message.name} has {names or 'no fields'}"
        self.report.add(OTHER_VERSION, self.place, text, hint=hint, attribute=self.attribute)

    def constant(self, name: str, value: int | str | bytes, kind: Type) -> Expression | None:
        """The literal for a constant field, which message objects lack; None, with a finding, if it is not UTF-8."""
        if isinstance(value, int):
            return _literal(value)
        try:
            return Literal(value if isinstance(value, str) else value.decode(), kind)
        except UnicodeDecodeError:
            self.fault(
                f"reads {name}, a constant whose bytes are not UTF-8; expressions have literals for text only"
            )
            return None

    def size(self, name: str) -> Expression | None:
        message = self.scope.message
        if message is None or fold(message.name) != fold(name):
            carried = f"carries {message.name}" if message else "carries no message"
            event = f"the event {self.scope.event}" if self.scope.event else "this"
            text = f"{self.attribute}={self.text!r} has size({name}), but {event} {carried}"
            self.report.add(WRONG_SIZE, self.place, text, attribute=self.attribute)
            return None
        return Size(message.name)

    def unknown(self, name: str, known: list[str], what: str) -> None:
        message = f"{self.attribute}={self.text!r}: unknown {what} {name!r}"
        hint = did_you_mean(name, known)
        self.report.add(UNKNOWN_NAME, self.place, message, hint, attribute=self.attribute)


def _as(expression: Expression, expected: Type) -> Expression:
    """The expression; where octets are expected, a text literal is converted to octets."""
    if expected is Type.OCTETS and isinstance(expression, Literal) and isinstance(expression.value, str):
        return replace(expression, type=Type.OCTETS)
    return expression


def _literal(value: int | str | bool) -> Literal:
    if isinstance(value, bool):
        return Literal(value, Type.BOOLEAN)
    if isinstance(value, int):
        return Literal(min(max(value, 0), NUMBER_MAX), Type.NUMBER)
    return Literal(value, Type.STRING)
