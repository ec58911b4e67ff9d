"""The view class of a message: looks into a frame, and makes nothing of it before it is asked to."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Dispatch
from ...naming import Scope
from ...plan.operations import Content
from .decode import Decoder
from .lines import Lines
from .members import Member, byte
from .message import Message, Slot
from .names import MEMBERS, Imports, javadoc, join_doc, sentence

__all__ = ["ViewView", "octets_of", "view_of"]


@dataclass(frozen=True, slots=True)
class ViewView:
    """What a read leaves in the fields, and the accessors."""

    read: list[str]
    fields: list[Member]
    accessors: list[Member]
    arguments: str


def _named(message: Message) -> dict[str, tuple[str, str]]:
    """By a field's local, the accessors of its octets and of their number, as far as it has any."""
    scope = Scope("java", {*MEMBERS, *(slot.component for slot in message.shown)})
    return {
        slot.local: (scope.name(f"{slot.component}Octets"), scope.name(f"{slot.component}Length"))
        for slot in message.shown
    }


def octets_of(message: Message, slot: Slot) -> str:
    """What a writer takes from a view without a copy: the accessor of a value, or of the octets of text."""
    textual = isinstance(slot.operation, Content) and slot.operation.text is not None
    return _named(message)[slot.local][0] if textual else slot.component


def view_of(message: Message, imports: Imports, dispatch: Dispatch) -> ViewView:
    """The view of a message that is worth one: see :attr:`.message.Message.is_viewable`."""
    decoder = Decoder(message, imports, view=True)
    read = _is_this(message, imports, dispatch) + decoder.whole()
    named = _named(message)
    fields: list[Member] = []
    accessors: list[Member] = []
    for slot in message.shown:
        kind = message.type_of(slot, imports)
        what = sentence(slot.field.doc, f"The message's {slot.component}")
        extent = decoder.extents.get(slot.local)
        if extent is None:
            fields.append(Member([], kind, slot.local, "null" if kind[0].isupper() else "0"))
            accessors.append(_accessor(what, kind, slot, slot.local))
            continue
        fields += [Member([], "int", extent.at, "0"), Member([], "int", extent.length, "0")]
        octets = f"{imports.use('Octets')}.wrap(data, {extent.at}, {extent.length})"
        if kind == "String":
            made = f"{imports.use('Text')}.of(data, {extent.at}, {extent.length})"
            accessors.append(_accessor(join_doc(what, "The string is made at each call."), kind, slot, made))
            doc = javadoc(
                f"The octets of {{@link #{slot.component}()}}, as the frame has them.",
                tags=["@return octets"],
            )
            accessors.append(Member(doc, "Octets", named[slot.local][0], octets))
        else:
            accessors.append(_accessor(what, kind, slot, octets))
        doc = javadoc(f"How many octets {{@link #{slot.component}()}} takes.", tags=["@return octets"])
        accessors.append(Member(doc, "int", named[slot.local][1], extent.length))
    return ViewView(read, fields, accessors, ", ".join(f"{slot.component}()" for slot in message.shown))


def _accessor(what: str, kind: str, slot: Slot, value: str) -> Member:
    return Member(javadoc(what, tags=["@return its value"]), kind, slot.component, value)


def _is_this(message: Message, imports: Imports, dispatch: Dispatch) -> list[str]:
    """The statements with which a view makes sure that a frame is of its message."""
    out, octets_ = Lines(), message.plan.dispatch
    unknown = "throw Wire.unknownMessage({});"
    if dispatch is Dispatch.NAME:
        values = " || ".join(
            f"data[start{f' + {index}' if index else ''}] != {byte(octet)}"
            for index, octet in enumerate(octets_)
        )
        with out.block(f"if (end - start < {len(octets_)} || {values})"):
            out.put(unknown.format(0))
    elif dispatch is not Dispatch.CONSTANT:
        at = len(octets_) - 1
        if dispatch is Dispatch.SIGNATURE:
            test = (
                f"end - start < 2 || {imports.use('Wire')}.u16(data, start) != 0x{octets_[:2].hex().upper()}"
            )
            error = f"Wire.badSignature(data, start, end, {message.names.main}.SIGNATURE)"
            out.refuse(test, error)
        out.refuse(f"end - start < {at + 1}", f"Wire.truncated(null, null, {at})")
        with out.block(f"if (data[{f'start + {at}' if at else 'start'}] != {byte(octets_[at])})"):
            out.put(unknown.format(at))
    imports.use("Wire")
    return out.lines
