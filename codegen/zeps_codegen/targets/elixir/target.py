"""Converts a bundle to the files of the Mix project."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from ...ir import Bundle
from ...naming import Scope, snake
from ...package import Package
from ...plan.build import parameter_of
from ..assembly import PLAIN, Files, package_files, runtime_files
from ..describe import show, show_step
from ..environment import template_printer
from ..formatting import format_files
from .codec import CodecView
from .machine import MachineView
from .names import RUNTIME, atom, doc, literal, module_name

__all__ = ["FOLDER", "render"]

#: The project's folder.
FOLDER = PurePosixPath("generated/elixir")
_HERE = Path(__file__).parent
_HELPERS = (atom, doc, literal, parameter_of, show, show_step)
_print = template_printer(_HERE / "templates", *_HELPERS, typed="{}.t()".format)
_TYPES = {"number": "non_neg_integer", "string": "String.t()", "octets": "binary", "boolean": "boolean"}


def render(bundle: Bundle, formatted: bool = True, package: Package = PLAIN) -> Files:
    """Every file of the project. Raises FormatterError if `formatted` and mix is missing or fails."""
    root, app, scope = package.elixir_module, package.elixir_app, Scope("elixir", RUNTIME)

    def module(name: str) -> str:
        return f"{root}.{scope.name(module_name(name))}"

    codecs = {protocol.name: CodecView(protocol, module(protocol.name)) for protocol in bundle.protocols}
    machines = [
        MachineView(machine, module(machine.name), codecs[machine.protocol]) for machine in bundle.machines
    ]

    def rendered(template: str, view: CodecView | MachineView | None = None) -> str:
        known = {"protocols": [*codecs.values()], "machines": machines, "package": package, "root": root}
        return _print(template, known, types=_TYPES, view=view)

    sources = {f"lib/{app}.ex": rendered("models.ex"), "mix.exs": rendered("mix.exs")}
    sources |= {f"lib/{app}/{_file(codec.module)}": rendered("codec.ex", codec) for codec in codecs.values()}
    sources |= {f"lib/{app}/{_file(machine.module)}": rendered("machine.ex", machine) for machine in machines}
    for path, text in runtime_files(_HERE / "runtime").items():  # with the formatter's settings
        sources[path.replace("lib/", f"lib/{app}/")] = re.sub(r"\bZepsWire\b", root, text)
    if formatted:
        sources = format_files(
            "mix", ["format"], sources, "install Elixir 1.14 or later (apt-get install elixir)"
        )
    sources["README.md"] = rendered("README.md")
    return package_files(FOLDER, sources, package, bundle, "test/requests.tsv")


def _file(module: str) -> str:
    name = module.rpartition(".")[2]
    return f"{snake(name)}{'_' * name.count('_')}.ex"
