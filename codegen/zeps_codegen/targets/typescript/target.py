"""Bundle → the files of the package ``zeps-wire`` for npm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from .codec import imported, view_codec
from .driver import KINDS, DriverView, view_driver
from .format import prettier_format
from .lines import doc, quoted
from .machine import MachineView, plan_machine, view_machine
from .plan import module_name, plan_protocol

__all__ = ["FOLDER", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/typescript")
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class PackageView:
    """What the package says of itself."""

    description: str
    doc: list[str]
    modules: list[tuple[str, str]]
    protocols: list[str]
    machines: list[str]
    example: str


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


def _print(template: str, **given: object) -> str:
    return _environment().get_template(template).render(**given)


def _codec(view: object) -> str:
    """The module of a protocol; what it uses of the runtime is found in its text, printed once without imports."""
    return _print(
        "protocol.ts.j2", view=view, imports=imported(_print("protocol.ts.j2", view=view, imports=[]))
    )


#: What the runtime offers to a machine, by module.
_TO_MACHINES: dict[str, tuple[str, ...]] = {
    "./runtime/arithmetic.js": ("difference", "least", "natural", "sameValue"),
    "./runtime/machine.js": ("Machine", "byState", "type Row", "type Rule"),
    "./runtime/octets.js": ("sameOctets",),
}


def _machine(view: MachineView) -> str:
    offers = {**_TO_MACHINES, f"./{view.file}.js": ("sizeOf",)}
    body = _print("machine.ts.j2", view=view, imports=[])
    return _print("machine.ts.j2", view=view, imports=imported(body, offers))


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the package. Raises FormatterError without prettier, UnsupportedByTarget for frames."""
    plans = {one.name: plan_protocol(one) for one in bundle.protocols}
    sources: dict[str, str] = {}
    for name, plan in plans.items():
        sources[f"src/{module_name(name)}.ts"] = _codec(view_codec(plan))
    machines = [plan_machine(one, plans[one.protocol]) for one in bundle.machines]
    for machine in machines:
        sources[f"src/{module_name(machine.machine.name)}.ts"] = _machine(view_machine(machine))
    driver = view_driver(plans, machines)
    body = _print("model.ts.j2", view=driver, imports=[])
    sources["driver/model.ts"] = _print("model.ts.j2", view=driver, imports=imported(body, KINDS))
    package = _package(bundle, driver)
    for template in ("package.json", "src/index.ts", "README.md"):
        sources[template] = _print(f"{template.rpartition('/')[2]}.j2", view=package)
    made = {PurePosixPath(name): text.encode() for name, text in sources.items()}
    files = _runtime() | (prettier_format(made) if formatted else made)
    return {FOLDER / path: content for path, content in sorted(files.items())}


def _package(bundle: Bundle, driver: DriverView) -> PackageView:
    names = [name for name, _ in driver.modules]
    summary = (
        f"Codecs and machines, generated from the models: {', '.join(one.title for one in bundle.protocols)}"
    )
    return PackageView(
        quoted(summary),
        doc(f"{summary}."),
        driver.modules,
        [one.name for one in bundle.protocols],
        [one.name for one in bundle.machines],
        next((name for name in names if name == "zeps"), names[0] if names else "protocol"),
    )


def _runtime() -> dict[PurePosixPath, bytes]:
    """Files that do not depend on the model, copied as they are."""
    folder = _HERE / "runtime"
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {PurePosixPath(path.relative_to(folder).as_posix()): path.read_bytes() for path in paths}
