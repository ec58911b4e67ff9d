"""Bundle → the files of the Mix project."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

from ...ir import Bundle, Dispatch
from ...naming import Scope, snake
from ...package import Package
from ...plan.build import parameter_of
from ...plan.machine import machine_plan
from .. import vectors
from ..describe import show, show_step
from ..environment import template_environment
from ..formatting import format_files
from .codec import pattern_of, spelled_operation, spelled_part, starting_value
from .machine import SpelledMachine
from .names import RUNTIME, MachineNames, ProtocolNames, atom, doc, literal, module_name, segments

__all__ = ["FOLDER", "render"]

#: The project's folder.
FOLDER = PurePosixPath("generated/elixir")
_HERE = Path(__file__).parent
_NAMES = (atom, literal, module_name, segments, parameter_of, show, show_step)
_CODEC = (pattern_of, spelled_operation, spelled_part, starting_value)
_FILTERS = {**{one.__name__: one for one in _NAMES}, **{one.__name__: one for one in _CODEC}}
_TEMPLATES = template_environment(_HERE / "templates", {**_FILTERS, "typed": "{}.t()".format})
_TEMPLATES.globals["doc"] = doc
_TYPES = {"number": "non_neg_integer", "string": "String.t()", "octets": "binary", "boolean": "boolean"}


def render(
    bundle: Bundle,
    formatted: bool = True,
    package: Package = Package(),  # noqa: B008
) -> dict[PurePosixPath, bytes]:
    """Every file of the project. Raises FormatterError without mix, unless it need not be `formatted`."""
    root, app, scope = package.elixir_module, package.elixir_app, Scope("elixir", RUNTIME)
    protocols = {
        one.name: ProtocolNames(one, f"{root}.{scope.name(module_name(one.name))}")
        for one in bundle.protocols
    }
    machines = [
        SpelledMachine(
            MachineNames(
                machine_plan(one, protocol.protocol), f"{root}.{scope.name(module_name(one.name))}", protocol
            )
        )
        for one in bundle.machines
        for protocol in [protocols[one.protocol]]
    ]
    made: dict[str, Any] = {"protocols": protocols.values(), "machines": machines, "package": package}
    made |= {"root": root, "types": _TYPES}

    def rendered(template: str, **given: Any) -> str:
        return _TEMPLATES.get_template(f"{template}.j2").render(made, **given)

    sources = {f"lib/{app}.ex": rendered("models.ex"), "mix.exs": rendered("mix.exs")}
    for names in protocols.values():
        sources[f"lib/{app}/{_file(names.module)}"] = rendered("codec.ex", names=names, **_dispatch(names))
    for view in machines:
        sources[f"lib/{app}/{_file(view.names.module)}"] = rendered("machine.ex", view=view)
    for path in sorted((_HERE / "runtime").rglob("*.ex*")):  # with the formatter's settings
        name = str(path.relative_to(_HERE / "runtime")).replace("lib/", f"lib/{app}/")
        sources[name] = re.sub(r"\bZepsWire\b", root, path.read_text())
    if formatted:
        sources = format_files(
            "mix", ["format"], sources, "install Elixir 1.14 or later (apt-get install elixir)"
        )
    sources["README.md"] = rendered("README.md")
    files = {FOLDER / name: text.encode() for name, text in sources.items()}
    files[FOLDER / "test/requests.tsv"] = vectors.render(bundle)[vectors.FOLDER / "requests.tsv"]
    return files | ({FOLDER / "LICENSE": package.license_text.encode()} if package.license_text else {})


def _file(module: str) -> str:
    name = module.rpartition(".")[2]
    return f"{snake(name)}{'_' * name.count('_')}.ex"


def _dispatch(names: ProtocolNames) -> dict[str, Any]:
    """What decides which message a frame holds: the longest beginning first, so that none hides another."""
    longest = sorted(names.messages, key=lambda one: -len(one.plan.dispatch))
    is_numbered = names.protocol.dispatch not in (Dispatch.CONSTANT, Dispatch.NAME)
    return {
        "longest": longest,
        "signature": longest[0].plan.dispatch[:-1] if is_numbered and longest else b"",
    }
