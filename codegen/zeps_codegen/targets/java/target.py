"""Bundle → the Maven project ``generated/java``."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle, Protocol
from ...naming import Scope
from .codec import is_multipart, plans_of, view_enumerations, view_message, view_protocol, view_record
from .format import java_format
from .machine import MachineNames, MachinePackage
from .names import ROOT, ProtocolNames, package
from .plan import MessagePlan

__all__ = ["FOLDER", "render"]

#: The project's folder.
FOLDER = PurePosixPath("generated/java")
_HERE = Path(__file__).parent
_MAIN = PurePosixPath("src/main/java")

Files = dict[PurePosixPath, str]


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


def _print(template: str, view: object) -> str:
    return _environment().get_template(template).render(view=view)


def _place(package_name: str, class_name: str, root: PurePosixPath = _MAIN) -> PurePosixPath:
    return root / package_name.replace(".", "/") / f"{class_name}.java"


def _protocol(protocol: Protocol, names: ProtocolNames, plans: list[MessagePlan]) -> Files:
    multipart = is_multipart(plans)
    files = {
        _place(names.package, names.main): _print("Protocol.java.j2", view_protocol(protocol, names, plans)),
        _place(names.package, "Message"): _print("Message.java.j2", view_message(protocol, names, plans)),
    }
    for one in view_enumerations(protocol, names):
        files[_place(names.package, one.class_name)] = _print(
            "Flags.java.j2" if one.flags else "Enumeration.java.j2", one
        )
    for plan in plans:
        view = view_record(plan, protocol.dispatch, multipart)
        files[_place(names.package, plan.class_name)] = _print("Record.java.j2", view)
    return files


def _machine(names: MachineNames) -> Files:
    package_, view = names.package, MachinePackage(names)
    files = {_place(package_, one.class_name): _print("Enum.java.j2", one) for one in view.enums()}
    files |= {_place(package_, one.class_name): _print("Call.java.j2", one) for one in view.calls()}
    files[_place(package_, names.host_class)] = _print("Host.java.j2", view.host())
    files[_place(package_, names.machine_class)] = _print("Machine.java.j2", view.whole())
    return files


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the project. Raises FormatterError without google-java-format, if it is to be `formatted`."""
    packages = Scope("java")
    files: Files = {}
    protocols: dict[str, tuple[ProtocolNames, list[MessagePlan]]] = {}
    for protocol in bundle.protocols:
        names, plans = plans_of(protocol, packages.name(package(protocol.name)))
        files |= _protocol(protocol, names, plans)
        protocols[protocol.name] = names, plans
    for machine in bundle.machines:
        names, plans = protocols[machine.protocol]
        inside = f"{ROOT}.{packages.name(package(machine.name))}"
        files |= _machine(MachineNames(inside, machine, names, plans))
    if formatted:
        files = java_format(files)
    found = {path: text.encode() for path, text in files.items()}
    for path in sorted((_HERE / "runtime").glob("*.java")):
        found[_place(ROOT, path.stem)] = path.read_bytes()
    return {FOLDER / path: content for path, content in found.items()}
