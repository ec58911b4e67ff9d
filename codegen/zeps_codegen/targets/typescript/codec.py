"""The view of a protocol's module: everything that the template prints, in TypeScript's terms."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...ir import Constant, Dispatch, Field, FieldType
from ...naming import Scope, screaming
from .decode import Decoder
from .encode import Encoder, Sizer
from .lines import Lines, doc, octets, quoted
from .plan import (
    LOCALS,
    SAFE_MAX,
    Carrier,
    EnumerationPlan,
    MessagePlan,
    ProtocolPlan,
    number,
)

__all__ = ["CodecView", "imported", "view_codec"]

_FROM_OCTETS = """allocate holds i16 i32 i64 i8 length64 noSuchMessage notConstant put16 put32 put64 putVarint u16
u32 u64 u8 unknownBeginning unzigzag varint varintEnd varintSize zigzag"""
_FROM_TEXT = "latin1 measurePrintable measureUtf8 measureVchar printable putText utf8 utf8Size vchar"

#: What the runtime offers to a codec, by module.
OFFERS: dict[str, tuple[str, ...]] = {
    "./runtime/errors.js": ("DecodeError", "EncodeError"),
    "./runtime/octets.js": tuple(_FROM_OCTETS.split()),
    "./runtime/text.js": tuple(_FROM_TEXT.split()),
}


@dataclass(frozen=True, slots=True)
class ConstantView:
    name: str
    value: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class EnumerationView:
    name: str
    guard: str
    type: str  # of what the guard is asked about
    doc: list[str]
    members: list[ConstantView]
    test: str
    flags: bool


@dataclass(frozen=True, slots=True)
class PropertyView:
    name: str
    type: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class MessageView:
    name: str
    spelled: str
    id: int
    doc: list[str]
    properties: list[PropertyView]
    decode: list[str]
    encode: list[str]
    size: list[str]

    @property
    def parameter(self) -> str:
        """What `encode` calls the message; nothing if it does not look at it."""
        return "message" if self.properties else ""

    @property
    def sized(self) -> bool:
        """Whether `sizeOf` looks at the message."""
        return any("message." in line for line in self.size)


@dataclass(frozen=True, slots=True)
class CodecView:
    doc: list[str]
    constants: list[ConstantView]
    octets: list[ConstantView]
    enumerations: list[EnumerationView]
    messages: list[MessageView]
    dispatcher: list[str]


def imported(text: str, offers: dict[str, tuple[str, ...]] = OFFERS) -> list[tuple[str, list[str]]]:
    """Which of `offers` the text uses, by module, in order."""
    code = re.sub(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', "", text, flags=re.DOTALL)
    used = set(re.findall(r"(?<![\w.$])[A-Za-z_]\w*", code))
    found = [
        (module, [name for name in names if name.split()[-1] in used]) for module, names in offers.items()
    ]
    return [(module, names) for module, names in found if names]


def view_codec(plan: ProtocolPlan) -> CodecView:
    """What templates/protocol.ts.j2 prints for a protocol."""
    protocol = plan.protocol
    names = Scope("typescript", [*LOCALS, *(one.name for one in plan.messages)])
    constants = _constants(protocol.constants, names)
    values: list[ConstantView] = []
    messages = []
    for message in plan.messages:
        constants += _shown_constants(message, names)
        named = _octets(message, names, values)
        messages.append(_message(plan, message, named))
    dispatcher = _dispatcher(plan, names, values)
    text = "\n".join([*dispatcher, *(line for one in messages for line in (*one.decode, *one.encode))])
    return CodecView(
        doc(f"{protocol.title}.", protocol.doc),
        constants,
        [one for one in values if re.search(rf"\b{one.name}\b", text)],
        [_enumeration(one) for one in plan.enumerations.values()],
        messages,
        dispatcher,
    )


def _constants(constants: tuple[Constant, ...], names: Scope) -> list[ConstantView]:
    """The numbers are of one kind: either all fit JavaScript's numbers, or all are bigints."""
    numbers = [one.value for one in constants if isinstance(one.value, int)]
    carrier = Carrier.NUMBER if all(abs(value) <= SAFE_MAX for value in numbers) else Carrier.BIGINT
    return [
        ConstantView(names.name(screaming(one.name)), _literal(one.value, carrier), doc(one.doc))
        for one in constants
    ]


def _literal(value: int | str | bytes, carrier: Carrier) -> str:
    if isinstance(value, bytes):
        return octets(value)
    return quoted(value) if isinstance(value, str) else number(value, carrier)


def _shown_constants(message: MessagePlan, names: Scope) -> list[ConstantView]:
    """The message's constant fields; their octets are made when they are needed."""
    found = []
    for place in (*message.layout.head_constants, *(slot.place for slot in message.slots)):
        field = place.field
        if field.value is None or isinstance(field.value, bytes):
            continue
        small = not isinstance(field.value, int) or abs(field.value) <= SAFE_MAX
        carrier = Carrier.NUMBER if small and field.size < 8 else Carrier.BIGINT
        name = names.name(f"{message.prefix}_{screaming(field.name)}")
        found.append(
            ConstantView(
                name, _literal(field.value, carrier), doc(field.doc or f"{field.name} of {message.spelled}.")
            )
        )
    return found


def _octets(message: MessagePlan, names: Scope, values: list[ConstantView]) -> dict[str, str]:
    """Names for the octets of the message's constants, and under an empty name for its head's."""
    found = {"": names.name(f"{message.prefix}_HEAD")}
    values.append(ConstantView(found[""], octets(message.layout.head), []))
    for place in (*message.layout.head_constants, *(slot.place for slot in message.slots)):
        if place.octets is not None:
            name = names.name(f"{message.prefix}_{screaming(place.field.name)}_OCTETS")
            found[place.field.name] = name
            values.append(ConstantView(name, octets(place.octets), []))
    return found


def _message(plan: ProtocolPlan, message: MessagePlan, named: dict[str, str]) -> MessageView:
    properties = [
        PropertyView(str(slot.member), plan.type_of(slot.field), doc(slot.field.doc, _note(slot.field)))
        for slot in message.shown
    ]
    return MessageView(
        message.name,
        message.spelled,
        message.layout.message.id,
        doc(message.layout.message.doc or f"{message.spelled}."),
        properties,
        Decoder(plan, message, named).body(),
        Encoder(plan, message, named).body(),
        Sizer(plan, message).body(),
    )


def _note(field: Field) -> str:
    """What the property's type does not say."""
    pairs = "Keys and values in the order of the wire; equal keys are pairs of their own."
    notes = ["To the end of the frame."] * field.open_ended + [pairs] * (field.type is FieldType.HASH)
    return " ".join(notes)


def _enumeration(one: EnumerationPlan) -> EnumerationView:
    """A value of flags is any of their sums; its type is the number's."""
    carrier = one.carrier or Carrier.NUMBER
    members: list[ConstantView] = []
    names = Scope("typescript")
    for member in one.enumeration.members:
        value = _literal(member.value, carrier)
        members.append(ConstantView(names.name(screaming(member.name)), value, doc(member.doc)))
    if one.flags:
        mask, zero = number(one.mask, carrier), number(0, carrier)
        test = f"value >= {zero} && value <= {mask} && (value & ~{mask}) === {zero}"
        if carrier is Carrier.NUMBER:
            test = f"Number.isInteger(value) && {test}"
    else:
        test = (
            " || ".join(f"value === {value}" for value in dict.fromkeys(one.value for one in members))
            or "false"
        )
    kind = carrier.value if one.carrier is not None else "string"
    return EnumerationView(
        one.name,
        one.guard,
        kind,
        doc(one.enumeration.doc or f"Values of {one.enumeration.name}."),
        members,
        test,
        one.flags,
    )


# --- which message is it


def _dispatcher(plan: ProtocolPlan, names: Scope, values: list[ConstantView]) -> list[str]:
    """The statements of `decode`."""
    out = Lines()
    match plan.protocol.dispatch:
        case Dispatch.CONSTANT:
            _by_constant(plan, out, names, values)
        case Dispatch.NAME:
            out.refuse("data.length < 1 || data.length < 1 + u8(data, 0)", _unnamed("truncated", 0))
            with out.block("switch (latin1(data, 1, 1 + u8(data, 0)))"):
                for message in plan.messages:
                    name = message.spelled.encode().decode("latin-1")
                    out.put(f"case {quoted(name)}: return decode{message.name}(data);")
                out.put(f"default: throw {_unnamed('unknown-message', 0)};")
        case _:
            at = 2 if plan.protocol.dispatch is Dispatch.SIGNATURE else 0
            if at:
                signature = (0xAA, 0xA0 | plan.protocol.signature)
                for index, octet in enumerate(signature):
                    out.refuse(f"data.length < {index + 1}", _unnamed("truncated", 0))
                    out.refuse(f"data[{index}] !== {octet:#04x}", _unnamed("bad-signature", 0))
            out.refuse(f"data.length < {at + 1}", _unnamed("truncated", at))
            with out.block(f"switch (data[{at}])"):
                for message in plan.messages:
                    out.put(f"case {message.layout.message.id}: return decode{message.name}(data);")
                out.put(f"default: throw {_unnamed('unknown-message', at)};")
    return out.lines


def _unnamed(code: str, at: int) -> str:
    return f"new DecodeError({quoted(code)}, null, null, {at})"


def _by_constant(plan: ProtocolPlan, out: Lines, names: Scope, values: list[ConstantView]) -> None:
    """The longest beginning first, so that none hides another."""
    beginnings = []
    longest = sorted(plan.messages, key=lambda one: -len(one.layout.dispatch))
    if not longest[-1].layout.dispatch:  # the only message
        out.put(f"return decode{longest[-1].name}(data);")
        return
    for message in longest:
        name = names.name(f"{message.prefix}_BEGINNING")
        values.append(ConstantView(name, octets(message.layout.dispatch), []))
        beginnings.append(name)
        out.put(f"if (holds(data, 0, {name})) return decode{message.name}(data);")
    out.put(f"throw unknownBeginning(data, [{', '.join(beginnings)}]);")
