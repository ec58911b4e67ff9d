"""Bundle → the files of the crate ``zeps-wire``."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment

from ...ir import Bundle
from ..describe import show, show_step
from ..environment import template_environment
from ..formatting import format_files
from . import codec, docs, names
from .codec import Protocol
from .docs import comment
from .machine import MachineModule
from .names import octets, quoted

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
    environment = template_environment(
        _HERE / "templates",
        {"comment": comment, "octets": octets, "quoted": quoted, "show": show, "show_step": show_step},
    )
    for module in (codec, docs, names):  # templates may call what these offer
        environment.globals |= {name: getattr(module, name) for name in module.__all__}
    return environment


def _print(template: str, **context: object) -> str:
    return _environment().get_template(template).render(context)


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the crate. Raises UnsupportedByTarget, and FormatterError if `formatted` and without rustfmt."""
    protocols = {one.name: Protocol(one) for one in bundle.protocols}
    machines = [MachineModule(one, protocols[one.protocol]) for one in bundle.machines]
    modules = sorted([*(one.module for one in protocols.values()), *(one.name for one in machines)])
    spoken = [one.protocol for one in bundle.machines]
    sampled = min(protocols.values(), key=lambda one: one.model.name not in spoken, default=None)
    crate = {"bundle": bundle, "modules": modules, "sampled": sampled}
    sources = {"src/lib.rs": _print("lib.rs.j2", **crate)}
    for protocol in protocols.values():
        sources[f"src/{protocol.module}.rs"] = _print("codec.rs.j2", protocol=protocol)
    for machine in machines:
        sources[f"src/{machine.name}.rs"] = _print("machine.rs.j2", module=machine, plan=machine.plan)
    sources["driver/answers/mod.rs"] = _print(
        "mod.rs.j2", protocols=list(protocols.values()), machines=machines, modules=modules
    )
    for file in filter(Path.is_file, sorted(_RUNTIME.rglob("*"))):
        sources[str(file.relative_to(_RUNTIME))] = file.read_text(encoding="utf-8")
    if formatted:
        rust = {path: text for path, text in sources.items() if path.endswith(".rs")}
        sources |= format_files("rustfmt", _RUSTFMT, rust, "rustup component add rustfmt", "rustfmt.toml")
    sources |= {name: _print(f"{name}.j2", **crate) for name in ("Cargo.toml", "README.md")}
    return {FOLDER / path: text.encode() for path, text in sources.items()}
