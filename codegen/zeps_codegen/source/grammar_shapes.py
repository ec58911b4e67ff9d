"""Detection of a field's type from its rule: numbers, strings, chunks, lists, octets, constants."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .abnf import Alternation, Chars, Element, Grammar, Numbers, Prose, Reference, Repetition, Rule, walk
from .grammar_heads import called, items_of, literal

__all__ = ["Shape", "Shapes"]

_DEPTH = 8
_CHARACTERS = {"vchar": None, "char": None, "utf8": "utf-8", "printable": "printable"}
#: The least and the greatest byte of core rules for text.
_CORE_TEXT = {"alpha": b"Az", "digit": b"09", "dquote": b'""', "hexdig": b"0F", "sp": b"  ", "vchar": b"!~"}
_REST = "rest"  # the count of an open-ended field
_PLAIN = ("uuid", "frame", "msg", "varint")
_OF_TEXT = re.compile(r"(strings|hash|dictionary)(?:-(octets|utf-8|printable|vchar))?")
_NOTES = (
    ("max", re.compile(r"at most (\d+)")),
    ("says", re.compile(r"as many as (\w+) says")),
    ("signed", re.compile(r"(two's complement|zigzag)")),
    ("rest", re.compile(r"((?:strings )?to the end of the frame)")),
    ("reserved", re.compile(r"(reserved)")),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """The attributes of a field in a model. `value` is a constant; `from_comment` if only a comment has the value."""

    type: str
    size: int | None = None
    value: str | int | None = None
    of: str | None = None
    count: str | None = None
    length: str | None = None
    max: int | None = None
    signed: bool = False
    reserved: bool = False
    text: str | None = None
    doc: str = ""
    line: int = 0
    from_comment: bool = False
    name: str | None = None  # if it differs from the rule's name
    values: int = 0  # the number of enumerated values in the grammar
    content: str | None = None  # the rule for the content of the text, in lower case

    def attributes(self) -> dict[str, str]:
        """The attributes of the field, without its name."""
        signed = "true" if self.signed else None
        pairs = {"of": self.of, "size": self.size, "signed": signed, "text": self.text, "count": self.count}
        pairs |= {"length": self.length, "max": self.max, "value": self.value}
        pairs |= {"reserved": "true"} if self.reserved else {}
        return {"type": self.type} | {name: str(value) for name, value in pairs.items() if value is not None}


class Shapes:
    """Determines the shapes of fields. Rules that are messages are never expanded."""

    def __init__(self, grammar: Grammar, messages: frozenset[Rule]) -> None:
        self.grammar = grammar
        self.messages = messages

    def of(self, item: Element, line: int, last: bool) -> Shape | None:
        """The shape of `item` in a message's rule on `line`, `last` if no other follows; None if it is not a field."""
        rule = self.rule(item.name, line) if isinstance(item, Reference) else None
        shape = self.shape(item, line, _DEPTH)
        if rule is None:
            shape = self.any_number(item, None, last) or shape
            return shape if shape is None or shape.type != "rest" or last else None
        name = called(rule)
        doc, notes = _notes(" ".join(comment.text for comment in rule.beside), name)
        shape = self.any_number(rule.element, notes.get("says"), last) or shape
        if shape is None:
            return None
        shape = replace(shape, name=name, doc=doc, line=rule.line, signed="signed" in notes)
        if notes.get("rest", "").startswith("strings") and shape.of == "longstr":
            shape = replace(shape, type="strings", of=None)
        if "reserved" in notes and shape.type in ("number", "octets") and shape.value is None:
            shape = replace(shape, reserved=True)
        if "max" in notes:
            shape = replace(shape, max=int(notes["max"]))
        return shape if shape.value is not None else _constant_of_comment(shape)

    def rule(self, name: str, line: int) -> Rule | None:
        """The definition of a name used on `line`: the next rule of that name, or else the last; None without one."""
        rules = [rule for rule in self.grammar.named(name) if rule not in self.messages]
        after = [rule for rule in rules if rule.line >= line]
        return after[0] if after else (rules[-1] if rules else None)

    def any_number(self, element: Element, says: str | None, last: bool) -> Shape | None:
        """The shape of `*element`, counted by the field that a comment names (`says`) or open-ended; otherwise None."""
        if not isinstance(element, Repetition) or (element.least, element.most) != (0, None):
            return None
        if _is_octet(element.item):
            if says is not None:
                return Shape("octets", length=says)
            return Shape("rest") if last else None
        if says is None and not last:
            return None
        item = self.shape(element.item, 0, _DEPTH)
        if item is not None:
            return _list(item, says or _REST)
        return self.pairs(element.item) if says is None else None

    def pairs(self, element: Element) -> Shape | None:
        """The shape of a hash if the element, its item, is a string and a long string; otherwise None."""
        rule = self.rule(element.name, element.line) if isinstance(element, Reference) else None
        parts = items_of(rule.element if rule else element)
        if len(parts) != 2:
            return None
        key, value = (self.shape(part, 0, _DEPTH) for part in parts)
        if key is None or value is None:
            return None
        if (key.type, value.type) == ("string", "longstr"):
            return Shape("hash", count=_REST, text=key.text)
        if (key.type, key.size, value.type, value.size) == ("chunk", 1, "chunk", None):
            return Shape("hash", count=_REST, text="octets")
        return None

    def shape(self, element: Element, line: int, depth: int) -> Shape | None:
        if depth == 0:
            return None
        if isinstance(element, Reference):
            return self.named(element, line, depth)
        if isinstance(element, Repetition) and _is_octet(element.item):
            if element.least == element.most:
                return Shape("octets", element.least)
            return Shape("rest") if (element.least, element.most) == (0, None) else None
        if (content := literal(element, self.grammar, 0)) is not None:
            return _constant(element, bytes(content))
        if isinstance(element, Alternation):
            return self.values(element)
        items = items_of(element)
        return self.counted(items[0], items[1], line, depth) if len(items) == 2 else None

    def named(self, item: Reference, line: int, depth: int) -> Shape | None:
        name = item.name.lower()
        if match := re.fullmatch(r"number-([1248])", name):
            return Shape("number", int(match.group(1)))
        if name in _PLAIN:
            return Shape(name)
        if match := _OF_TEXT.fullmatch(name):
            rule = self.rule(name, line)
            text = match.group(2) or (self.text_within(rule, _DEPTH) if rule else None)
            return Shape("strings" if match.group(1) == "strings" else "hash", text=text)
        rule = self.rule(name, line)
        if rule is not None:
            return self.shape(rule.element, rule.line, depth - 1)
        return Shape(name) if name in ("string", "longstr", "chunk") else None

    def text_within(self, rule: Rule, depth: int) -> str | None:
        """The class of text of the rule's strings; None for the model's own, or if it is unknown."""
        names = [item.name.lower() for item in _leaves(rule.element)]
        for name in names:
            if name in _CHARACTERS:
                return _CHARACTERS[name]
        inner = [other for name in names if depth and (other := self.rule(name, rule.line)) is not None]
        return next((text for other in inner if (text := self.text_within(other, depth - 1))), None)

    def counted(self, count: Element, items: Element, line: int, depth: int) -> Shape | None:
        """The shape of a length or count, followed by bytes, characters or items; None for other elements."""
        length = self.shape(count, line, depth - 1)
        if length is None or length.type != "number" or length.value is not None:
            return None
        if isinstance(items, Reference):
            return self.text_of_a_form(length.size, items, line)
        if not isinstance(items, Repetition) or (items.least, items.most) not in ((0, None), (0, 255)):
            return None
        if _is_octet(items.item):
            return Shape("chunk", None if length.size == 4 else length.size)
        if isinstance(items.item, Reference) and items.item.name.lower() in _CHARACTERS:
            text = _CHARACTERS[items.item.name.lower()]
            kinds = {1: "string", 4: "longstr"}
            return Shape(kinds[length.size], text=text) if length.size in kinds else None
        item = self.shape(items.item, line, depth - 1)
        return None if item is None else _list(item, str(length.size))

    def text_of_a_form(self, size: int | None, content: Reference, line: int) -> Shape | None:
        """The shape of a string whose content has a rule; None if that allows control characters. Bytes beyond ASCII
        are taken for UTF-8.
        """
        kind = {1: "string", 4: "longstr"}.get(size or 0)
        bounds = self.bounds(content, line, _DEPTH)
        if kind is None or any(bound < 0x20 or bound == 0x7F for bound in bounds):
            return None
        visible = all(0x20 < bound < 0x7F for bound in bounds)
        return Shape(kind, text="vchar" if visible else "printable", content=content.name.lower())

    def bounds(self, element: Element, line: int, depth: int) -> bytes:
        """The bounds of each range of bytes that `element` derives; 0 for an unknown bound."""
        bounds = b""
        for item in walk(element):
            match item:
                case Chars():
                    bounds += item.text.encode()
                case Numbers(values=values, last=last):
                    ends = values if last is None else (*values, last)
                    bounds += bytes(end if end < 256 else 0 for end in ends)
                case Prose():
                    bounds += b"\0"
                case Reference():
                    rule = self.rule(item.name, line)
                    if rule is None or depth == 0:
                        bounds += _CORE_TEXT.get(item.name.lower(), b"\0")
                    else:
                        bounds += self.bounds(rule.element, rule.line, depth - 1)
        return bounds

    def values(self, element: Alternation) -> Shape | None:
        """The shape of a choice of constants of one type and size, an enumeration in a model; otherwise None."""
        shapes = []
        for item in element.items:
            content = literal(item, self.grammar, 0)
            shapes.append(None if content is None else _constant(item, bytes(content)))
        kinds = {(shape.type, shape.size) for shape in shapes if shape is not None}
        if None in shapes or len(kinds) != 1:
            return None
        kind, size = kinds.pop()
        return Shape(kind, size, values=len(shapes)) if kind in ("number", "string", "longstr") else None


def _leaves(element: Element) -> list[Reference]:
    return [item for item in walk(element) if isinstance(item, Reference)]


def _list(item: Shape, count: str) -> Shape | None:
    if item.type not in ("number", "varint", "string", "longstr", "chunk", "uuid", "octets"):
        return None
    return Shape("list", item.size, of=item.type, count=count, text=item.text)


def _is_octet(element: Element) -> bool:
    return isinstance(element, Reference) and element.name.lower() == "octet"


def _constant(element: Element, data: bytes) -> Shape:
    """The shape of literal bytes: a number, a length and a text, or octets."""
    items = items_of(element)
    if len(items) == 1 and isinstance(items[0], Numbers):
        if len(data) in (1, 2, 4, 8):
            return Shape("number", len(data), int.from_bytes(data, "big"))
        return Shape("octets", len(data), "0x" + data.hex())
    if isinstance(items[0], Numbers) and len(items) == 2:
        size = len(items[0].values)
        text = _text(data[size:])
        if text is not None and size in (1, 4) and int.from_bytes(data[:size], "big") == len(data) - size:
            return Shape("string" if size == 1 else "longstr", None, text)
    plain = _text(data)
    return Shape("octets", len(data), "0x" + data.hex() if plain is None else plain)


def _text(data: bytes) -> str | None:
    """Decodes the bytes as text that a model can hold; None if it cannot."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() and not text.startswith("0x") and text == text.strip() else None


def _notes(comment: str, name: str | None) -> tuple[str, dict[str, str]]:
    """Splits a comment into its text and the notes of `zeps-codegen abnf`, by the names in _NOTES."""
    notes: dict[str, str] = {}
    doc = []
    for part in comment.split("; "):
        if name is not None and part == f"called {name}":
            continue
        for kind, pattern in _NOTES:
            if match := pattern.fullmatch(part):
                notes[kind] = match.group(1)
                break
        else:
            doc.append(part)
    return "; ".join(doc), notes


def _constant_of_comment(shape: Shape) -> Shape:
    """Recognises constants that zproto prints as comments: `Constant "ZEPS"`, `Protocol version 1`."""
    if shape.type in ("string", "longstr") and (match := re.fullmatch(r'Constant "([^"]+)"\.?', shape.doc)):
        return replace(shape, value=match.group(1), from_comment=True)
    number = re.fullmatch(r"(?:Protocol )?version(?: number)? \(?(\d+)\)?\.?", shape.doc, re.IGNORECASE)
    if shape.type == "number" and number:
        return replace(shape, value=int(number.group(1)), from_comment=True)
    return shape
