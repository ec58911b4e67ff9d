"""Converts a bundle to the files of the C package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ...ir import Bundle
from ...package import Package
from ..assembly import PLAIN, Files, package_files, runtime_files
from ..describe import show, show_step
from ..environment import template_printer
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
_print = template_printer(_HERE / "templates", codec, lines, number, quoted, show, show_step, text)


def clang_format(sources: Mapping[str, str]) -> dict[str, str]:
    """Formats sources (text by path) with clang-format. Raises FormatterError if it is missing or fails."""
    return format_files("clang-format", ["-i", f"--style={_STYLE}"], sources, "pip install clang-format")


def _renamed(text: str, package: Package) -> str:
    """`text` with the package's names of the library and the symbols' prefix, also in includes, but not in literals."""
    names = {"zeps_wire": package.c_library, "wire_": f"{package.c_prefix}_"}
    names |= {old.upper(): new.upper() for old, new in names.items()}
    literal_or_name = r'(?<!include )"(?:\\.|[^"\\\n])*"|zeps_wire|ZEPS_WIRE|\bwire_|\bWIRE_'
    return re.sub(literal_or_name, lambda match: names.get(match[0], match[0]), text)


def render(bundle: Bundle, formatted: bool = True, package: Package = PLAIN) -> Files:
    """Every file of the package. Raises FormatterError if `formatted` and clang-format is missing or fails."""
    plain = runtime_files(_HERE / "runtime")
    headers = "".join(text for path, text in plain.items() if path.endswith(".h"))
    names = Names(bundle, package, re.findall(rf"(?i)\b{package.c_prefix}_\w+", _renamed(headers, package)))
    protocols = list(names.protocols.values())
    machines = [MachineModule(machine.name, names) for machine in bundle.machines]
    sources = {}
    for protocol in protocols:
        sources[f"include/zeps_wire/{protocol.file}.h"] = _print("protocol.h", names=protocol)
        sources[f"src/{protocol.file}.c"] = _print("protocol.c", names=protocol)
    for machine in machines:
        sources[f"include/zeps_wire/{machine.names.file}.h"] = _print("machine.h", view=machine)
        sources[f"src/{machine.names.file}.c"] = _print("machine.c", view=machine)
    sources["driver/registry.c"] = _print("registry.c", protocols=protocols, machines=machines)
    for name in ("CMakeLists.txt", "README.md", "zeps_wire.pc.in"):
        plain[name] = _print(name, protocols=protocols, machines=machines, package=package)
    if formatted:
        sources = clang_format({name: _renamed(text, package) for name, text in sources.items()})
    files = {_renamed(name, package): _renamed(text, package) for name, text in (sources | plain).items()}
    return package_files(FOLDER, files, package, bundle, "tests/requests.tsv")
