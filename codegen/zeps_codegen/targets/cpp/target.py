"""Converts a bundle to the files of a C++ library, by default ``zeps_wire``."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from ... import naming
from ...ir import Bundle, Dispatch, Protocol
from ...package import Package
from ...plan.enumerations import enumeration_plans
from ...plan.layout import layouts
from .. import describe
from ..assembly import PLAIN, Files, package_files, runtime_files
from ..environment import template_printer
from ..formatting import format_files
from . import kinds, names, text
from .machine import MachineView
from .names import MessageNames, constant_names, namespace

__all__ = ["FOLDER", "clang_format", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/cpp")
_HERE = Path(__file__).parent
_STYLE = (
    "{BasedOnStyle: Google, ColumnLimit: 110, AllowShortFunctionsOnASingleLine: All,"
    " AllowShortCaseLabelsOnASingleLine: true, IncludeBlocks: Preserve, CommentPragmas: '^/'}"
)
_DISPATCHES = {Dispatch.CONSTANT: "constant", Dispatch.NAME: "name"}
_print = template_printer(_HERE / "templates", describe, kinds, naming, names, text)


def render(bundle: Bundle, formatted: bool = True, package: Package = PLAIN) -> Files:
    """Every file of the library. Raises FormatterError if `formatted` and clang-format is missing or fails."""
    files, outer = runtime_files(_HERE / "runtime"), package.cpp_namespace
    protocols = {protocol.name: namespace(protocol.name, outer) for protocol in bundle.protocols}
    machines = [MachineView(machine, bundle.protocol(machine.protocol), outer) for machine in bundle.machines]
    for protocol in bundle.protocols:
        files |= _sources("codec", protocols[protocol.name], **_codec(protocol, outer))
    for view in machines:
        files |= _sources("machine", view.namespace, view=view)
    stems = [*protocols.values(), *(view.namespace for view in machines)]
    for path in ("CMakeLists.txt", "README.md", "driver/bundle.cpp"):
        template = path.rpartition("/")[2]
        files[path] = _print(template, files=stems, protocols=protocols, machines=machines, package=package)
    files = {_renamed(path, package): _renamed(content, package) for path, content in files.items()}
    if formatted:
        files |= clang_format({name: files[name] for name in files if name.endswith((".hpp", ".cpp"))})
    return package_files(FOLDER, files, package, bundle, "tests/requests.tsv")


def _renamed(content: str, package: Package) -> str:
    """`content` with the package's names of the library and the namespace, also in macros and in literals."""
    new = {"zeps_wire_cpp": package.cpp_library, "zeps_wire": package.cpp_namespace}
    new |= {old.upper(): name.upper() for old, name in new.items()}
    return re.sub("zeps_wire(_cpp)?|ZEPS_WIRE(_CPP)?", lambda match: new[match[0]], content)


def clang_format(sources: dict[str, str]) -> dict[str, str]:
    """Formats sources (text by path) with clang-format. Raises FormatterError if it is missing or fails."""
    return format_files("clang-format", ["-i", f"--style={_STYLE}"], sources, "pip install clang-format")


def _codec(protocol: Protocol, outer: str) -> dict[str, object]:
    """The variables of templates/codec.hpp.j2 and codec.cpp.j2; `dispatched` has the longest dispatched bytes first."""
    messages = [MessageNames(layout) for layout in layouts(protocol)]
    return {
        "protocol": protocol,
        "namespace": namespace(protocol.name, outer),
        "constants": constant_names(protocol),
        "enumerations": enumeration_plans(protocol),
        "messages": messages,
        "by": _DISPATCHES.get(protocol.dispatch, "number"),
        "dispatched": sorted(messages, key=lambda message: -len(message.plan.dispatch)),
    }


def _sources(template: str, name: str, **values: object) -> dict[str, str]:
    return {
        f"include/zeps_wire/{name}.hpp": _print(f"{template}.hpp", **values),
        f"src/{name}.cpp": _print(f"{template}.cpp", **values),
    }
