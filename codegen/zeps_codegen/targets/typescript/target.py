"""Bundle → the files of the package ``zeps-wire`` for npm."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle, Expression
from ..describe import show, show_step
from .codec import Codec, notes
from .driver import KINDS, kind, kind_of_variable, modules
from .format import prettier_format
from .lines import doc, imported, quoted
from .machine import MachineModule
from .names import (
    TO_CODECS,
    TO_MACHINES,
    MachineNames,
    ProtocolNames,
    initial_value,
    literal,
    module_name,
    type_of_variable,
)

__all__ = ["FOLDER", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/typescript")
_HERE = Path(__file__).parent


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
    found.filters.update(quoted=quoted, shown=_shown, shown_step=show_step)
    found.globals.update(
        doc=doc,
        initial_value=initial_value,
        kind=kind,
        kind_of_variable=kind_of_variable,
        literal=literal,
        notes=notes,
        type_of_variable=type_of_variable,
    )
    return found


def _shown(guard: Expression | None) -> str | None:
    return None if guard is None else show(guard)


def _print(template: str, offers: Mapping[str, tuple[str, ...]], **given: object) -> str:
    """The template's text; what it uses of `offers` is found in it, printed once without imports."""
    found = _environment().get_template(template)
    return found.render(imports=imported(found.render(imports=[], **given), offers), **given)


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the package. Raises FormatterError without prettier, UnsupportedByTarget for frames."""
    protocols = {one.name: ProtocolNames(one) for one in bundle.protocols}
    machines = {one.name: MachineNames(one, protocols[one.protocol]) for one in bundle.machines}
    sources: dict[str, str] = {}
    for name, protocol in protocols.items():
        sources[f"src/{module_name(name)}.ts"] = _print("protocol.ts.j2", TO_CODECS, codec=Codec(protocol))
    for name, machine in machines.items():
        file = module_name(machine.machine.protocol)
        sources[f"src/{module_name(name)}.ts"] = _print(
            "machine.ts.j2",
            {**TO_MACHINES, f"./{file}.js": ("sizeOf",)},
            module=MachineModule(machine),
            file=file,
        )
    found = modules(bundle)
    sources["driver/model.ts"] = _print(
        "model.ts.j2",
        KINDS,
        modules=found.values(),
        constants={name: one.constant for name, one in found.items()},
        protocols=[(found[name], one) for name, one in protocols.items()],
        machines=[(found[name], one) for name, one in machines.items()],
    )
    titles = ", ".join(one.title for one in bundle.protocols)
    names = [one.name for one in found.values()]
    package = {
        "bundle": bundle,
        "modules": found.values(),
        "summary": f"Codecs and machines, generated from the models: {titles}",
        "example": "zeps" if "zeps" in names else next(iter(names), "protocol"),
    }
    for template in ("package.json", "src/index.ts", "README.md"):
        sources[template] = _print(f"{template.rpartition('/')[2]}.j2", {}, **package)
    made = prettier_format(sources) if formatted else sources
    files = _runtime() | {name: text.encode() for name, text in made.items()}
    return {FOLDER / name: files[name] for name in sorted(files, key=PurePosixPath)}


def _runtime() -> dict[str, bytes]:
    """Files that do not depend on the model, copied as they are."""
    folder = _HERE / "runtime"
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
