"""Converts a protocol to ABNF (RFC 5234, with the case-sensitive strings of RFC 7405).

Names of rules are case-insensitive: a message's rule is its name in upper case; the rules of its fields begin with that
name in lower case (``attach-stream``). If the name is taken, also by a core rule, it gets the suffix ``-MESSAGE`` or
``-field``, and a comment has the original name. A message with a role, ``C:ATTACH``, becomes the rule ``C-ATTACH``,
which is defined as the message. A rule of the grammar with the name of a string field, ``invalid-reason``, defines the
content of the field; the field's own rule is ``invalid-reason-field``.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ...ir import Bundle, Dispatch, Enumeration, Field, FieldType, Message, Protocol, Text
from ...naming import content_rule, kebab, snake
from ...plan.layout import constant_bytes, item_of

__all__ = ["FOLDER", "print_abnf", "render"]

FOLDER = PurePosixPath("generated/grammar")
_COMMENT_COLUMN = 40
_WIDTH = 100
_ROLE = re.compile(r"\b([A-Za-z]):([A-Za-z][A-Za-z0-9_-]*)")
_RULE = re.compile(r"^([A-Za-z][A-Za-z0-9-]*)\s*=", re.MULTILINE)
_CORE = {"ALPHA", "BIT", "CHAR", "CR", "CRLF", "CTL", "DIGIT", "DQUOTE", "HEXDIG", "HTAB", "LF", "LWSP"}
_CORE |= {"OCTET", "SP", "VCHAR", "WSP"}

#: The rules for a character of text.
_CHARACTERS = {Text.OCTETS: "OCTET", Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "VCHAR"}

#: Rules that fields share: body, comment. The rules that they need are found in their bodies.
_SHARED = {
    "signature": ("", "Two octets"),
    "topic": ("*( %x01-7F / utf8-2 / utf8-3 / utf8-4 )", "Up to the octet %x00"),
    "strings": ("number-4 *longstr", "As many as the number says"),
    "hash": ("number-4 *( string longstr )", "As many pairs as the number says"),
    "string": ("number-1 *{}", "As many octets of text as the number says"),
    "longstr": ("number-4 *{}", "As many octets of text as the number says"),
    "chunk": ("number-4 *OCTET", "As many octets as the number says"),
    "uuid": ("16OCTET", ""),
    "frame": ("*OCTET", "A ZeroMQ frame of its own"),
    "msg": ("*OCTET", "All remaining ZeroMQ frames"),
    "varint": ("*9( %x80-FF ) %x00-7F", "LEB128: seven bits in each octet, least significant first"),
    "number-1": ("1OCTET", "Numbers are in network byte order"),
    "number-2": ("2OCTET", "Numbers are in network byte order"),
    "number-4": ("4OCTET", "Numbers are in network byte order"),
    "number-8": ("8OCTET", "Numbers are in network byte order"),
    "printable": (
        "%x20-7E / %xC2 %xA0-BF / %xC3-DF utf8-tail / utf8-3 / utf8-4",
        "UTF-8 without U+0000 to U+001F and U+007F to U+009F",
    ),
    "utf8": ("%x00-7F / utf8-2 / utf8-3 / utf8-4", "Well-formed UTF-8, RFC 3629"),
    "utf8-2": ("%xC2-DF utf8-tail", ""),
    "utf8-3": (
        "%xE0 %xA0-BF utf8-tail / %xE1-EC 2utf8-tail / %xED %x80-9F utf8-tail / %xEE-EF 2utf8-tail",
        "",
    ),
    "utf8-4": ("%xF0 %x90-BF 2utf8-tail / %xF1-F3 3utf8-tail / %xF4 %x80-8F 2utf8-tail", ""),
    "utf8-tail": ("%x80-BF", ""),
}
_OF_TEXT = ("strings", "hash", "string", "longstr")
#: Names with a predefined meaning in grammars, in lower case.
_RESERVED = {name.lower() for name in _CORE} | set(_SHARED) | {"dictionary"}
_RESERVED |= {f"{name}-{text.value}" for name in (*_OF_TEXT, "dictionary") for text in Text}
_WORD = re.compile(r"(?:(?<=\d)|(?<![%\w-]))[a-z][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    body: str
    comment: str = ""
    above: str = ""


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """One grammar for each protocol."""
    return {FOLDER / f"{snake(p.name)}.abnf": print_abnf(p).encode() for p in bundle.protocols}


def print_abnf(protocol: Protocol) -> str:
    """The grammar as ASCII text: the session (if the model has its grammar), all messages, the shared rules in use."""
    printer = _Printer(protocol)
    messages = [rule for message in protocol.messages for rule in printer.message(message)]
    parts = [
        f"; {_ascii(protocol.title)}",
        *_comment(protocol.doc),
        ";",
        "; Each rule is defined once. Strings follow RFC 7405.",
    ]
    if protocol.grammar.strip():
        parts += ["", *printer.session()]
    parts += ["", *_print(printer.roles())] if printer.sent else []
    parts += _print([*messages, *printer.basics()])
    return "\n".join(line.rstrip() for line in parts).strip() + "\n"


def _ascii(text: str) -> str:
    """`text` on one line, with question marks for characters that are not ASCII."""
    return " ".join(text.split()).encode("ascii", "replace").decode()


def _comment(text: str) -> list[str]:
    lines, line = [], ";"
    for word in _ascii(text).split():
        if len(line) + len(word) >= _WIDTH:
            lines.append(line)
            line = ";"
        line += f" {word}"
    return [*lines, line] if line != ";" else lines


def _print(rules: list[_Rule]) -> list[str]:
    """The rules as lines. A rule with `above` begins a group with that comment; a group's names have one width."""
    lines: list[str] = []
    width = 0
    for index, rule in enumerate(rules):
        if rule.above or index == 0:
            group = [rule, *itertools.takewhile(lambda other: not other.above, rules[index + 1 :])]
            width = max(len(member.name) for member in group)
        if rule.above:
            lines += ["", *_comment(rule.above)]
        lines += _rule_lines(rule, width)
    return lines


def _rule_lines(rule: _Rule, width: int) -> list[str]:
    head = f"{rule.name:<{width}} = "
    lines = textwrap.wrap(
        rule.body,
        _WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )
    if rule.comment:
        lines[-1] = f"{lines[-1]:<{_COMMENT_COLUMN - 1}} ; {_ascii(rule.comment)}"
    return lines


class _Printer:
    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.sent: dict[str, str] = {}  # C-ATTACH → ATTACH
        self._texts = tuple(dict.fromkeys(_texts(protocol)))
        self._needs: set[str] = set()
        self._plain = {message.name: kebab(message.name).upper() for message in protocol.messages}
        grammar = "\n".join(self._session_lines())
        self._defined = {name.lower() for name in _RULE.findall(grammar)}
        self._taken = _RESERVED | self._defined | {name.lower() for name in self.sent}
        # Names that stay unchanged are assigned first, so that no other rule can take them
        keep = [name for name, rule in self._plain.items() if rule.lower() not in self._taken]
        order = dict.fromkeys((*keep, *self._plain))
        self._names = {name: self._take(self._plain[name], "-MESSAGE") for name in order}
        self.sent = {role: self._names.get(name, name) for role, name in self.sent.items()}

    def _take(self, name: str, suffix: str) -> str:
        """Reserves the name of a rule, compared without case: `name`, with suffixes until it is unique."""
        while name.lower() in self._taken:
            name += suffix
        self._taken.add(name.lower())
        return name

    # --- the session

    def _session_lines(self) -> list[str]:
        known = {snake(name): name for name in self._plain}

        def named(match: re.Match[str]) -> str:
            role, message = match.group(1).upper(), match.group(2)
            name = known.get(snake(message))
            rule = f"{role}-{self._plain[name] if name else message.replace('_', '-')}"
            self.sent.setdefault(rule, name or message.replace("_", "-"))
            return rule

        return [_ROLE.sub(named, line) for line in self.protocol.grammar.strip("\n").splitlines()]

    def session(self) -> list[str]:
        """The lines of the session grammar in ASCII; ``C:ATTACH`` becomes the rule's name ``C-ATTACH``."""
        return [_ascii_line(line) for line in self._session_lines()]

    def roles(self) -> list[_Rule]:
        """The rules for messages with a role."""
        who = {"C": "sent by the client", "S": "sent by the server"}
        return [_Rule(name, rule, who.get(name[0], "")) for name, rule in sorted(self.sent.items())]

    # --- messages

    def message(self, message: Message) -> list[_Rule]:
        """The message's rule, then one for each field in wire order. Reserves the names of the fields' rules."""
        name = self._names[message.name]
        fields = [self._field(message, field) for field in message.fields]
        tail = [field.name for field in message.fields if field.default is not None]
        names = [rule.name for rule in fields]
        names = [
            f"[ {name}" if field.name in tail else name
            for field, name in zip(message.fields, names, strict=True)
        ]
        body = " ".join(
            [*self._head(message), *names, *(["*OCTET"] if message.extensible else []), *("]" for _ in tail)]
        )
        called = "" if name == self._plain[message.name] else f"called {message.name}"
        return [_Rule(name, body or '""', called, above=message.doc or message.name), *fields]

    def _head(self, message: Message) -> list[str]:
        match self.protocol.dispatch:
            case Dispatch.SIGNATURE:
                return [self._need("signature"), f"%d{message.id}"]
            case Dispatch.PUBSUB:
                return [f"%d{message.id}", self._need("topic"), "%x00"]
            case Dispatch.OCTET:
                return [f"%d{message.id}"]
            case Dispatch.NAME:
                return [f"%d{len(message.name)}", f'%s"{message.name}"']
            case Dispatch.CONSTANT:
                return []

    def _field(self, message: Message, field: Field) -> _Rule:
        plain = f"{self._names[message.name].lower()}-{kebab(field.name)}"
        name = self._take(plain, "-field")
        notes = [field.doc.strip().rstrip("."), *self._notes(field)]
        notes += [] if name == plain else [f"called {field.name}"]
        content = content_rule(message.name, field.name)
        if content in self._defined and field.is_free_text:
            body = f"{self._need(f'number-{field.size}')} {content}"
        else:
            body = self._body(field)
        return _Rule(name, body, "; ".join(note for note in notes if note))

    def _enumeration(self, field: Field) -> Enumeration:
        return next(enum for enum in self.protocol.enumerations if enum.name == field.enumeration)

    def _notes(self, field: Field) -> list[str]:
        notes = []
        if field.enumeration is not None:
            notes.append(", ".join(member.name for member in self._enumeration(field).members))
        number = field.items or field  # the signed number: a list's items, or the field itself
        if number.signed:
            notes.append("zigzag" if number.type is FieldType.VARINT else "two's complement")
        if field.max is not None:
            notes.append(f"at most {field.max}")
        if field.count is not None:
            notes.append(f"as many as {field.count} says")
        if field.length is not None:
            notes.append(f"as many as {field.length} says")
        if field.flags:
            notes.append("any bits of these")
        if field.open_ended:
            notes.append(f"{'strings ' * (field.type is FieldType.STRINGS)}to the end of the frame")
        if field.reserved:
            notes.append("reserved")
        return notes

    def _body(self, field: Field) -> str:
        if field.value is not None:
            return _constant(field)
        listed = field.type is FieldType.LIST
        if field.enumeration is not None and not field.flags and not listed:
            return _alternatives(self._enumeration(field), field)
        match field.type:
            case FieldType.NUMBER:
                return self._need(f"number-{field.size}")
            case FieldType.STRING if field.text is Text.OCTETS:
                return f"{self._need(f'number-{field.size}')} *OCTET"
            case FieldType.STRING:
                return self._text("string" if field.size == 1 else "longstr", field.text)
            case FieldType.STRINGS if field.open_ended:
                return f"*{self._text('longstr', field.text)}"
            case FieldType.HASH if field.open_ended:
                return f"*( {self._text('string', field.text)} {self._text('longstr', field.text)} )"
            case FieldType.STRINGS | FieldType.HASH:
                return self._text(field.type.value, field.text)
            case FieldType.CHUNK if field.size != 4:
                return f"{self._need(f'number-{field.size}')} *OCTET"
            case FieldType.OCTETS if field.length is None:
                return f"{field.size}OCTET"
            case FieldType.OCTETS | FieldType.REST:
                return "*OCTET"
            case FieldType.LIST:
                item = self._body(item_of(field))
                many = f"*( {item} )" if " " in item or item[0].isdigit() else f"*{item}"
                counted = field.count or field.open_ended
                return many if counted else f"{self._need(f'number-{field.size}')} {many}"
            case _:
                return self._need(field.type.value)

    # --- shared rules

    def _need(self, name: str) -> str:
        """Records that the shared rule `name` is used, and returns `name`."""
        self._needs.add(name)
        return name

    def _text(self, name: str, text: Text) -> str:
        """Records the use of the shared rule for a class of text, and returns its name; the first class gets `name`."""
        return self._need(name if (text,) == self._texts[:1] else f"{name}-{text.value}")

    def basics(self) -> list[_Rule]:
        """The shared rules in use, also by each other, in the order of `_SHARED`. The first has the heading."""
        used: dict[str, _Rule] = {}
        waiting = sorted(self._needs)
        while waiting:
            name = waiting.pop()
            if name not in used:
                used[name] = self._shared(name)
                waiting += _WORD.findall(used[name].body)
        order = [f"{name}{suffix}" for name in _SHARED for suffix in ("", *(f"-{t.value}" for t in Text))]
        rules = [used[name] for name in order if name in used]
        return [
            _Rule(r.name, r.body, r.comment, "Shared rules" if not i else "") for i, r in enumerate(rules)
        ]

    def _shared(self, name: str) -> _Rule:
        if name == "signature":
            return _Rule(name, f"%xAA %xA{self.protocol.signature:X}", _SHARED[name][1])
        text = next((kind for kind in Text if name.endswith(f"-{kind.value}")), None)
        plain = name.removesuffix(f"-{text.value}") if text else name
        body, comment = _SHARED[plain] if plain in _OF_TEXT or not text else _SHARED[name]
        if plain in _OF_TEXT:
            suffix = f"-{text.value}" if text else ""
            body = _WORD.sub(lambda m: m.group() + (suffix if m.group() in _OF_TEXT else ""), body)
            body = body.format(_CHARACTERS[text or self._texts[0]])
        return _Rule(name, body, comment)


def _texts(protocol: Protocol) -> list[Text]:
    """The class of each string and string item in the model's order, with repetitions; without arbitrary octets."""
    texts: list[Text] = []
    for message in protocol.messages:
        for field in message.fields:
            inner = field.items or field
            if (
                inner.type in (FieldType.STRING, FieldType.STRINGS, FieldType.HASH)
                and inner.text is not Text.OCTETS
            ):
                texts.append(inner.text)
    return texts


def _ascii_line(line: str) -> str:
    return line.encode("ascii", "replace").decode()


def _dotted(value: bytes) -> str:
    return "%x" + ".".join(f"{byte:02X}" for byte in value)


def _characters(value: bytes) -> str:
    """A case-sensitive ABNF string if all octets are printable ASCII without quotes, else numbers; ``""`` if empty."""
    if value and all(0x20 <= byte <= 0x7E and byte != 0x22 for byte in value):
        return f'%s"{value.decode()}"'
    return _dotted(value) if value else '""'


def _constant(field: Field) -> str:
    content = constant_bytes(field)
    if isinstance(field.value, int):
        return _dotted(content)
    if field.type in (FieldType.STRING, FieldType.CHUNK):
        return f"{_dotted(content[: field.size])} {_characters(content[field.size :])}"
    return _characters(content)


def _alternatives(enumeration: Enumeration, field: Field) -> str:
    """The values of an enumeration, each encoded as `field`, as ABNF alternatives."""
    return " / ".join(_constant(replace(field, value=member.value)) for member in enumeration.members)
