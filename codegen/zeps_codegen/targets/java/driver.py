"""The driver's glue: what connects the model's names to the classes that were generated from it."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Field, FieldType, Text, Type
from ...naming import Scope, pascal
from ...plan.build import part_of
from ...plan.operations import Apart, Content, Items, Number, Operation, Topic
from .codec import has_view, is_multipart
from .machine_names import MachineNames
from .message import Message
from .names import (
    CLASSES,
    ROOT,
    ProtocolNames,
    Qualified,
    is_member,
    is_string_enumeration,
    literal,
    number_type,
)
from .views import octets_of

__all__ = ["DRIVER", "CodecView", "ModelsView", "SessionView", "glue_names", "view_codec", "view_session"]

#: The driver's package, among the tests.
DRIVER = f"{ROOT}.driver"
_OWN = "Answer BadRequest Codec Driver Models Recorder Recording Request Session Supplier Unknown Value VectorsTest"
_VARIABLES = {Type.NUMBER: "unsigned", Type.STRING: "text", Type.OCTETS: "raw", Type.BOOLEAN: "truth"}


@dataclass(frozen=True, slots=True)
class MessageGlue:
    name: str
    class_name: str
    count: int
    arguments: str
    describe: list[str]
    has_frames: bool
    setters: list[tuple[str, str]]  # of its writer: (name, what a view has for it)


@dataclass(frozen=True, slots=True)
class CodecView:
    class_name: str
    main: str
    message: str
    messages: list[MessageGlue]


@dataclass(frozen=True, slots=True)
class SessionView:
    class_name: str
    codec: str
    main: str
    machine: str
    host: str
    event: str
    message: str
    events: list[tuple[str, str]]
    calls: list[tuple[str, str]]
    setters: list[tuple[str, str]]
    getters: list[str]
    action_names: list[str]
    actions: list[tuple[str, str, str]]  # (name, method, parameters)
    refuses: bool


@dataclass(frozen=True, slots=True)
class ModelsView:
    codecs: list[tuple[str, str]]
    machines: list[tuple[str, str]]


def glue_names(protocols: list[str], machines: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The classes of the glue, by the names of protocols and of machines."""
    scope = Scope("java", CLASSES | frozenset(_OWN.split()))
    return (
        {name: scope.name(f"{pascal(name)}Codec") for name in protocols},
        {name: scope.name(f"{pascal(name)}Session") for name in machines},
    )


def view_codec(names: ProtocolNames, plans: list[Message], class_name: str) -> CodecView:
    """What templates/ProtocolCodec.java.j2 prints."""
    return CodecView(
        class_name,
        f"{names.package}.{names.main}",
        f"{names.package}.Message",
        [_message(names, plan, has_view(plan, is_multipart(plans))) for plan in plans],
    )


def _message(names: ProtocolNames, plan: Message, viewable: bool) -> MessageGlue:
    shown = plan.shown
    arguments = [
        _taken(
            names, slot.operation, f"found.get({index})", f"{literal(plan.name)}, {literal(slot.field.name)}"
        )
        for index, slot in enumerate(shown)
    ]
    describe = [f"{_given(slot.operation, f'found.{slot.component}()')};" for slot in shown]
    class_name = f"{names.package}.{plan.class_name}"
    setters = [(slot.component, octets_of(plan, slot)) for slot in shown] if viewable else []
    return MessageGlue(
        literal(plan.name),
        class_name,
        len(shown),
        ", ".join(arguments),
        describe,
        bool(plan.plan.apart),
        setters,
    )


def _taken(names: ProtocolNames, operation: Operation, value: str, where: str, depth: int = 0) -> str:
    """A request's value as what a record's component is; `where` names message and field."""
    match operation:
        case Number(enumeration=str(name)) | Content(enumeration=str(name)) if is_member(operation):
            return _member(names, operation, name, value, where, depth)
        case Number() if number_type(operation) == "long":
            return f"{value}.{_sign(operation)}()"
        case Number(size=4, flags=flags):
            code = "BAD_CONSTANT" if flags and operation.field.max is None else "TOO_LONG"
            return f"{value}.exactInt(zeps.wire.ErrorCode.{code}, {where})"
        case Number():
            return f"{value}.{_sign(operation)}Int()"
        case Items(parts=(key, _)):
            return f"{value}.hash(Value::{_octets(key)})"
        case Items():
            item = f"item{depth}"
            return f"{value}.list({item} -> {_taken(names, operation.item, item, where, depth + 1)})"
        case Apart(is_rest=True):
            return f"{value}.list(Value::raw)"
        case _:
            return f"{value}.{_octets(operation)}()"


def _member(
    names: ProtocolNames, part: Number | Content, enumeration: str, value: str, where: str, depth: int
) -> str:
    found = f"{names.package}.{names.classes[enumeration]}"
    if is_string_enumeration(names.enumerations[enumeration]):
        return f"{value}.namedMember({found}::of, {where})" if depth else f"{found}.of({value}.text())"
    return f"{value}.member({found}::of, {where})" if depth else f"{found}.of({value}.{_sign(part)}())"


def _sign(part: Number | Content) -> str:
    return "signed" if part.field.signed else "unsigned"


def _octets(operation: Operation) -> str:
    """The methods for text, for what the model calls a string without saying of what, and for octets."""
    match operation:
        case Topic() | Content(text=Text()):
            return "text"
        case Content(field=Field(type=FieldType.STRING)):
            return "rawText"
        case _:
            return "raw"


def _given(operation: Operation, value: str, depth: int = 0) -> str:
    """The call that adds a component's value to an answer."""
    if is_member(operation):
        value = f"{value}.value()"
    match operation:
        case Number():
            return f"answer.{_sign(operation)}({value})"
        case Items(parts=(key, _)):
            return f"answer.hash({value}, answer::{_octets(key)})"
        case Items():
            item = f"item{depth}"
            return f"answer.list({value}, {item} -> {_given(operation.item, item, depth + 1)})"
        case Apart(is_rest=True):
            return f"answer.list({value}, answer::raw)"
        case _:
            return f"answer.{_octets(operation)}({value})"


def view_session(names: MachineNames, class_name: str, codec: str) -> SessionView:
    """What templates/MachineSession.java.j2 prints."""
    machine, imports = names.machine, Qualified()
    calls = []
    for event in names.plan.called:
        method = names.methods[event.name]
        if event.message is not None:
            kind = f"{names.protocol.package}.{names.protocol.messages[event.message]}"
            argument = f"({kind}) CODEC.build({literal(event.message)}, values)"
        else:
            taken = [
                _taken(
                    names.protocol,
                    part_of(field),
                    f"found.get({index})",
                    f"{literal(event.name)}, {literal(field.name)}",
                )
                for index, field in enumerate(event.parameters)
            ]
            argument = ", ".join(taken)
        count = "" if event.message is not None else str(len(event.parameters))
        fitting = (
            f"final List<Value> found = Codec.fitting({literal(event.name)}, values, {count}); "
            if count
            else ""
        )
        calls.append((literal(event.name), f"{{ {fitting}return machine.{method}({argument}); }}"))
    actions = []
    for action in names.actions(imports):
        parameter = action.parameter
        if parameter in names.calls.values():
            parameter = f"{names.package}.{parameter}"
        actions.append(
            (literal(action.name), action.method, "" if parameter is None else f"{parameter} message")
        )
    return SessionView(
        class_name,
        codec,
        f"{names.protocol.package}.{names.protocol.main}",
        f"{names.package}.{names.machine_class}",
        f"{names.package}.{names.host_class}",
        f"{names.package}.Event",
        f"{names.protocol.package}.Message",
        [(literal(event.name), names.events[event.name]) for event in machine.events],
        calls,
        [
            (literal(one.name), f"{names.accessors[one.name][1]}(value.{_VARIABLES[one.type]}())")
            for one in machine.variables
        ],
        [
            f"answer.{_VARIABLES[one.type]}(machine.{names.accessors[one.name][0]}());"
            for one in machine.variables
        ],
        [name for name, _, _ in actions],
        actions,
        names.refuses,
    )
