"""The results of a comparison: changes, each with a stable code and an effect."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["CODES", "Change", "Code", "Effect", "breaking", "compatible"]


class Effect(str, Enum):
    """The effect of a change. After a `break`, old and new peers, or hosts and machines, may not work together."""

    BREAK = "break"
    COMPATIBLE = "compatible"


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of change: its stable name, its effect, and a sentence for the reference."""

    name: str
    effect: Effect
    summary: str

    def at(self, subject: str, message: str) -> Change:
        """Creates a change of this kind. `subject` is the changed part: ``zeps: PUBLISH.key``."""
        return Change(self.name, self.effect, subject, message)


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two versions of the models."""

    code: str
    effect: Effect
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.effect.value} {self.code}: {self.subject}: {self.message}"


#: Every kind of change, by name, in the order of their definition.
CODES: dict[str, Code] = {}


def _define(name: str, effect: Effect, summary: str) -> Code:
    """Registers `name`. Raises ValueError if it is already registered."""
    if name in CODES:
        raise ValueError(f"{name} is already registered: {CODES[name].summary}")
    CODES[name] = Code(name, effect, summary)
    return CODES[name]


def breaking(name: str, summary: str) -> Code:
    """Registers a kind of breaking change. Raises ValueError if `name` is already registered."""
    return _define(name, Effect.BREAK, summary)


def compatible(name: str, summary: str) -> Code:
    """Registers a kind of compatible change. Raises ValueError if `name` is already registered."""
    return _define(name, Effect.COMPATIBLE, summary)
