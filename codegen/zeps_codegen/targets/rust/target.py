"""Converts a bundle to the files of the crate ``zeps-wire``."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment

from ...ir import Bundle
from ...package import Package
from .. import vectors
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
#: Files that do not depend on the model, copied unchanged.
_RUNTIME = _HERE / "runtime"
#: Only rustfmt's default settings.
_RUSTFMT = ("--edition", "2021", "--config-path", ".")


@cache
def _environment() -> Environment:
    environment = template_environment(
        _HERE / "templates",
        {"comment": comment, "octets": octets, "quoted": quoted, "show": show, "show_step": show_step},
    )
    for module in (codec, docs, names):  # templates may call the functions of these modules
        environment.globals |= {name: getattr(module, name) for name in module.__all__}
    return environment


def render(
    bundle: Bundle,
    formatted: bool = True,
    package: Package = Package(),  # noqa: B008
) -> dict[PurePosixPath, bytes]:
    """Every file of the crate. Raises FormatterError if `formatted` and rustfmt is missing."""
    name = package.rust.replace("-", "_")
    known = {one.name: Protocol(one, name) for one in bundle.protocols}
    machines = [MachineModule(one, known[one.protocol]) for one in bundle.machines]
    crate = {"bundle": bundle, "package": package, "protocols": known.values(), "machines": machines}
    crate["crate"], spoken = name, [one.protocol for one in bundle.machines]
    crate["sampled"] = min(known.values(), key=lambda one: one.model.name not in spoken, default=None)
    crate["modules"] = sorted([*(one.module for one in known.values()), *(one.name for one in machines)])

    def printed(template: str, **context: object) -> str:
        return _environment().get_template(f"{template}.j2").render(crate | context)

    rust = {"src/lib.rs": printed("lib.rs"), "tests/answers/mod.rs": printed("mod.rs")}
    rust |= {f"src/{one.module}.rs": printed("codec.rs", protocol=one) for one in known.values()}
    rust |= {f"src/{one.name}.rs": printed("machine.rs", module=one, plan=one.plan) for one in machines}
    for file in filter(Path.is_file, sorted(_RUNTIME.rglob("*"))):
        rust[file.relative_to(_RUNTIME).as_posix()] = file.read_text(encoding="utf-8")
    plain = {name: printed(name) for name in ("Cargo.toml", "Cargo.lock", "README.md")}
    plain["driver/Cargo.toml"] = printed("driver.toml")
    plain["driver/Cargo.lock"] = printed("Cargo.lock", has_driver=True)
    plain |= {"LICENSE": package.license_text} if package.license_text else {}
    plain["tests/requests.tsv"] = vectors.render(bundle)[vectors.FOLDER / "requests.tsv"].decode()
    rust, plain = (
        {path.replace("zeps_wire", name): text.replace("zeps_wire", name) for path, text in one.items()}
        for one in (rust, plain)
    )
    if formatted:
        rust = format_files("rustfmt", _RUSTFMT, rust, "rustup component add rustfmt", "rustfmt.toml")
    return {FOLDER / path: text.encode() for path, text in (rust | plain).items()}
