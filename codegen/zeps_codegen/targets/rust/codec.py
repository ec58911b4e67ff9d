"""A protocol's module: its structs, and how each operation is read and written."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Protocol as Model
from ...plan.enumerations import enumeration_plans
from ...plan.layout import layouts
from ...plan.operations import Apart, Constant, Content, Items, Number, Operation, Plan, Reserved, Rest, Topic
from ...plan.run import Members, default_of, encode, members_of
from .names import Struct, byte_string, field_name, module_name, quoted

__all__ = ["Protocol", "calls", "literal", "sample"]


class Protocol:
    """The view of a protocol for templates/codec.rs.j2."""

    def __init__(self, model: Model, crate: str) -> None:
        self.model, self.crate, self.module = model, crate, module_name(model.name, crate)
        self.structs = [Struct(layout) for layout in layouts(model)]
        self.by_name = {struct.plan.name: struct for struct in self.structs}
        self.longest_first = sorted(self.structs, key=lambda struct: -len(struct.plan.dispatch))
        self.enumerations, self.members = enumeration_plans(model), members_of(model.enumerations)
        self.has_frames = any(struct.plan.apart for struct in self.structs)
        self.generic = "<'a>" if any(struct.generic for struct in self.structs) else ""
        self.elided = self.generic.replace("'a", "'_")

    @property
    def sample(self) -> Struct | None:
        """The struct with the most fields, for an example; None if no struct has an example or messages have frames."""
        plain = [struct for struct in self.structs if sample(struct) and not self.has_frames]
        return max(plain, key=lambda struct: len(struct.shown), default=None)


def sample(struct: Struct) -> str:
    """A message with example values; empty if a field has no plain example value, or numbers have a relation."""
    plain = {"&'a str": '"a"', "&'a [u8]": 'b"a"'} | {f"u{8 << bits}": "1" for bits in range(4)}
    values = [(slot.name, plain.get(slot.type.kind, "")) for slot in struct.shown]
    fields = ", ".join(f"{name}: {value}" for name, value in values)
    is_plain = all(value for _, value in values) and not struct.message.relations
    return f"{struct.name} {{ {fields} }}" if is_plain and fields else struct.name * is_plain


def literal(value: int | str | bytes) -> tuple[str, str]:
    """The type of a constant in Rust, and its literal."""
    if isinstance(value, bytes):
        return f"[u8; {len(value)}]", f"*{byte_string(value)}"
    if isinstance(value, str):
        return "&str", quoted(value)
    return f"{'i' if value < 0 else 'u'}{64 if -(1 << 63) <= value < 1 << 64 else 128}", str(value)


def calls(struct: Struct, protocol: Protocol) -> tuple[list[str], list[str]]:
    """The calls that read a message, and those that check or write it, in wire order. Readers also read the head and
    check the end; writers first compare lengths that share a number.
    """
    reader, numbers = struct.reader, dict[str, tuple[str, str]]()
    constants = [(quoted(constant.name), byte_string(constant.octets)) for constant in struct.plan.constants]
    reads = [f"{reader}.constant({name}, {content})" for name, content in constants]
    first, writes = list[str](), list[str]()
    for slot in struct.slots:
        operation, name, (_, form, rules, *_) = slot.operation, quoted(slot.operation.name), slot.type
        local, value = f"let {slot.name} = {reader}", f"self.{slot.name}"
        read, write = f"field::<{form}>({name}, {rules})", f"field::<{form}>({name}, {value}, {rules})"
        match operation:
            case Constant(octets=octets):
                content = byte_string(octets)
                local, read, write = reader, f"constant({name}, {content})", f"put({content})"
            case Reserved(size=size):
                local, read, write = reader, f"reserved::<{size}>({name})", f"put(&[0; {size}])"
            case Topic():
                read, write = f"topic({name})", f"topic({name}, {value})"
            case Rest() | Content(measured_by=str()):
                measure = operation.measured_by if isinstance(operation, Content) else None
                length = f"{reader}.len()" if measure is None else field_name(measure)
                read, write = f"octets({name}, {length}, {rules})", f"octets({name}, {value}, {rules})"
            case Items(prefix=0, counted_by=count):
                begin = f"open({name}" if count is None else f"items({name}, {field_name(count)}"
                read, write = f"{begin}, {rules})", f"items({name}, {value}, {rules})"
            case Apart(is_rest=is_rest):
                method = "frames" if is_rest else "frame"
                read, write = f"{method}({name}, {rules})", f"{method}({name}, {value}, {rules})"
            case Number(measures=(measured, *others), limit=limit, greatest=greatest):
                value, most = f"self.{field_name(measured)}.len()", greatest if limit is None else limit
                first += [
                    f"to.agree({quoted(other)}, self.{field_name(other)}.len(), {value})" for other in others
                ]
                write, value = f"length::<{form}>({quoted(measured)}, {value}, {most})", f"{value} as u64"
            case _ if operation.field.default is not None:
                read = f"field_or::<{form}>({name}, {rules}, {byte_string(_default(operation, protocol.members))})"
        relations = operation.relations if isinstance(operation, Number) else ()
        reads += [f"{reader}.mark()"] * bool(relations) + [f"{local}.{read}"]
        writes.append(f"to.{write}")
        numbers[operation.name] = f"wire::number({slot.name})", f"wire::number({value})"
        for relation in relations:
            right = numbers.get(str(relation.right), (str(relation.right),) * 2)
            sides = zip(numbers[relation.left], right, strict=True)
            holds = [f" {relation.operator} ".join(pair) for pair in sides]
            reads.append(f"{reader}.related({name}, {holds[0]})")
            writes.append(f"to.related({name}, {holds[1]})")
    end = f"{reader}.{'skip_rest' if struct.plan.extensible else 'end'}()"
    reads.insert(len(reads) - len(struct.plan.apart), end)
    return reads + [f"{reader}.last()"] * protocol.has_frames, first + writes


def _default(operation: Operation, members: Members) -> bytes:
    """The encoded default of the operation's field."""
    plain = replace(operation, relations=()) if isinstance(operation, Number) else operation
    alone = Plan(operation.name, b"", 0, b"", (), (plain,), ())
    return encode(alone, {operation.name: default_of(operation)}, members)[0]
