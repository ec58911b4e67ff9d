"""Bundle → the files of the crate ``zeps-wire``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from .docs import comment, described, lines, sentence
from .driver import view_driver
from .format import rustfmt
from .imports import TO_ANSWERS, TO_CODECS, TO_MACHINES, Offers, imports
from .machine import view_machine
from .names import module_name
from .protocol import example, view_protocol

__all__ = ["FOLDER", "RUNTIME", "render"]

#: The crate's folder.
FOLDER = PurePosixPath("generated/rust")
_HERE = Path(__file__).parent
#: Files that do not depend on the model, copied as they are.
RUNTIME = (
    "Cargo.lock",
    "driver/answers/fields.rs",
    "driver/answers/lists.rs",
    "driver/answers/request.rs",
    "driver/answers/runner.rs",
    "driver/main.rs",
    "src/error.rs",
    "src/list.rs",
    "src/list/forms.rs",
    "src/machine.rs",
    "src/text.rs",
    "src/wire.rs",
    "src/wire/read.rs",
    "tests/vectors.rs",
)


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
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= {"comment": comment}
    environment.globals |= {"described": described, "lines": lines, "sentence": sentence}
    return environment


def _print(template: str, view: dict[str, object], offers: Offers = (), modules: tuple[str, ...] = ()) -> str:
    """The template's text; what it imports is found in its body, printed once without imports."""
    found = _environment().get_template(template)
    body = found.render(view, imports=[])
    return found.render(view, imports=imports(body, offers, modules))


def _crate(bundle: Bundle) -> CrateView:
    titles = [(module_name(one.name), one.title) for one in bundle.protocols]
    titles += [(module_name(one.name), one.title) for one in bundle.machines]
    spoken = [one.protocol for one in bundle.machines]
    shown = sorted(bundle.protocols, key=lambda one: one.name not in spoken)
    return CrateView(
        lines("Speaks: " + sentence(", ".join(one.title for one in bundle.protocols))),
        "Codecs and state machines without dependencies, generated from their models",
        sorted(name for name, _ in titles),
        bool(bundle.machines),
        example(shown[0]) if shown else [],
        titles,
    )


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the crate. Raises UnsupportedByTarget, and FormatterError if `formatted` and without rustfmt."""
    crate = _crate(bundle)
    sources = {PurePosixPath("src/lib.rs"): _print("lib.rs.j2", {"view": crate})}
    for protocol in bundle.protocols:
        path = PurePosixPath("src", f"{module_name(protocol.name)}.rs")
        sources[path] = _print("codec.rs.j2", view_protocol(protocol), TO_CODECS)
    for machine in bundle.machines:
        view = view_machine(machine, bundle.protocol(machine.protocol))
        path = PurePosixPath("src", f"{module_name(machine.name)}.rs")
        sources[path] = _print("machine.rs.j2", {"view": view}, TO_MACHINES, (f"crate::{view.protocol}",))
    driver = view_driver(bundle)
    modules = sorted({f"zeps_wire::{name}" for name in crate.modules})
    sources[PurePosixPath("driver/answers/mod.rs")] = _print(
        "mod.rs.j2", {"view": driver}, TO_ANSWERS, tuple(modules)
    )
    sources |= {
        PurePosixPath(name): (_HERE / "runtime" / name).read_text(encoding="utf-8") for name in RUNTIME
    }
    if formatted:
        sources |= rustfmt({path: text for path, text in sources.items() if path.suffix == ".rs"})
    for name in ("Cargo.toml", "README.md"):
        sources[PurePosixPath(name)] = _print(f"{name}.j2", {"view": crate})
    return {FOLDER / path: text.encode() for path, text in sources.items()}
