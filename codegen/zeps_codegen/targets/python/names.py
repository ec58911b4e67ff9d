"""Names in Python, and messages with the names of their fields."""

from __future__ import annotations

import builtins
import re
import textwrap
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from ...ir import Event, EventKind, Machine, Type
from ...naming import Scope, pascal, screaming, snake, usable
from ...plan import operations as op
from ...plan.build import plan_of
from ...plan.layout import Layout

__all__ = ["Message", "action_name", "annotation", "attribute_name", "class_name"]
__all__ += ["docstring", "literal", "member_name", "module_name", "tuple_of", "variable_name"]

_words = partial(re.findall, r"\w+")
_CODEC = (Path(__file__).parent / "templates" / "codec.py.j2").read_text()
_IMPORTED = frozenset(_words(" ".join(re.findall(r"^from .* import (.*)$", _CODEC, re.MULTILINE))))
# names that attributes, locals of generated functions, classes, and members of machines cannot have
_MEMBERS = _words("ID NAME encode encode_frames size int str bytes tuple")
_LOCALS = _IMPORTED.union(_words("data message frames offset head decoder"))
_LOCALS |= {*filter(str.islower, dir(builtins))}
_CLASSES = _IMPORTED | {"Message"}
_MACHINE_MEMBERS = """EVENT_OF INTERNAL ROWS TIMERS advance deadline fail host on_transition raise_event receive
    state terminated"""
RUNTIME = tuple(sorted(path.name for path in Path(__file__).with_name("runtime").iterdir() if path.is_file()))
# the files beside a protocol's or a machine's module, and names that a machine's module uses itself
_MODULES = _words("by_state dataclass message settled settled_rows test_vectors " + " ".join(RUNTIME))


def module_name(name: str) -> str:
    """The module of a protocol or machine."""
    return usable(snake(name), "python", _MODULES)


def class_name(name: str) -> str:
    """The class of a message or enumeration. Two names may give the same class, which the generator's checks report."""
    return usable(pascal(name), "python", _CLASSES)


def attribute_name(field: str) -> str:
    """The attribute of the field called `field`, unless another field of the message has the same attribute."""
    return usable(snake(field), "python", _MEMBERS)


def variable_name(name: str) -> str:
    """The attribute of the machine that holds a variable."""
    return usable(snake(name), "python", _words(_MACHINE_MEMBERS))


def method_name(name: str, machine: Machine) -> str:
    """A method of the machine that does not clash with its variables."""
    taken = (*_words(_MACHINE_MEMBERS), *(variable_name(variable.name) for variable in machine.variables))
    return usable(snake(name), "python", taken)


def action_name(name: str) -> str:
    """The host's method for an action."""
    return usable(snake(name), "python")


def member_name(event: Event) -> str:
    """The event's member of the enumeration: a message's own name, ``ON_…`` for events of the host and application."""
    return f"{'' if event.kind is EventKind.MESSAGE else 'ON_'}{screaming(event.name)}"


def literal(value: object, kind: Type | None = None) -> str:
    """A constant as a Python literal, in double quotes if possible; with the kind OCTETS text becomes bytes."""
    text = repr(value.encode() if isinstance(value, str) and kind is Type.OCTETS else value)
    head, body = (text[:1], text[1:]) if text[:1] == "b" else ("", text)
    return f'{head}"{body[1:-1]}"' if body[:1] == "'" and '"' not in body else text


def tuple_of(items: Iterable[str]) -> str:
    """The expression for a tuple."""
    listed = list(items)
    return f"({', '.join(listed)}{',' * (len(listed) == 1)})"


def docstring(*paragraphs: str, indent: int = 0, items: Iterable[tuple[str, str]] = ()) -> str:
    """Formats a docstring of the paragraphs that have text, at least one, and of attributes that have one (`items`)."""
    fold = partial(textwrap.fill, width=100 - indent, break_on_hyphens=False, break_long_words=False)
    folded = [fold(paragraph) for paragraph in paragraphs if paragraph.strip()]
    folded[0] += "." * ("\n" not in folded[0] and folded[0][-1] not in ".?!:;")
    listed = [f"{name}: {' '.join(doc.split())}" for name, doc in items if doc.strip()]
    listed = [fold(item, initial_indent=" " * 4, subsequent_indent=" " * 8) for item in listed]
    folded += ["\n".join(["Attributes:", *listed])] * bool(listed)
    text = "\n\n".join(folded).replace("\\", "\\\\").replace('"""', "'''")
    text += "\n" if "\n" in text else " " * text.endswith('"')
    return textwrap.indent(f'"""{text}"""', " " * indent)


def annotation(operation: op.Operation, is_parameter: bool = False) -> str:
    """The type of an attribute or a parameter; a parameter's text need not be a member of its enumeration."""
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
    """A message with its names. The key of the topic is "", since a field may be called topic as well."""

    def __init__(self, layout: Layout) -> None:
        self.message, self.plan = layout.message, (plan := plan_of(layout))
        self.class_name = class_name(self.message.name)
        self.lower, self.upper = snake(self.message.name), screaming(self.message.name)
        scope, places = Scope("python", _MEMBERS), (*layout.head_constants, *layout.places)
        attributes = {field.name: scope.name(snake(field.name)) for field in layout.shown}
        self._attributes = {"": scope.name("topic"), **attributes} if layout.has_topic else attributes
        constants = [place.field for place in places if place.constant is not None]
        self.constants = [(scope.name(screaming(field.name)), field.value) for field in constants]
        self.named = {_key(operation): operation for operation in (*plan.constants, *plan.all)}
        scope = Scope("python", _LOCALS)
        self._locals = {key: scope.name(snake(key or "topic")) for key in self.named}
        self.shown = [self.named[key] for key in self._attributes]
        """The operations for which the class has attributes, in order."""
        docs = {field.name: field.doc for field in self.message.fields}
        docs[""] = "The topic that subscriptions are compared with"
        self.docs = [(name, docs[key]) for key, name in self._attributes.items()]

    def attribute(self, field: op.Operation | str) -> str:
        """The attribute of an operation or a field."""
        return self._attributes[_key(field)]

    def local(self, field: op.Operation | str) -> str:
        """The local variable of an operation or a field."""
        return self._locals[_key(field)]

    def scope(self) -> Scope:
        """A new scope for the locals of a function, in which the names of the fields' locals are taken."""
        return Scope("python", [*_LOCALS, *self._locals.values()])


def _key(field: op.Operation | str) -> str:
    return field if isinstance(field, str) else op.key_of(field)
