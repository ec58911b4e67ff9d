"""What generated modules may import, and which of it a module does."""

from __future__ import annotations

import re

__all__ = ["TO_ANSWERS", "TO_CODECS", "TO_MACHINES", "Offers", "imports"]

#: By module, each name with what its use looks like.
Offers = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def _named(names: str) -> tuple[tuple[str, str], ...]:
    """Types, and functions, which are called."""
    return tuple(
        (name, rf"\b{name}\b" if name[0].isupper() else rf"(?<!\.)\b{name}\(") for name in names.split()
    )


TO_CODECS: Offers = (
    ("crate::error", (("Code", r"\bCode::"), *_named("DecodeError EncodeError"))),
    ("crate::list", (("self", r"(?<!crate::)\blist::"),)),
    ("crate::text", (("Text", r"(?<!list::)\bText::[A-Z]\w*(?=[,.)])"),)),
    ("crate::wire", (("self", r"\bwire::"), ("Encode", r"\bEncode for\b"))),
)
TO_MACHINES: Offers = (
    ("crate::error", (("Code", r"\bCode::"), *_named("EncodeError MachineError"))),
    ("crate::list", (("self", r"\blist::"),)),
    ("crate::machine", _named("Row Verdict octets_of RAISES_MAX")),
)
TO_ANSWERS: Offers = (
    ("fields", _named("Doubts Fields")),
    ("request", _named("Cursor Refusal Value Values member not_decoded not_encoded")),
    ("request", _named("put_blob put_count put_name refused")),
    ("runner", _named("called run Recorder Runner")),
    (
        "zeps_wire",
        (("list::self", r"\blist::"), ("list::ListBuf", r"\bListBuf\b"), ("Encode", r"\.encode\(\)")),
    ),
    ("zeps_wire", _named("EncodeError MachineError")),
)


def imports(body: str, offers: Offers, modules: tuple[str, ...] = ()) -> list[str]:
    """The statements for what `body` uses of `offers`, and for all of `modules`."""
    code = re.sub(r"^\s*//.*$", "", body, flags=re.MULTILINE)
    found = []
    for path, names in offers:
        used = [name for name, pattern in names if re.search(pattern, code)]
        if used:
            found.append(f"use {path}::{{{', '.join(used)}}};")
    return found + [f"use {path};" for path in modules]
