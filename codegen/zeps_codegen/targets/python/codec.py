"""The view of a protocol's module: what the template prints besides what the model says."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from ...ir import Constant, Dispatch, Protocol
from ...naming import Scope, screaming
from ...plan.enumerations import EnumerationPlan, enumeration_plans
from .decode import Decoder, fixed_size, is_scannable
from .encode import Encoder, head_arguments, size_expression
from .lines import tuple_of
from .plan import Formats, MessagePlan, Slot, class_name, literal, octets, plan_messages, sorted_names
from .shapes import Shape, made, shape_of

__all__ = ["CodecView", "view_codec"]


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message, and the statements of its functions."""

    plan: MessagePlan
    shape: Shape | None
    encode: list[str]
    decode: list[str]
    size: str
    beginning: str  # as the error paths want it
    scan: list[str]  # nothing if there is no such function
    extents: list[str]  # what it returns
    leading: tuple[Slot, ...]  # the fields of fixed size that have functions of their own, with the head
    pack: list[str]
    unpack: list[str]

    @property
    def head_size(self) -> int:
        """The octets of the head and the fields of fixed size after it."""
        return len(self.plan.wire.head) + sum(fixed_size(slot.operation) or 0 for slot in self.leading)

    @property
    def arguments(self) -> list[Slot]:
        """What the leading fields need to be told."""
        return head_arguments(self.leading)

    @property
    def scanned(self) -> str:
        """The fields that vary, in words."""
        slots = [slot for slot in self.plan.slots if fixed_size(slot.operation) is None]
        names = [f"`{slot.attribute}`" for slot in slots if slot.attribute]
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

    @property
    def exported(self) -> list[str]:
        lower, head = self.plan.lower, f"{self.plan.upper}_HEAD"
        scan = [f"scan_{lower}"] if self.scan else []
        leading = [f"{head}_SIZE", f"{lower}_head", f"unpack_{lower}_head"] if self.leading else []
        return [self.plan.class_name, head, *scan, *leading]


@dataclass(frozen=True, slots=True)
class CodecView:
    protocol: Protocol
    constants: list[tuple[str, Constant]]
    enumerations: list[EnumerationPlan]
    messages: list[MessageView]
    formats: list[tuple[str, str, str]]
    exported: list[str]
    multipart: bool
    dispatched: list[MessagePlan]  # the longest beginning first, so that none hides another
    signature: bytes | None  # of protocols whose messages are numbered: what stands before the number
    texts: list[tuple[str, str]]  # the tables of texts that short cuts share, and the tests they make


def view_codec(protocol: Protocol) -> CodecView:
    """What templates/codec.py.j2 prints for `protocol`."""
    plans, formats = plan_messages(protocol), Formats()
    multipart = any(plan.wire.apart for plan in plans)
    messages = [_message(plan, protocol, formats, multipart) for plan in plans]
    names = Scope("python", (f"{plan.upper}_HEAD{suffix}" for plan in plans for suffix in ("", "_SIZE")))
    constants = [(names.name(screaming(one.name)), one) for one in protocol.constants]
    exported = ["MESSAGES", "Message", "decode"]
    exported += ["decode_frames", "encode_frames"] if multipart else ["encode"]
    exported += [name for name, _ in constants] + [class_name(one.name) for one in protocol.enumerations]
    exported += [name for message in messages for name in message.exported]
    numbered = protocol.dispatch not in (Dispatch.CONSTANT, Dispatch.NAME)
    return CodecView(
        protocol,
        constants,
        enumeration_plans(protocol),
        messages,
        formats.listed(),
        sorted_names(exported),
        multipart,
        plans if numbered else sorted(plans, key=lambda plan: -len(plan.wire.dispatch)),
        _signature(protocol) if numbered else None,
        list(dict.fromkeys(one.shape.texts for one in messages if one.shape is not None)),
    )


def _signature(protocol: Protocol) -> bytes:
    return bytes([0xAA, 0xA0 | protocol.signature]) if protocol.dispatch is Dispatch.SIGNATURE else b""


def _message(plan: MessagePlan, protocol: Protocol, formats: Formats, multipart: bool) -> MessageView:
    shape, leading, scan = shape_of(plan, multipart), _leading(plan), Decoder(plan, formats, scan=True)
    if is_scannable(plan):
        scan.whole()
        scan.out.put(f"return {', '.join(scan.extents)}")
    return MessageView(
        plan,
        shape,
        (shape.encoding() if shape is not None else []) + Encoder(plan, formats).whole(),
        (shape.decoding() if shape is not None else []) + _decode(plan, formats, multipart),
        size_expression(plan),
        _beginning(plan, protocol),
        scan.out.lines,
        scan.extents,
        leading,
        Encoder(plan, formats).leading(leading) if leading else [],
        _unpack(plan, formats, leading) if leading else [],
    )


def _decode(plan: MessagePlan, formats: Formats, multipart: bool) -> list[str]:
    decoder = Decoder(plan, formats)
    if multipart:
        decoder.out.put("data = bytes(frames[0])")
    if plan.inline or plan.wire.apart:
        decoder.whole()
    else:
        decoder.out.refuse(f"data != {plan.upper}_HEAD", f"misread(_{plan.upper}_BEGINNING, data)")
    if multipart:
        decoder.apart()
    decoder.out.put(*made(plan))
    return decoder.out.lines


def _beginning(plan: MessagePlan, protocol: Protocol) -> str:
    """What a message begins with, as the error paths want it."""
    dispatch = plan.wire.head[: plan.wire.seen]
    is_named = protocol.dispatch is Dispatch.NAME
    listed = [(None, dispatch)] if is_named else []
    pieces = _pieces([*listed, *((one.name, one.octets) for one in plan.wire.constants)])
    shown = octets(b"" if is_named else dispatch)
    return f"Beginning({literal(plan.message.name)}, {shown}, {tuple_of(pieces)})"


def _pieces(listed: list[tuple[str | None, bytes]]) -> list[str]:
    return [f"({literal(name)}, {octets(value)})" for name, value in listed]


def _leading(plan: MessagePlan) -> tuple[Slot, ...]:
    """The fields of fixed size that follow the head, if there is something to say of them and others follow."""
    leading = tuple(takewhile(lambda slot: fixed_size(slot.operation) is not None, plan.slots))
    is_useful = plan.topic is None and len(leading) < len(plan.slots) and head_arguments(leading)
    return leading if is_useful else ()


def _unpack(plan: MessagePlan, formats: Formats, leading: tuple[Slot, ...]) -> list[str]:
    decoder, head = Decoder(plan, formats, base="offset"), plan.wire.head
    if head:
        begin = [(None, head[: plan.wire.seen])] if plan.wire.seen else []
        listed = ", ".join(_pieces([*begin, *((one.name, one.octets) for one in plan.wire.constants)]))
        error = f'bad_constants("{plan.message.name}", data, offset, {listed})'
        decoder.out.refuse(f"data[offset : offset + {len(head)}] != {plan.upper}_HEAD", error)
        decoder.go("offset", len(head))
    decoder.fields(leading)
    decoder.out.put(f"return {tuple_of([slot.local for slot in head_arguments(leading)])}")
    return decoder.out.lines
