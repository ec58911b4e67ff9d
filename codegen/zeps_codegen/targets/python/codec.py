"""The view of a protocol's module: what the template prints besides what the model says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import takewhile
from operator import or_

from ...ir import Constant, Dispatch, Enumeration, Protocol
from ...naming import Scope, screaming
from .decode import Decoder, fixed_size, is_scannable
from .encode import Encoder, head_arguments, size_expression
from .lines import Function, docstring
from .plan import Formats, MessagePlan, Slot, class_name, literal, octets, plan_messages, sorted_names
from .shapes import Shape, made, shape_of

__all__ = ["CodecView", "view_codec"]


@dataclass(frozen=True, slots=True)
class MessageView:
    plan: MessagePlan
    encode: Function
    size: str
    decoder: Function
    head_size: (
        int | None
    )  # of the head and the fields of fixed size after it, if there are functions for them
    functions: list[Function]
    beginning: str
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class CodecView:
    protocol: Protocol
    constants: list[tuple[str, Constant]]
    enumerations: list[tuple[Enumeration, str, int | None]]  # with the base class; the mask of flags
    messages: list[MessageView]
    formats: list[tuple[str, str, str]]
    exported: list[str]
    multipart: bool
    decoders: list[tuple[str, str]]  # the dispatcher's keys, and what it calls
    signature: bytes | None  # of protocols whose messages are numbered: what stands before the number
    texts: list[str]  # the tables of texts that short cuts share


def view_codec(protocol: Protocol) -> CodecView:
    """What templates/codec.py.j2 prints for `protocol`."""
    plans, formats = plan_messages(protocol), Formats()
    multipart = any(plan.plan.apart for plan in plans)
    messages = [_message(plan, protocol, formats, multipart) for plan in plans]
    names = Scope("python", (f"{plan.upper}_HEAD{suffix}" for plan in plans for suffix in ("", "_SIZE")))
    constants = [(names.name(screaming(one.name)), one) for one in protocol.constants]
    exported = ["MESSAGES", "Message", "decode"]
    exported += ["decode_frames", "encode_frames"] if multipart else ["encode"]
    exported += [name for name, _ in constants] + [class_name(one.name) for one in protocol.enumerations]
    for message in messages:
        exported += [message.plan.class_name, f"{message.plan.upper}_HEAD"]
        exported += [f"{message.plan.upper}_HEAD_SIZE"] if message.head_size is not None else []
        exported += [one.name for one in message.functions]
    texts = dict.fromkeys(message.shape.texts for message in messages if message.shape is not None)
    numbered = protocol.dispatch not in (Dispatch.CONSTANT, Dispatch.NAME)
    # the longest beginning first, so that none hides another
    ordered = plans if numbered else sorted(plans, key=lambda plan: -len(plan.plan.dispatch))
    flags = _flags(protocol)
    return CodecView(
        protocol,
        constants,
        [_enumeration(one, one.name in flags) for one in protocol.enumerations],
        messages,
        formats.listed(),
        sorted_names(exported),
        multipart,
        [
            (str(plan.message.id) if numbered else octets(plan.plan.dispatch), f"_decode_{plan.lower}")
            for plan in ordered
        ],
        _signature(protocol) if numbered else None,
        [
            f"{stem}_{kind.upper()}S = {kind}Table({test})"
            for stem, test in texts
            for kind in ("Text", "Octet")
        ],
    )


def _signature(protocol: Protocol) -> bytes:
    return bytes([0xAA, 0xA0 | protocol.signature]) if protocol.dispatch is Dispatch.SIGNATURE else b""


def _enumeration(one: Enumeration, is_flags: bool) -> tuple[Enumeration, str, int | None]:
    numbers = [member.value for member in one.members if isinstance(member.value, int)]
    if is_flags and len(numbers) == len(one.members):
        return one, "IntFlag", reduce(or_, numbers, 0)
    return one, "IntEnum" if numbers else "StrEnum", None


def _flags(protocol: Protocol) -> set[str]:
    """The enumerations whose values are bits of some field."""
    fields = [field for message in protocol.messages for field in message.fields]
    names = set()
    while fields:
        field = fields.pop()
        if field.flags and field.enumeration:
            names.add(field.enumeration)
        if field.items is not None:
            fields.append(field.items)
    return names


def _message(plan: MessagePlan, protocol: Protocol, formats: Formats, multipart: bool) -> MessageView:
    leading = _leading(plan)
    functions = [_scan(plan, formats)] if is_scannable(plan) else []
    head_size = None
    if leading:
        functions += [_pack_head(plan, formats, leading), _unpack_head(plan, formats, leading)]
        head_size = len(plan.plan.head) + sum(fixed_size(slot.operation) or 0 for slot in leading)
    shape = shape_of(plan, multipart)
    return MessageView(
        plan,
        Function(
            "encode_frames" if plan.plan.apart else "encode",
            ["The message as frames." if plan.plan.apart else "The message as one frame."],
            "self",
            "list[bytes]" if plan.plan.apart else "bytes",
            (shape.encoding() if shape is not None else []) + Encoder(plan, formats).whole(),
        ),
        size_expression(plan),
        _decoder(plan, formats, multipart, shape),
        head_size,
        functions,
        _beginning(plan, protocol),
        shape,
    )


def _decoder(plan: MessagePlan, formats: Formats, multipart: bool, shape: Shape | None) -> Function:
    decoder = Decoder(plan, formats)
    decoder.out.put(*(shape.decoding() if shape is not None else []))
    if multipart:
        decoder.out.put("data = bytes(frames[0])")
    if plan.inline or plan.plan.apart:
        decoder.whole()
    else:
        decoder.out.refuse(f"data != {plan.upper}_HEAD", f"misread(_{plan.upper}_BEGINNING, data)")
    if multipart:
        decoder.apart()
    decoder.out.put(*made(plan))
    parameters = "frames: Sequence[bytes]" if multipart else "data: bytes"
    return Function(f"_decode_{plan.lower}", [], parameters, "Any", decoder.out.lines)


def _scan(plan: MessagePlan, formats: Formats) -> Function:
    decoder = Decoder(plan, formats, scan=True)
    decoder.whole()
    decoder.out.put(f"return {', '.join(decoder.extents)}")
    found = [
        f"`{slot.attribute}`" for slot in plan.slots if slot.attribute and fixed_size(slot.operation) is None
    ]
    listed = " and ".join(filter(None, [", ".join(found[:-1]), found[-1]]))
    doc = docstring(
        f"Where the content of {listed} starts and ends.",
        "Everything is checked but what text holds. Raises DecodeError.",
        indent=4,
    )
    returns = f"tuple[{', '.join(['int'] * len(decoder.extents))}]"
    return Function(f"scan_{plan.lower}", doc, "data: bytes", returns, decoder.out.lines)


def _beginning(plan: MessagePlan, protocol: Protocol) -> str:
    """What a message begins with, as the error paths want it."""
    dispatch = plan.plan.head[: plan.plan.seen]
    is_named = protocol.dispatch is Dispatch.NAME
    listed = [(None, dispatch)] if is_named else []
    pieces = _pieces([*listed, *((one.name, one.octets) for one in plan.plan.constants)])
    comma = "," if len(pieces) == 1 else ""
    shown = octets(b"" if is_named else dispatch)
    return f"Beginning({literal(plan.message.name)}, {shown}, ({', '.join(pieces)}{comma}))"


def _pieces(listed: list[tuple[str | None, bytes]]) -> list[str]:
    return [f"({literal(name)}, {octets(value)})" for name, value in listed]


# --- the fields of fixed size


def _leading(plan: MessagePlan) -> tuple[Slot, ...]:
    """The fields of fixed size that follow the head, if there is something to say of them and others follow."""
    leading = tuple(takewhile(lambda slot: fixed_size(slot.operation) is not None, plan.slots))
    is_useful = plan.topic is None and len(leading) < len(plan.slots) and head_arguments(leading)
    return leading if is_useful else ()


def _pack_head(plan: MessagePlan, formats: Formats, leading: tuple[Slot, ...]) -> Function:
    parameters = ", ".join(f"{slot.local}: {slot.annotation}" for slot in head_arguments(leading))
    doc = docstring(f"The octets of {plan.message.name} up to the first field whose size varies.", indent=4)
    return Function(f"{plan.lower}_head", doc, parameters, "bytes", Encoder(plan, formats).leading(leading))


def _unpack_head(plan: MessagePlan, formats: Formats, leading: tuple[Slot, ...]) -> Function:
    decoder, head = Decoder(plan, formats, base="offset"), plan.plan.head
    if head:
        begin = [(None, head[: plan.plan.seen])] if plan.plan.seen else []
        listed = ", ".join(_pieces([*begin, *((one.name, one.octets) for one in plan.plan.constants)]))
        error = f'bad_constants("{plan.message.name}", data, offset, {listed})'
        decoder.out.refuse(f"data[offset : offset + {len(head)}] != {plan.upper}_HEAD", error)
        decoder.go("offset", len(head))
    decoder.fields(leading)
    arguments = head_arguments(leading)
    comma = "," if len(arguments) == 1 else ""
    decoder.out.put(f"return ({', '.join(slot.local for slot in arguments)}{comma})")
    doc = docstring(f"What `{plan.lower}_head` packed, at `offset`. Raises DecodeError.", indent=4)
    returns = f"tuple[{', '.join(slot.annotation for slot in arguments)}]"
    parameters = "data: bytes | bytearray | memoryview, offset: int = 0"
    return Function(f"unpack_{plan.lower}_head", doc, parameters, returns, decoder.out.lines)
