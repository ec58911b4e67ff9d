"""The driver's glue: what connects the model's names to the classes that were generated from it."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import EventKind, Field, FieldType, Type
from ...naming import Scope, pascal
from .codec import has_view, is_multipart
from .machine_names import MachineNames
from .names import (
    CLASSES,
    ROOT,
    ProtocolNames,
    Qualified,
    has_text,
    is_member,
    is_string_enumeration,
    literal,
)
from .plan import MessagePlan
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


def view_codec(names: ProtocolNames, plans: list[MessagePlan], class_name: str) -> CodecView:
    """What templates/ProtocolCodec.java.j2 prints."""
    return CodecView(
        class_name,
        f"{names.package}.{names.main}",
        f"{names.package}.Message",
        [_message(names, plan, has_view(plan, is_multipart(plans))) for plan in plans],
    )


def _message(names: ProtocolNames, plan: MessagePlan, viewable: bool) -> MessageGlue:
    shown = plan.shown
    arguments = [
        _taken(names, slot.field, f"found.get({index})", f"{literal(plan.name)}, {literal(slot.field.name)}")
        for index, slot in enumerate(shown)
    ]
    describe = [f"{_given(names, slot.field, f'found.{slot.component}()')};" for slot in shown]
    class_name = f"{names.package}.{plan.class_name}"
    setters = [(str(slot.component), octets_of(plan, slot)) for slot in shown] if viewable else []
    return MessageGlue(
        literal(plan.name), class_name, len(shown), ", ".join(arguments), describe, bool(plan.apart), setters
    )


def _taken(names: ProtocolNames, field: Field, value: str, where: str, depth: int = 0) -> str:
    """A request's value as what a record's component is; `where` names message and field."""
    sign = "signed" if field.signed else "unsigned"
    if is_member(field):
        return _member(names, field, value, where, depth)
    match field.type:
        case FieldType.NUMBER if field.size < 4:
            return f"{value}.{sign}Int()"
        case FieldType.NUMBER if field.size == 4 and field.signed:
            code = "BAD_CONSTANT" if field.flags and field.max is None else "TOO_LONG"
            return f"{value}.exactInt(zeps.wire.ErrorCode.{code}, {where})"
        case FieldType.NUMBER | FieldType.VARINT:
            return f"{value}.{sign}()"
        case FieldType.STRING:
            return f"{value}.{'text' if has_text(field) else 'rawText'}()"
        case FieldType.LIST:
            assert field.items is not None
            item = f"item{depth}"
            return f"{value}.list({item} -> {_taken(names, field.items, item, where, depth + 1)})"
        case FieldType.HASH:
            return f"{value}.hash(Value::{'text' if has_text(field) else 'rawText'})"
        case FieldType.MSG:
            return f"{value}.list(Value::raw)"
        case _:
            return f"{value}.raw()"


def _member(names: ProtocolNames, field: Field, value: str, where: str, depth: int) -> str:
    assert field.enumeration is not None
    found = f"{names.package}.{names.classes[field.enumeration]}"
    if is_string_enumeration(names.enumerations[field.enumeration]):
        return f"{value}.namedMember({found}::of, {where})" if depth else f"{found}.of({value}.text())"
    sign = "signed" if field.signed else "unsigned"
    return f"{value}.member({found}::of, {where})" if depth else f"{found}.of({value}.{sign}())"


def _given(names: ProtocolNames, field: Field, value: str, depth: int = 0) -> str:
    """The call that adds a component's value to an answer."""
    sign = "signed" if field.signed else "unsigned"
    if is_member(field):
        return f"answer.{'text' if field.type is FieldType.STRING else sign}({value}.value())"
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return f"answer.{sign}({value})"
        case FieldType.STRING:
            return f"answer.{'text' if has_text(field) else 'rawText'}({value})"
        case FieldType.LIST:
            assert field.items is not None
            item = f"item{depth}"
            return f"answer.list({value}, {item} -> {_given(names, field.items, item, depth + 1)})"
        case FieldType.HASH:
            return f"answer.hash({value}, answer::{'text' if has_text(field) else 'rawText'})"
        case FieldType.MSG:
            return f"answer.list({value}, answer::raw)"
        case _:
            return f"answer.raw({value})"


def view_session(names: MachineNames, class_name: str, codec: str) -> SessionView:
    """What templates/MachineSession.java.j2 prints."""
    machine, imports = names.machine, Qualified()
    calls = []
    for event in machine.events:
        if event.kind is EventKind.MESSAGE:
            continue
        method = names.methods[event.name]
        if event.message is not None:
            kind = f"{names.protocol.package}.{names.protocol.messages[event.message]}"
            argument = f"({kind}) CODEC.build({literal(event.message)}, values)"
        else:
            taken = [
                _taken(
                    names.protocol,
                    field,
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
