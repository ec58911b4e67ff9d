"""Bundle → the files of the Go module."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from ...plan.machine import machine_plan
from ..describe import show, show_step
from .codec import SpelledCodec, literal
from .driver import SpelledProtocol, SpelledRunner
from .format import go_format
from .machine import SpelledMachine
from .names import MODULE, MachineNames, Packages, ProtocolNames, comment, exported, quoted

__all__ = ["FOLDER", "render"]

#: The module's folder.
FOLDER = PurePosixPath("generated/go")
_HERE = Path(__file__).parent
#: What a generated file may import, by the name that its text uses.
_OFFERS = {
    "binary": "encoding/binary",
    "bytes": "bytes",
    "strings": "strings",
    "testing": "testing",
    "wire": MODULE,
}


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
    found.filters.update(
        comment=comment, exported=exported, literal=literal, quoted=quoted, show=show, show_step=show_step
    )
    found.globals["module"] = MODULE
    return found


def _print(template: str, view: object, more: dict[str, str] | None = None) -> str:
    """The template's text; what it imports is found in its body, printed once without imports."""
    found = _environment().get_template(template)
    body = found.render(view=view, imports=[])
    offers = {**_OFFERS, **(more or {})}
    code = re.sub(r'"(?:[^"\\\n]|\\.)*"|//.*', "", body)
    used = set(re.findall(r"(?<![\w.])([a-z]\w*)\.[A-Z]", code))
    paths = sorted(path for name, path in offers.items() if name in used)
    ours = [path for path in paths if path.startswith(MODULE)]
    theirs = [path for path in paths if not path.startswith(MODULE)]
    return found.render(view=view, imports=[*theirs, *([""] if theirs and ours else []), *ours])


class _Bundle:
    """A bundle with its names in Go."""

    def __init__(self, bundle: Bundle) -> None:
        packages = Packages()
        protocols = {one.name: ProtocolNames(one, packages.name(one.name)) for one in bundle.protocols}
        self.protocols = list(protocols.values())
        self.machines = [
            MachineNames(
                machine_plan(one, protocols[one.protocol].protocol),
                packages.name(one.name),
                protocols[one.protocol],
            )
            for one in bundle.machines
        ]

    def sources(self) -> dict[str, str]:
        """The Go files that depend on the models, by their path in the module, not yet formatted."""
        packages = [one.package for one in self.protocols] + [one.package for one in self.machines]
        ours = {package: f"{MODULE}/{package}" for package in packages}
        found = {}
        for names in self.protocols:
            package, view = names.package, SpelledCodec(names)
            found[f"{package}/{package}.go"] = _print("codec.go.j2", view)
            found[f"{package}/fuzz_test.go"] = _print("fuzz_test.go.j2", view)
            found[f"driver/{package}_protocol.go"] = _print("protocol.go.j2", SpelledProtocol(names), ours)
        for machine in self.machines:
            package, spelled = machine.package, SpelledMachine(machine)
            found[f"{package}/{package}.go"] = _print("machine.go.j2", spelled, ours)
            found[f"driver/{package}_machine.go"] = _print(
                "machine_driver.go.j2", SpelledRunner(spelled), ours
            )
        found["driver/registry.go"] = _print("registry.go.j2", self)
        return found

    def texts(self) -> dict[str, str]:
        """The files that are no Go."""
        return {name: _print(f"{name}.j2", self) for name in ("README.md", "go.mod")}


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the module. Raises FormatterError without gofmt, unless it need not be `formatted`."""
    made = _Bundle(bundle)
    sources = go_format(made.sources()) if formatted else made.sources()
    files = {path: text.encode() for path, text in {**sources, **made.texts()}.items()}
    for path in sorted((_HERE / "runtime").rglob("*.go")):
        files[path.relative_to(_HERE / "runtime").as_posix()] = path.read_bytes()
    return {FOLDER / path: content for path, content in files.items()}
