"""How requests to the driver spell values: the kinds of the runtime's `values.ts`, which explains the letters."""

from __future__ import annotations

from ...ir import Text, Type, Variable
from ...plan.operations import Apart, Content, Items, Number, Operation, Topic
from .names import ProtocolNames

__all__ = ["kind", "kind_of_variable"]


def kind(operation: Operation, protocol: ProtocolNames) -> str:
    """The kind of the operation's value."""
    match operation:
        case Number(signed=signed):
            letter = "i" if signed else "u"
            return letter.upper() if protocol.is_big(operation) else letter
        case Items(parts=parts):
            return ("h" if operation.is_pairs else "l") + kind(parts[0], protocol)
        case Topic() | Content(text=Text()):
            return "s"
        case Content(is_string=True):
            return "o"
        case _:
            return "lb" if isinstance(operation, Apart) and operation.is_rest else "b"


def kind_of_variable(variable: Variable) -> str:
    """The kind of the variable's value."""
    if variable.type is Type.NUMBER:
        return "U" if variable.size == 8 else "u"
    return {Type.BOOLEAN: "?", Type.STRING: "s", Type.OCTETS: "b"}[variable.type]
