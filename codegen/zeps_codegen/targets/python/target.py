"""Converts a bundle to the files of a Python package."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Template

from ...ir import Bundle
from ...package import Package
from ...plan.build import parameter_of
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
    return [(called(one.name) if called else names.member_name(one), one.doc) for one in things]


@cache
def template(name: str) -> Template:
    """The template `name`, to be rendered with the view of a codec or a machine."""
    known = {**vars(names), "default_of": default_of, "format_name": format_name}
    known |= {"parameter_of": parameter_of, "show": show, "show_step": show_step, "toml": json.dumps}
    filters = {name: one for name, one in known.items() if callable(one)}
    environment = template_environment(_HERE / "templates", filters)
    environment.globals |= {**known, "docs": _docs, "builtins": frozenset(dir(builtins))}
    return environment.get_template(name)


def render(
    bundle: Bundle,
    formatted: bool = True,
    package: Package = Package(),  # noqa: B008
) -> dict[PurePosixPath, bytes]:
    """Every file of the package. Raises FormatterError if `formatted` and ruff is missing."""
    inner, vectors = FOLDER / package.python.replace(".", "/"), vectors_of(bundle)
    protocols = [codec_view(one) for one in bundle.protocols]
    machines = [MachineView(one, bundle.protocol(one.protocol)) for one in bundle.machines]
    given = {"bundle": bundle, "package": package, "protocols": protocols, "machines": machines}
    sources = {name: template(f"{name}.j2").render(given) for name in ("__init__.py", "test_vectors.py")}
    for one in protocols:
        sources[f"{module_name(one['protocol'].name)}.py"] = template("codec.py.j2").render(one)
    for view in machines:
        sources[f"{module_name(view.plan.machine.name)}.py"] = template("machine.py.j2").render(view=view)
    sources = ruff_format(sources) if formatted else sources
    files = {FOLDER / "tests/test_vectors.py": sources.pop("test_vectors.py").encode()}
    files |= {inner / name: text.encode() for name, text in sources.items()}
    files |= {inner / name: (_HERE / "runtime" / name).read_bytes() for name in RUNTIME}
    texts = {name: template(f"{name}.j2").render(given) for name in ("README.md", "pyproject.toml")}
    texts |= {"LICENSE": package.license_text} if package.license_text else {}
    files |= {FOLDER / name: text.encode() for name, text in texts.items()}
    tested = [f"{one.name}.json" for one in bundle.protocols]
    return files | {FOLDER / "tests/vectors" / name: vectors[VECTORS / name] for name in tested}
