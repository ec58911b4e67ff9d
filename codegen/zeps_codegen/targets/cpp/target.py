"""Bundle → the files of the C++ library ``zeps_wire``."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle, Dispatch, Protocol
from ...naming import snake
from ...plan.enumerations import enumeration_plans
from ...plan.layout import layouts
from ..describe import show
from ..formatting import format_files
from .kinds import default_of, kind_of, operation_of, value_type
from .machine import MachineView
from .names import MessageNames, class_name, constant_names, member_names, namespace
from .text import comment, literal, octets, quoted

__all__ = ["FOLDER", "clang_format", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/cpp")
_HERE = Path(__file__).parent
_STYLE = (
    "{BasedOnStyle: Google, ColumnLimit: 110, AllowShortFunctionsOnASingleLine: All,"
    " AllowShortCaseLabelsOnASingleLine: true, IncludeBlocks: Preserve, CommentPragmas: '^/'}"
)
_DISPATCHES = {Dispatch.CONSTANT: "constant", Dispatch.NAME: "name"}


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
    filters = (comment, default_of, kind_of, literal, octets, operation_of, quoted, show, snake, value_type)
    environment.filters |= {one.__name__: one for one in filters} | {"class": class_name}
    environment.globals["member_names"] = member_names
    return environment


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the library. Raises FormatterError without clang-format."""
    runtime = _HERE / "runtime"
    found = [path for path in runtime.rglob("*") if path.is_file()]
    files = {_place(path.relative_to(runtime).as_posix()): path.read_text(encoding="utf-8") for path in found}
    protocols = {one.name: namespace(one.name) for one in bundle.protocols}
    machines = [MachineView(machine, bundle.protocol(machine.protocol)) for machine in bundle.machines]
    for protocol in bundle.protocols:
        files |= _sources("codec", protocols[protocol.name], **_codec(protocol))
    for view in machines:
        files |= _sources("machine", view.namespace, view=view)
    names = [*protocols.values(), *(view.namespace for view in machines)]
    for path in ("CMakeLists.txt", "README.md", "driver/bundle.cpp"):
        template = f"{path.rpartition('/')[2]}.j2"
        files[path] = _print(template, files=names, protocols=protocols, machines=machines)
    if formatted:
        sources = {name: text for name, text in files.items() if name.endswith((".hpp", ".cpp"))}
        files |= clang_format(sources)
    return {FOLDER / path: text.encode() for path, text in sorted(files.items())}


def clang_format(sources: dict[str, str]) -> dict[str, str]:
    """Each source, by path, in clang-format's form. Raises FormatterError."""
    return format_files("clang-format", ["-i", f"--style={_STYLE}"], sources, "pip install clang-format")


def _codec(protocol: Protocol) -> dict[str, object]:
    """What the templates of a codec print."""
    messages = [MessageNames(layout) for layout in layouts(protocol)]
    return {
        "protocol": protocol,
        "namespace": namespace(protocol.name),
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


def _place(name: str) -> str:
    """Where a file of the runtime goes."""
    return name.replace("include/", "include/zeps_wire/runtime/").replace("src/", "src/runtime/")


def _print(template: str, **values: object) -> str:
    return _environment().get_template(template).render(**values)
