"""Converts a bundle to a Kaitai Struct description of each protocol's frames.

Kaitai has no classes of characters, so the constraint on a text is in the documentation of its field. Fields that are
separate ZeroMQ frames are not part of a frame, and only mentioned.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from ...interpret import present
from ...ir import Bundle, Dispatch, Enumeration, Field, FieldType, Message, Protocol, Text
from ...naming import Scope, snake
from ...plan.layout import constant_bytes, item_of, layouts
from ..errors import UnsupportedByTarget
from .yaml import Hex, Node, dump

__all__ = ["FOLDER", "ksy_source", "render"]

FOLDER = PurePosixPath("generated/kaitai")
_HEAD = (
    "# Generated from the models: change the models. Compile it with kaitai-struct-compiler 0.11 or later.\n"
)
_GREAT = 8  # maximum size of a length in bytes
_TEXTS = {
    Text.OCTETS: "May hold any bytes.",
    Text.UTF8: "",
    Text.PRINTABLE: "Must not hold control characters (Unicode category Cc); Kaitai cannot check this.",
    Text.VCHAR: "Must hold visible ASCII characters only (%x21-7E); Kaitai cannot check this.",
}
_IMPORTED = {
    "short_text": "Text after a length of one byte.",
    "long_text": "Text after a length of four bytes.",
    "varint": "LEB128: seven bits in each byte, least significant first, in at most ten bytes.",
    "zigzag": "LEB128 of a signed number: even values are positive, odd values negative.",
    "pair": "A name and its value.",
}


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """A .ksy file for each protocol. Raises UnsupportedByTarget if a message is extensible."""
    return {FOLDER / f"{snake(item.name)}.ksy": ksy_source(item).encode() for item in bundle.protocols}


def ksy_source(protocol: Protocol) -> str:
    """The description of the protocol's frames, as YAML. Raises UnsupportedByTarget if a message is extensible."""
    return _HEAD + dump(_Description(protocol).document())


class _Description:
    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.messages = present(protocol.messages, protocol)
        names = Scope("kaitai", _IMPORTED)
        self.types = {message.name: names.name(snake(message.name)) for message in self.messages}
        self.names = names
        # the enumeration of messages' ids; in the languages only letter case distinguishes it from a type
        self.numbers = names.name("message" if "message" not in self.types.values() else "numbered_message")
        self.enumerations = {
            item.name: names.name(snake(item.name)) for item in protocol.enumerations if _has_numbers(item)
        }
        self.used: dict[str, Node] = {}
        self.varints: set[str] = set()  # of the current message

    def document(self) -> Node:
        protocol = self.protocol
        types: dict[str, Node] = {self.types[item.name]: self.message(item) for item in self.messages}
        document: dict[str, Node] = {
            "meta": {"id": snake(protocol.name), "title": protocol.title or protocol.name, "endian": "be"},
            "doc": protocol.doc.strip() or f"One frame of {protocol.name}, version {protocol.version}.",
        }
        document |= self.by_constant() if protocol.dispatch is Dispatch.CONSTANT else {"seq": self.head()}
        document["types"] = {**types, **self.used}
        enums = dict(self.enums())
        return {**document, "enums": enums} if enums else document

    # The beginning of a frame

    def head(self) -> list[Node]:
        seq: list[Node] = []
        if self.protocol.dispatch is Dispatch.SIGNATURE:
            seq.append({"id": "signature", "contents": [Hex(0xAA), Hex(0xA0 | self.protocol.signature)]})
        if self.protocol.dispatch is Dispatch.NAME:
            seq.append({"id": "len_name", "type": "u1"})
            known: list[Node] = [f'"{item.name}"' for item in self.messages]
            name = {"id": "name", "type": "str", "size": "len_name", "encoding": "ASCII"}
            seq.append({**name, "valid": {"any-of": known}})
            cases = {f'"{item.name}"': self.types[item.name] for item in self.messages}
            selector = "name"
        else:
            valid: Node = {"in-enum": True}
            seq.append({"id": "message_id", "type": "u1", "enum": self.numbers, "valid": valid})
            cases = {f"{self.numbers}::{name}": name for name in self.types.values()}
            selector = "message_id"
        if self.protocol.dispatch is Dispatch.PUBSUB:
            seq.append({"id": "topic", "type": "strz", "encoding": "UTF-8"})
        return [*seq, {"id": "body", "type": {"switch-on": selector, "cases": cases}}, _END]

    def by_constant(self) -> dict[str, Node]:
        """``seq`` with each message under the condition that its constants match, and ``instances`` with these
        conditions, which are left out if the protocol's only message has no constants.
        """
        seq: list[Node] = []
        instances: dict[str, Node] = {}
        if not any(layout.dispatch for layout in layouts(self.protocol)):  # one message, for any frame
            seq = [{"id": name, "type": name} for name in self.types.values()]
            return {"seq": [*seq, _END]}
        for layout in layouts(self.protocol):
            name, head = self.types[layout.message.name], layout.dispatch
            instances[f"begins_{name}"] = {"pos": 0, "size": len(head), "if": f"_io.size >= {len(head)}"}
            listed = ", ".join(f"0x{byte:02x}" for byte in head)
            instances[f"is_{name}"] = {
                "value": f"_io.size >= {len(head)} and begins_{name} == [{listed}].as<bytes>"
            }
            seq.append({"id": name, "type": name, "if": f"is_{name}"})
        known = " or ".join(f"is_{self.types[item.name]}" for item in self.messages)
        seq.append(_expects("known", known, "One of them must match."))
        return {"seq": [*seq, _END], "instances": instances}

    def enums(self) -> Iterator[tuple[str, Node]]:
        if self.protocol.dispatch in (Dispatch.SIGNATURE, Dispatch.PUBSUB, Dispatch.OCTET):
            yield self.numbers, {str(item.id): self.types[item.name] for item in self.messages}
        for item in self.protocol.enumerations:
            if item.name in self.enumerations:
                names, numbers = Scope("kaitai"), [m for m in item.members if isinstance(m.value, int)]
                members = {str(m.value): _member(names.name(snake(m.name)), m.doc) for m in numbers}
                yield self.enumerations[item.name], members

    # Messages and fields

    def message(self, message: Message) -> Node:
        if message.extensible:
            last = message.fields[-1].name if message.fields else ""
            raise UnsupportedByTarget("kaitai", message.name, last, "an extensible message")
        rules = [f"{rule.id}: {rule.text}" for rule in message.rules]
        rules += [
            f"{item.left} {item.operator} {item.right}, which is not checked." for item in message.relations
        ]
        text = "\n\n".join([message.doc.strip() or message.name, *rules])
        scope = Scope("kaitai")
        fields = present(message.fields, self.protocol)
        ids = {item.name: scope.name(snake(item.name)) for item in fields}
        self.varints = {item.name for item in fields if item.type is FieldType.VARINT}
        seq = [part for item in fields for part in self.field(item, ids, scope)]
        aside = [item.name for item in fields if item.type in (FieldType.FRAME, FieldType.MSG)]
        if aside:
            text += f"\n\nZeroMQ frames of their own follow: {', '.join(aside)}."
        return {"doc": text, "seq": seq} if seq else {"doc": text}

    def field(self, item: Field, ids: dict[str, str], scope: Scope) -> Iterator[Node]:
        """The parts of a field in a sequence, such as a length and a content; none for a ZeroMQ frame."""
        name = ids[item.name]
        doc = ". ".join(part.strip().removesuffix(".") for part in (item.doc, self.remark(item)) if part)
        more: dict[str, Node] = {"doc": doc} if doc else {}
        if item.value is not None:
            yield {"id": name, **self.constant(item), **more}
            return
        if item.reserved:
            yield {"id": name, "size": item.size, **more}
            return
        match item.type:
            case FieldType.FRAME | FieldType.MSG:
                return
            case FieldType.STRING | FieldType.CHUNK:
                length = scope.name(f"len_{name}")
                yield {"id": length, "type": f"u{item.size}", **_most(item, item.size)}
                if item.size == _GREAT:
                    yield _fits(scope.name(f"limit_{name}"), length)
                yield {"id": name, **_content(item, length), **self.one_of(item), **more}
            case FieldType.LIST | FieldType.STRINGS | FieldType.HASH:
                yield from self.repeated(item, name, ids, scope, more)
            case _:
                if item.length is not None:
                    yield _fits(scope.name(f"limit_{name}"), self.number_of(item.length, ids))
                yield {"id": name, **self.plain(item, ids), **more}

    def repeated(
        self, item: Field, name: str, ids: dict[str, str], scope: Scope, more: dict[str, Node]
    ) -> Iterator[Node]:
        if item.open_ended:
            yield {"id": name, **self.item(item, name), "repeat": "eos", **more}
            if item.max is not None:
                yield _expects(scope.name(f"limit_{name}"), f"{name}.size <= {item.max}")
            return
        count = ids.get(item.count or "", "")
        if not count:
            count = scope.name(f"num_{name}")
            size = item.size if item.type is FieldType.LIST else 4
            yield {"id": count, "type": f"u{size}", **_most(item, size)}
        kind = self.number_of(item.count, ids) if item.count else count
        if item.count and item.max is not None:
            yield _expects(scope.name(f"limit_{name}"), f"{kind} <= {item.max}")
        yield {"id": name, **self.item(item, name), "repeat": "expr", "repeat-expr": kind, **more}

    def number_of(self, name: str, ids: dict[str, str]) -> str:
        """An expression for the value of the number `name`, which other fields of the message use."""
        return f"{ids[name]}.value" if name in self.varints else ids[name]

    def item(self, item: Field, name: str) -> dict[str, Node]:
        """One item of a list."""
        if item.type is FieldType.STRINGS:
            return {"type": self.use("long_text")}
        if item.type is FieldType.HASH:
            return {"type": self.use("pair")}
        inner = item_of(item)
        if inner.type in (FieldType.NUMBER, FieldType.OCTETS, FieldType.UUID, FieldType.VARINT):
            return self.plain(inner, {})
        own = self.names.name(f"{name}_item")
        scope = Scope("kaitai")
        self.used[own] = {"seq": list(self.field(inner, {inner.name: scope.name("value")}, scope))}
        return {"type": own}

    def plain(self, item: Field, ids: dict[str, str]) -> dict[str, Node]:
        """A field with one part."""
        match item.type:
            case FieldType.NUMBER:
                kind: dict[str, Node] = {"type": f"{'s' if item.signed else 'u'}{item.size}"}
                named = item.enumeration is not None and not item.flags
                if named and item.max is None:
                    known = self.enumerations[str(item.enumeration)]
                    return {**kind, "enum": known, "valid": {"in-enum": True}}
                return {**kind, **_most(item, item.size)}
            case FieldType.VARINT:
                kind = {"type": self.use("zigzag" if item.signed else "varint")}
                return {**kind, **_limited(item, "_.value")}
            case FieldType.UUID:
                return {"size": 16}
            case FieldType.REST:
                return {"size-eos": True, **_limited(item, "_.length")}
            case _ if item.length is not None:
                return {"size": self.number_of(item.length, ids), **_limited(item, "_.length")}
            case _:
                return {"size": item.size}

    def constant(self, item: Field) -> dict[str, Node]:
        if item.type is FieldType.NUMBER and isinstance(item.value, int):
            return {"type": f"{'s' if item.signed else 'u'}{item.size}", "valid": item.value}
        encoded = constant_bytes(item)
        content = item.value if isinstance(item.value, str) and item.value.isascii() else None
        if content is not None and content.isprintable():
            before: list[Node] = [Hex(byte) for byte in encoded[: len(encoded) - len(content)]]
            return {"contents": [*before, content] if content else before}
        return {"contents": [Hex(byte) for byte in encoded]}

    def one_of(self, item: Field) -> dict[str, Node]:
        """The check that a text is a member of its enumeration; empty for fields that are not such a text."""
        if item.type is not FieldType.STRING or item.enumeration is None or item.text is Text.OCTETS:
            return {}
        members = next(enum.members for enum in self.protocol.enumerations if enum.name == item.enumeration)
        return {"valid": {"any-of": [f'"{m.value}"' for m in members if isinstance(m.value, str)]}}

    def remark(self, item: Field) -> str:
        """Sentences on what types do not express: characters, bits, derived and reserved fields; may be empty."""
        parts = []
        if item.type in (FieldType.STRING, FieldType.STRINGS, FieldType.HASH) and item.value is None:
            parts.append(_TEXTS[item.text])
        if item.flags and item.enumeration is not None:
            members = next(
                enum.members for enum in self.protocol.enumerations if enum.name == item.enumeration
            )
            parts.append("Bits: " + ", ".join(f"{member.name} {member.value}" for member in members) + ".")
        if item.derived:
            parts.append("Derived from the field that it counts or measures.")
        if item.reserved:
            parts.append("Reserved: zero when sent, ignored when received.")
        return " ".join(part for part in parts if part)

    def use(self, name: str) -> str:
        """Adds the shared type `name`, and the shared types in it, if they are missing. Returns `name`."""
        if name == "pair":
            self.use("short_text")
            self.use("long_text")
        if name == "zigzag":
            self.use("varint")
        self.used.setdefault(name, {"doc": _IMPORTED[name], **_LIBRARY[name]})
        return name


def _expects(name: str, expression: str, doc: str = "") -> Node:
    """A condition, as a part of size 0."""
    return {"id": name, "size": 0, "valid": {"expr": expression}, **({"doc": doc} if doc else {})}


_END = _expects("end", "_io.eof", "The frame ends after the last field.")
_GROUPS = " + ".join(
    f"(groups.size > {index} ? (groups[{index}].as<u8> & 0x7f) * {1 << 7 * index} : 0)" for index in range(10)
)
_LAST_GROUP = "(_ & 0x80) == 0 or groups.size == 10"
_VALUE: Node = {"id": "value", "type": "str", "size": "len_value", "encoding": "UTF-8"}
_LIBRARY: dict[str, dict[str, Node]] = {
    "short_text": {"seq": [{"id": "len_value", "type": "u1"}, _VALUE]},
    "long_text": {"seq": [{"id": "len_value", "type": "u4"}, _VALUE]},
    "pair": {"seq": [{"id": "key", "type": "short_text"}, {"id": "value", "type": "long_text"}]},
    "varint": {
        "seq": [
            {"id": "groups", "type": "u1", "repeat": "until", "repeat-until": _LAST_GROUP},
            _expects("end", "groups.size < 10 or groups[9] <= 1", "At most 64 bits."),
        ],
        "instances": {"value": {"value": _GROUPS}},
    },
    "zigzag": {
        "seq": [{"id": "raw", "type": "varint"}],
        "instances": {
            "value": {"value": "(raw.groups[0].as<u8> & 1) == 0 ? raw.value / 2 : -(raw.value / 2) - 1"}
        },
    },
}


def _has_numbers(item: Enumeration) -> bool:
    return any(isinstance(member.value, int) for member in item.members)


def _member(name: str, doc: str) -> Node:
    return {"id": name, "doc": doc} if doc else name


def _most(item: Field, size: int) -> dict[str, Node]:
    """The check of the field's limit; empty without a limit, or if `size` bytes cannot exceed it."""
    if item.max is None or item.max >= (1 << 8 * size) - 1:
        return {}
    return {"valid": {"max": item.max}}


def _limited(item: Field, value: str) -> dict[str, Node]:
    """The check that `value`, an expression, does not exceed the field's limit; empty without a limit."""
    return {} if item.max is None else {"valid": {"expr": f"{value} <= {item.max}"}}


def _fits(name: str, length: str) -> Node:
    """A check of a length against the remaining bytes; some runtimes only check 32 bits of it."""
    return _expects(name, f"{length} <= _io.size - _io.pos")


def _content(item: Field, length: str) -> dict[str, Node]:
    if item.type is FieldType.CHUNK or item.text is Text.OCTETS:
        return {"size": length}
    return {"type": "str", "size": length, "encoding": "UTF-8"}
