"""Expressions of guards and assignments as TypeScript.

A number is a JavaScript number or a bigint, as the variable or field that holds it is. Where the two meet, the
number becomes a bigint; sums of numbers stay below what a number tells apart, since their parts have four octets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from ...ir import Binary, Expression, Name, Type, Unary
from ...plan.operations import Content, Number, Operation
from ..operators import CLike, spell, spell_assigned
from .lines import octets, quoted
from .names import SAFE_MAX, MachineNames, is_big

__all__ = ["Printer"]

_EQUAL = {"==": "===", "!=": "!=="}
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


class _Number(str):
    """An expression that is a number."""


class _Constant(str):
    """A literal, with its value."""

    value: int | str | bool


class _Literal(_Constant, _Number):
    """A literal, which may also be spelled as a bigint."""


def _big(text: str) -> str:
    if isinstance(text, _Literal):
        return f"{text}n"
    return f"BigInt({text})" if isinstance(text, _Number) else text


def _as(big: bool, text: str) -> str:
    """`text` as a bigint, or as a number."""
    return _big(text) if big else str(text) if isinstance(text, _Number) else f"Number({text})"


def _literal(value: int | str | bool) -> str:
    if isinstance(value, str):
        found = _Constant(quoted(value))
    elif isinstance(value, bool):
        found = _Constant("true" if value else "false")
    else:
        found = _Literal(value) if value <= 2**32 else _Constant(f"{value}n")
    found.value = value
    return found


class Printer(CLike):
    """Prints expressions over `machine` and `message`, at any of some events; see :class:`..operators.Spelling`."""

    def __init__(self, names: MachineNames, events: Iterable[str]) -> None:
        self._names = names
        self._variables = {one.name: one for one in names.machine.variables}
        self._carried: dict[str, list[tuple[Operation, str]]] = {}
        for event in dict.fromkeys(events):
            for name, found in names.carried(event).items():
                self._carried.setdefault(name, []).append(found)
        self._narrowed = False  # whether a comparison may tell the compiler what another one finds

    # --- whole expressions

    def guard(self, expression: Expression) -> str:
        """A condition."""
        self._narrowed = self._is_narrowing(expression)
        return spell(expression, self)

    def assigned(self, name: str, value: Expression) -> str:
        """`value` as what the variable can hold of it."""
        variable = self._variables[name]
        self._narrowed = self._is_narrowing(value)
        text = spell_assigned(variable, value, self)
        if variable.type is Type.OCTETS and isinstance(value, Name) and value.scope == "message":
            return f"{text}.slice()"  # what is remembered outlives the frame
        return _as(is_big(variable), text) if variable.type is Type.NUMBER else text

    def sent(self, operation: Operation, value: Expression) -> str:
        """`value` as what a message holds."""
        text, protocol = self.guard(value), self._names.protocol
        if isinstance(operation, Number):
            text = _as(protocol.is_big(operation), text)
        if isinstance(operation, Number | Content) and operation.enumeration is not None:
            return f"{text} as {self._names.module}.{protocol.type_of(operation)}"
        return text

    def _is_narrowing(self, expression: Expression) -> bool:
        """Whether the compiler knows more of what is compared than its type.

        It does of what is compared twice, after the first time, and of the members of an enumeration.
        """
        counts = Counter(_compared(expression))
        carried = [one for name in counts if name.scope == "message" for one, _ in self._carried[name.name]]
        listed = any(isinstance(one, Number | Content) and one.enumeration is not None for one in carried)
        return listed or any(count > 1 for count in counts.values())

    # --- leaves

    def variable(self, name: str) -> str:
        variable, text = self._variables[name], f"machine.{self._names.variables[name]}"
        return _Number(text) if variable.type is Type.NUMBER and not is_big(variable) else text

    def parameter(self, name: str, kind: Type) -> str:
        found = self._carried[name]
        text = f"message.{found[0][1]}"
        numbers = [one for one, _ in found if isinstance(one, Number)]
        return self._number(text, numbers) if kind is Type.NUMBER else text

    def _number(self, text: str, numbers: list[Number]) -> str:
        """One of the numbers; a negative one counts as 0."""
        signed = any(one.signed for one in numbers)
        bigs = {self._names.protocol.is_big(one) for one in numbers}
        if bigs == {False} and all(one.size < 8 for one in numbers):
            return _Number(f"Math.max({text}, 0)" if signed else text)
        big = text if bigs == {True} else f"BigInt({text})"
        return f"natural({big})" if signed else big

    def literal(self, value: int | str | bool, kind: Type) -> str:
        return octets(str(value).encode()) if kind is Type.OCTETS else _literal(value)

    def size(self, message: str) -> str:
        return _Number("sizeOf(message)")

    # --- operators

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if isinstance(left, _Constant) and isinstance(right, _Constant):
            return _literal(_OPERATORS[operator](left.value, right.value))  # the compiler refuses to
        if kind is Type.OCTETS:
            same = f"sameOctets({left}, {right})"
            return same if operator == "==" else f"!{same}"
        if kind is Type.NUMBER:
            left, right = _alike(left, right)
        if operator in _EQUAL and (kind is Type.BOOLEAN or self._narrowed):
            same = f"sameValue({left}, {right})"  # the compiler refuses to compare what it knows to differ
            return same if operator == "==" else f"!{same}"
        return f"{left} {_EQUAL.get(operator, operator)} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        if isinstance(left, _Number) and isinstance(right, _Number):
            total = f"{left} + {right}"
            return _Number(f"Math.min({total}, {greatest})" if greatest <= SAFE_MAX else f"({total})")
        return f"least({_big(left)} + {_big(right)}, {greatest}n)"

    def subtract(self, left: str, right: str) -> str:
        if isinstance(left, _Number) and isinstance(right, _Number):
            return _Number(f"Math.max({left} - {right}, 0)")
        return f"difference({_big(left)}, {_big(right)})"

    def least(self, value: str, greatest: int) -> str:
        if isinstance(value, _Number):
            return _Number(f"Math.min({value}, {greatest})") if greatest <= SAFE_MAX else value
        return f"least({value}, {greatest}n)"


def _compared(expression: Expression) -> Iterator[Name]:
    """The names that are compared for being equal, as often as they are."""
    match expression:
        case Unary(_, operand):
            yield from _compared(operand)
        case Binary(operator, left, right):
            for side in (left, right):
                if operator in _EQUAL and isinstance(side, Name):
                    yield side
                yield from _compared(side)


def _alike(left: str, right: str) -> tuple[str, str]:
    """Both numbers, or both bigints."""
    if isinstance(left, _Number) and isinstance(right, _Number):
        return left, right
    return _big(left), _big(right)
