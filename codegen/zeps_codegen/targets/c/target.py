"""Bundle → the files of the C package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from ..describe import show, show_step
from ..formatting import format_files
from . import codec, lines
from .machine import MachineModule
from .names import Names, number, quoted

__all__ = ["FOLDER", "clang_format", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/c")
_HERE = Path(__file__).parent
_STYLE = "{BasedOnStyle: LLVM, IndentWidth: 4, ColumnLimit: 120, SortIncludes: Never}"


def clang_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Each source, by its path, in clang-format's form. FormatterError if it is missing or refuses one."""
    return format_files("clang-format", ["-i", f"--style={_STYLE}"], sources, "pip install clang-format")


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
    environment.globals |= {name: getattr(codec, name) for name in codec.__all__}
    environment.globals |= {name: getattr(lines, name) for name in lines.__all__}
    environment.globals |= {
        "number": number,
        "quoted": quoted,
        "show": show,
        "show_step": show_step,
    }
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
    """Every file of the package. Raises FormatterError without clang-format."""
    names = Names(bundle)
    protocols = list(names.protocols.values())
    machines = [MachineModule(machine.name, names) for machine in bundle.machines]
    sources = {}
    for one in protocols:
        sources[f"include/zeps_wire/{one.file}.h"] = _print("protocol.h.j2", names=one)
        sources[f"src/{one.file}.c"] = _print("protocol.c.j2", names=one)
    for machine in machines:
        sources[f"include/zeps_wire/{machine.names.file}.h"] = _print("machine.h.j2", view=machine)
        sources[f"src/{machine.names.file}.c"] = _print("machine.c.j2", view=machine)
    sources["driver/registry.c"] = _print("registry.c.j2", protocols=protocols, machines=machines)
    if formatted:
        sources = clang_format(sources)
    for name in ("CMakeLists.txt", "README.md"):
        sources[name] = _print(f"{name}.j2", protocols=protocols, machines=machines)
    files = _runtime() | {name: text.encode() for name, text in sources.items()}
    return {FOLDER / name: files[name] for name in sorted(files)}
