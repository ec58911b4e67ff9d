"""Expressions of guards and assignments in C, over `machine` and the event's data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ir import Type, Variable
from ...plan.operations import Content, Number, Operation
from ..operators import U64_MAX, CLike
from .names import number, quoted

__all__ = ["Spelled", "text"]

_BOUNDS = (number(0), number(U64_MAX))
_EQUAL = {Type.STRING: "wire_text_equal", Type.OCTETS: "wire_octets_equal"}
_VIEWS = {Type.STRING: "wire_string_text", Type.OCTETS: "wire_string_octets"}


def text(value: str) -> str:
    """A view of constant text."""
    return f"(wire_text){{{quoted(value)}, {len(value.encode())}}}"


@dataclass(frozen=True, slots=True)
class Spelled(CLike):
    """See :class:`..operators.Spelling`. `variables` has each variable's member and declaration, `parameters` the
    member and operation of each field of the event's data, by the model's names; `carried` is the prefix of these
    members (``call->``), `size_call` the expression for the encoded size of the event's message.
    """

    variables: Mapping[str, tuple[str, Variable]]
    parameters: Mapping[str, tuple[str, Operation]]
    carried: str
    size_call: str

    def variable(self, name: str) -> str:
        member, variable = self.variables[name]
        view = _VIEWS.get(variable.type)
        return f"machine->{member}" if view is None else f"{view}(&machine->{member})"

    def parameter(self, name: str, kind: Type) -> str:
        member, operation = self.parameters[name]
        value = f"{self.carried}{member}"
        match operation:
            case Number(signed=True):
                return f"wire_natural({value})"
            case Content(is_string=True) if kind is Type.OCTETS:
                return f"wire_octets_of({value}.data, {value}.size)"
            case _:
                return value

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, str):
            view = f"wire_octets_of({quoted(value)}, {len(value.encode())})"
            return view if kind is Type.OCTETS else text(value)
        return str(value).lower() if isinstance(value, bool) else number(value)

    def size(self, message: str) -> str:
        return self.size_call

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if kind in _EQUAL:
            return f"{'' if operator == '==' else '!'}{_EQUAL[kind]}({left}, {right})"
        if left == right or right in _BOUNDS:  # compilers warn about constant comparisons
            right = f"wire_number({right})"
        elif left in _BOUNDS:
            left = f"wire_number({left})"
        return f"{left} {operator} {right}"

    subtract = staticmethod("wire_subtract({}, {})".format)

    def add(self, left: str, right: str, greatest: int) -> str:
        return f"wire_add({left}, {right}, {number(greatest)})"

    def least(self, value: str, greatest: int) -> str:
        return f"wire_least({value}, {number(greatest)})"
