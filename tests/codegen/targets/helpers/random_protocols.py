"""Random protocols as IR, values for their messages, and generated modules of them."""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any

from hypothesis import strategies as st

from zeps_codegen.ir import Constant, Dispatch, Enumeration, Field, FieldType, Message, Protocol, Text
from zeps_codegen.naming import snake
from zeps_codegen.plan.layout import layouts
from zeps_codegen.plan.operations import Topic
from zeps_codegen.targets.python.codec import codec_view
from zeps_codegen.targets.python.names import Message as NamedMessage
from zeps_codegen.targets.python.target import template

COLOUR = Enumeration("colour", (Constant("red", 1), Constant("green", 2), Constant("dark blue", 200)))
RIGHTS = Enumeration("rights", (Constant("read", 1), Constant("write", 2), Constant("own", 64)))
#: Names that would break a careless generator: keywords, builtins, names that generated code uses itself.
NAMES = ("key", "body", "class", "size", "data", "len", "error", "unpack_from", "message", "at", "end", "str")
NAMES += ("encode", "key_end", "frames", "self", "int", "count_of", "reason", "offset", "name", "id")
SIZES = (1, 2, 4, 8)


def _limit(draw: st.DrawFn, greatest: int) -> int | None:
    return draw(st.none() | st.sampled_from([value for value in (0, 1, 3, 100, 40_000) if value <= greatest]))


@st.composite
def plain_fields(draw: st.DrawFn, name: str = "item", nested: int = 1, item: bool = False) -> Field:
    """A field that needs no sibling."""
    kinds = [FieldType.NUMBER, FieldType.VARINT, FieldType.STRING, FieldType.CHUNK, FieldType.UUID]
    kinds.append(FieldType.OCTETS)
    kinds += [] if item else [FieldType.STRINGS, FieldType.HASH]
    kinds += [FieldType.LIST] if nested else []
    kind = draw(st.sampled_from(kinds))
    text = draw(st.sampled_from(list(Text)))
    match kind:
        case FieldType.NUMBER:
            size, signed = draw(st.sampled_from(SIZES)), draw(st.booleans())
            role = draw(st.sampled_from(["plain", "plain", "limit", "enumeration", "flags"]))
            if role in ("enumeration", "flags") and not item:
                used = COLOUR if role == "enumeration" else RIGHTS
                size = max(size, 2) if signed else size
                return Field(name, kind, size, signed, enumeration=used.name, flags=role == "flags")
            limit = _limit(draw, (1 << 8 * size - signed) - 1) if role == "limit" else None
            return Field(name, kind, size, signed, max=limit)
        case FieldType.VARINT:
            return Field(name, kind, signed=draw(st.booleans()), max=_limit(draw, 40_000))
        case FieldType.STRING:
            size = draw(st.sampled_from((1, 4)))
            return Field(name, kind, size, text=text, max=_limit(draw, 255 if size == 1 else 40_000))
        case FieldType.CHUNK:
            size = draw(st.sampled_from(SIZES))
            return Field(name, kind, size, max=_limit(draw, 255 if size == 1 else 40_000))
        case FieldType.STRINGS | FieldType.HASH:
            return Field(name, kind, 4, text=text, max=_limit(draw, 40_000))
        case FieldType.OCTETS:
            return Field(name, kind, draw(st.integers(1, 9)))
        case FieldType.LIST:
            items = draw(plain_fields(nested=nested - 1, item=True))
            return Field(name, kind, draw(st.sampled_from(SIZES)), items=items, max=_limit(draw, 255))
        case _:
            return Field(name, kind)


@st.composite
def constants(draw: st.DrawFn, name: str) -> Field:
    kind = draw(st.sampled_from([FieldType.NUMBER, FieldType.STRING, FieldType.OCTETS, FieldType.CHUNK]))
    content = draw(st.sampled_from(["ZEPS", "x", "§ 1"]))
    match kind:
        case FieldType.NUMBER:
            return Field(name, kind, draw(st.sampled_from(SIZES)), value=draw(st.integers(0, 127)))
        case FieldType.OCTETS:
            return Field(name, kind, len(content.encode()), value=content.encode())
        case FieldType.CHUNK:
            return Field(name, kind, 4, value=content.encode())
        case _:
            return Field(name, kind, draw(st.sampled_from((1, 4))), value=content)


@st.composite
def counted(draw: st.DrawFn, names: Iterator[str]) -> list[Field]:
    """A number and the field that it counts or measures."""
    counter = Field(next(names), FieldType.NUMBER, draw(st.sampled_from(SIZES)), derived=True)
    if draw(st.booleans()):
        counter = Field(counter.name, FieldType.VARINT, derived=True)
    counter = replace(counter, max=_limit(draw, 100))
    if draw(st.booleans()):
        return [counter, Field(next(names), FieldType.OCTETS, 0, length=counter.name)]
    lists = []
    for name in itertools.islice(names, draw(st.integers(1, 2))):
        items = draw(plain_fields(nested=0, item=True))
        lists.append(Field(name, FieldType.LIST, 0, items=items, count=counter.name))
    return [counter, *lists]


@st.composite
def reserved(draw: st.DrawFn, name: str) -> Field:
    if draw(st.booleans()):
        return Field(name, FieldType.NUMBER, draw(st.sampled_from(SIZES)), reserved=True)
    return Field(name, FieldType.OCTETS, draw(st.sampled_from((0, 1, 2, 9, 31))), reserved=True)


@st.composite
def open_ended(draw: st.DrawFn, name: str) -> Field:
    """A field whose items continue until the end of the frame."""
    kind = draw(st.sampled_from([FieldType.STRINGS, FieldType.HASH, FieldType.LIST, FieldType.LIST]))
    most = draw(st.sampled_from([None, None, 0, 1, 3]))
    if kind is not FieldType.LIST:
        return Field(name, kind, 0, text=draw(st.sampled_from(list(Text))), max=most)
    items = draw(plain_fields(nested=0, item=True))
    enumeration = COLOUR.name if items.type is FieldType.NUMBER and draw(st.booleans()) else None
    if enumeration is not None:
        items = replace(items, size=2, max=None)
    return Field(name, kind, 0, items=items, max=most, enumeration=enumeration)


@st.composite
def fields(draw: st.DrawFn, frames: bool) -> tuple[Field, ...]:
    """The fields of a message."""
    names = iter(draw(st.permutations(NAMES)))
    message_fields: list[Field] = []
    for _ in range(draw(st.integers(0, 5))):
        more = "frame" if frames else "plain"
        match draw(st.sampled_from(["plain", "plain", "plain", "constant", "counted", "reserved", more])):
            case "reserved":
                message_fields.append(draw(reserved(next(names))))
            case "constant":
                message_fields.append(draw(constants(next(names))))
            case "counted":
                message_fields += draw(counted(names))
            case "frame":
                message_fields.append(
                    Field(next(names), FieldType.FRAME, max=draw(st.sampled_from([None, 3])))
                )
            case _:
                message_fields.append(draw(plain_fields(next(names))))
    last = draw(st.sampled_from(["", "", "rest", "msg" if frames else "rest", "open"]))
    if last == "open":
        message_fields.append(draw(open_ended(next(names))))
    elif last:
        message_fields.append(Field(next(names), FieldType(last), max=draw(st.sampled_from([None, None, 5]))))
    return tuple(message_fields)


@st.composite
def protocols(draw: st.DrawFn) -> Protocol:
    """A protocol of one to three messages, of any dispatch and any types."""
    dispatch = draw(st.sampled_from(list(Dispatch)))
    frames = draw(st.integers(0, 3)) == 0
    messages = []
    count = draw(st.integers(1, 3))
    for number in range(1, count + 1):
        message_fields = draw(fields(frames))
        if dispatch is Dispatch.CONSTANT and (count > 1 or draw(st.booleans())):
            magic = Field("magic", FieldType.OCTETS, 4, value=f"MSG{number}".encode())
            message_fields = (magic, *message_fields)
        name = draw(st.sampled_from(["PING", "ATTACH-OK", "message", "any"])) + f"-{number}"
        messages.append(Message(name, number * 7, message_fields))
    enumerations = (COLOUR, RIGHTS)
    return Protocol(
        "toy", "Toy", dispatch, draw(st.integers(0, 15)), 1, tuple(messages), enumerations=enumerations
    )


# --- values

_TEXTS = {
    Text.OCTETS: st.binary(max_size=300),
    Text.UTF8: st.text(st.characters(codec="utf-8"), max_size=60),
    Text.PRINTABLE: st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=60),
    Text.VCHAR: st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=60),
}


def _measured(text: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[Any]:
    def fits(value: str | bytes) -> bool:
        return len(value if isinstance(value, bytes) else value.encode()) <= most

    return text.filter(fits) if most >= 100 else text.map(lambda value: value[: most // 4])


def values(field: Field, module: ModuleType, plan: NamedMessage) -> st.SearchStrategy[Any]:
    """Values that the field can carry."""
    if field.enumeration is not None and field.type is not FieldType.LIST:
        if field.flags:
            return st.integers(0, 3).map(lambda bits: module.Rights(bits))
        return st.sampled_from(list(module.Colour))
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            bits = 64 if field.type is FieldType.VARINT else 8 * field.size
            least = -(1 << bits - 1) if field.signed else 0
            most = (1 << bits - field.signed) - 1
            return st.integers(least, most if field.max is None else min(most, field.max))
        case FieldType.STRING:
            return _measured(_TEXTS[field.text], min(field.max if field.max is not None else 255, 255))
        case FieldType.STRINGS:
            return st.lists(
                _TEXTS[field.text], max_size=min(4, field.max if field.max is not None else 4)
            ).map(tuple)
        case FieldType.HASH:
            most = min(4, field.max if field.max is not None else 4)
            pairs = st.tuples(_measured(_TEXTS[field.text], 255), _TEXTS[field.text])
            return st.lists(pairs, max_size=most).map(tuple)
        case FieldType.UUID:
            return st.binary(min_size=16, max_size=16)
        case FieldType.OCTETS if field.length is None:
            return st.binary(min_size=field.size, max_size=field.size)
        case FieldType.OCTETS:
            return st.binary(max_size=_counter_max(plan, field.length))
        case FieldType.LIST:
            assert field.items is not None
            most = 4 if field.max is None else min(4, field.max)
            if field.count is not None:
                most = min(most, _counter_max(plan, field.count))
            return st.lists(values(field.items, module, plan), max_size=most).map(tuple)
        case FieldType.MSG:
            most = 300 if field.max is None else field.max
            return st.lists(st.binary(max_size=most), min_size=1, max_size=3).map(tuple)
        case FieldType.CHUNK:
            greatest = 255 if field.size == 1 else 300
            return st.binary(max_size=greatest if field.max is None else min(greatest, field.max))
        case _:
            return st.binary(max_size=300 if field.max is None else field.max)


def _counter_max(plan: NamedMessage, name: str | None) -> int:
    field = next(operation.field for operation in plan.plan.operations if operation.name == name)
    return 200 if field.max is None else min(field.max, 200)


@st.composite
def messages(draw: st.DrawFn, module: ModuleType, plan: NamedMessage) -> Any:
    """An instance of the message's class."""
    given: dict[str, Any] = {}
    counts: dict[str | None, int] = {}
    for operation in plan.shown:
        if isinstance(operation, Topic):
            text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
            given[plan.attribute(operation)] = draw(text)
            continue
        value = draw(values(operation.field, module, plan))
        if operation.field.count is not None:
            length = counts.setdefault(operation.field.count, len(value))
            while len(value) < length:
                value += draw(st.tuples(values(operation.field.items or operation.field, module, plan)))
            value = value[:length]
        given[plan.attribute(operation)] = value
    return getattr(module, plan.class_name)(**given)


def fields_by_attribute(plan: NamedMessage) -> dict[str, Field]:
    """The fields of a message object except its topic, by attribute."""
    return {
        plan.attribute(operation): operation.field
        for operation in plan.shown
        if not isinstance(operation, Topic)
    }


def plain(field: Field, value: Any) -> Any:
    if field.type is FieldType.HASH and isinstance(value, tuple):
        return [(plain(field, key), plain(field, item)) for key, item in value]
    if isinstance(value, tuple):
        return [plain(field.items or field, item) for item in value]
    textual = field.type in (FieldType.STRING, FieldType.STRINGS, FieldType.HASH)
    if isinstance(value, bytes) and textual and field.text is Text.OCTETS:
        return value.decode("latin-1")
    return value


@contextmanager
def generated(protocol: Protocol) -> Iterator[ModuleType]:
    """The protocol's module, made and loaded."""
    name = "zeps_wire.random_protocol"
    module = types.ModuleType(name)
    module.__package__ = "zeps_wire"
    sys.modules[name] = module
    try:
        source = template("codec.py.j2").render(codec_view(protocol))
        exec(compile(source, name, "exec"), module.__dict__)
        yield module
    finally:
        del sys.modules[name]


def plans(protocol: Protocol) -> dict[str, NamedMessage]:
    return {layout.message.name: NamedMessage(layout) for layout in layouts(protocol)}


def scan_of(module: ModuleType, message: str) -> Any:
    return getattr(module, f"scan_{snake(message)}", None)
