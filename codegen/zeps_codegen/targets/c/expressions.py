"""Expressions of guards and assignments as C, over `machine` and what the event carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ir import Field, Type, Variable
from ...plan.operations import Content, Number, Operation
from ..operators import U64_MAX
from .names import number, quoted

__all__ = ["Spelled", "text"]

_BOUNDS = (number(0), number(U64_MAX))
_EQUAL = {Type.STRING: "wire_text_equal", Type.OCTETS: "wire_octets_equal"}


def text(value: str) -> str:
    """A view of text that never varies."""
    return f"(wire_text){{{quoted(value)}, {len(value.encode())}}}"


@dataclass(frozen=True, slots=True)
class Spelled:
    """See :class:`..operators.Spelling`. `variables` are the machine's, each with its member; `parameters` what the
    event carries, each with the operation on it; `size_call` is the call that measures the event's message.
    """

    variables: Mapping[str, tuple[str, Variable]]
    parameters: Mapping[str, tuple[str, Operation]]
    size_call: str

    @property
    def held(self) -> dict[str, Field]:
        """What the event carries whose members hold no more than their fields: numbers, but no views."""
        return {name: one.field for name, (_, one) in self.parameters.items() if isinstance(one, Number)}

    def variable(self, name: str) -> str:
        member, variable = self.variables[name]
        match variable.type:
            case Type.STRING:
                return f"wire_string_text(&machine->{member})"
            case Type.OCTETS:
                return f"wire_string_octets(&machine->{member})"
            case _:
                return f"machine->{member}"

    def parameter(self, name: str, kind: Type) -> str:
        match self.parameters[name]:
            case member, Number(signed=True):
                return f"wire_natural({member})"
            case member, Content(is_string=True) if kind is Type.OCTETS:
                return f"wire_octets_of({member}.data, {member}.size)"
            case member, _:
                return member

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return number(value)
        if kind is Type.OCTETS:
            return f"wire_octets_of({quoted(value)}, {len(value.encode())})"
        return text(value)

    def size(self, message: str) -> str:
        return self.size_call

    def negation(self, operand: str) -> str:
        return f"!{operand}"

    def conjunction(self, left: str, right: str) -> str:
        return f"{left} && {right}"

    def disjunction(self, left: str, right: str) -> str:
        return f"{left} || {right}"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if kind in _EQUAL:
            return f"{'' if operator == '==' else '!'}{_EQUAL[kind]}({left}, {right})"
        if left == right or right in _BOUNDS:  # compilers warn of comparisons that never vary
            right = f"wire_number({right})"
        elif left in _BOUNDS:
            left = f"wire_number({left})"
        return f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        return f"wire_add({left}, {right}, {number(greatest)})"

    def subtract(self, left: str, right: str) -> str:
        return f"wire_subtract({left}, {right})"

    def least(self, value: str, greatest: int) -> str:
        return f"wire_least({value}, {number(greatest)})"
