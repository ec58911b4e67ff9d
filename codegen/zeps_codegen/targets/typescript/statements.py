"""What the statements of decoders and encoders have in common: a position in the frame, errors, names of locals."""

from __future__ import annotations

from dataclasses import dataclass

from ...naming import Scope
from ...plan.operations import Items
from .lines import Lines, quoted
from .names import LOCALS, MessageNames, ProtocolNames

__all__ = ["Octets", "Statements", "as_number", "item_of"]


class Statements:
    """Statements over the octets `data` of one message."""

    def __init__(self, protocol: ProtocolNames, names: MessageNames) -> None:
        self.protocol, self.names, self.out = protocol, names, Lines()
        self.field = ""
        """Whom errors are about."""
        self.scope = Scope("typescript", [*LOCALS, *names.locals.values()])
        self._base, self._offset = "", 0

    def at(self, extra: int = 0) -> str:
        """The position, `extra` octets further."""
        offset = self._offset + extra
        if not self._base:
            return str(offset)
        return f"{self._base} + {offset}" if offset else self._base

    def step(self, octets: int) -> None:
        """Go forward by so many octets."""
        self._offset += octets

    def go(self, base: str, offset: int = 0) -> None:
        """Go to ``base + offset``."""
        self._base, self._offset = base, offset

    def local(self, stem: str, suffix: str) -> str:
        """A new local beside `stem`."""
        return self.scope.name(f"{stem.rstrip('_')}{suffix}")

    def end(self, stem: str, expression: str) -> str:
        """Go to where the expression says; the new local that holds it."""
        end = self.local(stem, "End")
        self.out.put(f"const {end} = {expression};")
        self.go(end)
        return end

    def parts(self, items: Items, stem: str) -> list[str]:
        """New locals for the parts of an item."""
        return [self.local(stem, suffix) for suffix in (("Key", "Value") if items.is_pairs else ("Item",))]

    @property
    def about(self) -> str:
        """Message and field, as arguments."""
        return f"{quoted(self.names.plan.name)}, {quoted(self.field)}"

    def guard(self, enumeration: str, value: str) -> str:
        """The condition that `value` is no member."""
        return f"!{self.protocol.enumerations[enumeration].guard}({value})"


@dataclass(frozen=True, slots=True)
class Octets:
    """A number of octets: those that are always there, and expressions for others."""

    fixed: int = 0
    varying: tuple[str, ...] = ()

    def __add__(self, other: Octets) -> Octets:
        return Octets(self.fixed + other.fixed, self.varying + other.varying)

    def __str__(self) -> str:
        return " + ".join(
            [str(self.fixed), *self.varying] if self.fixed or not self.varying else self.varying
        )


def as_number(big: bool, found: bool, expression: str) -> str:
    """A number as a bigint if it is to be `big`, else as a number; `found` tells whether it is a bigint."""
    if big is found:
        return expression
    return f"BigInt({expression})" if big else f"Number({expression})"


def item_of(items: Items, parts: list[str]) -> str:
    """One part, or a pair of them."""
    return f"[{', '.join(parts)}]" if items.is_pairs else parts[0]
