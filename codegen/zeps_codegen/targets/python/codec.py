"""The view of a protocol's module: what the template prints besides what the model says."""

from __future__ import annotations

from itertools import takewhile

from ...ir import Dispatch, Protocol
from ...naming import Scope, screaming
from ...plan.enumerations import enumeration_plans
from .decode import Decoder, fixed_size, is_scannable
from .encode import Encoder, head_arguments, size_expression
from .lines import tuple_of
from .plan import Formats, MessagePlan, Slot, class_name, literal, octets, plan_messages, sorted_names
from .shapes import made, shape_of

__all__ = ["CodecView"]


class CodecView:
    """What templates/codec.py.j2 asks for `protocol`."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        plans, formats = plan_messages(protocol), Formats()
        is_numbered = protocol.dispatch not in (Dispatch.CONSTANT, Dispatch.NAME)
        self.multipart = any(plan.wire.apart for plan in plans)
        self.messages = [MessageView(plan, protocol, formats, self.multipart) for plan in plans]
        self.formats = formats.listed()
        self.enumerations = enumeration_plans(protocol)
        heads = [f"{plan.upper}_HEAD{suffix}" for plan in plans for suffix in ("", "_SIZE")]
        names = Scope("python", heads)
        self.constants = [(names.name(screaming(one.name)), one) for one in protocol.constants]
        # the longest beginning first, so that none hides another
        self.dispatched = plans if is_numbered else sorted(plans, key=lambda plan: -len(plan.wire.dispatch))
        # what stands before the number, of protocols whose messages are numbered
        self.signature = _signature(protocol) if is_numbered else None
        # the tables of texts that short cuts share, and the tests they make
        self.texts = list(dict.fromkeys(one.shape.texts for one in self.messages if one.shape is not None))

    @property
    def exported(self) -> list[str]:
        """What the module offers."""
        exported = ["MESSAGES", "Message", "decode"]
        exported += ["decode_frames", "encode_frames"] if self.multipart else ["encode"]
        exported += [name for name, _ in self.constants]
        exported += [class_name(one.name) for one in self.protocol.enumerations]
        return sorted_names(exported + [name for message in self.messages for name in message.exported])


def _signature(protocol: Protocol) -> bytes:
    return bytes([0xAA, 0xA0 | protocol.signature]) if protocol.dispatch is Dispatch.SIGNATURE else b""


class MessageView:
    """A message, and the statements of its functions."""

    def __init__(self, plan: MessagePlan, protocol: Protocol, formats: Formats, multipart: bool) -> None:
        self.plan = plan
        self.shape = shape = shape_of(plan, multipart)
        self.encode = (shape.encoding() if shape is not None else []) + Encoder(plan, formats).whole()
        self.decode = (shape.decoding() if shape is not None else []) + _decode(plan, formats, multipart)
        self.size = size_expression(plan)
        self.beginning = _beginning(plan, protocol.dispatch is Dispatch.NAME)
        # where content of varying size lies, if there is a function for it
        scan = Decoder(plan, formats, scan=True)
        if is_scannable(plan):
            scan.whole()
            scan.out.put(f"return {', '.join(scan.extents)}")
        self.scan, self.extents = scan.out.lines, scan.extents
        # the fields of fixed size after the head, if there are functions for them, and what these are told
        self.leading = _leading(plan)
        self.arguments = head_arguments(self.leading)
        self.pack = Encoder(plan, formats).leading(self.leading) if self.leading else []
        self.unpack = _unpack(plan, formats, self.leading) if self.leading else []

    @property
    def head_size(self) -> int:
        """The octets of the head and the fields of fixed size after it."""
        return len(self.plan.wire.head) + sum(fixed_size(slot.operation) or 0 for slot in self.leading)

    @property
    def scanned(self) -> str:
        """The fields that vary, in words."""
        slots = [slot for slot in self.plan.slots if fixed_size(slot.operation) is None]
        names = [f"`{slot.attribute}`" for slot in slots if slot.attribute]
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

    @property
    def exported(self) -> list[str]:
        """What the module offers for it."""
        lower, head = self.plan.lower, f"{self.plan.upper}_HEAD"
        scan = [f"scan_{lower}"] if self.scan else []
        leading = [f"{head}_SIZE", f"{lower}_head", f"unpack_{lower}_head"] if self.leading else []
        return [self.plan.class_name, head, *scan, *leading]


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


def _beginning(plan: MessagePlan, is_named: bool) -> str:
    """What a message begins with, as the error paths want it."""
    dispatch, pieces = octets(b"" if is_named else _seen(plan)), _pieces(plan, is_named)
    return f"Beginning({literal(plan.message.name)}, {dispatch}, {tuple_of(pieces)})"


def _seen(plan: MessagePlan) -> bytes:
    """What the dispatcher has compared."""
    return plan.wire.head[: plan.wire.seen]


def _pieces(plan: MessagePlan, with_seen: bool) -> list[str]:
    """The fields of the head, with or without what the dispatcher has compared."""
    seen = [(None, _seen(plan))] if with_seen else []
    listed = [*seen, *((one.name, one.octets) for one in plan.wire.constants)]
    return [f"({literal(name)}, {octets(value)})" for name, value in listed]


def _leading(plan: MessagePlan) -> tuple[Slot, ...]:
    """The fields of fixed size that follow the head, if there is something to say of them and others follow."""
    leading = tuple(takewhile(lambda slot: fixed_size(slot.operation) is not None, plan.slots))
    is_useful = plan.topic is None and len(leading) < len(plan.slots) and head_arguments(leading)
    return leading if is_useful else ()


def _unpack(plan: MessagePlan, formats: Formats, leading: tuple[Slot, ...]) -> list[str]:
    decoder, head = Decoder(plan, formats, base="offset"), plan.wire.head
    if head:
        pieces = ", ".join(_pieces(plan, plan.wire.seen > 0))
        error = f'bad_constants("{plan.message.name}", data, offset, {pieces})'
        decoder.out.refuse(f"data[offset : offset + {len(head)}] != {plan.upper}_HEAD", error)
        decoder.go("offset", len(head))
    decoder.fields(leading)
    decoder.out.put(f"return {tuple_of([slot.local for slot in head_arguments(leading)])}")
    return decoder.out.lines
