"""Expressions of guards and assignments as Go, over the machine `m` and the event's `message`."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import Expression, Field, FieldType, Type, Variable
from ..fitting import misfits
from ..operators import U64_MAX, spell, spell_assigned
from .names import octets, quoted

__all__ = ["Spelled"]


class Spelled:
    """See :class:`..operators.Spelling`. Every number is a uint64, and every text a string."""

    def __init__(
        self, variables: Mapping[str, str], fields: Mapping[str, tuple[str, Field]], plain: bool = False
    ) -> None:
        """`variables` gives each variable's attribute, `fields` what the event carries: its attribute and
        the field. `plain`: the numbers and texts among them are uint64, int64 and string already.
        """
        self._variables = variables
        self._fields = fields
        self._plain = plain

    def printed(self, expression: Expression) -> str:
        """`expression` in Go."""
        return spell(expression, self)

    def assigned(self, variable: Variable, value: Expression) -> str:
        """`value` as what `variable` can hold of it."""
        return spell_assigned(variable, value, self)

    def misfits(self, field: Field, value: Expression) -> bool:
        """Whether the field may be unable to hold `value`: a number too great, octets too many or too few."""
        carried = {} if self._plain else {name: field for name, (_, field) in self._fields.items()}
        return misfits(field, value, carried)

    # --- the language

    def variable(self, name: str) -> str:
        return f"m.{self._variables[name]}"

    def parameter(self, name: str, kind: Type) -> str:
        attribute, field = self._fields[name]
        value = f"message.{attribute}"
        if kind is Type.NUMBER:
            if field.signed:
                return f"wire.Unsigned({value})" if self._plain else f"wire.Unsigned(int64({value}))"
            wide = field.enumeration is None and (field.type is FieldType.VARINT or field.size == 8)
            return value if self._plain or wide else f"uint64({value})"
        if kind is Type.STRING and not self._plain and field.enumeration:
            return f"string({value})"
        return value

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return str(value) if 0 <= value <= U64_MAX else str(U64_MAX if value > 0 else 0)
        return f"[]byte({octets(value.encode())})" if kind is Type.OCTETS else quoted(value)

    def size(self, message: str) -> str:
        return "uint64(message.Size())"

    def negation(self, operand: str) -> str:
        return f"!{operand}"

    def conjunction(self, left: str, right: str) -> str:
        return f"{left} && {right}"

    def disjunction(self, left: str, right: str) -> str:
        return f"{left} || {right}"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if kind is Type.OCTETS:
            return f"{'' if operator == '==' else '!'}bytes.Equal({left}, {right})"
        return f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        return f"wire.Add({left}, {right}, {greatest})"

    def subtract(self, left: str, right: str) -> str:
        return f"wire.Subtract({left}, {right})"

    def least(self, value: str, greatest: int) -> str:
        return f"min({value}, {greatest})"
