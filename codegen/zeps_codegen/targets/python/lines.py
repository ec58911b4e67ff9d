"""What decoders and encoders have in common. Where something is wrong their statements end with one of the runtime's
FAULTS; what it is, and where, is then found out there.
"""

from __future__ import annotations

from ...naming import Scope, snake
from ...plan import operations as op
from .names import Message

__all__ = ["CODES", "Lines", "fixed_size", "format_name", "number_code", "numbers_of"]

CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
_SPELLED = str.maketrans({code: f"_u{size}" for size, code in CODES.items()})
_SPELLED |= str.maketrans({code.lower(): f"_i{size}" for size, code in CODES.items()})


class Lines:
    """Statements, one a line; the formatter folds the long ones."""

    def __init__(self, message: Message, outer: Lines | None = None) -> None:
        self.lines: list[str] = []
        self.message = message
        self.formats: set[tuple[str, str]] = outer.formats if outer else set()
        """What is packed and unpacked: (method of Struct, codes)."""
        self._scope: Scope = outer._scope if outer else message.scope()
        self._conditions: list[str] = []
        self._conversions: list[str] = []

    def put(self, *lines: str) -> None:
        self.lines += lines

    def loop(self, head: str, body: list[str]) -> None:
        self.put(f"{head}:", *(f"    {line}" for line in body))

    def limit(self, value: str, limit: int | None) -> None:
        """It is wrong if `value` is greater than `limit`, should there be one."""
        self.refuse(*[f"{value} > {limit}"] * (limit is not None))

    def refuse(self, *conditions: str) -> None:
        """It is wrong if one of `conditions` holds."""
        self._conditions += conditions

    def check(self) -> None:
        """Look at all that may be wrong, and convert what is right."""
        if self._conditions:
            self.put(f"if {' or '.join(self._conditions)}:", "    raise ValueError")
        self.put(*self._conversions)
        self._conditions, self._conversions = [], []

    def new(self, name: str, suffix: str) -> str:
        """A new local's name."""
        return self._scope.name(f"{snake(name)}_{suffix}")

    def new_items(self, items: op.Items) -> list[str]:
        """Locals for the parts of an item."""
        return [
            self.new(items.name, suffix) for suffix in (("key", "value") if items.is_pairs else ("item",))
        ]

    def use(self, method: str, codes: str) -> str:
        """The name of a method of a compiled format."""
        self.formats.add((method, codes))
        return format_name(method, codes)


def format_name(method: str, codes: str) -> str:
    return f"_{method}_{codes.translate(_SPELLED).replace('{}', '_n').strip('_')}"


def number_code(number: op.Number) -> str:
    """The struct format of a number of fixed size."""
    return CODES[number.size].lower() if number.signed else CODES[number.size]


def numbers_of(items: op.Items) -> op.Number | None:
    """The item, if it is a number that one call packs with the others."""
    match items.parts:
        case (op.Number(size=size, enumeration=None) as number,) if size:
            return number
        case _:
            return None


def fixed_size(one: op.Operation) -> int:
    """The octets that it always takes; 0 if they vary."""
    match one:
        case op.Constant(_, octets):
            return len(octets)
        case op.Reserved(size=size) | op.Fixed(size=size) | op.Number(size=size):
            return size
        case _:
            return 0
