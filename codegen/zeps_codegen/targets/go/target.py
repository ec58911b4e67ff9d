"""Converts a bundle to the files of the Go module."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

from ...ir import Bundle
from ...naming import Scope
from ...package import Package
from ...plan.build import parameter_of
from ...plan.machine import machine_plan
from ...plan.run import default_of
from ..assembly import PLAIN, Files, package_files, runtime_files
from ..describe import show, show_step
from ..environment import template_printer
from ..formatting import go_format
from .codec import SpelledMessage, limited
from .machine import TYPES, SpelledMachine, literal_of
from .names import PACKAGES, MachineNames, ProtocolNames, comment, exported, literal, package_name

__all__ = ["FOLDER", "render"]

#: The module's folder.
FOLDER = PurePosixPath("generated/go")
_HERE = Path(__file__).parent
#: The names in the runtime that depend on the package.
_HOME = re.compile(r"(?<=^package )wire$|(?<=^// Package )wire\b", re.MULTILINE)
_HELPERS = (comment, default_of, exported, limited, literal, literal_of, parameter_of, show, show_step)
_print = template_printer(_HERE / "templates", *_HELPERS)


def render(bundle: Bundle, formatted: bool = True, package: Package = PLAIN) -> Files:
    """Every file of the module. Raises FormatterError if `formatted` and gofmt is missing or fails."""
    scope = Scope("go", {*PACKAGES, package.go_runtime})
    packages = {model.name: package_name(model.name, scope) for model in bundle.protocols}
    protocols = {model.name: ProtocolNames(model, packages[model.name]) for model in bundle.protocols}
    machines = []
    for machine in bundle.machines:
        spoken, home = protocols[machine.protocol], package_name(machine.name, scope)
        machines.append(SpelledMachine(MachineNames(machine_plan(machine, spoken.protocol), home, spoken)))
    wire = f'"{package.go}"' if package.go_runtime == "wire" else f'wire "{package.go}"'
    made: dict[str, object] = {"protocols": protocols.values(), "machines": machines, "package": package}
    made |= {"module": package.go, "wire": wire, "types": TYPES, "spelled": SpelledMessage}

    views: list[Any] = [(names, None, ("codec", "fuzz_test", "example_test")) for names in protocols.values()]
    views += [(machine.names, machine, ("machine", "example_test")) for machine in machines]
    single = (("driver/registry.go", "registry.go"), ("README.md", "README.md"))
    sources = {name: _print(template, made) for name, template in single}
    for names, view, templates in views:
        for template in templates:
            text = _print(f"{template}.go", made, names=names, view=view)
            file = template if template.endswith("_test") else names.package
            sources |= {f"{names.package}/{file}.go": text} if text.strip() else {}
    for path, text in runtime_files(_HERE / "runtime").items():
        sources[path] = _HOME.sub(package.go_runtime, text.replace('"zeps.example/wire"', wire))
    if formatted:
        sources = go_format(sources)
    for name in ("go.mod", "driver/go.mod"):
        sources[name] = _print(name, made)
    return package_files(FOLDER, sources, package, bundle, "driver/testdata/requests.tsv")
