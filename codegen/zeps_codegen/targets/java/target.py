"""Converts a bundle to the files of a Maven project."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from ...ir import Bundle, Protocol
from ...naming import Scope, screaming
from ...package import Package
from ...plan.build import parameter_of
from ...plan.enumerations import enumeration_plans
from ...plan.layout import constant_bytes
from ...plan.machine import machine_plan
from ..assembly import PLAIN, Files, package_files, runtime_files
from ..describe import show, show_step
from ..environment import template_printer
from .format import java_format
from .machine import TYPES, MachineCode
from .message import Message, messages_of
from .names import ROOT, ProtocolNames, byte_array, literal, long_literal, package_part, sentence

__all__ = ["FOLDER", "render"]

#: The project's folder.
FOLDER = PurePosixPath("generated/java")
_HERE = Path(__file__).parent
_HELPERS = (byte_array, constant_bytes, literal, long_literal, parameter_of, sentence, show, show_step)
_print = template_printer(_HERE / "templates", *_HELPERS, types=TYPES)


class _Project:
    """The files of the project by path. The configured package replaces ROOT, except in string literals."""

    def __init__(self, package: Package):
        self.package, self.files = package, dict[PurePosixPath, str]()

    def add(self, template: str, package_name: str, class_name: str, **values: object) -> None:
        """Adds a class from a template."""
        text = _print(f"{template}.java", values, package=package_name)
        self.put(text, package_name, f"{class_name}.java")

    def put(self, text: str, package_name: str = "", name: str = "") -> None:
        """Adds the file `name` of a package (of tests for ``driver``), or without one the file at the path `name`."""
        root, names = self.package.java_package, {ROOT: self.package.java_package}
        folders = package_name.replace(ROOT, root, 1).split(".") if package_name else []
        source = "src/test/java" if package_name.endswith(".driver") else "src/main/java"
        place = PurePosixPath(source, *folders, name) if package_name else PurePosixPath(name)
        literal_or_name = r'"(?:\\.|[^"\\\n])*"|\bzeps\.wire\b'
        self.files[place] = re.sub(literal_or_name, lambda match: names.get(match[0], match[0]), text)


def _protocol(files: _Project, protocol: Protocol, names: ProtocolNames, messages: list[Message]) -> None:
    scope = Scope("java")
    constants = [(constant, scope.name(screaming(constant.name))) for constant in protocol.constants]
    values = {"protocol": protocol, "names": names, "messages": messages, "constants": constants}
    for template, name in (("Protocol", names.main), ("Message", "Message")):
        files.add(template, names.package, name, **values)
    for plan in enumeration_plans(protocol):
        scope = Scope("java", {"MASK", "VALUES"})
        members = [(member, scope.name(screaming(member.name))) for member in plan.enumeration.members]
        name = names.enumerations[plan.enumeration.name]
        files.add("Enumeration", names.package, name, name=name, plan=plan, members=members)
    for message in messages:
        files.add("Record", names.package, message.class_name, m=message)


def _machine(files: _Project, m: MachineCode) -> None:
    files.add("Host", m.package, m.host, m=m)
    files.add("Machine", m.package, m.main, m=m)
    enumerations = {"State": (m.machine.states, m.states), "Event": (m.machine.events, m.events)}
    enumerations |= {"InternalEvent": (m.plan.internal, m.internal)} if m.internal else {}
    for name, (members, titles) in enumerations.items():
        files.add("Enum", m.package, name, m=m, name=name, of=members, titles=titles)
    for event in m.machine.events:
        if event.parameters:
            files.add("Call", m.package, m.calls[event.name], m=m, event=event)


def render(bundle: Bundle, formatted: bool = True, package: Package = PLAIN) -> Files:
    """Every file of the project. Raises FormatterError if `formatted` and google-java-format is missing or fails."""
    project, scope = _Project(package), Scope("java", {"driver", "internal"})
    docs = {ROOT: "The runtime of codecs and machines: bytes, text, errors, and the engine of the machines."}
    docs[f"{ROOT}.internal"] = "Internal classes that generated code calls. They may change in any version."
    known: dict[str, tuple[Protocol, ProtocolNames, list[Message]]] = {}
    machines = []
    for protocol in bundle.protocols:
        names = ProtocolNames.of(scope.name(package_part(protocol.name)), protocol)
        known[protocol.name] = protocol, names, messages_of(protocol, names)
        _protocol(project, *known[protocol.name])
        docs[names.package] = f"The messages of {sentence(protocol.title)}"
    for machine in bundle.machines:
        protocol, names, spoken = known[machine.protocol]
        package_name = f"{ROOT}.{scope.name(package_part(machine.name))}"
        machines.append(MachineCode(package_name, machine_plan(machine, protocol), names, spoken))
        _machine(project, machines[-1])
        docs[package_name] = f"The machine of {sentence(machine.title)}"
    project.add("Models", f"{ROOT}.driver", "Models", protocols=list(known.values()), machines=machines)
    for name, doc in docs.items():
        project.add("package-info", name, "package-info", doc=doc)
    for path, text in runtime_files(_HERE / "runtime").items():
        part, _, name = path.rpartition("/")
        project.put(text, f"{ROOT}.{part}".rstrip("."), name)
    project.files = java_format(project.files) if formatted else project.files
    for name in ("pom.xml", "README.md"):
        project.put(_print(name, machines=machines, packages=docs, package=package), name=name)
    texts = {str(path): text for path, text in project.files.items()}
    place = f"src/test/resources/{package.java_package.replace('.', '/')}/driver/requests.tsv"
    return package_files(FOLDER, texts, package, bundle, place)
