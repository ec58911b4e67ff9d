"""Bundle → the files of the package ``zeps_wire``."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Template

from ...ir import Bundle, Machine, Protocol
from ...naming import snake
from ...plan.build import parameter_of
from ..describe import show, show_step
from ..environment import template_environment
from ..formatting import ruff_format
from . import names
from .codec import codec_view, default_of
from .machine import MachineView, spelled
from .statements import format_name

__all__ = ["FOLDER", "RUNTIME", "codec_source", "machine_source", "render"]

FOLDER = PurePosixPath("generated/python/zeps_wire")
_HERE = Path(__file__).parent
RUNTIME = tuple(sorted(path.name for path in (_HERE / "runtime").iterdir() if path.is_file()))


def _docs(things: Iterable[Any], called: Callable[[str], str] | None = None) -> list[tuple[str, str]]:
    """What each of `things`, events if there is no `called`, is named, and its documentation."""
    return [(called(one.name) if called else names.member_name(one), one.doc) for one in things]


@cache
def _template(name: str) -> Template:
    known = {**vars(names), "default_of": default_of, "format_name": format_name, "spelled": spelled}
    known |= {"parameter_of": parameter_of, "show": show, "show_step": show_step}
    filters = {name: one for name, one in known.items() if callable(one)}
    environment = template_environment(_HERE / "templates", filters)
    environment.globals |= {**known, "docs": _docs, "builtins": frozenset(dir(builtins))}
    return environment.get_template(name)


def codec_source(protocol: Protocol) -> str:
    """The module of a protocol, not yet formatted."""
    return _template("codec.py.j2").render(codec_view(protocol))


def machine_source(machine: Machine, protocol: Protocol) -> str:
    """The module of a machine that speaks `protocol`, not yet formatted."""
    return _template("machine.py.j2").render(view=MachineView(machine, protocol))


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the package. Raises FormatterError if it is to be formatted and there is no ruff."""
    sources = {"__init__.py": _template("__init__.py.j2").render(bundle=bundle)}
    for protocol in bundle.protocols:
        sources[f"{snake(protocol.name)}.py"] = codec_source(protocol)
    for machine in bundle.machines:
        sources[f"{snake(machine.name)}.py"] = machine_source(machine, bundle.protocol(machine.protocol))
    files = {name: (_HERE / "runtime" / name).read_bytes() for name in RUNTIME}
    files |= {name: text.encode() for name, text in (ruff_format(sources) if formatted else sources).items()}
    return {FOLDER / name: content for name, content in files.items()}
