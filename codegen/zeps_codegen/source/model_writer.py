"""Formats a model as XML text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

__all__ = ["FieldText", "MessageText", "write_model"]


@dataclass(frozen=True, slots=True)
class FieldText:
    name: str
    attributes: Mapping[str, str]
    doc: str


@dataclass(frozen=True, slots=True)
class MessageText:
    name: str
    id: int
    fields: tuple[FieldText, ...]
    doc: str


def write_model(attributes: Mapping[str, str], grammar: str, messages: Sequence[MessageText]) -> str:
    """Formats a model file. `attributes` are the class's; an empty `grammar` is left out."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<class {_attributes(attributes)}>"]
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
    start = f"        <field name={quoteattr(field.name)} {_attributes(field.attributes)}"
    return f"{start}>{escape(field.doc)}</field>" if field.doc else f"{start}/>"


def _attributes(attributes: Mapping[str, str]) -> str:
    return " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
