"""What lies on the wire where a grammar has a rule: numbers, strings, chunks, octets, constants."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .abnf import Chars, Concatenation, Element, Grammar, Numbers, Reference, Repetition, Rule

__all__ = ["Head", "Shape", "Shapes", "head_octets"]


@dataclass(frozen=True, slots=True)
class Head:
    """How a message's rule begins: its signature (0 to 15) and id; `rest` are its fields."""

    signature: int
    id: int
    rest: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A field as a model writes it. `value` is a constant; `from_comment` if only a comment says so."""

    type: str
    size: int | None = None
    value: str | int | None = None
    doc: str = ""
    line: int = 0
    from_comment: bool = False


def head_octets(rule: Rule, grammar: Grammar) -> Head | None:
    """The message that a rule is; None if it is none."""
    items = rule.element.items if isinstance(rule.element, Concatenation) else (rule.element,)
    octets: list[int] = []
    used = 0
    while len(octets) < 3 and used < len(items):
        item = items[used]
        found = literal(item, grammar, 4 if isinstance(item, Reference) and not octets else 0)
        if found is None or len(octets) + len(found) > 3:
            return None
        octets += found
        used += 1
    if len(octets) < 3 or octets[0] != 0xAA or not (octets[1] & 0xF0 == 0xA0 or octets[1] < 16):
        return None  # zproto once printed the signature's number in place of its octet
    return Head(octets[1] & 0x0F, octets[2], items[used:])


def literal(element: Element, grammar: Grammar, depth: int) -> list[int] | None:
    """The octets that an element always is, or None. References are followed `depth` deep."""
    if isinstance(element, Numbers):
        ok = element.last is None and all(value < 256 for value in element.values)
        return list(element.values) if ok else None
    if isinstance(element, Chars):
        return list(element.text.encode())
    if isinstance(element, Concatenation):
        parts = [literal(item, grammar, depth) for item in element.items]
        return (
            None if any(part is None for part in parts) else [octet for part in parts for octet in part or ()]
        )
    if isinstance(element, Repetition) and element.least == element.most:
        part = literal(element.item, grammar, depth)
        return None if part is None else part * element.least
    if isinstance(element, Reference) and element.role is None and depth > 0:
        rules = grammar.named(element.name)
        return literal(rules[0].element, grammar, depth - 1) if rules else None
    return None


class Shapes:
    """Finds out what fields are. Rules that are messages are never looked into."""

    def __init__(self, grammar: Grammar, messages: frozenset[Rule]) -> None:
        self.grammar = grammar
        self.messages = messages

    def of(self, item: Element, line: int) -> Shape | None:
        """The shape of `item`, which stands in a message's rule on `line`; None if it has none."""
        rule = self.rule(item.name, line) if isinstance(item, Reference) else None
        shape = self.shape(item, line, 8)
        if shape is None or rule is None:
            return shape
        doc = " ".join(comment.text for comment in rule.beside)
        shape = replace(shape, doc=doc, line=rule.line)
        return shape if shape.value is not None else _constant_of_comment(shape)

    def rule(self, name: str, line: int) -> Rule | None:
        """The rule that a name means in a rule on `line`: the next of that name, or else the last."""
        rules = [rule for rule in self.grammar.named(name) if rule not in self.messages]
        after = [rule for rule in rules if rule.line >= line]
        return after[0] if after else (rules[-1] if rules else None)

    def shape(self, element: Element, line: int, depth: int) -> Shape | None:
        if depth == 0:
            return None
        if isinstance(element, Reference):
            return self.named(element, line, depth)
        if isinstance(element, Repetition) and _is_octet(element.item) and element.least == element.most:
            return Shape("octets", element.least)
        constant = _constant(element)
        if constant is not None:
            return constant
        if isinstance(element, Concatenation) and len(element.items) == 2:
            return self.counted(element.items[0], element.items[1], line, depth)
        return None

    def named(self, item: Reference, line: int, depth: int) -> Shape | None:
        name = item.name.lower()
        if found := re.fullmatch(r"number-([1248])", name):
            return Shape("number", int(found.group(1)))
        if name in ("strings", "hash", "dictionary", "uuid", "frame", "msg"):
            return Shape("hash" if name == "dictionary" else name)
        rule = self.rule(name, line)
        if rule is not None:
            return self.shape(rule.element, rule.line, depth - 1)
        return Shape(name) if name in ("string", "longstr", "chunk") else None

    def counted(self, count: Element, items: Element, line: int, depth: int) -> Shape | None:
        """A length and so many octets or characters."""
        length = self.shape(count, line, depth - 1)
        if length is None or length.type != "number" or length.value is not None:
            return None
        if not isinstance(items, Repetition) or (items.least, items.most) not in ((0, None), (0, 255)):
            return None
        if _is_octet(items.item):
            return Shape("chunk", None if length.size == 4 else length.size)
        if length.size in (1, 4):
            return Shape("string" if length.size == 1 else "longstr")
        return None


def _is_octet(element: Element) -> bool:
    return isinstance(element, Reference) and element.name.lower() == "octet"


def _constant(element: Element) -> Shape | None:
    """Octets written out: a number, or a length and a text, or just octets."""
    if isinstance(element, Numbers) and element.last is None and len(element.values) in (1, 2, 4, 8):
        return Shape("number", len(element.values), int.from_bytes(bytes(element.values), "big"))
    if isinstance(element, Concatenation) and len(element.items) == 2:
        length, text = element.items
        if isinstance(length, Numbers) and isinstance(text, Chars):
            octets = bytes(length.values)
            if len(octets) in (1, 4) and int.from_bytes(octets, "big") == len(text.text.encode()):
                return Shape("string" if len(octets) == 1 else "longstr", None, text.text)
    if isinstance(element, Chars):
        return Shape("octets", len(element.text.encode()), element.text)
    if isinstance(element, Numbers) and element.last is None:
        return Shape("octets", len(element.values), "0x" + bytes(element.values).hex())
    return None


def _constant_of_comment(shape: Shape) -> Shape:
    """zproto prints constants as comments: `Constant "ZEPS"`, `Protocol version 1`."""
    if shape.type in ("string", "longstr") and (found := re.fullmatch(r'Constant "([^"]+)"\.?', shape.doc)):
        return replace(shape, value=found.group(1), from_comment=True)
    number = re.fullmatch(r"(?:Protocol )?version(?: number)? \(?(\d+)\)?\.?", shape.doc, re.IGNORECASE)
    if shape.type == "number" and number:
        return replace(shape, value=int(number.group(1)), from_comment=True)
    return shape
