"""Converts a bundle to the files of an npm package."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ...ir import Bundle
from ...naming import Scope, camel, screaming
from ...package import Package
from ..assembly import PLAIN, Files, package_files, runtime_files
from ..describe import show
from ..environment import template_printer
from ..formatting import format_files
from .codec import Codec
from .machine import Functions, step_text
from .names import MachineNames, ProtocolNames, module_name
from .text import doc, latin, literal, quoted

__all__ = ["FOLDER", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/typescript")
_HERE = Path(__file__).parent
_PRETTIER = Path(__file__).parents[4] / "tools/node/node_modules/prettier/bin/prettier.cjs"
_OPTIONS = "--no-config --no-editorconfig --ignore-path= --print-width=110 --log-level=warn --write"
#: Names that the driver's model uses itself.
_DRIVER = ("MACHINES", "PROTOCOLS", "MachineEntry", "ProtocolEntry")
_HELPERS = (Codec, Functions, doc, latin, literal, module_name, quoted, show, step_text)
_print = template_printer(_HERE / "templates", *_HELPERS)


def render(bundle: Bundle, formatted: bool = True, package: Package = PLAIN) -> Files:
    """Every file of the package. Raises FormatterError if `formatted` and prettier is missing or fails."""
    protocols = {protocol.name: ProtocolNames(protocol) for protocol in bundle.protocols}
    machines = {
        machine.name: MachineNames(machine, protocols[machine.protocol]) for machine in bundle.machines
    }
    scope = Scope("typescript", _DRIVER)
    given = {
        "package": package,
        "protocols": protocols,
        "machines": machines,
        "modules": {name: scope.name(camel(name)) for name in (*protocols, *machines)},
        "entries": {name: scope.name(screaming(name)) for name in (*protocols, *machines)},
    }
    sources = {
        f"src/{module_name(name)}.ts": _print("protocol.ts", names=protocol)
        for name, protocol in protocols.items()
    }
    for name, machine in machines.items():
        sources[f"src/{module_name(name)}.ts"] = _print("machine.ts", names=machine)
    for path in ("driver/model.ts", "package.json", "src/index.ts", "README.md"):
        sources[path] = _print(PurePosixPath(path).name, **given)
    files = runtime_files(_HERE / "runtime") | (_formatted(sources) if formatted else sources)
    return package_files(FOLDER, files, package, bundle, "test/requests.tsv")


def _formatted(sources: Mapping[str, str]) -> dict[str, str]:
    """Formats sources (text by path) with one call of prettier. Raises FormatterError if it is missing or fails."""
    is_ours = _PRETTIER.exists() and shutil.which("node") is not None
    program, arguments = ("node", [str(_PRETTIER)]) if is_ours else ("prettier", [])
    hint = "install Node 20, then npm ci --prefix tools/node"
    return format_files(program, [*arguments, *_OPTIONS.split()], sources, hint)
