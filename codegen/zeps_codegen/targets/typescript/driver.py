"""The view of the driver's model: the names that requests use, beside those of the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...ir import Field, FieldType, Text, Type, Variable
from ...naming import Scope, camel, screaming
from .expressions import carrier_of_variable
from .lines import quoted
from .machine import MachinePlan
from .plan import Carrier, MessagePlan, ProtocolPlan, is_raw_text, module_name

__all__ = ["KINDS", "DriverView", "view_driver"]

#: What the driver's values offer to its model.
KINDS: dict[str, tuple[str, ...]] = {
    "./values.js": (
        "BOOLEAN",
        "OCTETS",
        "SIGNED",
        "SIGNED_BIG",
        "TEXT",
        "TEXT_OCTETS",
        "UNSIGNED",
        "UNSIGNED_BIG",
        "list",
        "pairs",
    )
}
_TAKEN = [
    *KINDS["./values.js"],
    "MACHINES",
    "PROTOCOLS",
    "AnyMessage",
    "MachineEntry",
    "ProtocolEntry",
    "Map",
    "Set",
]


@dataclass(frozen=True, slots=True)
class ProtocolView:
    constant: str
    name: str
    module: str
    messages: list[tuple[str, list[str]]]


@dataclass(frozen=True, slots=True)
class MachineView:
    constant: str
    name: str
    protocol: str
    module: str
    class_name: str
    variables: list[tuple[str, str]]
    actions: list[tuple[str, str]]
    events: list[str]
    calls: list[tuple[str, str, str, list[str]]]


@dataclass(frozen=True, slots=True)
class DriverView:
    modules: list[tuple[str, str]]
    protocols: list[ProtocolView]
    machines: list[MachineView]


def view_driver(protocols: Mapping[str, ProtocolPlan], machines: Sequence[MachinePlan]) -> DriverView:
    """What templates/model.ts.j2 prints for a bundle."""
    names = Scope("typescript", _TAKEN)
    modules: list[tuple[str, str]] = []

    def module(name: str) -> str:
        found = names.name(camel(name))
        modules.append((found, module_name(name)))
        return found

    shown = {
        name: ProtocolView(
            names.name(screaming(name)),
            quoted(name),
            module(name),
            [_message(one, plan) for one in plan.messages],
        )
        for name, plan in protocols.items()
    }
    views = [
        MachineView(
            names.name(screaming(one.machine.name)),
            quoted(one.machine.name),
            shown[one.machine.protocol].constant,
            module(one.machine.name),
            one.class_name,
            [(quoted(v.name), f"[{quoted(name)}, {_variable(v)}]") for v, name in one.variables.values()],
            [(quoted(action), quoted(method)) for action, method in one.actions.items()],
            [quoted(event.name) for event in one.machine.events],
            [_call(name, one) for name in one.calls],
        )
        for one in machines
    ]
    return DriverView(modules, list(shown.values()), views)


def _message(message: MessagePlan, plan: ProtocolPlan) -> tuple[str, list[str]]:
    properties = [f"[{quoted(str(slot.member))}, {_kind(slot.field, plan)}]" for slot in message.shown]
    return quoted(message.spelled), properties


def _call(name: str, plan: MachinePlan) -> tuple[str, str, str, list[str]]:
    call = plan.calls[name]
    message = call.event.message
    kinds = [] if message is not None else [_kind(field, plan.protocol) for field, _ in call.parameters]
    return quoted(name), quoted(call.method), "null" if message is None else quoted(message), kinds


def _variable(variable: Variable) -> str:
    match variable.type:
        case Type.NUMBER:
            return "UNSIGNED_BIG" if carrier_of_variable(variable) is Carrier.BIGINT else "UNSIGNED"
        case Type.STRING:
            return "TEXT"
        case Type.OCTETS:
            return "OCTETS"
        case _:
            return "BOOLEAN"


def _kind(field: Field, plan: ProtocolPlan) -> str:
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            sign = "SIGNED" if field.signed else "UNSIGNED"
            return f"{sign}_BIG" if plan.carrier(field) is Carrier.BIGINT else sign
        case FieldType.STRING:
            return "TEXT_OCTETS" if is_raw_text(field) else "TEXT"
        case FieldType.HASH:
            return f"pairs({'TEXT_OCTETS' if field.text is Text.OCTETS else 'TEXT'})"
        case FieldType.LIST:
            assert field.items is not None
            return f"list({_kind(field.items, plan)})"
        case _:
            return "OCTETS"
