"""A protocol's module: how each operation is read and written, what fields may hold, dispatch, and an example."""

from __future__ import annotations

from functools import cached_property

from ...ir import Dispatch, Text
from ...ir import Protocol as Model
from ...plan.enumerations import enumeration_plans
from ...plan.layout import layouts
from ...plan.operations import Apart, Constant, Content, Items, Number, Operation, Reserved, Rest, Topic
from .docs import lines, sentence
from .names import Slot, Struct, built, field_name, form, module_name, octets, quoted, rules

__all__ = ["Protocol", "describe", "literal", "reads", "writes"]

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
        self.enumerations = enumeration_plans(model)
        self.has_frames = any(one.plan.apart for one in self.structs)
        self.generic = "<'a>" if any(one.generic for one in self.structs) else ""
        self.elided = self.generic.replace("'a", "'_")

        self.holds_any = not all(one.plan.dispatch for one in self.structs)
        """Whether every frame holds the only message."""

    @cached_property
    def unknown(self) -> str:
        """The error of a frame that holds no message."""
        match self.model.dispatch:
            case Dispatch.CONSTANT:
                beginnings = ", ".join(octets(one.plan.dispatch) for one in self.structs)
                return f"wire::unknown_beginning(frame, &[{beginnings}])"
            case Dispatch.NAME:
                return "wire::unknown_name(frame)"
            case Dispatch.SIGNATURE:
                return f"wire::unknown_number(frame, &[0xaa, {0xA0 | self.model.signature:#x}])"
            case _:
                return "wire::unknown_number(frame, &[])"

    @cached_property
    def sample(self) -> tuple[str, str] | None:
        """A struct for an example, and the expression for one: the one with most fields whose values are plain."""
        values = {one: [(slot.name, _sample(slot.operation)) for slot in one.shown] for one in self.structs}
        plain = [one for one in self.structs if all(value for _, value in values[one]) and not one.plan.apart]
        if not plain or self.has_frames:
            return None
        struct = max(plain, key=lambda one: len(one.shown))
        return struct.name, built(f"{self.module}::{struct.name}", values[struct])


def reads(struct: Struct, has_frames: bool) -> list[str]:
    """The statements that read a message, over `reader`. Each operation is one call."""
    found = [f"reader.{_read(one)}?;" for one in struct.plan.constants]
    for slot in struct.slots:
        has_value = not isinstance(slot.operation, Constant | Reserved)
        found.append(f"{f'let {slot.local} = ' * has_value}reader.{_read(slot.operation)}?;")
    found.insert(len(found) - len(struct.plan.apart), "reader.end()?;")
    values = built("Self", [(slot.name, slot.local) for slot in struct.shown])
    return [*found, *["reader.last()?;"] * has_frames, f"Ok({values})"]


def _read(operation: Operation) -> str:
    shown, admitted = quoted(operation.name), rules(operation)
    match operation:
        case Constant(octets=value):
            return f"constant({shown}, {octets(value)})"
        case Reserved(size=size):
            return f"reserved::<{size}>({shown})"
        case Topic():
            return f"topic({shown})"
        case Rest():
            return f"rest({shown}, {admitted})"
        case Content(measured_by=str(sibling)) | Items(counted_by=str(sibling)):
            counted = "measured" if isinstance(operation, Content) else "counted"
            return f"{counted}({shown}, {Slot(operation, field_name(sibling)).local}, {admitted})"
        case Items(is_open=True):
            return f"open({shown}, {admitted})"
        case Apart(is_rest=is_rest):
            return f"{'frames' if is_rest else 'frame'}({shown}, {admitted})"
        case _:
            return f"field::<{form(operation)}>({shown}, {admitted})"


def writes(struct: Struct) -> list[str]:
    """The statements that check or write a message, over `self` and `to`. Each operation is one call."""
    names = {slot.operation.name: f"self.{slot.name}" for slot in struct.shown}
    found = []
    for slot in struct.slots:
        if isinstance(slot.operation, Number):
            first, *others = slot.operation.measures or ("",)
            found += [
                f"to.agree({quoted(one)}, {names[one]}.len(), {names[first]}.len())?;" for one in others
            ]
    for slot in struct.slots:
        match slot.operation:
            case Constant(octets=value):
                found += [f"to.put({octets(value)});"] * bool(value)
            case Reserved(size=size):
                found += [f"to.put(&[0; {size}]);"] * bool(size)
            case Number(measures=(first, *_), limit=limit, greatest=greatest):
                most = greatest if limit is None else limit
                length = f"{names[first]}.len()"
                found.append(f"to.length::<{form(slot.operation)}>({quoted(first)}, {length}, {most})?;")
            case operation:
                found.append(f"to.{_write(operation, f'self.{slot.name}')}?;")
    return found


def _write(operation: Operation, value: str) -> str:
    shown, admitted = quoted(operation.name), rules(operation)
    match operation:
        case Topic():
            return f"topic({shown}, {value})"
        case Rest() | Content(measured_by=str()):
            return f"octets({shown}, {value}, {admitted})"
        case Items(prefix=0):
            return f"items({shown}, {value}, {admitted})"
        case Apart(is_rest=is_rest):
            return f"{'frames' if is_rest else 'frame'}({shown}, {value}, {admitted})"
        case _:
            return f"field::<{form(operation)}>({shown}, {value}, {admitted})"


# --- what is said of them


def literal(value: int | str | bytes | None) -> tuple[str, str]:
    """The type of a constant, and its spelling."""
    if isinstance(value, bytes):
        return f"[u8; {len(value)}]", f"*{octets(value)}"
    if isinstance(value, str):
        return "&str", quoted(value)
    assert value is not None
    return f"{'i' if value < 0 else 'u'}{64 if -(1 << 63) <= value < 1 << 64 else 128}", str(value)


def describe(operation: Operation) -> list[str]:
    """What the model says of a field, and what it may hold."""
    if isinstance(operation, Topic | Constant | Reserved):
        return ["What the message is about."]
    said = [sentence(operation.field.doc) or f"The field `{operation.name}`."]
    match operation:
        case Items(limit=limit, is_open=is_open, is_pairs=is_pairs):
            said += ["To the end of the frame."] * is_open
            said += [
                "Keys and values in the order of the wire; equal keys are pairs of their own."
            ] * is_pairs
            said += [f"At most {limit} items."] * (limit is not None)
        case Content(enumeration=None, most=most, is_string=True):
            said.append(f"{_TEXTS[operation.field.text]}, at most {most} octets.")
        case Content(enumeration=None, limit=int(limit)) | Rest(limit=int(limit)) | Apart(limit=int(limit)):
            said.append(
                f"At most {limit} octets{' each' * (isinstance(operation, Apart) and operation.is_rest)}."
            )
        case Number(limit=int(limit)) | Content(limit=int(limit)):
            said.append(f"At most {limit}.")
    return lines(" ".join(said))


def _sample(operation: Operation) -> str:
    match operation:
        case Topic():
            return '"some"'
        case Number(enumeration=None, limit=limit) if limit is None or limit >= 8:
            return "7"
        case Content(enumeration=None, prefix=int(prefix), limit=limit) if prefix and (limit or 8) >= 8:
            return '"some"' if operation.text else 'b"some"' if operation.is_string else 'b"octets"'
        case _:
            return ""
