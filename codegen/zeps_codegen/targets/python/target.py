"""Converts a bundle to the files of a Python package."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from ...ir import Bundle
from ...package import Package
from ...plan.build import parameter_of
from ..assembly import PLAIN, Files
from ..describe import show, show_step
from ..environment import template_environment
from ..formatting import ruff_format
from ..vectors import FOLDER as VECTORS
from ..vectors import render as vectors_of
from . import names
from .codec import codec_view, default_of
from .machine import MachineView
from .names import RUNTIME, module_name
from .statements import format_name

__all__ = ["FOLDER", "RUNTIME", "render", "template"]

FOLDER = PurePosixPath("generated/python")
_HERE = Path(__file__).parent


def _docs(things: Iterable[Any], called: Callable[[str], str] | None = None) -> list[tuple[str, str]]:
    """The name of each of `things` (events if `called` is not given), and its documentation."""
    return [(called(thing.name) if called else names.member_name(thing), thing.doc) for thing in things]


_HELPERS = (default_of, format_name, parameter_of, show, show_step)
_KNOWN = {**vars(names), "toml": json.dumps, "docs": _docs, "builtins": frozenset(dir(builtins))}
#: Finds a template, to be rendered with the view of a codec or a machine.
template = template_environment(_HERE / "templates", *_HELPERS, **_KNOWN).get_template


def render(bundle: Bundle, formatted: bool = True, package: Package = PLAIN) -> Files:
    """Every file of the package. Raises FormatterError if `formatted` and ruff is missing or fails."""
    inner, vectors = FOLDER / package.python.replace(".", "/"), vectors_of(bundle)
    protocols = [codec_view(protocol) for protocol in bundle.protocols]
    machines = [MachineView(machine, bundle.protocol(machine.protocol)) for machine in bundle.machines]
    given = {"bundle": bundle, "package": package, "protocols": protocols, "machines": machines}
    sources = {name: template(f"{name}.j2").render(given) for name in ("__init__.py", "test_vectors.py")}
    for codec in protocols:
        sources[f"{module_name(codec['protocol'].name)}.py"] = template("codec.py.j2").render(codec)
    for view in machines:
        sources[f"{module_name(view.plan.machine.name)}.py"] = template("machine.py.j2").render(view=view)
    sources = ruff_format(sources) if formatted else sources
    files = {FOLDER / "tests/test_vectors.py": sources.pop("test_vectors.py").encode()}
    files |= {inner / name: text.encode() for name, text in sources.items()}
    files |= {inner / name: (_HERE / "runtime" / name).read_bytes() for name in RUNTIME}
    texts = {name: template(f"{name}.j2").render(given) for name in ("README.md", "pyproject.toml")}
    texts |= {"LICENSE": package.license_text} if package.license_text else {}
    files |= {FOLDER / name: text.encode() for name, text in texts.items()}
    tested = [f"{protocol.name}.json" for protocol in bundle.protocols]
    return files | {FOLDER / "tests/vectors" / name: vectors[VECTORS / name] for name in tested}
