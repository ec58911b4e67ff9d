"""Expressions of guards, assignments and timers as Rust, over `self.context` and `message`. Numbers are u64."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import Expression, Literal, Type, Variable
from ...plan.operations import Content, Fixed, Number, Operation
from ..fitting import misfits
from ..operators import U64_MAX, CLike, spell, spell_assigned
from .names import field_name, quoted, rust_type

__all__ = ["Expressions"]

Variables = Mapping[str, tuple[str, Variable]]
"""The name of each variable in Rust."""


class Expressions(CLike):
    """Spells expressions for one event. `fields` are the operations on its data by name; `path` qualifies types."""

    size = staticmethod("crate::wire::size_of(message) as u64".format)
    subtract = staticmethod("u64::saturating_sub({}, {})".format)

    def __init__(self, variables: Variables, fields: Mapping[str, Operation], path: str) -> None:
        self._variables, self._fields, self._path = variables, fields, path
        self._carried = {
            name: operation.field for name, operation in fields.items() if isinstance(operation, Number)
        }

    def value(self, expression: Expression) -> str:
        """The expression as a condition, a number, text or bytes."""
        return spell(expression, self)

    def assignment(self, variable: str, value: Expression) -> str:
        """The statement that assigns `value`, limited to the range of the variable."""
        name, declared = self._variables[variable]
        spelled = spell_assigned(declared, value, self)
        if declared.type in (Type.STRING, Type.OCTETS):
            spelled = f"{spelled}.into()"
        elif declared.type is Type.NUMBER and declared.size < 8:
            spelled = _narrow(value, spelled, f"u{8 * declared.size}")
        return f"self.context.{name} = {spelled};"

    def field(self, message: str, value: Expression, operation: Operation) -> str:
        """`value` in the type of the message's field; it ends with a question mark if the conversion may fail."""
        spelled, target = self.value(value), rust_type(operation, self._path).kind
        place = f"({quoted(message)}, {quoted(operation.name)})"
        match operation:
            case Content(enumeration=str()):
                return f"machine::word({spelled}, {place})?"
            case Number(enumeration=str()):
                return f"machine::member({spelled}, {place})?"
            case Fixed():
                return f"machine::octets({spelled}, {place})?"
            case Number(field=field) if misfits(field, value, self._carried):
                return f"machine::number({spelled}, {place})?"
            case Number() if target != "u64":
                return _narrow(value, spelled, target)
            case _:
                return spelled

    # --- see ..operators.Spelling

    def variable(self, name: str) -> str:
        spelled, declared = self._variables[name]
        path = f"self.context.{spelled}"
        if declared.type in (Type.STRING, Type.OCTETS):
            return f"{path}.as_{'str' if declared.type is Type.STRING else 'slice'}()"
        return f"u64::from({path})" if declared.type is Type.NUMBER and declared.size < 8 else path

    def parameter(self, name: str, type_: Type) -> str:
        path = f"message.{field_name(name)}"
        match self._fields.get(name):
            case Content(enumeration=str()):
                return f"{path}.as_str()"
            case Number(enumeration=str()):
                return f"machine::natural({path})"
            case Number(signed=True):
                return f"u64::try_from({path}).unwrap_or(0)"
            case Number(bits=bits) if bits < 64:
                return f"u64::from({path})"
            case Fixed():
                return f"{path}.as_slice()"
            case _:
                return path

    def literal(self, value: int | str | bool, type_: Type) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            return quoted(value) if type_ is Type.STRING else f"{quoted(value)}.as_bytes()"
        return str(value) if value < 1 << 31 else f"{value}_u64"

    def comparison(self, operator: str, left: str, right: str, type_: Type) -> str:
        is_cast = operator == "<" and left.endswith(" as u64")  # `u64 <` would open generic arguments
        return f"({left}) {operator} {right}" if is_cast else f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        return self.least(f"u64::saturating_add({left}, {right})", greatest)

    def least(self, value: str, greatest: int) -> str:
        return value if greatest == U64_MAX else f"u64::min({value}, {greatest})"


def _narrow(value: Expression, spelled: str, target: str) -> str:
    """Converts a number to a type with fewer bits that can hold it."""
    return spelled.removesuffix("_u64") if isinstance(value, Literal) else f"{spelled} as {target}"
