"""Bundle → the files of the C package."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from ...naming import snake
from .codec import Codec, doc_of
from .format import clang_format
from .lines import doc
from .machine import MachineModule
from .names import Names, quoted
from .tables import c_type

__all__ = ["FOLDER", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/c")
_HERE = Path(__file__).parent


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
    environment.globals |= {"c_type": c_type, "doc": doc, "doc_of": doc_of, "quoted": quoted, "snake": snake}
    return environment


def _print(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)


def _runtime() -> dict[str, bytes]:
    """Files that do not depend on the model, copied as they are."""
    folder = _HERE / "runtime"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the package. Raises UnsupportedByTarget, and FormatterError without clang-format."""
    names = Names(bundle)
    codecs = [Codec(protocol, names) for protocol in bundle.protocols]
    machines = [MachineModule(machine, bundle, names) for machine in bundle.machines]
    sources = {}
    for codec in codecs:
        sources[f"include/zeps_wire/{codec.names.file}.h"] = _print("protocol.h.j2", view=codec)
        sources[f"src/{codec.names.file}.c"] = _print("protocol.c.j2", view=codec)
    for machine in machines:
        sources[f"include/zeps_wire/{machine.names.file}.h"] = _print("machine.h.j2", view=machine)
        sources[f"src/{machine.names.file}.c"] = _print("machine.c.j2", view=machine)
    sources["driver/registry.c"] = _print("registry.c.j2", codecs=codecs, machines=machines)
    if formatted:
        sources = clang_format(sources)
    for name in ("CMakeLists.txt", "README.md"):
        sources[name] = _print(f"{name}.j2", codecs=codecs, machines=machines)
    files = _runtime() | {name: text.encode() for name, text in sources.items()}
    return {FOLDER / name: files[name] for name in sorted(files)}
