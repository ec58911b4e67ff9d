"""The driver's model: the names that requests use, beside those of the package."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Bundle, Text, Type, Variable
from ...naming import Scope, camel, screaming
from ...plan.operations import Content, Items, Number, Operation, Topic
from .names import ProtocolNames, is_big, module_name

__all__ = ["KINDS", "Module", "kind", "kind_of_variable", "modules"]

_KINDS = "BOOLEAN OCTETS SIGNED SIGNED_BIG TEXT TEXT_OCTETS UNSIGNED UNSIGNED_BIG list pairs"
#: What the driver's values offer to its model.
KINDS: dict[str, tuple[str, ...]] = {"./values.js": tuple(_KINDS.split())}
_TAKEN = ("MACHINES", "PROTOCOLS", "AnyMessage", "MachineEntry", "ProtocolEntry", "Map", "Set")


@dataclass(frozen=True, slots=True)
class Module:
    """The module of a protocol or a machine: what it is imported as, its file, and the driver's constant for it."""

    model: str
    constant: str
    name: str
    file: str


def modules(bundle: Bundle) -> dict[str, Module]:
    """The package's modules, by the names in the model."""
    scope = Scope("typescript", [*KINDS["./values.js"], *_TAKEN])
    names = [one.name for one in bundle.protocols] + [one.name for one in bundle.machines]
    return {
        name: Module(name, scope.name(screaming(name)), scope.name(camel(name)), module_name(name))
        for name in names
    }


def kind(operation: Operation, protocol: ProtocolNames) -> str:
    """How requests spell the operation's value."""
    match operation:
        case Number():
            return _number("SIGNED" if operation.signed else "UNSIGNED", protocol.is_big(operation))
        case Items() if operation.is_pairs:
            return f"pairs({kind(operation.parts[0], protocol)})"
        case Items():
            return f"list({kind(operation.item, protocol)})"
        case Topic():
            return "TEXT"
        case Content(text=Text()):
            return "TEXT"
        case Content(is_string=True):
            return "TEXT_OCTETS"
        case _:
            return "OCTETS"


def kind_of_variable(variable: Variable) -> str:
    """How requests spell the variable's value."""
    if variable.type is Type.NUMBER:
        return _number("UNSIGNED", is_big(variable))
    return "TEXT" if variable.type is Type.STRING else variable.type.name


def _number(sign: str, big: bool) -> str:
    return f"{sign}_BIG" if big else sign
