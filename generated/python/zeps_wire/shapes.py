"""Short cuts of generated codecs: what need not be worked out again for a frame that looks like an earlier one.

Where a message is numbers, a text and a body, two lengths decide where everything lies. One compiled format then
packs or unpacks all of it in one call; and a text that was seen lately need not be checked again. All tables are
bounded, and what is not in them takes the long way, which also finds the errors.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import Any

__all__ = ["OctetTable", "PackerTable", "TextTable", "UnpackerTable"]

_SHAPES_MAX = 1024
_TEXTS_MAX = 8192
_TEXT_OCTETS_MAX = 64


class TextTable(dict[bytes, str]):
    """OctetTable to the text that they are. KeyError for what `holds` refuses, and for what is no UTF-8."""

    def __init__(self, holds: Callable[[str], bool]) -> None:
        super().__init__()
        self._holds = holds

    def __missing__(self, octets: bytes) -> str:
        try:
            text = octets.decode()
        except UnicodeDecodeError:
            raise KeyError(octets) from None
        if not self._holds(text):
            raise KeyError(octets)
        if len(octets) <= _TEXT_OCTETS_MAX:
            if len(self) >= _TEXTS_MAX:
                self.clear()
            self[octets] = text
        return text


class OctetTable(dict[str, bytes]):
    """TextTable to their octets. KeyError for what `holds` refuses, and for what has no UTF-8."""

    def __init__(self, holds: Callable[[str], bool]) -> None:
        super().__init__()
        self._holds = holds

    def __missing__(self, text: str) -> bytes:
        try:
            octets = text.encode()
        except (AttributeError, UnicodeEncodeError):
            raise KeyError(text) from None
        if not self._holds(text):
            raise KeyError(text)
        if len(octets) <= _TEXT_OCTETS_MAX:
            if len(self) >= _TEXTS_MAX:
                self.clear()
            self[text] = octets
        return octets


class UnpackerTable(dict[tuple[int, int], tuple[Callable[[bytes], Any], int]]):
    """(octets of the text, octets of the frame) to what unpacks it, and the octets of the body.

    `form` is a format with two places to fill in, the sizes of text and body; a frame has `fixed` octets besides.
    KeyError where they do not fit into the frame, or the body has more than `greatest` octets.
    """

    def __init__(self, form: str, fixed: int, greatest: int) -> None:
        super().__init__()
        self._form, self._fixed, self._greatest = form, fixed, greatest

    def __missing__(self, sizes: tuple[int, int]) -> tuple[Callable[[bytes], Any], int]:
        text, frame = sizes
        body = frame - self._fixed - text
        if not 0 <= body <= self._greatest:
            raise KeyError(sizes)
        if len(self) >= _SHAPES_MAX:
            self.clear()
        found = self[sizes] = (Struct(self._form.format(text, body)).unpack, body)
        return found


class PackerTable(dict[tuple[int, int], Callable[..., bytes]]):
    """(octets of the text, octets of the body) to what packs the frame; `form` and KeyError as above."""

    def __init__(self, form: str, greatest: int) -> None:
        super().__init__()
        self._form, self._greatest = form, greatest

    def __missing__(self, sizes: tuple[int, int]) -> Callable[..., bytes]:
        text, body = sizes
        if body > self._greatest:
            raise KeyError(sizes)
        if len(self) >= _SHAPES_MAX:
            self.clear()
        found = self[sizes] = Struct(self._form.format(text, body)).pack
        return found
