"""The driver's files: how it tells and builds each message, and hosts each machine."""

from __future__ import annotations

from ...ir import Event, Field, FieldType, Text, Type
from ...plan.operations import Apart, Content, Items, Number, Operation, Topic
from .machine import SpelledMachine
from .names import MessageNames, ProtocolNames, exported, quoted

__all__ = ["SpelledProtocol", "SpelledRunner"]

_SET = {Type.NUMBER: "unsigned", Type.STRING: "text", Type.OCTETS: "octets", Type.BOOLEAN: "boolean"}
_TELL = {Type.NUMBER: "unsigned", Type.STRING: "text", Type.OCTETS: "data", Type.BOOLEAN: "boolean"}


class SpelledProtocol:
    """What templates/protocol.go.j2 prints, beside names."""

    def __init__(self, names: ProtocolNames) -> None:
        self.names, self.suffix = names, exported(names.package)

    def tell(self, message: MessageNames) -> list[str]:
        """The statements that write the message's values into an answer."""
        shown = message.shown.items()
        told = [_told(one, f"m.{message.attributes[name]}") for name, one in shown]
        return [f"out.count({len(shown)})", *(line for lines in told for line in lines)]

    def build(self, message: MessageNames) -> list[str]:
        """The statements that give the message the values of a request."""
        lines = [f"in.fields({len(message.shown)})"]
        for name, one in message.shown.items():
            built = _built(self.names, one, f"m.{message.attributes[name]}")
            lines += [f"in.field({quoted(name)})", *built]
        return lines


def _told(operation: Operation, value: str, depth: int = 0) -> list[str]:
    """The statements that write a value into an answer."""
    item = f"item{depth}"
    match operation:
        case Number(signed=signed):
            return [f"out.{'signed' if signed else 'unsigned'}({'int64' if signed else 'uint64'}({value}))"]
        case Topic():
            return [f"out.text({value})"]
        case Content(text=Text(), enumeration=enumeration):
            return [f"out.text({f'string({value})' if enumeration else value})"]
        case Content() if _is_string(operation):
            return [f"out.raw({value})"]
        case Items(is_pairs=True):
            key, content = operation.parts
            pair = [*_told(key, f"{item}.Key"), *_told(content, f"{item}.Value")]
            return [f"out.hash(len({value}))", f"for _, {item} := range {value} {{", *pair, "}"]
        case Items():
            each = _told(operation.item, item, depth + 1)
        case Apart(is_rest=True):
            each = [f"out.data({item})"]
        case _:
            return [f"out.data({value})"]
    return [f"out.list(len({value}))", f"for _, {item} := range {value} {{", *each, "}"]


def _built(names: ProtocolNames, operation: Operation, target: str) -> list[str]:
    """The statements that give `target` the next argument."""
    match operation:
        case Items(is_pairs=True):
            key, content = (_argument(names, part) for part in operation.parts)
            pair = f"{names.type_of(operation)[2:]}{{Key: {key}, Value: {content}}}"
            return ["in.hash(func(in *arguments) {", f"{target} = append({target}, {pair})", "})"]
        case Items():
            kind, each = _qualified(names, operation.item), _built(names, operation.item, "item")
        case Apart(is_rest=True):
            kind, each = "[]byte", ["item = in.octets()"]
        case _:
            return [f"{target} = {_argument(names, operation)}"]
    each = [f"var item {kind}", *each, f"{target} = append({target}, item)"]
    return ["in.list(func(in *arguments) {", *each, "})"]


def _is_string(content: Content) -> bool:
    """Whether a driver's request spells it as a string of any octets."""
    return content.field.type is FieldType.STRING


def _qualified(names: ProtocolNames, operation: Operation) -> str:
    """The type of what an operation reads, in another package."""
    if isinstance(operation, Items) and not operation.is_pairs:
        return f"[]{_qualified(names, operation.item)}"
    kind = names.type_of(operation)
    is_own = isinstance(operation, Number | Content) and operation.enumeration is not None
    return f"{names.package}.{kind}" if is_own else kind


def _argument(names: ProtocolNames, operation: Operation) -> str:
    """The expression for the next argument, of a type that is neither list nor hash."""
    kind = _qualified(names, operation)
    match operation:
        case Number(signed=signed, bits=bits, enumeration=enumeration):
            if enumeration is not None:
                bits = min(int(names.enumerations[enumeration].base.lstrip("uint")), bits)
            code = "BadConstant" if enumeration else "TooLong"
            return f"{kind}(in.{'signedWithin' if signed else 'within'}({bits}, wire.{code}))"
        case Topic():
            return "in.text()"
        case Content(text=Text(), enumeration=enumeration):
            return f"{kind}(in.text())" if enumeration else "in.text()"
        case Content() if _is_string(operation):
            return "in.raw()"
        case _:
            return "in.octets()"


class SpelledRunner:
    """What templates/machine_driver.go.j2 prints, beside names and the plan."""

    def __init__(self, machine: SpelledMachine) -> None:
        self.names, self.plan, self.refuses = machine.names, machine.plan, machine.refuses
        self.suffix = exported(machine.names.package)

    def parameter(self, action: str) -> str:
        """The type of what an action is given."""
        kind = self.names.parameter(action)
        own = kind.startswith("*") and not kind.startswith(f"*{self.names.protocol.package}.")
        return f"*{self.names.package}.{kind[1:]}" if own else kind

    def variables(self) -> list[tuple[str, str, str, str]]:
        """Name, attribute, how it is set and how it is told."""
        return [
            (one.name, self.names.variables[one.name], f"in.{_SET[one.type]}()", f"out.{_TELL[one.type]}")
            for one in self.plan.machine.variables
        ]

    def called(self, event: Event) -> list[str]:
        """The statements that raise the event with the values in `values`."""
        method, protocol = f"s.machine.{self.names.methods[event.name]}", self.names.protocol
        if event.message is not None:
            built = f"build{exported(protocol.package)}({quoted(event.message)}, argumentsOf(values))"
            return [f"return {method}({built}.({self.names.carried(event.name)}))"]
        lines = ["in := argumentsOf(values)", f"in.fields({len(event.parameters)})"]
        parameters = self.names.parameters(event.name)
        for index, (_, kind, field) in enumerate(parameters):
            lines += [f"var p{index} {kind}", *_parameter_from(field, f"p{index}")]
        return [*lines, f"return {method}({', '.join(f'p{index}' for index in range(len(parameters)))})"]


def _parameter_from(field: Field, target: str) -> list[str]:
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return [f"{target} = in.{'signed' if field.signed else 'unsigned'}()"]
        case FieldType.STRING:
            return [f"{target} = in.{'raw' if field.text is Text.OCTETS else 'text'}()"]
        case FieldType.STRINGS:
            return ["in.list(func(in *arguments) {", f"{target} = append({target}, in.text())", "})"]
        case FieldType.HASH:
            pair = "wire.Pair{Key: in.text(), Value: in.text()}"
            return ["in.hash(func(in *arguments) {", f"{target} = append({target}, {pair})", "})"]
        case FieldType.LIST | FieldType.MSG:
            inner = field.items or Field("item", FieldType.OCTETS)
            taken = _parameter_from(inner, "item")[0].removeprefix("item = ")
            return ["in.list(func(in *arguments) {", f"{target} = append({target}, {taken})", "})"]
        case _:
            return [f"{target} = in.octets()"]
