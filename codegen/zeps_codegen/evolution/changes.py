"""What a comparison reports: changes, each of a kind with a stable name and an effect."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

__all__ = ["CODES", "Change", "Code", "Effect", "breaks", "define", "render_json", "render_text"]


class Effect(str, Enum):
    """A `break` makes an old peer and a new one, or an old host and new machines, misunderstand each other."""

    BREAK = "break"
    COMPATIBLE = "compatible"


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of change: its stable name, its effect, and a sentence for the reference."""

    name: str
    effect: Effect
    summary: str

    def at(self, subject: str, message: str) -> Change:
        """A change of this kind. `subject` is what changed: ``zeps: PUBLISH.key``."""
        return Change(self.name, self.effect, subject, message)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two versions of the models."""

    code: str
    effect: Effect
    subject: str
    message: str

    def __str__(self) -> str:
        return f"{self.effect.value} {self.code}: {self.subject}: {self.message}"


#: Every kind of change, by name, in the order of their definition.
CODES: dict[str, Code] = {}


def define(name: str, effect: Effect, summary: str) -> Code:
    """Reserve `name`, once. ValueError if it is taken."""
    if name in CODES:
        raise ValueError(f"{name} is taken: {CODES[name].summary}")
    CODES[name] = Code(name, effect, summary)
    return CODES[name]


def breaks(changes: Iterable[Change]) -> list[Change]:
    """Those that break something."""
    return [change for change in changes if change.effect is Effect.BREAK]


def render_text(changes: Iterable[Change]) -> str:
    """One line per change."""
    return "\n".join(map(str, changes))


def render_json(changes: Iterable[Change]) -> str:
    """A JSON array with one object per change: code, effect, subject, message."""
    items = [
        {"code": item.code, "effect": item.effect.value, "subject": item.subject, "message": item.message}
        for item in changes
    ]
    return json.dumps(items, indent=2, ensure_ascii=False)
