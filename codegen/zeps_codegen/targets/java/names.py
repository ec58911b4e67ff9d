"""Names and types in Java: packages, classes, members, and how literals and comments are spelled."""

from __future__ import annotations

import textwrap
from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from ...ir import Enumeration, Text
from ...naming import Scope, camel, pascal, screaming, usable, words
from ...plan.operations import Apart, Content, Items, Number, Operation, Topic

__all__ = [
    "CLASSES",
    "LOCALS",
    "MEMBERS",
    "OBJECT",
    "ROOT",
    "Imports",
    "ProtocolNames",
    "Qualified",
    "above",
    "boxed",
    "component",
    "constant",
    "is_member",
    "is_string_enumeration",
    "javadoc",
    "join_doc",
    "literal",
    "local_scope",
    "long_literal",
    "number_literal",
    "number_type",
    "package",
    "sentence",
    "text_verb",
]

#: The package of what does not depend on the model; each protocol and each machine has one below it.
ROOT = "zeps.wire"
WIDTH = 92

_OBJECT = "clone equals finalize getClass hashCode notify notifyAll toString wait"
_MESSAGE = "encode encodeFrames encodeTo encodedSize messageId messageName read toMessage"
_JAVA = """ArrayList Boolean ByteBuffer Character Class Comparable Deprecated Enum Exception Integer Iterable List
Long Map Math Object Objects Override Record RuntimeException String StringBuilder SuppressWarnings System Void"""
_ZEPS = """DecodeException EncodeException Entry ErrorCode Machine Message Octets Row Table Text
UnexpectedEventException Unsigned View Wire Writer"""
_METHODS = "at data end frames i item offset out size start total"

#: The members of every object.
OBJECT = frozenset(_OBJECT.split())
#: What a record's component may not be called: members of every object and of every message.
MEMBERS = OBJECT | frozenset(_MESSAGE.split())
#: What generated classes import or take from `java.lang`: nothing else may have one of these names.
CLASSES = frozenset(_JAVA.split()) | frozenset(_ZEPS.split())
#: What the statements of generated methods call their own.
LOCALS = frozenset(_METHODS.split())

_TEXTS = {Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "vchar"}

_RUNTIME = {
    "ByteBuffer": "java.nio",
    "ArrayList": "java.util",
    "List": "java.util",
    "Objects": "java.util",
    "DecodeException": ROOT,
    "EncodeException": ROOT,
    "Entry": ROOT,
    "ErrorCode": ROOT,
    "Machine": ROOT,
    "UnexpectedEventException": ROOT,
    "Unsigned": ROOT,
    "Octets": ROOT,
    "Row": ROOT,
    "Table": ROOT,
    "Text": ROOT,
    "Wire": ROOT,
}


class Imports:
    """Which classes a file uses; those of its own package and of `java.lang` need no import."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def use(self, *names: str) -> str:
        """The first of `names`, all of which are then imported. They are those of the runtime, or fully qualified."""
        for name in names:
            self._used.add(_qualified(name))
        return names[0].rsplit(".", 1)[-1]

    def lines(self) -> list[str]:
        return sorted(self._used)


class Qualified(Imports):
    """Imports nothing: every class is called by its whole name."""

    def use(self, *names: str) -> str:
        return _qualified(names[0])


def _qualified(name: str) -> str:
    return name if "." in name else f"{_RUNTIME[name]}.{name}"


def package(name: str, taken: Container[str] = ()) -> str:
    """The last part of the package of a protocol or a machine: its words, joined as Java's packages are."""
    return usable("".join(words(name)), "java", taken)


def component(name: str) -> str:
    """A record's component or a machine's member, as long as no other claims it."""
    return usable(camel(name), "java", MEMBERS)


def constant(name: str) -> str:
    return usable(screaming(name), "java")


def local_scope(taken: Iterable[str] = ()) -> Scope:
    """The locals of a generated method."""
    return Scope("java", LOCALS | frozenset(taken))


@dataclass(slots=True)
class ProtocolNames:
    """The classes of one protocol's package."""

    package: str  # the whole name
    main: str  # the class of constants and of `decode`
    enumerations: dict[str, Enumeration]
    messages: dict[str, str] = field(default_factory=dict)
    classes: dict[str, str] = field(default_factory=dict)  # of enumerations

    @classmethod
    def of(
        cls, package_name: str, protocol: str, messages: Iterable[str], enumerations: Iterable[Enumeration]
    ) -> ProtocolNames:
        """All names, so that none stands twice."""
        scope = Scope("java", CLASSES)
        listed = list(enumerations)
        names = cls(f"{ROOT}.{package_name}", scope.name(pascal(protocol)), {one.name: one for one in listed})
        for message in messages:
            names.messages[message] = scope.name(pascal(message))
        for one in listed:
            names.classes[one.name] = scope.name(pascal(one.name))
        return names

    def java_type(self, operation: Operation, imports: Imports) -> str:
        """The type of what a decoder makes."""
        match operation:
            case Number(enumeration=str(name)) | Content(enumeration=str(name)) if is_member(operation):
                return self.classes[name]
            case Number():
                return number_type(operation)
            case Topic() | Content(text=Text()):
                return "String"
            case Items(parts=(key, _)):
                return f"{imports.use('List')}<{imports.use('Entry')}<{self.java_type(key, imports)}>>"
            case Items():
                return f"{imports.use('List')}<{boxed(self.java_type(operation.item, imports))}>"
            case Apart(is_rest=True):
                return f"{imports.use('List')}<{imports.use('Octets')}>"
            case _:
                return imports.use("Octets")


def boxed(kind: str) -> str:
    """The class that a list has for a type."""
    return {"int": "Integer", "long": "Long", "boolean": "Boolean"}.get(kind, kind)


def is_member(operation: Operation) -> bool:
    """Whether the value is a member of an enumeration: one of its class, not bits."""
    match operation:
        case Number(enumeration=str(), flags=False) | Content(enumeration=str()):
            return True
        case _:
            return False


def text_verb(operation: Operation) -> str:
    """What begins the names of the runtime's methods for the operation's text; empty if it is none."""
    match operation:
        case Topic():
            return _TEXTS[Text.UTF8]
        case Content(text=Text() as text):
            return _TEXTS[text]
        case _:
            return ""


def number_type(number: Number) -> str:
    """The type that holds what the octets say."""
    return "int" if number.bits < 32 or (number.bits == 32 and number.signed) else "long"


def number_literal(value: int, kind: str) -> str:
    """A limit of a number of that type; what no int reaches is a long."""
    if kind == "long":
        return long_literal(value)
    return str(value) if value < 1 << 31 else long_literal(min(value, (1 << 63) - 1))


def above(length: str, limit: int) -> str:
    """The test whether an int is beyond a limit."""
    return f"{length} > {number_literal(limit, 'int')}"


def is_string_enumeration(one: Enumeration) -> bool:
    return bool(one.members) and all(isinstance(member.value, str) for member in one.members)


def long_literal(value: int) -> str:
    """A number of 64 bits; from 2^63 on it is negative."""
    return f"{value - (1 << 64) if value >= 1 << 63 else value}L"


def literal(text: str) -> str:
    """A string in double quotes."""
    pieces = []
    for character in text:
        code = ord(character)
        if character in '"\\':
            pieces.append(f"\\{character}")
        elif 0x20 <= code < 0x7F:
            pieces.append(character)
        elif code < 0x20 or code == 0x7F:
            pieces.append(f"\\{code:03o}")
        else:
            units = character.encode("utf-16-be", "surrogatepass")
            pieces += [f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)]
    return f'"{"".join(pieces)}"'


_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "\\": "&#92;", "*": "&#42;"})


def sentence(doc: str, default: str = "") -> str:
    """A model's words on one line, fit for Javadoc, with a full stop."""
    text = " ".join((" ".join(doc.split()) or default).translate(_ESCAPES).split())
    return text if not text or text[-1] in ".?!:;" else f"{text}."


def javadoc(*paragraphs: str, tags: Iterable[str] = ()) -> list[str]:
    """The lines of a Javadoc comment; what is given has been escaped."""
    found = [paragraph for paragraph in paragraphs if paragraph]
    lines: list[str] = []
    for index, paragraph in enumerate(found):
        lines += [""] * bool(index)
        lines += textwrap.wrap(
            f"<p>{paragraph}" if index else paragraph, WIDTH, break_long_words=False, break_on_hyphens=False
        )
    listed = list(tags)
    lines += [""] * bool(lines and listed)
    for tag in listed:
        lines += textwrap.wrap(
            tag, WIDTH, break_long_words=False, break_on_hyphens=False, subsequent_indent="    "
        )
    return ["/**", *(f" * {line}".rstrip() for line in lines), " */"]


def join_doc(*parts: str) -> str:
    return " ".join(part for part in parts if part)
