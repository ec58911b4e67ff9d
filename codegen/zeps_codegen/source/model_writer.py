"""A model as XML text, laid out as people lay it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

__all__ = ["FieldText", "MessageText", "write_model"]


@dataclass(frozen=True, slots=True)
class FieldText:
    name: str
    type: str
    size: int | None
    value: str | int | None
    doc: str


@dataclass(frozen=True, slots=True)
class MessageText:
    name: str
    id: int
    fields: tuple[FieldText, ...]
    doc: str


def write_model(name: str, title: str, signature: int, grammar: str, messages: Sequence[MessageText]) -> str:
    """The text of a model file."""
    attributes = (
        f'name={quoteattr(name)} title={quoteattr(title)} dispatch="signature" signature="{signature}"'
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<class {attributes}>"]
    if grammar:
        lines += ["    <grammar>", escape(grammar), "    </grammar>"]
    for message in messages:
        lines += ["", *_message(message)]
    return "\n".join([*lines, "</class>", ""])


def _message(message: MessageText) -> list[str]:
    start = f'    <message name={quoteattr(message.name)} id="{message.id}"'
    inner = [f"        {escape(message.doc)}"] if message.doc else []
    inner += [_field(field) for field in message.fields]
    return [f"{start}>", *inner, "    </message>"] if inner else [f"{start}/>"]


def _field(field: FieldText) -> str:
    attributes = f"name={quoteattr(field.name)} type={quoteattr(field.type)}"
    if field.size is not None:
        attributes += f' size="{field.size}"'
    if field.value is not None:
        attributes += f" value={quoteattr(str(field.value))}"
    return (
        f"        <field {attributes}>{escape(field.doc)}</field>"
        if field.doc
        else f"        <field {attributes}/>"
    )
