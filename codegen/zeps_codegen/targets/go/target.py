"""Bundle → the files of the Go module."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from ...naming import Scope
from ...plan.build import parameter_of
from ...plan.machine import machine_plan
from ..describe import show, show_step
from ..formatting import format_files
from .codec import SpelledMessage, limited
from .machine import SpelledMachine
from .names import (
    MODULE,
    PACKAGES,
    MachineNames,
    ProtocolNames,
    comment,
    default_literal,
    exported,
    literal,
    package,
    shape,
)

__all__ = ["FOLDER", "render"]

#: The module's folder.
FOLDER = PurePosixPath("generated/go")
_HERE = Path(__file__).parent


@cache
def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    filters = (comment, default_literal, exported, limited, literal, parameter_of, shape, show, show_step)
    found.filters.update({one.__name__: one for one in filters})
    found.globals.update(module=MODULE, spelled=SpelledMessage)
    return found


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the module. Raises FormatterError without gofmt, unless it need not be `formatted`."""
    scope = Scope("go", PACKAGES)
    protocols = {one.name: ProtocolNames(one, package(one.name, scope)) for one in bundle.protocols}
    machines = [
        MachineNames(
            machine_plan(one, bundle.protocol(one.protocol)),
            package(one.name, scope),
            protocols[one.protocol],
        )
        for one in bundle.machines
    ]
    spelled = list(map(SpelledMachine, machines))
    made = {"protocols": protocols.values(), "machines": spelled}
    sources = {"driver/registry.go": _environment().get_template("registry.go.j2").render(made)}
    for names in protocols.values():
        for path, template in ((names.package, "codec"), ("fuzz_test", "fuzz_test")):
            text = _environment().get_template(f"{template}.go.j2").render(names=names)
            sources[f"{names.package}/{path}.go"] = text
    for machine in spelled:
        text = _environment().get_template("machine.go.j2").render(view=machine)
        sources[f"{machine.names.package}/{machine.names.package}.go"] = text
    if formatted:
        sources = format_files("gofmt", ["-w"], sources, "install Go 1.21 or later (apt-get install golang)")
    for name in ("README.md", "go.mod"):
        sources[name] = _environment().get_template(f"{name}.j2").render(made)
    files = {FOLDER / path: text.encode() for path, text in sources.items()}
    runtime = _HERE / "runtime"
    return files | {FOLDER / path.relative_to(runtime): path.read_bytes() for path in runtime.rglob("*.go")}
