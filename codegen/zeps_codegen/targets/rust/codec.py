"""A protocol's module: its structs, and how each operation is read and written."""

from __future__ import annotations

from dataclasses import replace

from ...ir import Protocol as Model
from ...ir import Text
from ...plan.enumerations import enumeration_plans
from ...plan.layout import layouts
from ...plan.operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Plan,
    Reserved,
    Rest,
    Topic,
)
from ...plan.run import Members, default_of, encode, members_of
from .docs import lines, sentence
from .names import Slot, Struct, field_name, module_name, octets, quoted

__all__ = ["Protocol", "describe", "literal", "reads", "sample", "writes"]


_TEXTS = {
    Text.OCTETS: "Octets",
    Text.UTF8: "UTF-8",
    Text.PRINTABLE: "UTF-8 without control characters",
    Text.VCHAR: "visible ASCII",
}


class Protocol:
    """What templates/codec.rs.j2 prints."""

    def __init__(self, model: Model) -> None:
        self.model, self.module = model, module_name(model.name)
        self.structs = [Struct(layout) for layout in layouts(model)]
        self.by_name = {one.plan.name: one for one in self.structs}
        self.longest_first = sorted(self.structs, key=lambda one: -len(one.plan.dispatch))
        self.enumerations, self.members = enumeration_plans(model), members_of(model.enumerations)
        self.has_frames = any(one.plan.apart for one in self.structs)
        self.generic = "<'a>" if any(one.generic for one in self.structs) else ""
        self.elided = self.generic.replace("'a", "'_")
        self.holds_any = not all(one.plan.dispatch for one in self.structs)
        """Whether every frame holds the only message."""

    @property
    def sample(self) -> Struct | None:
        """The struct for an example: the one with most fields, of those whose values are plain."""
        plain = [one for one in self.structs if all(map(sample, one.shown)) and not one.message.relations]
        plain = [one for one in plain if not self.has_frames and not one.plan.extensible]
        return max(plain, key=lambda one: len(one.shown), default=None)


def sample(slot: Slot) -> str:
    """A value for an example; empty if it takes more than that to find one."""
    limit = getattr(slot.operation, "limit", None)
    plain = {"&'a str": '"some"', "&'a [u8]": 'b"octets"'} | {f"u{8 << bits}": "7" for bits in range(4)}
    is_plain = not isinstance(slot.operation, Rest) and (limit is None or limit >= 8)
    return plain.get(slot.type.kind, "") if is_plain else ""


def describe(operation: Operation) -> list[str]:
    """What the model says of a field, and what it may hold."""
    if isinstance(operation, Topic | Constant | Reserved):
        return ["What the message is about."]
    field, said = operation.field, [sentence(operation.field.doc) or f"The field `{operation.name}`."]
    match operation:
        case Items(is_open=is_open, is_pairs=is_pairs):
            pairs = "Keys and values in the order of the wire; equal keys are pairs of their own."
            said += ["To the end of the frame."] * is_open + [pairs] * is_pairs
            said += [f"At most {field.max} items."] * (field.max is not None)
        case Content(enumeration=None, most=most, is_string=True):
            said.append(f"{_TEXTS[field.text]}, at most {most} octets.")
        case Number(limit=int(limit)):
            said.append(f"At most {limit}.")
        case Content(limit=int(limit)) | Rest(limit=int(limit)) | Apart(limit=int(limit)):
            said.append(f"At most {limit} octets.")
    said += [f"`{field.default!r}` in a frame that ends before it."] * bool(field.default)
    return lines(" ".join(said))


def literal(value: int | str | bytes | None) -> tuple[str, str]:
    """The type of a constant, and its spelling."""
    match value:
        case bytes():
            return f"[u8; {len(value)}]", f"*{octets(value)}"
        case str():
            return "&str", quoted(value)
        case _:
            assert value is not None
            return f"{'i' if value < 0 else 'u'}{64 if -(1 << 63) <= value < 1 << 64 else 128}", str(value)


def reads(struct: Struct, protocol: Protocol) -> list[str]:
    """The statements that read a message. Each operation is one call."""
    numbers = {slot.operation.name: _u64(slot, slot.name) for slot in struct.slots}
    constants = [Slot(one, "", struct.slots[0].type) for one in struct.plan.constants] if struct.slots else []
    found = []
    for slot in (*constants, *struct.slots):
        value = f"let {slot.name} = " * (not isinstance(slot.operation, Constant | Reserved))
        call = _read(slot, struct.reader, protocol.members)
        found.append(value + f"{struct.reader}.{call}?;")
        found += [f"{struct.reader}.{one}?;" for one in _related(slot.operation, numbers)]
    apart = [found.pop() for _ in struct.plan.apart][::-1] + [
        f"{struct.reader}.last()?;"
    ] * protocol.has_frames
    return [*found, f"{struct.reader}.{'skip_rest()' if struct.plan.extensible else 'end()?'};", *apart]


def _read(slot: Slot, reader: str, members: Members) -> str:
    operation, shown, counted, default = slot.operation, quoted(slot.operation.name), "", ""
    match operation:
        case Constant(_, value):
            return f"constant({shown}, {octets(value)})"
        case Reserved(size=size):
            return f"reserved::<{size}>({shown})"
        case Rest():
            counted = f"{reader}.len()"
        case Content(measured_by=str(sibling)) | Items(counted_by=str(sibling)):
            counted = field_name(sibling)
        case Number() | Content() | Fixed() | Items(is_open=False) if operation.field.default is not None:
            plain = replace(operation, relations=()) if isinstance(operation, Number) else operation
            alone = Plan(operation.name, b"", 0, b"", (), (plain,), ())
            default = octets(encode(alone, {operation.name: default_of(operation)}, members)[0])
    method = _method(slot).replace("field", "field_or" if default else "field")
    return f"{method}({', '.join(filter(None, (shown, counted, slot.type.rules, default)))})"


def _method(slot: Slot) -> str:
    """The method that reads or writes the value."""
    match slot.operation:
        case Topic():
            return "topic"
        case Rest() | Content(measured_by=str()):
            return "octets"
        case Items(prefix=0, is_open=is_open):
            return "open" if is_open else "items"
        case Apart(is_rest=is_rest):
            return "frames" if is_rest else "frame"
        case _:
            return f"field::<{slot.type.form}>"


def writes(struct: Struct) -> list[str]:
    """The statements that check or write a message, over `self` and `to`. Each operation is one call."""
    names = {slot.operation.name: f"self.{slot.name}" for slot in struct.slots}
    numbers = {slot.operation.name: _u64(slot, f"self.{slot.name}") for slot in struct.slots}
    first: list[str] = []
    found: list[str] = []
    for slot in struct.slots:
        match slot.operation:
            case Constant(octets=value):
                found.append(f"to.put({octets(value)});")
            case Reserved(size=size):
                found.append(f"to.put(&[0; {size}]);")
            case Number(name, measures=(measured, *others), limit=limit, greatest=greatest):
                length, most = f"{names[measured]}.len()", greatest if limit is None else limit
                first += [f"to.agree({quoted(one)}, {names[one]}.len(), {length})?;" for one in others]
                found.append(f"to.length::<{slot.type.form}>({quoted(measured)}, {length}, {most})?;")
                numbers[name] = f"{length} as u64"
            case operation:
                arguments = (quoted(operation.name), names[operation.name], slot.type.rules)
                found.append(f"to.{_method(slot)}({', '.join(filter(None, arguments))})?;")
        found += [f"to.{one}?;" for one in _related(slot.operation, numbers)]
    return [*first, *found]


def _u64(slot: Slot, value: str) -> str:
    """A number to be compared with others."""
    match slot.type.kind:
        case "u8" | "u16" | "u32":
            return f"u64::from({value})"
        case "u64":
            return value
        case _:
            return f"list::Numbered::to_number({value})"


def _related(operation: Operation, numbers: dict[str, str]) -> list[str]:
    """The calls that compare the number with those before it."""
    relations = operation.relations if isinstance(operation, Number) else ()
    sides = [
        (numbers[one.left], one.operator, numbers.get(str(one.right), str(one.right))) for one in relations
    ]
    return [f"related({quoted(operation.name)}, {' '.join(one)})" for one in sides]
