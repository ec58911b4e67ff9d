"""What things are called in Python, and messages with the names of their fields."""

from __future__ import annotations

import builtins
import re
import textwrap
from collections.abc import Iterable
from pathlib import Path

from ...ir import Event, EventKind, Field, Machine, Type
from ...naming import Scope, pascal, screaming, snake, usable
from ...plan import operations as op
from ...plan.build import parameter_of, plan_of
from ...plan.layout import Layout

__all__ = [
    "IMPORTS",
    "Message",
    "annotation",
    "attribute_name",
    "class_name",
    "docstring",
    "literal",
    "variable_name",
]

_RUNTIME = Path(__file__).parent / "runtime"
#: What generated codecs import of the runtime, by module; the formatter drops what a module does not use.
IMPORTS = {
    name: re.findall(r"\w+", (_RUNTIME / f"{name}.py").read_text().split("__all__ = [")[1].split("]")[0])
    for name in ("caches", "layout", "operations", "support", "text")
}
_IMPORTED = frozenset(name for names in IMPORTS.values() for name in names)
_IMPORTED |= frozenset(
    {
        "Any",
        "Callable",
        "ClassVar",
        "IntEnum",
        "IntFlag",
        "Sequence",
        "StrEnum",
        "Struct",
        "dataclass",
        "pack",
        "unpack_from",
    }
)
#: What a field's attribute may not be called: the members that every message has, and the types of attributes.
MEMBERS = frozenset({"ID", "NAME", "encode", "encode_frames", "size", "int", "str", "bytes", "tuple"})
#: What the statements of decoders and encoders call their own, or call.
LOCALS = _IMPORTED | {"data", "message", "frames", "offset", "head", "decoder"}
LOCALS |= {name for name in dir(builtins) if name.islower()}
#: What a message's or an enumeration's class may not be called.
CLASSES = _IMPORTED | {"Message"}
#: What a machine's methods and variables may not be called.
MACHINE_MEMBERS = frozenset({"EVENT_OF", "INTERNAL", "ROWS", "TIMERS", "advance", "deadline", "fail", "host"})
MACHINE_MEMBERS |= {"on_transition", "raise_event", "receive", "state", "terminated"}


def class_name(name: str) -> str:
    """The class of the message or enumeration; should both have the name, the front end has said so."""
    return usable(pascal(name), "python", CLASSES)


def attribute_name(field: str) -> str:
    """The attribute of the field called `field`, as long as no other field of the message claims it."""
    return usable(snake(field), "python", MEMBERS)


def variable_name(name: str) -> str:
    """The attribute of the machine that holds a variable."""
    return usable(snake(name), "python", MACHINE_MEMBERS)


def method_name(event: Event, machine: Machine) -> str:
    """The method of the machine that raises the event."""
    return method_named(snake(event.name), machine)


def method_named(name: str, machine: Machine) -> str:
    """A method of the machine that is no variable of it."""
    return usable(name, "python", MACHINE_MEMBERS | {variable_name(one.name) for one in machine.variables})


def checked(name: str, field: Field) -> str:
    """A method's parameter as it is passed on: a number is looked at, what messages hold is when they are encoded."""
    is_number = isinstance(parameter_of(field), op.Number)
    return f'number("{name}", {name}{", signed=True" * field.signed})' if is_number else name


def action_name(name: str) -> str:
    """The host's method for an action."""
    return usable(snake(name), "python")


def call_name(event: Event) -> str:
    """The class that holds a method's parameters."""
    return f"{pascal(event.name)}Call"


def member_name(event: Event) -> str:
    """The event in the enumeration: a message's own name, ``ON_…`` for the host's and the application's."""
    return f"{'' if event.kind is EventKind.MESSAGE else 'ON_'}{screaming(event.name)}"


def literal(value: object, kind: Type | None = None) -> str:
    """A constant in Python's spelling, text and octets in double quotes."""
    text = repr(value.encode() if isinstance(value, str) and kind is Type.OCTETS else value)
    head, body = (text[:1], text[1:]) if text[:1] == "b" else ("", text)
    return f'{head}"{body[1:-1]}"' if body[:1] == "'" and '"' not in body else text


def tuple_of(items: Iterable[str]) -> str:
    """The expression for a tuple."""
    listed = list(items)
    return f"({', '.join(listed)}{',' * (len(listed) == 1)})"


def docstring(*paragraphs: str, indent: int = 0, items: Iterable[tuple[str, str]] = ()) -> str:
    """A docstring, folded and indented; `items` are attributes and what is to be said of them."""

    def fold(text: str, first: str = "", more: str = "") -> str:
        return "\n".join(
            textwrap.wrap(
                text, 100 - indent, initial_indent=first, subsequent_indent=more, break_on_hyphens=False
            )
        )

    found = [fold(paragraph) for paragraph in paragraphs if paragraph.strip()]
    if "\n" not in found[0] and found[0][-1] not in ".?!:;":
        found[0] += "."
    listed = [fold(f"{name}: {doc}", " " * 4, " " * 8) for name, doc in items if doc.strip()]
    found += ["\n".join(["Attributes:", *listed])] * bool(listed)
    text = "\n\n".join(found).replace("\\", "\\\\").replace('"""', "'''")
    text += "\n" if "\n" in text else " " * text.endswith('"')
    return textwrap.indent(f'"""{text}"""', " " * indent)


def annotation(operation: op.Operation, is_parameter: bool = False) -> str:
    """The type of the attribute, or of a method's parameter, whose text may be no member of its enumeration."""
    match operation:
        case op.Content(enumeration=str()) if is_parameter:
            return "str"
        case op.Number(enumeration=str(name)) | op.Content(enumeration=str(name)):
            return class_name(name)
        case op.Number():
            return "int"
        case op.Topic() | op.Content(text=str()):
            return "str"
        case op.Items(parts=parts, is_pairs=is_pairs):
            inner = ", ".join(annotation(part) for part in parts)
            return f"tuple[{f'tuple[{inner}]' if is_pairs else inner}, ...]"
        case op.Apart(is_rest=True):
            return "tuple[bytes, ...]"
        case _:
            return "bytes"


class Message:
    """A message with its names. A topic, which another field may be called like, goes by the name of ""."""

    def __init__(self, layout: Layout) -> None:
        self.message, self.plan = layout.message, plan_of(layout)
        self.class_name = class_name(self.message.name)
        self.lower, self.upper = snake(self.message.name), screaming(self.message.name)
        scope, fields = Scope("python", MEMBERS), [field.name for field in layout.shown]
        attributes = {name: scope.name(snake(name)) for name in fields}
        if layout.has_topic:
            attributes = {"": scope.name("topic"), **attributes}
        constants = [one.field for one in (*layout.head_constants, *layout.places) if one.octets is not None]
        self.constants = [(scope.name(screaming(field.name)), field.value) for field in constants]
        """The class variables."""
        operations = (*self.plan.constants, *self.plan.operations, *self.plan.apart)
        self.named = {_key(one): one for one in operations}
        self._attributes = attributes
        scope = Scope("python", LOCALS)
        self._locals = {key: scope.name(snake(key or "topic")) for key in self.named}
        self.shown = [self.named[key] for key in attributes]
        """What the class has attributes for, in their order."""

    def attribute(self, one: op.Operation | str) -> str:
        """The attribute of an operation or a field."""
        return self._attributes[_key(one)]

    def local(self, one: op.Operation | str) -> str:
        """What an operation reads into."""
        return self._locals[_key(one)]

    def items(self, one: op.Items) -> str:
        """What reads and writes a list that is not of plain numbers."""
        return f"_{self.lower}__{self.attribute(one)}"

    @property
    def docs(self) -> list[tuple[str, str]]:
        """The attributes, and what the model says of them."""
        docs = {field.name: field.doc for field in self.message.fields}
        return [(name, docs[key]) for key, name in self._attributes.items() if key]

    def scope(self) -> Scope:
        """The names that a function's locals may still have."""
        return Scope("python", [*LOCALS, *self._locals.values()])


def _key(one: op.Operation | str) -> str:
    return one if isinstance(one, str) else "" if isinstance(one, op.Topic) else one.name
