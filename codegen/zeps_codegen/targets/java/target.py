"""Bundle → the Maven project ``generated/java``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle, Protocol
from ...naming import Scope
from ...plan.machine import machine_plan
from .codec import is_multipart, plans_of, view_enumerations, view_message, view_protocol, view_record
from .driver import DRIVER, ModelsView, glue_names, view_codec, view_session
from .format import java_format
from .machine import MachinePackage
from .machine_names import MachineNames
from .message import Message
from .names import ROOT, ProtocolNames, javadoc, literal, package, sentence

__all__ = ["FOLDER", "render"]

#: The project's folder.
FOLDER = PurePosixPath("generated/java")
_HERE = Path(__file__).parent
_MAIN = PurePosixPath("src/main/java")
_TEST = PurePosixPath("src/test/java")

Files = dict[PurePosixPath, str]


@dataclass(frozen=True, slots=True)
class PackageView:
    package: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class ProjectView:
    description: str
    packages: list[tuple[str, str]]


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


def _protocol(protocol: Protocol, names: ProtocolNames, plans: list[Message]) -> Files:
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


def _driver(
    bundle: Bundle,
    protocols: dict[str, tuple[ProtocolNames, list[Message]]],
    machines: list[MachineNames],
) -> Files:
    """The glue of the driver, among the tests."""
    codecs, sessions = glue_names(list(protocols), [one.machine.name for one in machines])
    files: Files = {}
    for name, (names, plans) in protocols.items():
        view = view_codec(names, plans, codecs[name])
        files[_place(DRIVER, codecs[name], _TEST)] = _print("ProtocolCodec.java.j2", view)
    for one in machines:
        class_name = sessions[one.machine.name]
        session = view_session(one, class_name, codecs[one.machine.protocol])
        files[_place(DRIVER, class_name, _TEST)] = _print("MachineSession.java.j2", session)
    models = ModelsView(
        [(literal(name), codecs[name]) for name in protocols],
        [(literal(one.machine.name), sessions[one.machine.name]) for one in machines],
    )
    files[_place(DRIVER, "Models", _TEST)] = _print("Models.java.j2", models)
    return files


def _packages(bundle: Bundle, packages: dict[str, str]) -> Files:
    """What Javadoc says of each package."""
    docs = {ROOT: "What codecs and machines share: octets, text, errors, and the engine of the machines."}
    for protocol in bundle.protocols:
        docs[packages[protocol.name]] = f"The messages of {sentence(protocol.title)}"
    for machine in bundle.machines:
        docs[packages[machine.name]] = f"The machine of {sentence(machine.title)}"
    return {
        _place(name, "package-info"): _print("package-info.java.j2", PackageView(name, javadoc(doc)))
        for name, doc in docs.items()
    }


def _project(bundle: Bundle, packages: dict[str, str]) -> Files:
    """The files beside the sources."""
    titles = ", ".join(protocol.title for protocol in bundle.protocols)
    description = sentence(f"Codecs and machines: {titles}") if titles else "Codecs and machines."
    listed = [(packages[one.name], f"the messages of {sentence(one.title)}") for one in bundle.protocols]
    listed += [(packages[one.name], f"the machine of {sentence(one.title)}") for one in bundle.machines]
    view = ProjectView(description, [(name, what.rstrip(".")) for name, what in listed])
    return {
        PurePosixPath("pom.xml"): _print("pom.xml.j2", view),
        PurePosixPath("README.md"): _print("README.md.j2", view),
    }


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the project. Raises FormatterError without google-java-format, if it is to be `formatted`."""
    scope = Scope("java", {"driver"})
    packages: dict[str, str] = {}
    files: Files = {}
    protocols: dict[str, tuple[ProtocolNames, list[Message]]] = {}
    machines = []
    for protocol in bundle.protocols:
        names, plans = plans_of(protocol, scope.name(package(protocol.name)))
        files |= _protocol(protocol, names, plans)
        protocols[protocol.name] = names, plans
        packages[protocol.name] = names.package
    spoken = {one.name: one for one in bundle.protocols}
    for machine in bundle.machines:
        names, plans = protocols[machine.protocol]
        packages[machine.name] = f"{ROOT}.{scope.name(package(machine.name))}"
        plan = machine_plan(machine, spoken[machine.protocol])
        machines.append(MachineNames(packages[machine.name], plan, names, plans))
        files |= _machine(machines[-1])
    files |= _driver(bundle, protocols, machines)
    files |= _packages(bundle, packages)
    for path in sorted((_HERE / "runtime").rglob("*.java")):
        inside, root = (DRIVER, _TEST) if path.parent.name == "driver" else (ROOT, _MAIN)
        files[_place(inside, path.stem, root)] = path.read_text(encoding="utf-8")
    if formatted:
        files = java_format(files)
    files |= _project(bundle, packages)
    return {FOLDER / path: text.encode() for path, text in sorted(files.items())}
