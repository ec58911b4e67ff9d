"""Bundle → the files of the package ``zeps_wire``."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle, Machine, Protocol
from ...naming import snake
from ..describe import show, show_step
from ..formatting import ruff_format
from . import names
from .codec import codec_view, default_of
from .machine import MachineView
from .statements import format_name

__all__ = ["FOLDER", "RUNTIME", "codec_source", "machine_source", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/python/zeps_wire")
_HERE = Path(__file__).parent
#: Files that do not depend on the model, copied as they are.
RUNTIME = tuple(sorted(path.name for path in (_HERE / "runtime").iterdir() if path.is_file()))


def _docs(things: Iterable[Any], called: Callable[[str], str] | None = None) -> list[tuple[str, str]]:
    """What each of `things`, events if there is no `called`, is named, and its documentation."""
    return [(called(one.name) if called else names.member_name(one), one.doc) for one in things]


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
    functions = {
        **vars(names),
        **{one.__name__: one for one in (default_of, format_name, show, show_step)},
    }
    environment.filters |= {name: one for name, one in functions.items() if callable(one)}
    # builtins: names that ruff wants noted where they are hidden
    environment.globals |= {**functions, "docs": _docs, "builtins": frozenset(dir(builtins))}
    return environment


def _print(template: str, **given: object) -> str:
    return _environment().get_template(template).render(given)


def codec_source(protocol: Protocol) -> str:
    """The module of a protocol, not yet formatted."""
    return _print("codec.py.j2", **codec_view(protocol))


def machine_source(machine: Machine, protocol: Protocol) -> str:
    """The module of a machine that speaks `protocol`, not yet formatted."""
    return _print("machine.py.j2", view=MachineView(machine, protocol))


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the package. Raises FormatterError if it is to be formatted and there is no ruff."""
    sources = {"__init__.py": _print("__init__.py.j2", bundle=bundle)}
    for protocol in bundle.protocols:
        sources[f"{snake(protocol.name)}.py"] = codec_source(protocol)
    for machine in bundle.machines:
        sources[f"{snake(machine.name)}.py"] = machine_source(machine, bundle.protocol(machine.protocol))
    files = {name: (_HERE / "runtime" / name).read_bytes() for name in RUNTIME}
    files |= {name: text.encode() for name, text in (ruff_format(sources) if formatted else sources).items()}
    return {FOLDER / name: content for name, content in files.items()}
