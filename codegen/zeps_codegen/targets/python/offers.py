"""What generated modules may import, and which of it a module does."""

from __future__ import annotations

import re

__all__ = ["TO_CODECS", "TO_MACHINES", "imported", "names_offered"]

_SUPPORT = """Beginning bad_constants bad_text ending miscounted misfit misread out_of_range setters table too_large
truncated twin unknown unknown_name unknown_number varint varint_octets varint_size"""
#: What the runtime and the standard library offer to a codec, by module.
TO_CODECS: dict[str, list[str]] = {
    "collections.abc": ["Callable", "Sequence"],
    "dataclasses": ["dataclass"],
    "enum": ["IntEnum", "IntFlag", "StrEnum"],
    "struct": ["Struct", "error", "pack", "unpack_from"],
    "typing": ["Any", "ClassVar"],
    ".errors": ["DecodeError", "EncodeError"],
    ".shapes": ["OctetTable", "PackerTable", "TextTable", "UnpackerTable"],
    ".support": _SUPPORT.split(),
    ".text": ["has_control", "is_printable", "is_utf8", "is_vchar", "octets_of"],
}

#: The same for a machine.
TO_MACHINES: dict[str, list[str]] = {
    "dataclasses": ["dataclass"],
    "enum": ["IntEnum"],
    "typing": ["Protocol"],
    ".machine": ["Machine", "Row", "by_state"],
}


def names_offered() -> frozenset[str]:
    """Every name that a codec may import: nothing else may have one of these."""
    return frozenset(name for names in TO_CODECS.values() for name in names)


def imported(text: str, offers: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Which of `offers` the text uses, by module, in order."""
    used = set(re.findall(r"(?<![\w.\"])[A-Za-z_]\w*", text))
    found = [(module, sorted(used & set(names))) for module, names in offers.items()]
    return [(module, names) for module, names in found if names]
