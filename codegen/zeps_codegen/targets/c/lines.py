"""Documentation comments."""

from __future__ import annotations

import re

from ...ir import Field
from ...plan.operations import Operation
from ..comments import wrapped

__all__ = ["doc", "field_doc", "operation_doc"]

_WIDTH = 110


def doc(*paragraphs: str, indent: int = 0, default: str = "") -> str:
    """A documentation comment of the paragraphs with text, or of `default`, or ``""``; `indent` only narrows it."""
    plain = (re.sub(r"(\*|\?\?)(?=/)|/(?=\*)", r"\g<0> ", text) for text in paragraphs)
    lines = wrapped(*plain, width=_WIDTH - indent, break_words=True) or [default] * bool(default)
    if len(lines) < 2:
        return "".join(f"/** {line} */\n" for line in lines)
    return "\n".join(["/**", *(f" * {line}".rstrip() for line in lines), " */\n"])


def field_doc(field: Field) -> str:
    """The comment of a field's member or macro: its description and enumeration; empty without both."""
    item = field if field.items is None else field.items
    values = "" if item.enumeration is None else f"{'Bits' if item.flags else 'One'} of {item.enumeration}."
    return doc(field.doc, values, indent=4)


def operation_doc(operation: Operation) -> str:
    """The comment of the operation's member; empty for topics, and constant and reserved fields."""
    field: Field | None = getattr(operation, "field", None)
    return "" if field is None else field_doc(field)
