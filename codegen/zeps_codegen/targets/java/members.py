"""What the templates print one after the other: constants, fields and accessors, and what octets they hold."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Member", "byte", "octets"]


@dataclass(frozen=True, slots=True)
class Member:
    """A constant, a field, or an accessor."""

    doc: list[str]
    kind: str
    name: str
    value: str = ""


def octets(value: bytes) -> str:
    """The initialiser of an array."""
    return f"{{{', '.join(byte(octet) for octet in value)}}}"


def byte(octet: int) -> str:
    """A literal of Java's signed type."""
    return f"(byte) 0x{octet:02X}" if octet > 0x7F else f"0x{octet:02X}"
