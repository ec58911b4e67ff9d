"""A machine's module: the functions that the rows of its table name."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Assign, Host, Send, Step, Terminate
from ...naming import Scope, camel, pascal
from ...plan.machine import Functions, Use, reads
from ..errors import UnsupportedByTarget
from .expressions import Printer
from .lines import quoted
from .names import MACHINE_LOCALS, MachineNames

__all__ = ["Function", "MachineModule"]


@dataclass(frozen=True, slots=True)
class Function:
    """A guard or a step."""

    name: str
    parameters: str
    returns: str
    body: str


class MachineModule:
    """What templates/machine.ts.j2 prints for a machine, beside its names."""

    def __init__(self, names: MachineNames) -> None:
        self.names = names
        found = Functions(names.plan)
        self.rows = found.rows
        self.functions: list[Function] = []
        """By the numbers that the rows have for them."""
        scope = Scope("typescript", [*MACHINE_LOCALS, names.module])
        for use in found.uses:
            stem, counted = _stem(use)
            alike = sum(1 for one in self.functions if one.name.rstrip("0123456789") == stem)
            name = scope.name(f"{stem}{alike + 1}" if counted else stem)
            self.functions.append(_function(name, use, names))


def _stem(use: Use) -> tuple[str, bool]:
    """What functions like this one are called, and whether a number follows."""
    match use.item:
        case Send(message, fields):
            return f"send{pascal(message)}", bool(fields)
        case Assign(variable):
            return f"set{pascal(variable)}", True
        case Host(name):
            return camel(name), False
        case Terminate():
            return "terminate", False
        case _:
            return "when", True


def _function(name: str, use: Use, names: MachineNames) -> Function:
    printer = Printer(names, use.events)
    match use.item:
        case Send() | Assign() | Host() | Terminate() as step:
            body, returns = _step(step, printer, names), "void"
        case guard:
            body, returns = f"return {printer.guard(guard)};", "boolean"
    passes_on = isinstance(use.item, Host) or (isinstance(use.item, Send) and use.item.forward)
    looks, parameters = passes_on or reads(use.item), []
    if looks or "machine." in body:
        parameters.append(f"{'machine' if 'machine.' in body else '_machine'}: {names.class_name}")
    if looks:
        parameters.append(f"message: {names.payloads(use.events, exact=not passes_on)}")
    return Function(name, ", ".join(parameters), returns, body)


def _step(step: Step, printer: Printer, names: MachineNames) -> str:
    match step:
        case Send(forward=True):
            return "machine.host.send(message);"
        case Send(message, fields):
            properties, given = names.protocol.message(message).properties, dict(fields)
            for name in properties:
                if name not in given:
                    raise UnsupportedByTarget("typescript", message, name, "the host is to fill it in")
            values = [
                f"{properties[name][1]}: {printer.sent(properties[name][0], value)}" for name, value in fields
            ]
            return f"machine.host.send({{ {', '.join([f'type: {quoted(message)}', *values])} }});"
        case Assign(name, value):
            return f"machine.{names.variables[name]} = {printer.assigned(name, value)};"
        case Host(name):
            return f"machine.host.{names.actions[name]}(message);"
        case Terminate():
            return "machine.terminated = true;"
