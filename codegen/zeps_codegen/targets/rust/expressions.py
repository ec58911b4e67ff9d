"""Expressions of guards and assignments as Rust, over `self.context` and `message`. Numbers are u64."""

from __future__ import annotations

from collections.abc import Mapping

from ...ir import Binary, Expression, Field, FieldType, Literal, Name, Type, Variable
from ...plan.layout import number_range
from ..operators import U64_MAX, greatest_of, spell, spell_assigned
from .lines import quoted
from .plan import Names, field_name

__all__ = ["Expressions"]

_LITERAL = "_u64"


class Expressions:
    """Spells for one machine and one event. `fields` are those of the event's message or method."""

    def __init__(
        self,
        variables: Mapping[str, tuple[str, Variable]],
        fields: Mapping[str, Field],
        names: Names,
    ) -> None:
        self._variables, self._fields, self._names = variables, fields, names

    def guard(self, expression: Expression) -> str:
        """A condition."""
        return spell(expression, self)

    def assignment(self, variable: str, value: Expression) -> str:
        """The statement that assigns `value`, or what the variable can hold of it."""
        name, declared = self._variables[variable]
        spelled = spell_assigned(declared, value, self)
        if declared.type is Type.NUMBER:
            if isinstance(value, Literal):
                spelled = spelled.removesuffix(_LITERAL)
            elif declared.size < 8:
                spelled = f"{spelled} as u{8 * declared.size}"
        elif declared.type is Type.STRING:
            spelled = f"alloc::string::String::from({spelled})"
        elif declared.type is Type.OCTETS:
            spelled = f"alloc::vec::Vec::from({spelled})"
        return f"self.context.{name} = {spelled};"

    def field(self, value: Expression, field: Field) -> tuple[str, bool]:
        """`value` as a message's field wants it, and whether that may fail: it is then a Result."""
        spelled = spell(value, self)
        if field.enumeration is not None:
            return f"{self._member(spelled, field, field.enumeration)}.ok_or(Code::BadConstant)", True
        match field.type:
            case FieldType.NUMBER | FieldType.VARINT:
                return self._number(value, spelled, field)
            case FieldType.OCTETS if field.length is None:
                wrong = f"if {spelled}.len() > {field.size} {{ Code::TooLong }} else {{ Code::Truncated }}"
                return f"<&[u8; {field.size}]>::try_from({spelled}).map_err(|_| {wrong})", True
            case _:
                return spelled, False

    def _member(self, spelled: str, field: Field, enumeration: str) -> str:
        """The member that a text or a number stands for: an Option."""
        kind = self._names.kind(field)
        if self._names.is_worded(enumeration):
            return f"<{kind} as list::Worded>::of_text({spelled})"
        if self._names.is_signed(enumeration):
            return f"i64::try_from({spelled}).ok().and_then({kind}::from_number)"
        return f"<{kind} as list::Numbered>::of_number({spelled})"

    def _number(self, value: Expression, spelled: str, field: Field) -> tuple[str, bool]:
        kind = self._names.kind(field)
        greatest = self._greatest(value)
        if isinstance(value, Literal) and greatest <= number_range(field)[1]:
            return spelled.removesuffix(_LITERAL), False
        if kind == "u64":
            return spelled, False
        if greatest <= number_range(field)[1]:
            return f"{spelled} as {kind}", False
        return f"{kind}::try_from({spelled}).map_err(|_| Code::TooLong)", True

    def _greatest(self, value: Expression) -> int:
        """No value of the expression is greater."""
        match value:
            case Literal(int() as number):
                return number
            case Name(name, "variable"):
                return greatest_of(self._variables[name][1])
            case Name(name):
                found = self._fields[name]
                return U64_MAX if found.enumeration is not None else number_range(found)[1]
            case Binary("-", left):
                return self._greatest(left)
            case _:
                return U64_MAX

    # --- see ..operators.Spelling

    def variable(self, name: str) -> str:
        spelled, declared = self._variables[name]
        path = f"self.context.{spelled}"
        match declared.type:
            case Type.NUMBER:
                return path if declared.size == 8 else f"u64::from({path})"
            case Type.STRING:
                return f"{path}.as_str()"
            case Type.OCTETS:
                return f"{path}.as_slice()"
            case _:
                return path

    def parameter(self, name: str, kind: Type) -> str:
        path, field = f"message.{field_name(name)}", self._fields[name]
        if field.enumeration is not None:
            if self._names.is_worded(field.enumeration):
                return f"list::Worded::to_text({path})"
            if self._names.is_signed(field.enumeration):
                return f"u64::try_from({path}.number()).unwrap_or(0)"
            return f"list::Numbered::to_number({path})"
        if field.type in (FieldType.NUMBER, FieldType.VARINT):
            if field.signed:
                return f"u64::try_from({path}).unwrap_or(0)"
            return path if self._names.kind(field) == "u64" else f"u64::from({path})"
        if field.type is FieldType.OCTETS and field.length is None:
            return f"{path}.as_slice()"
        return path

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            return quoted(value) if kind is Type.STRING else f"{quoted(value)}.as_bytes()"
        return f"{value}{_LITERAL}"

    def size(self, message: str) -> str:
        return "octets_of(message)"

    def negation(self, operand: str) -> str:
        return f"!{operand}"

    def conjunction(self, left: str, right: str) -> str:
        return f"{left} && {right}"

    def disjunction(self, left: str, right: str) -> str:
        return f"{left} || {right}"

    def comparison(self, operator: str, left: str, right: str, kind: Type) -> str:
        if '""' in (left, right):  # of text there is no other comparison
            text = right if left == '""' else left
            return f"{'!' if operator == '!=' else ''}{text.removesuffix('.as_str()')}.is_empty()"
        if kind is Type.NUMBER and not left.endswith(_LITERAL):
            right = right.removesuffix(_LITERAL)
        return f"{left} {operator} {right}"

    def add(self, left: str, right: str, greatest: int) -> str:
        sum_ = f"{left}.saturating_add({right.removesuffix(_LITERAL)})"
        return sum_ if greatest == U64_MAX else f"{sum_}.min({greatest})"

    def subtract(self, left: str, right: str) -> str:
        return f"{left}.saturating_sub({right.removesuffix(_LITERAL)})"

    def least(self, value: str, greatest: int) -> str:
        return f"{value}.min({greatest})"
