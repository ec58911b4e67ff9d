"""Converts a bundle to the files of the C package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment

from ...ir import Bundle
from ...package import Package
from .. import vectors
from ..describe import show, show_step
from ..environment import template_environment
from ..formatting import format_files
from . import codec, lines
from .expressions import text
from .machine import MachineModule
from .names import Names, number, quoted

__all__ = ["FOLDER", "clang_format", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/c")
_HERE = Path(__file__).parent
_STYLE = "{BasedOnStyle: LLVM, IndentWidth: 4, ColumnLimit: 120, SortIncludes: Never}"


def clang_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Formats sources (text by path) with clang-format. Raises FormatterError if it is missing or fails."""
    return format_files("clang-format", ["-i", f"--style={_STYLE}"], sources, "pip install clang-format")


@cache
def _environment() -> Environment:
    environment = template_environment(_HERE / "templates", {})
    for module in (codec, lines):
        environment.globals |= {name: getattr(module, name) for name in module.__all__}
    environment.globals |= {one.__name__: one for one in (number, quoted, show, show_step, text)}
    return environment


def _print(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)


def _renamed(text: str, package: Package) -> str:
    """`text` with the package's names of the library and of the prefix of the runtime's symbols, except in literals."""
    names = {"zeps_wire": package.c_library, "wire_": f"{package.c_prefix}_"}
    names |= {old.upper(): new.upper() for old, new in names.items()}
    literal_or_name = r'(?<!include )"(?:\\.|[^"\\\n])*"|zeps_wire|ZEPS_WIRE|\bwire_|\bWIRE_'
    return re.sub(literal_or_name, lambda found: names.get(found[0], found[0]), text)


def render(
    bundle: Bundle,
    formatted: bool = True,
    package: Package = Package(),  # noqa: B008
) -> dict[PurePosixPath, bytes]:
    """Every file of the package. Raises FormatterError if clang-format is missing."""
    runtime = _HERE / "runtime"
    headers = "".join(path.read_text(encoding="utf-8") for path in sorted(runtime.rglob("*.h")))
    names = Names(bundle, package, re.findall(rf"(?i)\b{package.c_prefix}_\w+", _renamed(headers, package)))
    protocols = list(names.protocols.values())
    machines = [MachineModule(machine.name, names) for machine in bundle.machines]
    sources, plain = {}, {}
    for one in protocols:
        sources[f"include/zeps_wire/{one.file}.h"] = _print("protocol.h.j2", names=one)
        sources[f"src/{one.file}.c"] = _print("protocol.c.j2", names=one)
    for machine in machines:
        sources[f"include/zeps_wire/{machine.names.file}.h"] = _print("machine.h.j2", view=machine)
        sources[f"src/{machine.names.file}.c"] = _print("machine.c.j2", view=machine)
    sources["driver/registry.c"] = _print("registry.c.j2", protocols=protocols, machines=machines)
    for path in sorted(path for path in runtime.rglob("*") if path.is_file()):
        plain[path.relative_to(runtime).as_posix()] = path.read_text(encoding="utf-8")
    for name in ("CMakeLists.txt", "README.md", "zeps_wire.pc.in"):
        plain[name] = _print(f"{name}.j2", protocols=protocols, machines=machines, package=package)
    plain |= {"LICENSE": package.license_text} if package.license_text else {}
    if formatted:
        sources = clang_format({name: _renamed(text, package) for name, text in sources.items()})
    files = {name: _renamed(text, package).encode() for name, text in (sources | plain).items()}
    files["tests/requests.tsv"] = vectors.render(bundle)[vectors.FOLDER / "requests.tsv"]
    return {FOLDER / _renamed(name, package): files[name] for name in sorted(files)}
