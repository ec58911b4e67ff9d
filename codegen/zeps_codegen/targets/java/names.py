"""Names and types in Java: packages, classes, members, literals and comments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ...ir import Protocol, Text
from ...naming import Scope, pascal, usable, words
from ...plan.operations import Apart, Content, Items, Number, Operation, Topic
from .. import comments

__all__ = ["LOCALS", "MEMBERS", "OBJECT", "ROOT", "ProtocolNames", "is_member", "literal", "long_literal"]
__all__ += ["byte_array", "package_part", "sentence"]

#: The package of the runtime; each protocol and each machine has a package below it.
ROOT = "zeps.wire"

_OBJECT = "clone equals finalize getClass hashCode notify notifyAll toString wait"
_METHODS = "buffer checks data end frame frames in item memory offset out sizes start"
_MESSAGE = "encode encodeFrames encodeTo encodedSize measure messageId messageName read toMessage write"
_CLASSES = """Boolean ByteBuffer Character Class Comparable Deprecated Enum Exception Integer Iterable List Long
Map Math Object Objects Override Record RuntimeException String StringBuilder SuppressWarnings System Void ArrayList
DecodeException Draft EncodeException Entry EnumSet ErrorCode Fit Input Machine Measure Memory Message Octets Output Row
Supplier Table Text TimedMachine Timer UnexpectedEventException Unsigned View Writer"""

#: The members of every object.
OBJECT = frozenset(_OBJECT.split())
#: Names that a record's component cannot have: members of every object and of every message.
MEMBERS = OBJECT | frozenset(_MESSAGE.split())
#: Names that the statements of generated methods use themselves.
LOCALS = frozenset(_METHODS.split())


def package_part(name: str) -> str:
    """The last part of the package of a protocol or a machine: its words, joined in lower case."""
    return usable("".join(words(name)), "java")


@dataclass(slots=True)
class ProtocolNames:
    """The names of a protocol's package and of its classes (messages and enumerations), by the model's names."""

    package: str
    main: str
    messages: dict[str, str]
    enumerations: dict[str, str]

    @classmethod
    def of(cls, package_name: str, protocol: Protocol) -> ProtocolNames:
        """Chooses unique names that do not clash with used classes. `package_name` is the part after ROOT."""
        scope = Scope("java", _CLASSES.split())
        main = scope.name(pascal(protocol.name))
        messages = {message.name: scope.name(pascal(message.name)) for message in protocol.current}
        names = [enumeration.name for enumeration in protocol.enumerations]
        enumerations = {name: scope.name(pascal(name)) for name in names}
        return cls(f"{ROOT}.{package_name}", main, messages, enumerations)

    def type_of(self, operation: Operation) -> str:
        """The type of a decoded value."""
        match operation:
            case Number(enumeration=str(name)) | Content(enumeration=str(name)) if is_member(operation):
                return self.enumerations[name]
            case Number(bits=bits, signed=signed):
                return "int" if bits < 32 or (bits == 32 and signed) else "long"
            case Topic() | Content(text=Text()):
                return "String"
            case Items(parts=(key, _)):
                return f"List<Entry<{self.type_of(key)}>>"
            case Items():
                item = self.type_of(operation.item)
                return f"List<{ {'int': 'Integer', 'long': 'Long'}.get(item, item) }>"
            case Apart(is_rest=True):
                return "List<Octets>"
            case _:
                return "Octets"

    def value_of(self, operation: Operation, value: Any) -> str:
        """A literal of the operation's type; `value` is a number, bytes (also for text), or a list of empty items."""
        kind = self.type_of(operation)
        if kind == "Octets":
            return f"Octets.wrap(new byte[] {byte_array(value)})"
        if isinstance(value, list):
            return f"List.of({', '.join('Octets.EMPTY' for _ in value)})"
        number = str(value) if kind == "int" else long_literal(value) if isinstance(value, int) else ""
        spelled = number or literal(value.decode())
        return f"{kind}.of({spelled})" if is_member(operation) else spelled


def is_member(operation: Operation) -> bool:
    """Whether the value is a constant of a Java enum: a number or text with an enumeration, but not a union of bits."""
    bits = isinstance(operation, Number) and operation.flags
    return isinstance(operation, Number | Content) and operation.enumeration is not None and not bits


def long_literal(value: int | None) -> str:
    """A literal of 64 bits, signed or unsigned; from 2^63 on it is negative. None is the greatest number."""
    return f"{-1 if value is None else value - (1 << 64) if value >= 1 << 63 else value}L"


def byte_array(value: bytes) -> str:
    """The initialiser of a byte array."""
    return f"{{{', '.join(f'(byte) 0x{byte:02X}' if byte > 0x7F else f'0x{byte:02X}' for byte in value)}}}"


def literal(text: str | None) -> str:
    """A string literal, or null; JSON escapes the same characters as Java."""
    return json.dumps(text)


_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "\\": "&#92;", "*": "&#42;"})


def sentence(doc: str, default: str = "") -> str:
    """A model's text, or `default` without one, on one line, escaped for Javadoc, with a full stop."""
    return comments.sentence((" ".join(doc.split()) or default).translate(_ESCAPES))
