"""Bundle → the files of the Go module."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment

from ...ir import Bundle
from ...naming import Scope
from ...plan.build import parameter_of
from ...plan.machine import machine_plan
from ...plan.run import default_of
from ..describe import show, show_step
from ..environment import template_environment
from ..formatting import format_files
from .codec import SpelledMessage, limited
from .machine import TYPES, SpelledMachine, literal_of
from .names import MODULE, PACKAGES, MachineNames, ProtocolNames, comment, exported, literal, package

__all__ = ["FOLDER", "render"]

#: The module's folder.
FOLDER = PurePosixPath("generated/go")
_HERE = Path(__file__).parent
_FILTERS = (comment, default_of, exported, limited, literal, literal_of, parameter_of, show, show_step)


@cache
def _environment() -> Environment:
    found = template_environment(_HERE / "templates", {one.__name__: one for one in _FILTERS})
    found.globals.update(module=MODULE, types=TYPES, spelled=SpelledMessage)
    return found


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the module. Raises FormatterError without gofmt, unless it need not be `formatted`."""
    scope = Scope("go", PACKAGES)
    protocols = {one.name: ProtocolNames(one, package(one.name, scope)) for one in bundle.protocols}
    machines = [
        SpelledMachine(MachineNames(machine_plan(one, names.protocol), package(one.name, scope), names))
        for one in bundle.machines
        for names in [protocols[one.protocol]]
    ]
    made = {"protocols": protocols.values(), "machines": machines}
    sources = {"driver/registry.go": _environment().get_template("registry.go.j2").render(made)}
    for names in protocols.values():
        for path, template in ((names.package, "codec"), ("fuzz_test", "fuzz_test")):
            text = _environment().get_template(f"{template}.go.j2").render(names=names)
            sources[f"{names.package}/{path}.go"] = text
    for machine in machines:
        text = _environment().get_template("machine.go.j2").render(view=machine)
        sources[f"{machine.names.package}/{machine.names.package}.go"] = text
    if formatted:
        sources = format_files("gofmt", ["-w"], sources, "install Go 1.21 or later (apt-get install golang)")
    for name in ("README.md", "go.mod"):
        sources[name] = _environment().get_template(f"{name}.j2").render(made)
    files = {FOLDER / path: text.encode() for path, text in sources.items()}
    runtime = _HERE / "runtime"
    return files | {FOLDER / path.relative_to(runtime): path.read_bytes() for path in runtime.rglob("*.go")}
