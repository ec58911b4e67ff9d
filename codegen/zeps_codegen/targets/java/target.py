"""Bundle → the Maven project ``generated/java``."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment

from ...ir import Bundle, Protocol, Type
from ...naming import Scope, screaming
from ...plan.build import parameter_of
from ...plan.enumerations import enumeration_plans
from ...plan.layout import constant_octets
from ...plan.machine import machine_plan
from ...plan.operations import Apart, Content, Items, Number, Operation, Topic
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
_MAIN = PurePosixPath("src/main/java")
_TEST = PurePosixPath("src/test/java")
#: The driver's package, among the tests.
_DRIVER = f"{ROOT}.driver"
_VARIABLES = {Type.NUMBER: "u", Type.STRING: "s", Type.OCTETS: "b", Type.BOOLEAN: "u"}

Files = dict[PurePosixPath, str]


_FILTERS = (constant_octets, literal, long_literal, octets, parameter_of, sentence, show, show_step)


@cache
def _environment() -> Environment:
    found = template_environment(_HERE / "templates", {one.__name__: one for one in _FILTERS} | {"tag": _tag})
    found.globals.update(types=TYPES, variable_tags=_VARIABLES)
    return found


def _tag(operation: Operation) -> str:
    """What runtime/driver/Field.java says of a value."""
    match operation:
        case Number(signed=True, size=4, flags=flags):
            return "f" if flags and operation.field.max is None else "x"
        case Number(signed=True):
            return "i"
        case Number():
            return "u"
        case Items():
            return _tag(operation.parts[0])
        case Apart():
            return "b*"
        case Topic():
            return "s"
        case Content():
            return "s" if operation.is_string else "b"
        case _:
            return "b"


def _print(template: str, **values: object) -> str:
    return _environment().get_template(f"{template}.j2").render(values)


def _place(package_name: str, class_name: str, root: PurePosixPath = _MAIN) -> PurePosixPath:
    return root / package_name.replace(".", "/") / f"{class_name}.java"


def _protocol(protocol: Protocol, names: ProtocolNames, messages: list[Message]) -> Files:
    scope = Scope("java")
    values = {
        "protocol": protocol,
        "names": names,
        "messages": messages,
        "multipart": any(one.is_multipart for one in messages),
        "constants": [(one, scope.name(screaming(one.name))) for one in protocol.constants],
    }
    files = {
        _place(names.package, names.main): _print("Protocol.java", **values),
        _place(names.package, "Message"): _print("Message.java", **values),
    }
    for plan in enumeration_plans(protocol):
        scope = Scope("java", {"MASK"} if plan.is_flags else {"VALUES"})
        members = [(one, scope.name(screaming(one.name))) for one in plan.enumeration.members]
        name = names.enumerations[plan.enumeration.name]
        files[_place(names.package, name)] = _print(
            "Enumeration.java", package=names.package, name=name, plan=plan, members=members
        )
    for one in messages:
        files[_place(names.package, one.class_name)] = _print("Record.java", m=one)
    return files


def _machine(m: MachineCode) -> Files:
    files = {_place(m.package, m.host): _print("Host.java", m=m)}
    files[_place(m.package, m.main)] = _print("Machine.java", m=m)
    enumerations = {"State": (m.machine.states, m.states), "Event": (m.machine.events, m.events)}
    enumerations |= {"InternalEvent": (m.plan.internal, m.internal)} if m.internal else {}
    for name, (members, titles) in enumerations.items():
        files[_place(m.package, name)] = _print("Enum.java", m=m, name=name, of=members, titles=titles)
    for event in m.machine.events:
        if event.parameters:
            files[_place(m.package, m.calls[event.name])] = _print("Call.java", m=m, event=event)
    return files


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the project. Raises FormatterError without google-java-format, if it is to be `formatted`."""
    scope = Scope("java", {"driver", "internal"})
    docs = {
        ROOT: "What codecs and machines share: octets, text, errors, and the engine of the machines.",
        f"{ROOT}.internal": "What generated code calls. It may be another in the next version.",
    }
    files: Files = {}
    known: dict[str, tuple[Protocol, ProtocolNames, list[Message]]] = {}
    machines = []
    for protocol in bundle.protocols:
        names = ProtocolNames.of(scope.name(package(protocol.name)), protocol)
        known[protocol.name] = protocol, names, messages_of(protocol, names)
        files |= _protocol(*known[protocol.name])
        docs[names.package] = f"The messages of {sentence(protocol.title)}"
    for machine in bundle.machines:
        protocol, names, spoken = known[machine.protocol]
        package_name = f"{ROOT}.{scope.name(package(machine.name))}"
        machines.append(MachineCode(package_name, machine_plan(machine, protocol), names, spoken))
        files |= _machine(machines[-1])
        docs[package_name] = f"The machine of {sentence(machine.title)}"
    models = _print("Models.java", protocols=list(known.values()), machines=machines)
    files[_place(_DRIVER, "Models", _TEST)] = models
    for name, doc in docs.items():
        files[_place(name, "package-info")] = _print("package-info.java", package=name, doc=doc)
    for path in sorted((_HERE / "runtime").rglob("*.java")):
        part = path.parent.name
        inside = f"{ROOT}.{part}" if part in ("driver", "internal") else ROOT
        root = _TEST if part == "driver" else _MAIN
        files[_place(inside, path.stem, root)] = path.read_text(encoding="utf-8")
    if formatted:
        files = java_format(files)
    titles = ", ".join(protocol.title for protocol in bundle.protocols)
    described = {
        "description": sentence(f"Codecs and machines: {titles}") if titles else "Codecs and machines.",
        "packages": {name: doc for name, doc in docs.items() if not name.endswith(".internal")},
    }
    files[PurePosixPath("pom.xml")] = _print("pom.xml", **described)
    files[PurePosixPath("README.md")] = _print("README.md", **described)
    return {FOLDER / path: text.encode() for path, text in sorted(files.items())}
