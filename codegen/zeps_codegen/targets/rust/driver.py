"""The view of the driver's part that depends on the models: names into types, and values into messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...ir import Bundle, Field, FieldType, Machine, Protocol, Text, Type
from .lines import quoted
from .machine import HostAction, MachineView, view_machine
from .names import module_name
from .plan import MessagePlan, Names, Slot, field_name, normal, plan_messages

__all__ = ["DriverView", "view_driver"]


@dataclass(frozen=True, slots=True)
class BuildView:
    """How a message or a call is built: statements that fill locals, and the expression that uses them."""

    count: int
    fill: list[str]
    arguments: list[str]
    built: str


@dataclass(frozen=True, slots=True)
class MessageView:
    class_name: str
    name: str
    build: BuildView
    show: list[str]


@dataclass(frozen=True, slots=True)
class ProtocolView:
    module: str
    name: str
    elided: str
    shows: bool  # whether any message has a value
    messages: list[MessageView]


@dataclass(frozen=True, slots=True)
class CallView:
    name: str
    method: str
    carried: str | None  # the struct of the message it carries
    carried_name: str
    build: BuildView | None


@dataclass(frozen=True, slots=True)
class VariableView:
    name: str
    model_name: str
    set: str
    show: str


@dataclass(frozen=True, slots=True)
class RunnerView:
    machine: MachineView
    struct: str
    calls: list[CallView]
    variables: list[VariableView]
    actions: list[HostAction]


@dataclass(frozen=True, slots=True)
class DriverView:
    protocols: list[ProtocolView]
    machines: list[RunnerView]


def view_driver(bundle: Bundle) -> DriverView:
    """What templates/mod.rs.j2 prints for `bundle`."""
    return DriverView(
        [_protocol(one) for one in bundle.protocols],
        [_machine(one, bundle.protocol(one.protocol), index) for index, one in enumerate(bundle.machines)],
    )


def _protocol(protocol: Protocol) -> ProtocolView:
    names = Names(protocol.enumerations, module_name(protocol.name))
    plans = plan_messages(protocol)
    return ProtocolView(
        module_name(protocol.name),
        protocol.name,
        "<'_>" if any(plan.borrows for plan in plans) else "",
        any(plan.shown for plan in plans),
        [_message(plan, names, module_name(protocol.name)) for plan in plans],
    )


def _message(plan: MessagePlan, names: Names, module: str) -> MessageView:
    path = f"{module}::{plan.class_name}"
    fields = [(str(slot.name), slot.field) for slot in plan.shown]
    build = _build(fields, names, path)
    return MessageView(
        plan.class_name,
        plan.name,
        replace(build, fill=build.fill + _agree(plan)),
        [_show(slot) for slot in plan.shown],
    )


def _agree(plan: MessagePlan) -> list[str]:
    """Lists that share a count are compared before anything else."""
    places = {slot.name: _local(index) for index, slot in enumerate(plan.shown)}
    found = []
    for slot in plan.slots:
        for name, shown in slot.measures[1:]:
            seen, wanted = (f"{places[one]}.as_list().len()" for one in (name, slot.measures[0][0]))
            found.append(f"fields.agree({quoted(shown)}, {seen}, {wanted});")
    return found


def _local(index: int) -> str:
    return f"field_{index}"


def _build(fields: Sequence[tuple[str, Field]], names: Names, path: str) -> BuildView:
    fill, arguments, parts = [], [], []
    for index, (name, field) in enumerate(fields):
        fill.append(f"let {_local(index)}{_typed(field, names)} = fields.{_taker(field)};")
        borrow = ".as_list()" if field.type in (FieldType.LIST, FieldType.HASH) else ""
        is_text = (
            field.type is FieldType.STRING and field.text is not Text.OCTETS and field.enumeration is None
        )
        argument = f"{'&' * is_text}{_local(index)}{borrow}"
        arguments.append(argument)
        parts.append(f"{name}: {argument}")
    built = f"{path} {{ {', '.join(parts)} }}" if parts else path
    return BuildView(len(fields), fill, arguments, built)


def _typed(field: Field, names: Names) -> str:
    if field.type is FieldType.LIST:
        assert field.items is not None
        return f": ListBuf<{names.form(field.items)}>"
    return f": ListBuf<{names.form(field)}>" if field.type is FieldType.HASH else ""


def _taker(field: Field) -> str:
    name = quoted(field.name)
    if field.type in (FieldType.NUMBER, FieldType.VARINT):
        if field.enumeration is not None:
            return f"member({name}, {str(field.signed).lower()})?"
        return f"number({name})?"
    match field.type:
        case FieldType.STRING if field.enumeration is not None:
            return f"word({name})?"
        case FieldType.STRING:
            return f"text_octets({name})?" if field.text is Text.OCTETS else f"text({name})?"
        case FieldType.LIST:
            return f"list({name})?"
        case FieldType.HASH:
            return f"hash({name})?"
        case FieldType.OCTETS if field.length is None:
            return f"fixed({name})?"
        case _:
            return f"octets({name})?"


def _show(slot: Slot) -> str:
    field, value = slot.field, f"message.{slot.name}"
    if field.type in (FieldType.NUMBER, FieldType.VARINT) and field.enumeration is not None:
        return f"values.put(member({value}, {str(field.signed).lower()}));"
    if field.type is FieldType.STRING:
        if field.enumeration is not None:
            return f"values.put({value}.as_str());"
        return f"values.put_text({value});" if field.text is Text.OCTETS else f"values.put({value});"
    if field.type is FieldType.HASH:
        return f"values.put_hash({value});"
    item = field.items
    if item is not None and item.type is FieldType.STRING and item.text is Text.OCTETS:
        return f"values.put_texts({value});" if item.enumeration is None else f"values.put({value});"
    return f"values.put({value});"


def _machine(machine: Machine, protocol: Protocol, index: int) -> RunnerView:
    view = view_machine(machine, protocol)
    names = Names(protocol.enumerations, view.protocol)
    declared = {event.name: event for event in machine.events}
    calls = []
    for event in view.events:
        if event.method is None:
            continue
        fields = [(field_name(field.name), normal(field)) for field in declared[event.name].parameters]
        build = _build(fields, names, "") if event.call is not None else None
        calls.append(
            CallView(event.name, event.method, event.message, declared[event.name].message or "", build)
        )
    taken = {
        Type.STRING: 'String::from(fields.text("value")?)',
        Type.OCTETS: 'fields.octets("value")?.to_vec()',
        Type.BOOLEAN: 'fields.boolean("value")?',
        Type.NUMBER: 'fields.number("value")?',
    }
    shown = {Type.STRING: "{}.as_str()", Type.OCTETS: "{}.as_slice()"}
    variables = [
        VariableView(
            one.name,
            one.model_name,
            taken[one.type],
            shown.get(one.type, "{}").format(f"self.0.context.{one.name}"),
        )
        for one in view.variables
    ]
    return RunnerView(view, f"Runner{index}", calls, variables, view.actions)
