"""Bundle → the Maven project ``generated/java``."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment

from ...ir import Bundle, Protocol
from ...naming import Scope, screaming
from ...plan.build import parameter_of
from ...plan.enumerations import enumeration_plans
from ...plan.layout import constant_octets
from ...plan.machine import machine_plan
from ..describe import show, show_step
from ..environment import template_environment
from .format import java_format
from .machine import TYPES, MachineCode
from .message import Message, messages_of
from .names import ROOT, ProtocolNames, literal, long_literal, octets, package, sentence

__all__ = ["FOLDER", "render"]

#: The project's folder.
FOLDER = PurePosixPath("generated/java")
_HERE = Path(__file__).parent
_MAIN, _TEST = "src/main/java", "src/test/java"
_FILTERS = (constant_octets, literal, long_literal, octets, parameter_of, sentence, show, show_step)


@cache
def _environment() -> Environment:
    found = template_environment(_HERE / "templates", {one.__name__: one for one in _FILTERS})
    found.globals.update(types=TYPES)
    return found


class _Files(dict[PurePosixPath, str]):
    """The files of the project, by their paths in it."""

    def add(self, template: str, package_name: str, class_name: str, **values: object) -> None:
        """Print a class; the driver's, and no other, is among the tests."""
        folder = _TEST if package_name.endswith(".driver") else _MAIN
        place = PurePosixPath(folder, *package_name.split("."), f"{class_name}.java")
        self[place] = _environment().get_template(f"{template}.java.j2").render(values, package=package_name)


def _protocol(files: _Files, protocol: Protocol, names: ProtocolNames, messages: list[Message]) -> None:
    scope = Scope("java")
    constants = [(one, scope.name(screaming(one.name))) for one in protocol.constants]
    values = {"protocol": protocol, "names": names, "messages": messages, "constants": constants}
    for template, name in (("Protocol", names.main), ("Message", "Message")):
        files.add(template, names.package, name, **values)
    for plan in enumeration_plans(protocol):
        scope = Scope("java", {"MASK", "VALUES"})
        members = [(one, scope.name(screaming(one.name))) for one in plan.enumeration.members]
        name = names.enumerations[plan.enumeration.name]
        files.add("Enumeration", names.package, name, name=name, plan=plan, members=members)
    for one in messages:
        files.add("Record", names.package, one.class_name, m=one)


def _machine(files: _Files, m: MachineCode) -> None:
    files.add("Host", m.package, m.host, m=m)
    files.add("Machine", m.package, m.main, m=m)
    enumerations = {"State": (m.machine.states, m.states), "Event": (m.machine.events, m.events)}
    enumerations |= {"InternalEvent": (m.plan.internal, m.internal)} if m.internal else {}
    for name, (members, titles) in enumerations.items():
        files.add("Enum", m.package, name, m=m, name=name, of=members, titles=titles)
    for event in m.machine.events:
        if event.parameters:
            files.add("Call", m.package, m.calls[event.name], m=m, event=event)


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the project. Raises FormatterError without google-java-format, if it is to be `formatted`."""
    files, scope = _Files(), Scope("java", {"driver", "internal"})
    docs = {ROOT: "What codecs and machines share: octets, text, errors, and the engine of the machines."}
    docs[f"{ROOT}.internal"] = "What generated code calls. It may be another in the next version."
    known: dict[str, tuple[Protocol, ProtocolNames, list[Message]]] = {}
    machines = []
    for protocol in bundle.protocols:
        names = ProtocolNames.of(scope.name(package(protocol.name)), protocol)
        known[protocol.name] = protocol, names, messages_of(protocol, names)
        _protocol(files, *known[protocol.name])
        docs[names.package] = f"The messages of {sentence(protocol.title)}"
    for machine in bundle.machines:
        protocol, names, spoken = known[machine.protocol]
        package_name = f"{ROOT}.{scope.name(package(machine.name))}"
        machines.append(MachineCode(package_name, machine_plan(machine, protocol), names, spoken))
        _machine(files, machines[-1])
        docs[package_name] = f"The machine of {sentence(machine.title)}"
    files.add("Models", f"{ROOT}.driver", "Models", protocols=list(known.values()), machines=machines)
    for name, doc in docs.items():
        files.add("package-info", name, "package-info", doc=doc)
    for path in (_HERE / "runtime").rglob("*.java"):
        folder = PurePosixPath(_TEST if path.parent.name == "driver" else _MAIN, *ROOT.split("."))
        files[folder / path.relative_to(_HERE / "runtime")] = path.read_text(encoding="utf-8")
    found = java_format(files) if formatted else dict(files)
    titles = ", ".join(protocol.title for protocol in bundle.protocols)
    description = sentence(f"Codecs and machines: {titles}") if titles else "Codecs and machines."
    for name in ("pom.xml", "README.md"):
        text = _environment().get_template(f"{name}.j2").render(description=description, packages=docs)
        found[PurePosixPath(name)] = text
    return {FOLDER / path: text.encode() for path, text in sorted(found.items())}
