"""The view of a protocol's module: everything that the template prints, in Python's terms."""

from __future__ import annotations

import builtins
import textwrap
from dataclasses import dataclass

from ...ir import Dispatch, Enumeration, Protocol
from ...naming import Scope, screaming, snake
from .decode import Decoder, is_fixed, is_scannable
from .encode import Encoder, head_arguments, size_expression
from .expressions import literal
from .lines import octets
from .plan import Formats, MessagePlan, Slot, enumeration_name, plan_messages
from .shapes import shape_of

__all__ = ["CodecView", "docstring", "view_codec"]

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class ConstantView:
    name: str
    value: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class MemberView:
    name: str
    value: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class EnumerationView:
    class_name: str
    base: str
    table: str
    table_type: str
    doc: list[str]
    members: list[MemberView]
    mask: str | None


@dataclass(frozen=True, slots=True)
class AttributeView:
    name: str
    annotation: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class FunctionView:
    name: str
    doc: list[str]
    parameters: str
    returns: str
    body: list[str]


@dataclass(frozen=True, slots=True)
class MessageView:
    class_name: str
    twin: str
    upper: str
    id: int
    name: str
    doc: list[str]
    class_variables: list[AttributeView]
    attributes: list[AttributeView]
    encode: FunctionView
    size: str
    decoder: FunctionView
    head: tuple[str, str]
    head_size: tuple[str, int] | None
    functions: list[FunctionView]
    beginning: str
    setters: list[str]
    multipart: bool
    shapes: list[str]  # the tables of its short cuts


@dataclass(frozen=True, slots=True)
class CodecView:
    module: str
    doc: list[str]
    constants: list[ConstantView]
    enumerations: list[EnumerationView]
    messages: list[MessageView]
    formats: list[tuple[str, str, str]]
    exported: list[str]
    dispatcher: list[str]
    multipart: bool
    decoders: list[tuple[str, str]]
    signature: str | None  # of protocols whose messages are numbered
    texts: list[str]  # the tables of texts that short cuts share
    builtins: frozenset[str] = frozenset(dir(builtins))  # names that ruff wants noted where they are hidden


def docstring(*paragraphs: str, indent: int = 0, default: str = "") -> list[str]:
    """The lines of a docstring, folded; a backslash is escaped."""
    lines: list[str] = []
    for paragraph in paragraphs:
        text = " ".join(paragraph.split()).replace("\\", "\\\\").replace('"""', "'''")
        if not text:
            continue
        if lines:
            lines.append("")
        lines += textwrap.wrap(text, _WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    lines = lines or [default]
    if len(lines) == 1 and lines[0][-1:] not in (".", "?", "!", ":", ";", ""):
        lines[0] += "."
    if lines[-1].endswith('"'):
        lines[-1] += " "
    return lines


def view_codec(protocol: Protocol) -> CodecView:
    """What templates/codec.py.j2 prints for `protocol`."""
    plans = plan_messages(protocol)
    formats = Formats()
    multipart = any(plan.has_frames for plan in plans)
    flagged = _flags(protocol)
    messages = [_message(plan, protocol, formats, multipart) for plan in plans]
    enumerations = [_enumeration(one, flagged) for one in protocol.enumerations]
    names = Scope("python", (f"{plan.upper}_HEAD{suffix}" for plan in plans for suffix in ("", "_SIZE")))
    constants = [
        ConstantView(names.name(screaming(one.name)), literal(one.value), _comment(one.doc))
        for one in protocol.constants
    ]
    exported = ["MESSAGES", "Message", "decode"]
    exported += ["decode_frames", "encode_frames"] if multipart else ["encode"]
    exported += [one.name for one in constants] + [one.class_name for one in enumerations]
    for message in messages:
        exported += [message.class_name, message.head[0], *(one.name for one in message.functions)]
        exported += [message.head_size[0]] if message.head_size else []
    return CodecView(
        snake(protocol.name),
        docstring(f"{protocol.title}.", protocol.doc),
        constants,
        enumerations,
        messages,
        formats.listed(),
        sorted(exported, key=lambda name: (not name.isupper(), not name[0].isupper(), name)),
        _dispatcher(protocol, "frames" if multipart else "data"),
        multipart,
        _decoders(plans, protocol),
        None if protocol.dispatch in (Dispatch.CONSTANT, Dispatch.NAME) else octets(_signature(protocol)),
        _texts(plans, multipart),
    )


def _texts(plans: list[MessagePlan], multipart: bool) -> list[str]:
    """The tables of texts that the short cuts share."""
    shapes = [shape_of(plan, multipart) for plan in plans]
    needed = dict.fromkeys(shape.texts for shape in shapes if shape is not None)
    return [
        f"{stem}_{kind.upper()}S = {kind}Table({test})" for stem, test in needed for kind in ("Text", "Octet")
    ]


def _comment(doc: str) -> list[str]:
    return textwrap.wrap(" ".join(doc.split()), _WIDTH)


def _enumeration(one: Enumeration, flagged: set[str]) -> EnumerationView:
    numbers = [member.value for member in one.members if isinstance(member.value, int)]
    flags = len(numbers) == len(one.members) and one.name in flagged
    name = snake(one.name)
    mask = 0
    for number in numbers:
        mask |= number
    return EnumerationView(
        enumeration_name(one.name),
        "IntFlag" if flags else "IntEnum" if numbers else "StrEnum",
        f"_members_of_{name}",
        "int" if numbers else "str",
        docstring(one.doc, indent=4, default=f"Values of {one.name}."),
        [
            MemberView(
                screaming(m.name), literal(m.value), textwrap.wrap(" ".join(m.doc.split()), _WIDTH - 8)
            )
            for m in one.members
        ],
        f"_mask_of_{name} = {mask:#x}" if flags else None,
    )


def _message(plan: MessagePlan, protocol: Protocol, formats: Formats, multipart: bool) -> MessageView:
    message = plan.message
    variables = [
        AttributeView("ID", f"ClassVar[int] = {message.id}", []),
        AttributeView("NAME", f"ClassVar[str] = {literal(message.name)}", []),
    ]
    for slot in plan.constants:
        value = slot.field.value
        kind = "bytes" if isinstance(value, bytes) else type(value).__name__
        text = octets(value) if isinstance(value, bytes) else literal(value)
        variables.append(AttributeView(str(slot.constant), f"ClassVar[{kind}] = {text}", []))
    attributes = [
        AttributeView(str(slot.attribute), slot.annotation, _comment_of(slot)) for slot in plan.shown
    ]
    leading = _leading(plan)
    functions = [] if not is_scannable(plan) else [_scan(plan, formats)]
    if leading:
        functions += [_pack_head(plan, formats, leading), _unpack_head(plan, formats, leading)]
    head_size = None
    if leading:
        octets_ = len(plan.head) + sum(_fixed_size(slot) for slot in leading)
        head_size = (f"{plan.upper}_HEAD_SIZE", octets_)
    frames = plan.has_frames
    shape = shape_of(plan, multipart)
    return MessageView(
        plan.class_name,
        f"_new_{plan.lower}" if plan.shown else f"_the_{plan.lower}",
        plan.upper,
        message.id,
        literal(message.name),
        docstring(message.doc, indent=4, default=f"{message.name}."),
        variables,
        attributes,
        FunctionView(
            "encode_frames" if frames else "encode",
            ["The message as frames."] if frames else ["The message as one frame."],
            "self",
            "list[bytes]" if frames else "bytes",
            (shape.encoding() if shape is not None else []) + Encoder(plan, formats).whole(),
        ),
        size_expression(plan),
        _decoder(plan, formats, multipart),
        (f"{plan.upper}_HEAD", octets(plan.head)),
        head_size,
        functions,
        _beginning(plan, protocol),
        [f"_set_{plan.lower}__{attribute.name}" for attribute in attributes],
        frames,
        [] if shape is None else shape.definitions,
    )


def _comment_of(slot: Slot) -> list[str]:
    return textwrap.wrap(" ".join(slot.field.doc.split()), _WIDTH - 8)


def _decoder(plan: MessagePlan, formats: Formats, multipart: bool) -> FunctionView:
    decoder = Decoder(plan, formats)
    out = decoder.out
    shape = shape_of(plan, multipart)
    if shape is not None:
        out.put(*shape.decoding())
    if multipart:
        out.put("data = bytes(frames[0])")
    if not plan.slots and plan.topic is None:
        out.refuse(f"data != {plan.upper}_HEAD", f"misread(_{plan.upper}_BEGINNING, data)")
    else:
        decoder.reader.head()
        if plan.topic is not None:
            decoder.topic(plan.topic)
        decoder.fields(plan.slots)
    if multipart:
        decoder.frames(plan.slots)
    if plan.shown:
        out.put(f"message = _new_{plan.lower}()")
        topic = () if plan.topic is None else (plan.topic,)
        for slot in (*topic, *plan.slots):
            if slot.attribute is not None:
                out.put(f"message.{slot.attribute} = {slot.local}")
        out.put(f"message.__class__ = {plan.class_name}", "return message")
    else:
        out.put(f"return _the_{plan.lower}")
    parameters = "frames: Sequence[bytes]" if multipart else "data: bytes"
    return FunctionView(f"_decode_{plan.lower}", [], parameters, "Any", out.lines)


def _scan(plan: MessagePlan, formats: Formats) -> FunctionView:
    decoder = Decoder(plan, formats, scan=True)
    decoder.reader.head()
    decoder.fields(plan.slots)
    bounds = [bound for extent in decoder.extents for bound in extent]
    decoder.out.put(f"return {', '.join(bounds)}")
    found = [str(slot.attribute) for slot in plan.slots if slot.attribute and not is_fixed(slot.field)]
    doc = docstring(
        f"Where the content of {_enumerated(found)} starts and ends.",
        "Everything is checked but what text holds. Raises DecodeError.",
        indent=4,
    )
    returns = f"tuple[{', '.join(['int'] * len(bounds))}]"
    return FunctionView(f"scan_{plan.lower}", doc, "data: bytes", returns, decoder.out.lines)


def _enumerated(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _beginning(plan: MessagePlan, protocol: Protocol) -> str:
    """What a message begins with, as the error paths want it."""
    constants: list[tuple[str | None, bytes]] = [(s.field.name, s.octets or b"") for s in plan.head_constants]
    dispatch = plan.head[: plan.dispatch_size]
    if protocol.dispatch is Dispatch.NAME:
        constants, dispatch = [(None, dispatch), *constants], b""
    listed = ", ".join(f"({literal(name)}, {octets(value)})" for name, value in constants)
    comma = "," if len(constants) == 1 else ""
    return f"Beginning({literal(plan.message.name)}, {octets(dispatch)}, ({listed}{comma}))"


def _leading(plan: MessagePlan) -> tuple[Slot, ...]:
    """The fields of fixed size that follow the head, if there is something to say of them and others follow."""
    if plan.topic is not None:
        return ()
    count = 0
    while count < len(plan.slots) and is_fixed(plan.slots[count].field):
        count += 1
    leading = plan.slots[:count]
    return leading if count < len(plan.slots) and head_arguments(leading) else ()


def _fixed_size(slot: Slot) -> int:
    return len(slot.octets) if slot.octets is not None else slot.field.size


def _pack_head(plan: MessagePlan, formats: Formats, leading: tuple[Slot, ...]) -> FunctionView:
    arguments = head_arguments(leading)
    parameters = ", ".join(f"{slot.local}: {slot.annotation}" for slot in arguments)
    doc = docstring(f"The octets of {plan.message.name} up to the first field whose size varies.", indent=4)
    return FunctionView(
        f"{plan.lower}_head", doc, parameters, "bytes", Encoder(plan, formats).leading(leading)
    )


def _unpack_head(plan: MessagePlan, formats: Formats, leading: tuple[Slot, ...]) -> FunctionView:
    decoder = Decoder(plan, formats, base="offset")
    out = decoder.out
    if plan.head:
        begin = [(None, plan.head[: plan.dispatch_size])] if plan.dispatch_size else []
        pieces = [*begin, *((slot.field.name, slot.octets or b"") for slot in plan.head_constants)]
        listed = ", ".join(f"({literal(name)}, {octets(value)})" for name, value in pieces)
        error = f'bad_constants("{plan.message.name}", data, offset, {listed})'
        out.refuse(f"data[offset : offset + {len(plan.head)}] != {plan.upper}_HEAD", error)
        decoder.reader.skip(len(plan.head))
    decoder.leading(leading)
    arguments = head_arguments(leading)
    comma = "," if len(arguments) == 1 else ""
    out.put(f"return ({', '.join(slot.local for slot in arguments)}{comma})")
    doc = docstring(f"What `{plan.lower}_head` packed, at `offset`. Raises DecodeError.", indent=4)
    returns = f"tuple[{', '.join(slot.annotation for slot in arguments)}]"
    parameters = "data: bytes | bytearray | memoryview, offset: int = 0"
    return FunctionView(f"unpack_{plan.lower}_head", doc, parameters, returns, out.lines)


def _dispatcher(protocol: Protocol, argument: str) -> list[str]:
    """The statements of `decode` that find the message's decoder and call it."""
    match protocol.dispatch:
        case Dispatch.CONSTANT:
            return [
                "for beginning, decoder in _DECODERS.items():",
                "    if data.startswith(beginning):",
                f"        return decoder({argument})",
                "raise unknown(data, tuple(_DECODERS))",
            ]
        case Dispatch.NAME:
            return [
                'decoder = _DECODERS.get(data[: data[0] + 1] if data else b"")',
                "if decoder is None:",
                "    raise unknown_name(data)",
                f"return decoder({argument})",
            ]
        case _:
            return [
                "try:",
                f"    decoder = _DECODERS[data[{len(_signature(protocol))}]]",
                "except IndexError:",
                f"    raise unknown_number(data, {octets(_signature(protocol))}) from None",
                f"return decoder({argument})",
            ]


def _signature(protocol: Protocol) -> bytes:
    """What stands before the octet that numbers the message."""
    return bytes([0xAA, 0xA0 | protocol.signature]) if protocol.dispatch is Dispatch.SIGNATURE else b""


def _decoders(plans: list[MessagePlan], protocol: Protocol) -> list[tuple[str, str]]:
    """What the table of decoders holds: (key, function)."""
    if protocol.dispatch in (Dispatch.CONSTANT, Dispatch.NAME):
        # the longest beginning first, so that none hides another
        longest = sorted(plans, key=lambda plan: -len(plan.dispatch))
        return [(octets(plan.dispatch), f"_decode_{plan.lower}") for plan in longest]
    return [(str(plan.message.id), f"_decode_{plan.lower}") for plan in plans]


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
