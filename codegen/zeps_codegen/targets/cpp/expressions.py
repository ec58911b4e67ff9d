"""Expressions of guards and assignments in C++, over the names `machine` and `message`."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import Assign, Literal, Machine, Type
from ...plan.operations import Content, Number, Operation
from ..operators import U64_MAX, CLike, spell, spell_assigned
from .text import COMPARISONS, literal

__all__ = ["Spelled"]

_BOUNDS = {"0U", "true", "false"}
"""The literals with which compilers warn about comparisons: the least number, and the booleans."""


class Spelled(CLike):
    """See :class:`..operators.Spelling`. `variables` has the members of the machine's variables, and `fields` the
    operation and the member of each field of the event's data, both by the model's names.
    """

    size = staticmethod("encoded_size(message)".format)
    subtract = staticmethod("zeps_wire::subtract({}, {})".format)

    def __init__(
        self, machine: Machine, variables: Mapping[str, str], fields: Mapping[str, tuple[Operation, str]]
    ) -> None:
        self._types = {variable.name: variable for variable in machine.variables}
        self._variables = variables
        self._fields = fields

    def variable(self, name: str) -> str:
        spelled = f"machine.{self._variables[name]}"
        return f"zeps_wire::Octets({spelled})" if self._types[name].type is Type.OCTETS else spelled

    def parameter(self, name: str, kind: Type) -> str:
        operation, member = self._fields[name]
        spelled = f"message.{member}"
        match operation:
            case Content(is_string=True) if kind is Type.OCTETS:
                return f"zeps_wire::octets_of({spelled})"
            case Number(signed=signed) if kind is Type.NUMBER:
                if operation.enumeration is not None:
                    spelled = f"static_cast<std::{'int64_t' if signed else 'uint64_t'}>({spelled})"
                return f"zeps_wire::saturated({spelled})" if signed else spelled
            case _:
                return spelled

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return literal(value)
        text = literal(value)
        text = text if text.startswith("std::") else f"std::string_view({text})"
        return f"zeps_wire::octets_of({text})" if kind is Type.OCTETS else text

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        """A comparison; a call where compilers would warn: of literals or of equal operands, with 0 or a boolean."""
        if left == right or {left, right} & _BOUNDS or (left[0].isdigit() and right[0].isdigit()):
            return f"std::{COMPARISONS[operator]}<>()({left}, {right})"
        return f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        limit = "" if greatest == U64_MAX else f", {literal(greatest)}"
        return f"zeps_wire::add({left}, {right}{limit})"

    def least(self, value: str, greatest: int) -> str:
        return f"std::min<std::uint64_t>({value}, {literal(greatest)})"

    def assigned(self, step: Assign) -> str:
        """The right side of an assignment: the value, limited to the range of the variable."""
        variable = self._types[step.variable]
        if variable.type is Type.OCTETS:
            literal = isinstance(step.value, Literal) and self.literal(step.value.value, Type.OCTETS)
            return f"zeps_wire::copied({literal or spell(step.value, self)})"
        return spell_assigned(variable, step.value, self)
