"""Expressions of guards and assignments as Rust, over `self.context` and `message`. Numbers are u64."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import Binary, Expression, Literal, Name, Type, Variable
from ...plan.operations import Content, Fixed, Number, Operation
from ..operators import U64_MAX, CLike, greatest_of, spell, spell_assigned
from .names import field_name, kind, quoted

__all__ = ["Expressions"]

_LITERAL = "_u64"


class Expressions(CLike):
    """Spells for one machine and one event: `fields` are those of the event's message or method. `path` stands before
    the protocol's types.
    """

    def __init__(
        self, variables: Mapping[str, tuple[str, Variable]], fields: Mapping[str, Operation], path: str
    ) -> None:
        self._variables, self._fields, self._path = variables, fields, path

    def guard(self, expression: Expression) -> str:
        """A condition."""
        return spell(expression, self)

    def assignment(self, variable: str, value: Expression) -> str:
        """The statement that assigns `value`, or what the variable can hold of it."""
        name, declared = self._variables[variable]
        spelled = spell_assigned(declared, value, self)
        match declared.type:
            case Type.NUMBER if isinstance(value, Literal):
                spelled = spelled.removesuffix(_LITERAL)
            case Type.NUMBER if declared.size < 8:
                spelled = f"{spelled} as u{8 * declared.size}"
            case Type.STRING | Type.OCTETS:
                spelled = f"{spelled}.into()"
        return f"self.context.{name} = {spelled};"

    def field(self, message: str, value: Expression, operation: Operation) -> str:
        """`value` as the message's field wants it; it ends with a question mark if that may fail."""
        spelled, wanted = spell(value, self), kind(operation, self._path)
        place = f"({quoted(message)}, {quoted(operation.name)})"
        match operation:
            case Content(enumeration=str()):
                return f"machine::word({spelled}, {place})?"
            case Number(enumeration=str()):
                return f"machine::member({spelled}, {place})?"
            case Fixed():
                return f"machine::octets({spelled}, {place})?"
            case Number(greatest=greatest) if self._greatest(value) > greatest:
                return f"machine::number({spelled}, {place})?"
            case Number() if isinstance(value, Literal):
                return spelled.removesuffix(_LITERAL)
            case Number() if wanted != "u64":
                return f"{spelled} as {wanted}"
            case _:
                return spelled

    def _greatest(self, value: Expression) -> int:
        """No value of the expression is greater."""
        match value:
            case Literal(int() as number):
                return number
            case Name(name, "variable"):
                return greatest_of(self._variables[name][1])
            case Name(name):
                found = self._fields[name]
                return found.greatest if isinstance(found, Number) and not found.enumeration else U64_MAX
            case Binary("-", left):
                return self._greatest(left)
            case _:
                return U64_MAX

    # --- see ..operators.Spelling

    def variable(self, name: str) -> str:
        spelled, declared = self._variables[name]
        path = f"self.context.{spelled}"
        match declared.type:
            case Type.NUMBER if declared.size < 8:
                return f"u64::from({path})"
            case Type.STRING:
                return f"{path}.as_str()"
            case Type.OCTETS:
                return f"{path}.as_slice()"
            case _:
                return path

    def parameter(self, name: str, type_: Type) -> str:
        path = f"message.{field_name(name)}"
        match self._fields[name]:
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
        return f"{value}{_LITERAL}"

    def size(self, message: str) -> str:
        return "crate::wire::size_of(message) as u64"

    def comparison(self, operator: str, left: str, right: str, type_: Type) -> str:
        if '""' in (left, right):  # of text there is no other comparison
            text = right if left == '""' else left
            return f"{'!' if operator == '!=' else ''}{text.removesuffix('.as_str()')}.is_empty()"
        if type_ is Type.NUMBER and not left.endswith(_LITERAL):
            right = right.removesuffix(_LITERAL)
        return f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        sum_ = f"{left}.saturating_add({right.removesuffix(_LITERAL)})"
        return sum_ if greatest == U64_MAX else f"{sum_}.min({greatest})"

    def subtract(self, left: str, right: str) -> str:
        return f"{left}.saturating_sub({right.removesuffix(_LITERAL)})"

    def least(self, value: str, greatest: int) -> str:
        return f"{value}.min({greatest})"
