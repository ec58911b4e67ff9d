"""The guards and steps of a machine as Java, over its variables and what the event carried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...ir import Assign, Expression, Field, FieldType, Host, Send, Step, Type
from ...plan.build import part_of
from ...plan.layout import number_range
from ...plan.machine import reads
from ...plan.operations import Operation
from .expressions import Java
from .lines import Lines
from .machine_names import Action, MachineNames, call_components
from .message import Slot
from .names import Imports, is_member, literal, long_literal

__all__ = ["Numbered"]


class Numbered:
    """The guards and steps that rows name by their number: one for each, however many rows share it."""

    def __init__(self, names: MachineNames, imports: Imports, actions: Mapping[str, Action]):
        self._names, self._imports, self._actions = names, imports, actions
        self._variables = {one.name: one for one in names.machine.variables}
        self._numbers: dict[object, int] = {}
        self.statements: list[str] = []

    def guard(self, item: Expression, event: str) -> int:
        return self._number((item, self._context(event, reads(item))), lambda: self._java(event).spell(item))

    def step(self, item: Step, event: str) -> int:
        plain = replace(item, raises=()) if isinstance(item, Host) else item
        return self._number((plain, self._context(event, reads(item))), lambda: self._statement(item, event))

    def _context(self, event: str, needed: bool) -> str | None:
        return self._names.carried(event, Imports()) if needed else None

    def _number(self, key: object, made: object) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.statements)
            assert callable(made)
            self.statements.append(made())
        return self._numbers[key]

    def _java(self, event: str) -> Java:
        message = f"(({self._names.message(None, self._imports)}) carried)"
        return Java(self._names.variables, lambda name, kind: self._field(event, name, kind), message)

    def _field(self, event: str, name: str, kind: Type) -> str:
        """A field of what the event carries. A negative number counts as 0."""
        found = self._names.kinds[event]
        path = f"(({self._names.carried(event, self._imports)}) carried)"
        if found.message is None:
            field = next(one for one in found.parameters if one.name == name)
            operation: Operation = part_of(field)
            path += f".{call_components(found)[name]}()"
        else:
            shown = {slot.field.name: slot for slot in self._names.plans[found.message].shown}
            field, operation = shown[name].field, shown[name].operation
            path += f".{shown[name].component}()"
        value = f"{path}.value()" if is_member(operation) else path
        return f"Math.max(0L, {value})" if field.signed and kind is Type.NUMBER else value

    def _statement(self, item: Step, event: str) -> str:
        match item:
            case Send(forward=True):
                return f"host.send(({self._names.message(None, self._imports)}) carried);"
            case Send(message, fields):
                return self._send(message, dict(fields), event)
            case Assign(name, value):
                return self._assign(name, value, event)
            case Host(name):
                action = self._actions[name]
                argument = "" if action.parameter is None else f"({action.parameter}) carried"
                argument = "carried" if action.parameter == "Object" else argument
                return f"host.{action.method}({argument});"
            case _:
                return "terminate();"

    def _assign(self, name: str, value: Expression, event: str) -> str:
        variable = self._variables[name]
        java = self._java(event).assigned(variable, value)
        if variable.type is Type.OCTETS:
            self._imports.use("Octets")
            if reads(value):  # which are of a frame
                java = f"Octets.wrap({java}.toByteArray())"
        return f"{self._names.variables[name]} = {java};"

    def _send(self, message: str, fields: Mapping[str, Expression], event: str) -> str:
        """What a field may be unable to hold is looked at first."""
        out, arguments = Lines(), []
        for slot in self._names.plans[message].shown:
            java = self._names.protocol.java_type(slot.operation, self._imports)
            value = fields.get(slot.field.name)
            if value is None:
                arguments.append(_nothing(slot, java))
                continue
            spelled = self._java(event).spell(value)
            if self._names.misfits(event, slot.field, value):
                local = f"value{len(arguments)}"
                self._refuse(out, message, slot.field, local, spelled)
                spelled = local
            arguments.append(self._converted(slot.operation, java, spelled))
        made = f"new {self._names.message(message, self._imports)}({', '.join(arguments)})"
        if not out.lines:
            return f"host.send({made});"
        return "\n".join(["{", *out.lines, f"host.send({made});", "}"])

    def _refuse(self, out: Lines, message: str, field: Field, local: str, value: str) -> None:
        """Tell the host, and leave the step, if the field cannot hold `value`, which is called `local` from here on."""
        self._imports.use("EncodeException", "ErrorCode")
        place = f"{literal(message)}, {literal(field.name)}"
        if field.type is FieldType.OCTETS:
            kind, test = "Octets", f"{local}.length() != {field.size}"
            error = f"{self._imports.use('Wire')}.miscounted({place}, {local}.length(), {field.size})"
        else:
            kind, test = "long", f"Long.compareUnsigned({local}, {long_literal(number_range(field)[1])}) > 0"
            code = "BAD_CONSTANT" if field.enumeration is not None and field.max is None else "TOO_LONG"
            error = f"new EncodeException(ErrorCode.{code}, {place})"
        out.put(f"final {kind} {local} = {value};")
        with out.block(f"if ({test})"):
            out.put(f"host.unsendable({error});", "break;")

    def _converted(self, operation: Operation, java: str, value: str) -> str:
        """`value`, which the field can hold, as what its component is."""
        if is_member(operation):
            return f"{self._imports.use(f'{self._names.protocol.package}.{java}')}.of({value})"
        return f"Math.toIntExact({value})" if java == "int" else value


def _forwards(item: Step) -> bool:
    """Whether a step sends on what its event carries, of whatever type."""
    return isinstance(item, Send) and item.forward


def _nothing(slot: Slot, java: str) -> str:
    """What a component holds that nothing is said about."""
    if is_member(slot.operation):
        return "null"
    return {"int": "0", "long": "0", "String": '""', "Octets": "Octets.EMPTY"}.get(java, "List.of()")
