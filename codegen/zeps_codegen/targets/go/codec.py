"""A protocol's package: what its templates print beside names, plans and the model."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Dispatch, Field
from .coder import Coder
from .names import EnumerationNames, MessageNames, ProtocolNames, octets, quoted

__all__ = ["SpelledCodec", "literal"]


@dataclass(frozen=True, slots=True)
class _Dispatch:
    """How the message in a frame is found."""

    kind: str
    """number, name, beginning, or only: that one message is all there is."""
    cases: list[tuple[str, str]]
    """What is compared, and the message's type."""
    before: int = 0
    """Octets before the number."""
    signature: str = '""'
    beginnings: str = ""


class SpelledCodec:
    """What templates/codec.go.j2 prints."""

    def __init__(self, names: ProtocolNames) -> None:
        self.names, self.protocol, self.multipart = names, names.protocol, names.multipart
        self.dispatch = _dispatch(names)
        self._flagged = _flagged([field for message in names.protocol.messages for field in message.fields])

    def coder(self, message: MessageNames) -> Coder:
        """What spells the message. Its checks are a method of their own if there may be several frames."""
        return Coder(self.names, message, "" if self.multipart else "dst")

    def distinct(self, one: EnumerationNames) -> list[tuple[str, str]]:
        """Each value of an enumeration once: its name, and what the model calls it."""
        members = zip(one.members, one.enumeration.members, strict=True)
        found: dict[int | str, tuple[str, str]] = {}
        for name, member in members:
            found.setdefault(member.value, (name, member.name))
        return list(found.values())

    def union(self, one: EnumerationNames) -> str:
        """All bits of an enumeration's members, if any field holds a union of them."""
        is_number = any(isinstance(member.value, int) for member in one.enumeration.members)
        return " | ".join(one.members) if one.enumeration.name in self._flagged and is_number else ""


def _dispatch(names: ProtocolNames) -> _Dispatch:
    protocol, messages = names.protocol, names.messages
    if protocol.dispatch in (Dispatch.CONSTANT, Dispatch.NAME):
        # the longest beginning first, so that none hides another
        longest = sorted(messages, key=lambda message: -len(message.plan.dispatch))
        cases = [(octets(message.plan.dispatch), message.type) for message in longest]
        listed = ", ".join(beginning for beginning, _ in cases)
        if not all(message.plan.dispatch for message in messages):
            return _Dispatch("only", cases)
        kind = "name" if protocol.dispatch is Dispatch.NAME else "beginning"
        return _Dispatch(kind, cases, beginnings=listed)
    signature = bytes([0xAA, 0xA0 | protocol.signature]) if protocol.dispatch is Dispatch.SIGNATURE else b""
    cases = [(str(message.layout.message.id), message.type) for message in messages]
    return _Dispatch("number", cases, len(signature), octets(signature))


def literal(value: int | str | bytes | None) -> str:
    """A constant's value."""
    if isinstance(value, bytes):
        return octets(value)
    if isinstance(value, str):
        return quoted(value)
    return str(value) if value is not None and value < 1 << 63 else f"uint64({value})"


def _flagged(fields: list[Field]) -> set[str]:
    """The enumerations whose values are bits of some field."""
    found = {field.enumeration for field in fields if field.flags and field.enumeration}
    inner = [field.items for field in fields if field.items is not None]
    return found | (_flagged(inner) if inner else set())
