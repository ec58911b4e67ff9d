"""Bundle → the files of the package ``zeps-wire`` for npm."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle, Expression
from ...naming import Scope, camel, screaming
from ..describe import show, show_step
from .codec import Codec
from .driver import kind, kind_of_variable
from .format import prettier_format
from .machine import Functions
from .names import MachineNames, ProtocolNames, initial_value, module_name, notes
from .text import doc, latin, literal, quoted

__all__ = ["FOLDER", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/typescript")
_HERE = Path(__file__).parent
#: What the driver's model calls its own.
_DRIVER = ("MACHINES", "PROTOCOLS", "MachineEntry", "ProtocolEntry")


@cache
def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    found.filters.update(latin=latin, quoted=quoted, shown=_shown, shown_step=show_step)
    found.globals.update(
        Codec=Codec,
        doc=doc,
        initial_value=initial_value,
        literal=literal,
        kind=kind,
        kind_of_variable=kind_of_variable,
        module_name=module_name,
        notes=notes,
    )
    return found


def _shown(guard: Expression | None) -> str | None:
    return None if guard is None else show(guard)


def _print(template: str, **given: object) -> str:
    return _environment().get_template(template).render(given)


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the package. Raises FormatterError without prettier."""
    protocols = {one.name: ProtocolNames(one) for one in bundle.protocols}
    machines = {one.name: MachineNames(one, protocols[one.protocol]) for one in bundle.machines}
    sources = {
        f"src/{module_name(name)}.ts": _print("protocol.ts.j2", names=one) for name, one in protocols.items()
    }
    for name, one in machines.items():
        sources[f"src/{module_name(name)}.ts"] = _print("machine.ts.j2", names=one, functions=Functions(one))
    scope = Scope("typescript", _DRIVER)
    titles = ", ".join(one.title for one in bundle.protocols)
    package = {
        "bundle": bundle,
        "summary": f"Codecs and machines, generated from the models: {titles}",
        "protocols": protocols,
        "machines": machines,
        "modules": {name: scope.name(camel(name)) for name in (*protocols, *machines)},
        "entries": {name: scope.name(screaming(name)) for name in (*protocols, *machines)},
    }
    for path in ("driver/model.ts", "package.json", "src/index.ts", "README.md"):
        sources[path] = _print(f"{PurePosixPath(path).name}.j2", **package)
    made = prettier_format(sources) if formatted else sources
    files = _runtime() | {name: text.encode() for name, text in made.items()}
    return {FOLDER / name: files[name] for name in sorted(files, key=PurePosixPath)}


def _runtime() -> dict[str, bytes]:
    """Files that do not depend on the model, copied as they are."""
    folder = _HERE / "runtime"
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
