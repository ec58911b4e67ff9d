"""Bundle → the files of the crate ``zeps-wire``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from ..describe import show, show_step
from ..formatting import format_files
from . import docs, driver, names, protocol
from .codec import Codec
from .imports import TO_ANSWERS, TO_CODECS, TO_MACHINES, Offers, imports
from .literals import quoted
from .machine import MachineModule

__all__ = ["FOLDER", "render"]

#: The crate's folder.
FOLDER = PurePosixPath("generated/rust")
_HERE = Path(__file__).parent
#: Files that do not depend on the model, copied as they are.
_RUNTIME = _HERE / "runtime"
#: No settings but rustfmt's own.
_RUSTFMT = ("--edition", "2021", "--config-path", ".")


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
    environment.filters |= {"comment": docs.comment, "quoted": quoted, "show": show, "show_step": show_step}
    # templates may call what these modules offer
    for module in (docs, driver, names, protocol):
        environment.globals |= {name: getattr(module, name) for name in module.__all__}
    environment.globals["codec"] = Codec
    return environment


def _print(
    template: str, context: Mapping[str, object], offers: Offers = (), modules: tuple[str, ...] = ()
) -> str:
    """The template's text; what it imports is found in its body, printed once without imports."""
    found = _environment().get_template(template)
    body = found.render(context, imports=[])
    return found.render(context, imports=imports(body, offers, modules))


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the crate. Raises UnsupportedByTarget, and FormatterError if `formatted` and without rustfmt."""
    protocols = [protocol.view_protocol(one) for one in bundle.protocols]
    machines = [MachineModule(one, bundle.protocol(one.protocol)) for one in bundle.machines]
    spoken = [one.protocol for one in bundle.machines]
    shown = min(bundle.protocols, key=lambda one: one.name not in spoken, default=None)
    modules = sorted([*(str(one["module"]) for one in protocols), *(one.name for one in machines)])
    crate = {
        "protocols": bundle.protocols,
        "machines": bundle.machines,
        "modules": modules,
        "sampled": shown and names.module_name(shown.name),
        "sample": shown and protocol.sample(shown),
    }
    sources = {"src/lib.rs": _print("lib.rs.j2", crate)}
    for one in protocols:
        sources[f"src/{one['module']}.rs"] = _print("codec.rs.j2", one, TO_CODECS)
    for machine in machines:
        context = {"module": machine, "plan": machine.plan}
        module = f"crate::{machine.protocol}"
        sources[f"src/{machine.name}.rs"] = _print("machine.rs.j2", context, TO_MACHINES, (module,))
    context = {"protocols": protocols, "machines": machines}
    used = tuple(f"zeps_wire::{name}" for name in modules)
    sources["driver/answers/mod.rs"] = _print("mod.rs.j2", context, TO_ANSWERS, used)
    for file in filter(Path.is_file, sorted(_RUNTIME.rglob("*"))):
        sources[str(file.relative_to(_RUNTIME))] = file.read_text(encoding="utf-8")
    if formatted:
        rust = {path: text for path, text in sources.items() if path.endswith(".rs")}
        sources |= format_files("rustfmt", _RUSTFMT, rust, "rustup component add rustfmt", "rustfmt.toml")
    sources |= {name: _print(f"{name}.j2", crate) for name in ("Cargo.toml", "README.md")}
    return {FOLDER / path: text.encode() for path, text in sources.items()}
