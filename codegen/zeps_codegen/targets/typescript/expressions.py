"""Expressions of guards and assignments as TypeScript.

A number is a JavaScript number or a bigint, as the variable or field that holds it is. Where the two meet, the
number becomes a bigint; sums of numbers stay below what a number tells apart, since their parts have four octets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from ...ir import Binary, Expression, Field, Name, Type, Unary, Variable
from ..operators import spell, spell_assigned
from .lines import octets, quoted
from .plan import SAFE_MAX, Carrier, ProtocolPlan, is_raw_text

__all__ = ["Printer", "carrier_of_variable"]

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


def carrier_of_variable(variable: Variable) -> Carrier:
    """What holds the number."""
    return Carrier.BIGINT if variable.size == 8 else Carrier.NUMBER


def _big(text: str) -> str:
    if isinstance(text, _Literal):
        return f"{text}n"
    return f"BigInt({text})" if isinstance(text, _Number) else text


def _number(text: str) -> str:
    return text if isinstance(text, _Number) else f"Number({text})"


def _literal(value: int | str | bool) -> str:
    if isinstance(value, str):
        found = _Constant(quoted(value))
    elif isinstance(value, bool):
        found = _Constant("true" if value else "false")
    else:
        found = _Literal(value) if value <= 2**32 else _Constant(f"{value}n")
    found.value = value
    return found


class Printer:
    """Prints expressions over `machine` and `message`; see :class:`..operators.Spelling`.

    `variables` are the machine's, by their names in the model, with the property of each; `carried` are the fields
    or parameters that the event's message may have, likewise.
    """

    def __init__(
        self,
        protocol: ProtocolPlan,
        module: str,
        variables: Mapping[str, tuple[Variable, str]],
        carried: Mapping[str, list[tuple[Field, str]]],
    ) -> None:
        self._protocol, self._module = protocol, module
        self._variables, self._carried = variables, carried
        self._narrowed = False  # whether a comparison may tell the compiler what another one finds

    # --- whole expressions

    def guard(self, expression: Expression) -> str:
        """A condition."""
        return str(self._spell(expression))

    def assigned(self, variable: Variable, value: Expression) -> str:
        """`value` as what `variable` can hold of it."""
        self._narrowed = self._is_narrowing(value)
        text = spell_assigned(variable, value, self)
        if variable.type is Type.OCTETS and isinstance(value, Name) and value.scope == "message":
            return f"{text}.slice()"  # what is remembered outlives the frame
        if variable.type is not Type.NUMBER:
            return text
        return _big(text) if carrier_of_variable(variable) is Carrier.BIGINT else str(_number(text))

    def sent(self, field: Field, value: Expression) -> str:
        """`value` as the field of a message."""
        text = self._spell(value)
        kind = self._protocol.type_of(field)
        if kind in ("number", "bigint"):
            return _big(text) if kind == "bigint" else str(_number(text))
        if field.enumeration is not None and not is_raw_text(field):
            if self._protocol.enumerations[field.enumeration].carrier is not None:
                wide = self._protocol.carrier(field) is Carrier.BIGINT
                text = _big(text) if wide else _number(text)
            return f"{text} as {self._module}.{kind}"
        return text

    def _spell(self, expression: Expression) -> str:
        self._narrowed = self._is_narrowing(expression)
        return spell(expression, self)

    def _is_narrowing(self, expression: Expression) -> bool:
        """Whether the compiler knows more of what is compared than its type.

        It does of what is compared twice, after the first time, and of the members of an enumeration.
        """
        counts = Counter(_compared(expression))
        members = (name for name in counts if name.scope == "message")
        listed = any(field.enumeration is not None for one in members for field, _ in self._carried[one.name])
        return listed or any(count > 1 for count in counts.values())

    # --- leaves

    def variable(self, name: str) -> str:
        variable, found = self._variables[name]
        text = f"machine.{found}"
        narrow = variable.type is Type.NUMBER and carrier_of_variable(variable) is Carrier.NUMBER
        return _Number(text) if narrow else text

    def parameter(self, name: str, kind: Type) -> str:
        fields = self._carried[name]
        text = f"message.{fields[0][1]}"
        return self._number(text, [field for field, _ in fields]) if kind is Type.NUMBER else text

    def _number(self, text: str, fields: list[Field]) -> str:
        """The number of one of `fields`; a negative one counts as 0."""
        signed = any(field.signed for field in fields)
        carriers = {self._protocol.carrier(field) for field in fields}
        if carriers == {Carrier.NUMBER} and all(field.size < 8 for field in fields):
            return _Number(f"Math.max({text}, 0)" if signed else text)
        big = text if carriers == {Carrier.BIGINT} else f"BigInt({text})"
        return f"natural({big})" if signed else big

    def literal(self, value: int | str | bool, kind: Type) -> str:
        return octets(str(value).encode()) if kind is Type.OCTETS else _literal(value)

    def size(self, message: str) -> str:
        return _Number("sizeOf(message)")

    # --- operators

    def negation(self, operand: str) -> str:
        return f"!{operand}"

    def conjunction(self, left: str, right: str) -> str:
        return f"{left} && {right}"

    def disjunction(self, left: str, right: str) -> str:
        return f"{left} || {right}"

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
