"""Converts a bundle to the files of the C++ library ``zeps_wire``."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment

from ... import naming
from ...ir import Bundle, Dispatch, Protocol
from ...package import Package
from ...plan.enumerations import enumeration_plans
from ...plan.layout import layouts
from .. import describe, vectors
from ..environment import template_environment
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


def render(
    bundle: Bundle,
    formatted: bool = True,
    package: Package = Package(),  # noqa: B008
) -> dict[PurePosixPath, bytes]:
    """Every file of the library. Raises FormatterError if clang-format is missing."""
    runtime = _HERE / "runtime"
    found = [path for path in runtime.rglob("*") if path.is_file()]
    files = {path.relative_to(runtime).as_posix(): path.read_text(encoding="utf-8") for path in found}
    outer = package.cpp_namespace
    protocols = {one.name: namespace(one.name, outer) for one in bundle.protocols}
    machines = [MachineView(one, bundle.protocol(one.protocol), outer) for one in bundle.machines]
    for protocol in bundle.protocols:
        files |= _sources("codec", protocols[protocol.name], **_codec(protocol, outer))
    for view in machines:
        files |= _sources("machine", view.namespace, view=view)
    stems = [*protocols.values(), *(view.namespace for view in machines)]
    for path in ("CMakeLists.txt", "README.md", "driver/bundle.cpp"):
        template = f"{path.rpartition('/')[2]}.j2"
        files[path] = _print(template, files=stems, protocols=protocols, machines=machines, package=package)
    files |= {"LICENSE": package.license_text} if package.license_text else {}
    files = {_renamed(path, package): _renamed(content, package) for path, content in files.items()}
    if formatted:
        files |= clang_format({name: files[name] for name in files if name.endswith((".hpp", ".cpp"))})
    encoded = {name: content.encode() for name, content in files.items()}
    encoded["tests/requests.tsv"] = vectors.render(bundle)[vectors.FOLDER / "requests.tsv"]
    return {FOLDER / path: encoded[path] for path in sorted(encoded)}


def _renamed(content: str, package: Package) -> str:
    """`content` with the package's names of the library, the namespace and the macros."""
    new = {"zeps_wire_cpp": package.cpp_library, "zeps_wire": package.cpp_namespace}
    new |= {old.upper(): name.upper() for old, name in new.items()}
    return re.sub("zeps_wire(_cpp)?|ZEPS_WIRE(_CPP)?", lambda found: new[found[0]], content)


def clang_format(sources: dict[str, str]) -> dict[str, str]:
    """Formats sources (text by path) with clang-format. Raises FormatterError if it is missing or fails."""
    return format_files("clang-format", ["-i", f"--style={_STYLE}"], sources, "pip install clang-format")


def _codec(protocol: Protocol, outer: str) -> dict[str, object]:
    """The variables of the templates of a codec."""
    messages = [MessageNames(layout) for layout in layouts(protocol)]
    return {
        "protocol": protocol,
        "namespace": namespace(protocol.name, outer),
        "constants": constant_names(protocol),
        "enumerations": enumeration_plans(protocol),
        "messages": messages,
        "by": _DISPATCHES.get(protocol.dispatch, "number"),
        "dispatched": sorted(messages, key=lambda one: -len(one.plan.dispatch)),
    }


def _sources(template: str, name: str, **values: object) -> dict[str, str]:
    """The header and the source called `name`."""
    return {
        f"include/zeps_wire/{name}.hpp": _print(f"{template}.hpp.j2", **values),
        f"src/{name}.cpp": _print(f"{template}.cpp.j2", **values),
    }


@cache
def _environment() -> Environment:
    modules = (describe, kinds, naming, names, text)
    filters = {name: getattr(module, name) for module in modules for name in module.__all__}
    return template_environment(_HERE / "templates", filters)


def _print(template: str, **values: object) -> str:
    return _environment().get_template(template).render(**values)
