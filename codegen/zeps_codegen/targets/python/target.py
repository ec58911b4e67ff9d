"""Bundle → the files of the package ``zeps_wire``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from ..formatting import ruff_format
from . import codec, machine
from .codec import docstring, imported, view_codec
from .machine import view_machine

__all__ = ["FOLDER", "RUNTIME", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/python/zeps_wire")
_HERE = Path(__file__).parent
#: Files that do not depend on the model, copied as they are.
RUNTIME = ("errors.py", "machine.py", "py.typed", "support.py", "text.py")


@dataclass(frozen=True, slots=True)
class PackageView:
    doc: list[str]


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _print(template: str, view: object, offers: dict[str, tuple[str, ...]]) -> str:
    """The template's text; what it uses of `offers` is found in its body, printed once without imports."""
    found = _environment().get_template(template)
    body = found.render(view=view, imports=[])
    return found.render(view=view, imports=imported(body, offers))


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """Every file of the package, formatted. Raises FormatterError without ruff."""
    summary = ", ".join(protocol.title for protocol in bundle.protocols)
    package = PackageView(docstring("Codecs and machines, generated from the models.", f"Speaks: {summary}."))
    sources = {"__init__.py": _print("__init__.py.j2", package, {})}
    for protocol in bundle.protocols:
        view = view_codec(protocol)
        sources[f"{view.module}.py"] = _print("codec.py.j2", view, codec.OFFERS)
    for one in bundle.machines:
        table = view_machine(one)
        sources[f"{table.module}.py"] = _print("machine.py.j2", table, machine.OFFERS)
    files = {name: (_HERE / "runtime" / name).read_bytes() for name in RUNTIME}
    files |= {name: text.encode() for name, text in ruff_format(sources).items()}
    return {FOLDER / name: content for name, content in files.items()}
