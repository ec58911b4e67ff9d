"""Lines of TypeScript as the emitters write them; the formatter indents and folds them."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

__all__ = ["Lines", "doc", "imported", "octets", "quoted"]

_WIDTH = 104


class Lines:
    """Statements, one a line."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def put(self, *lines: str) -> None:
        """Append `lines`."""
        self.lines += lines

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """``head {``, what is put inside, ``}``."""
        self.put(f"{head} {{")
        yield
        self.put("}")

    def refuse(self, condition: str, error: str) -> None:
        """``if (condition) throw error;``."""
        self.put(f"if ({condition}) throw {error};")


def octets(value: bytes) -> str:
    """`value` as a literal."""
    return f"Uint8Array.of({', '.join(f'0x{octet:02x}' for octet in value)})"


def quoted(text: str | None) -> str:
    """`text` as a literal; whatever is not ASCII is escaped. None is null."""
    return json.dumps(text)


def doc(*paragraphs: str) -> str:
    """The lines of a doc comment, folded, each with its end; none if there is nothing to say."""
    lines: list[str] = []
    for paragraph in paragraphs:
        text = " ".join(paragraph.split()).replace("*/", "* /")
        if text:
            folded = textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
            lines += ([""] if lines else []) + folded
    if len(lines) <= 1:
        return "".join(f"/** {line} */\n" for line in lines)
    return "".join(f"{line}\n" for line in ("/**", *(f" * {line}".rstrip() for line in lines), " */"))


def imported(text: str, offers: Mapping[str, tuple[str, ...]]) -> list[tuple[str, list[str]]]:
    """Which of `offers` the text uses, by module, in order."""
    code = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', "", text, flags=re.DOTALL)
    used = set(re.findall(r"(?<![\w.$])[A-Za-z_]\w*", code))
    found = [
        (module, [name for name in names if name.split()[-1] in used]) for module, names in offers.items()
    ]
    return [(module, names) for module, names in found if names]
