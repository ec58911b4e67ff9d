"""Bundle → the files of the crate ``zeps-wire``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from .codec import module_name, view_codec
from .docs import lines, sentence
from .driver import view_driver
from .format import rustfmt
from .machine import view_machine

__all__ = ["FOLDER", "RUNTIME", "render"]

#: The crate's folder.
FOLDER = PurePosixPath("generated/rust")
_HERE = Path(__file__).parent
#: Files that do not depend on the model, copied as they are.
RUNTIME = (
    "Cargo.lock",
    "driver/main.rs",
    "driver/request.rs",
    "src/error.rs",
    "src/list.rs",
    "src/machine.rs",
    "src/text.rs",
    "src/wire.rs",
    "tests/vectors.rs",
)

#: What a module may import, by where it is, and how its use looks.
_CODEC = (
    (
        "crate::error",
        (("Code", r"\bCode::"), ("DecodeError", r"\bDecodeError\b"), ("EncodeError", r"\bEncodeError\b")),
    ),
    ("crate::list", (("self", r"(?<!crate::)\blist::"),)),
    ("crate::text", (("Text", r"(?<!list::)\bText::[A-Z]\w*(?=[,.)])"),)),
    ("crate::wire", (("self", r"\bwire::"), ("Encode", r"\bEncode for\b"))),
)
_MACHINE = (
    (
        "crate::error",
        (("Code", r"\bCode::"), ("EncodeError", r"\bEncodeError\b"), ("MachineError", r"\bMachineError\b")),
    ),
    ("crate::list", (("self", r"\blist::"),)),
    ("crate::machine", (("Row", r"\bRow\b"), ("Verdict", r"\bVerdict\b"), ("octets_of", r"\boctets_of\("))),
)
_DRIVER_NAMES = (
    "called hashed member not_decoded not_encoded put_blob put_count put_name refused run "
    "Cursor Doubts Fields Recorder Refusal Runner Value Values"
)
_DRIVER = (
    (
        "crate::request",
        tuple(
            (name, rf"\b{name}\b" if name.istitle() else rf"(?<!\.)\b{name}\(")
            for name in _DRIVER_NAMES.split()
        ),
    ),
    (
        "zeps_wire",
        (("list::self", r"\blist::"), ("list::ListBuf", r"\bListBuf\b"), ("Encode", r"\.encode\(\)")),
    ),
    ("zeps_wire", (("EncodeError", r"\bEncodeError\b"), ("MachineError", r"\bMachineError\b"))),
)
Offers = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


@dataclass(frozen=True, slots=True)
class CrateView:
    doc: list[str]
    summary: str
    modules: list[str]
    machines: bool
    example: list[str]
    contents: list[tuple[str, str]]


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _print(template: str, view: object, offers: Offers = (), modules: tuple[str, ...] = ()) -> str:
    """The template's text; what it imports is found in its body, printed once without imports."""
    found = _environment().get_template(template)
    body = found.render(view=view, imports=[])
    return found.render(view=view, imports=_imports(body, offers, modules))


def _imports(body: str, offers: Offers, modules: tuple[str, ...]) -> list[str]:
    code = re.sub(r"^\s*//.*$", "", body, flags=re.MULTILINE)
    imports = []
    for path, names in offers:
        used = [name for name, pattern in names if re.search(pattern, code)]
        if used:
            imports.append(f"use {path}::{{{', '.join(used)}}};")
    return imports + [f"use {path};" for path in modules]


def _crate(bundle: Bundle) -> CrateView:
    titles = [(module_name(one.name), one.title) for one in bundle.protocols]
    titles += [(module_name(one.name), one.title) for one in bundle.machines]
    codecs = [view_codec(one) for one in bundle.protocols]
    return CrateView(
        lines("Speaks: " + sentence(", ".join(one.title for one in bundle.protocols))),
        "Codecs and state machines without dependencies, generated from their models",
        sorted(name for name, _ in titles),
        bool(bundle.machines),
        codecs[0].example if codecs else [],
        titles,
    )


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the crate. Raises UnsupportedByTarget, and FormatterError if `formatted` and without rustfmt."""
    crate = _crate(bundle)
    sources = {PurePosixPath("src/lib.rs"): _print("lib.rs.j2", crate)}
    for protocol in bundle.protocols:
        path = PurePosixPath("src", f"{module_name(protocol.name)}.rs")
        sources[path] = _print("codec.rs.j2", view_codec(protocol), _CODEC)
    for machine in bundle.machines:
        view = view_machine(machine, bundle.protocol(machine.protocol))
        path = PurePosixPath("src", f"{module_name(machine.name)}.rs")
        sources[path] = _print("machine.rs.j2", view, _MACHINE, (f"crate::{view.protocol}",))
    driver = view_driver(bundle)
    modules = sorted({f"zeps_wire::{name}" for name in crate.modules})
    sources[PurePosixPath("driver/handle.rs")] = _print("handle.rs.j2", driver, _DRIVER, tuple(modules))
    sources |= {
        PurePosixPath(name): (_HERE / "runtime" / name).read_text(encoding="utf-8") for name in RUNTIME
    }
    if formatted:
        sources |= rustfmt({path: text for path, text in sources.items() if path.suffix == ".rs"})
    for name in ("Cargo.toml", "README.md"):
        sources[PurePosixPath(name)] = _print(f"{name}.j2", crate)
    return {FOLDER / path: text.encode() for path, text in sources.items()}
