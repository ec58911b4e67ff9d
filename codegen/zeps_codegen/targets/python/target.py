"""Bundle → the files of the package ``zeps_wire``."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle, Machine, Protocol
from ...naming import screaming, snake
from ..formatting import ruff_format
from . import plan
from .codec import CodecView
from .lines import comment, docstring
from .machine import MachineView
from .offers import TO_CODECS, TO_MACHINES, imported

__all__ = ["FOLDER", "RUNTIME", "codec_source", "machine_source", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/python/zeps_wire")
_HERE = Path(__file__).parent
#: Files that do not depend on the model, copied as they are.
RUNTIME = ("errors.py", "machine.py", "py.typed", "shapes.py", "support.py", "text.py")
_FILTERS: tuple[Callable[..., str], ...] = (
    *(plan.action_name, plan.attribute_name, plan.call_name, plan.class_name, plan.class_variable),
    *(plan.event_member, plan.literal, plan.method_name, plan.octets, plan.parameter_annotation),
    *(plan.variable_annotation, plan.variable_name, screaming, snake),
)


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
    environment.filters |= {function.__name__: function for function in _FILTERS}
    # names that ruff wants noted where they are hidden
    environment.globals |= {
        "builtins": frozenset(dir(builtins)),
        "comment_lines": comment,
        "docstring": docstring,
    }
    return environment


def _print(template: str, view: object, offers: dict[str, list[str]]) -> str:
    """The template's text; what it uses of `offers` is found in its body, printed once without imports."""
    found = _environment().get_template(template)
    body = found.render(view=view, imports=[])
    return found.render(view=view, imports=imported(body, offers))


def codec_source(protocol: Protocol) -> str:
    """The module of a protocol, not yet formatted."""
    return _print("codec.py.j2", CodecView(protocol), TO_CODECS)


def machine_source(machine: Machine, protocol: Protocol) -> str:
    """The module of a machine that speaks `protocol`, not yet formatted."""
    return _print("machine.py.j2", MachineView(machine, protocol), TO_MACHINES)


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the package. Raises FormatterError if it is to be formatted and there is no ruff."""
    sources = {"__init__.py": _print("__init__.py.j2", bundle, {})}
    for protocol in bundle.protocols:
        sources[f"{snake(protocol.name)}.py"] = codec_source(protocol)
    for machine in bundle.machines:
        sources[f"{snake(machine.name)}.py"] = machine_source(machine, bundle.protocol(machine.protocol))
    files = {name: (_HERE / "runtime" / name).read_bytes() for name in RUNTIME}
    files |= {name: text.encode() for name, text in (ruff_format(sources) if formatted else sources).items()}
    return {FOLDER / name: content for name, content in files.items()}
