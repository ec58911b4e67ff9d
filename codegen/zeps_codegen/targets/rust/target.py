"""Converts a bundle to the files of a Rust crate, by default ``zeps-wire``."""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePosixPath

from ...ir import Bundle
from ...package import Package
from ..assembly import PLAIN, Files, package_files, runtime_files
from ..describe import show, show_step
from ..environment import template_printer
from ..formatting import format_files
from . import codec, docs, names
from .codec import Protocol
from .machine import MachineModule

__all__ = ["FOLDER", "render"]

#: The crate's folder.
FOLDER = PurePosixPath("generated/rust")
_HERE = Path(__file__).parent
#: Only rustfmt's default settings.
_RUSTFMT = ("--edition", "2021", "--config-path", ".")
_print = template_printer(_HERE / "templates", codec, docs, names, show, show_step)


def render(bundle: Bundle, formatted: bool = True, package: Package = PLAIN) -> Files:
    """Every file of the crate. Raises FormatterError if `formatted` and rustfmt is missing or fails."""
    name = package.rust.replace("-", "_")
    known = {protocol.name: Protocol(protocol, name) for protocol in bundle.protocols}
    machines = [MachineModule(machine, known[machine.protocol]) for machine in bundle.machines]
    crate = {"bundle": bundle, "package": package, "protocols": known.values(), "machines": machines}
    crate["crate"], spoken = name, [machine.protocol for machine in bundle.machines]
    crate["sampled"] = min(
        known.values(), key=lambda protocol: protocol.model.name not in spoken, default=None
    )
    modules = [protocol.module for protocol in known.values()] + [machine.name for machine in machines]
    crate["modules"] = sorted(modules)

    printed = partial(_print, **crate)
    rust = {"src/lib.rs": printed("lib.rs"), "tests/answers/mod.rs": printed("mod.rs")}
    for protocol in known.values():
        rust[f"src/{protocol.module}.rs"] = printed("codec.rs", protocol=protocol)
    for machine in machines:
        rust[f"src/{machine.name}.rs"] = printed("machine.rs", module=machine, plan=machine.plan)
    rust |= runtime_files(_HERE / "runtime")
    plain = {name: printed(name) for name in ("Cargo.toml", "Cargo.lock", "README.md")}
    plain["driver/Cargo.toml"] = printed("driver.toml")
    plain["driver/Cargo.lock"] = printed("Cargo.lock", has_driver=True)
    rust, plain = (
        {path.replace("zeps_wire", name): text.replace("zeps_wire", name) for path, text in files.items()}
        for files in (rust, plain)
    )
    if formatted:
        rust = format_files("rustfmt", _RUSTFMT, rust, "rustup component add rustfmt", "rustfmt.toml")
    return package_files(FOLDER, rust | plain, package, bundle, "tests/requests.tsv")
