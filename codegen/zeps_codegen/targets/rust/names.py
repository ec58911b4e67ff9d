"""What things are called in Rust: modules, types, the forms of values, and the structs of messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...ir import Constant, EventKind, Field, Text
from ...naming import Scope, pascal, screaming, snake, usable
from ...plan.build import plan_of
from ...plan.enumerations import EnumerationPlan
from ...plan.layout import Layout
from ...plan.machine import MachinePlan
from ...plan.operations import Apart, Content, Fixed, Items, Number, Operation, Rest, Topic

__all__ = [
    "MachineNames",
    "Slot",
    "Struct",
    "built",
    "field_name",
    "form",
    "item_form",
    "kind",
    "members",
    "module_name",
    "named",
    "octets",
    "owned",
    "quoted",
    "rules",
    "type_name",
]

_MODULES = (
    "alloc answers core crate error fields lib list machine main request runner std text wire zeps_wire"
)
#: Modules of the crate that no protocol or machine may have the name of.
MODULES = frozenset(_MODULES.split())
#: Methods that every machine has.
METHODS = frozenset({"new", "handle", "receive", "state", "terminated"})
#: Types that stand beside those of what methods are called with.
TYPES = frozenset({"State", "Event", "Input", "Context", "Host", "Machine"})


# --- literals


def quoted(text: str) -> str:
    """`text` as a string literal."""
    plain = {'"': '\\"', "\\": "\\\\"}
    found = (plain.get(one, one if one.isprintable() else f"\\u{{{ord(one):x}}}") for one in text)
    return f'"{"".join(found)}"'


def octets(value: bytes) -> str:
    """`value` as a byte string literal."""
    plain = {0x22: '\\"', 0x5C: "\\\\"}
    found = (plain.get(one, chr(one) if 0x20 <= one <= 0x7E else f"\\x{one:02x}") for one in value)
    return f'b"{"".join(found)}"'


# --- names


def module_name(name: str) -> str:
    """The module of a protocol or machine."""
    return usable(snake(name), "rust", MODULES)


def type_name(name: str) -> str:
    """The type of a message or an enumeration."""
    return usable(pascal(name), "rust")


def field_name(field: str) -> str:
    """The struct's field for the field called `field`."""
    return usable(snake(field), "rust")


def built(struct: str, parts: Iterable[tuple[str, str]]) -> str:
    """The expression for a struct with these fields and their values."""
    fields = ", ".join(name if name == value else f"{name}: {value}" for name, value in parts)
    return f"{struct} {{ {fields} }}" if fields else struct


def named(constants: Iterable[Constant | Field], *taken: str) -> list[tuple[str, Constant | Field]]:
    """Each constant with what it is called."""
    scope = Scope("rust", taken)
    return [(scope.name(screaming(one.name)), one) for one in constants]


def members(plan: EnumerationPlan) -> dict[str, str]:
    """What an enumeration's members are called; bits and aliases are constants."""
    scope = Scope("rust")
    spell = screaming if plan.is_flags else pascal
    names = {one.name: scope.name(spell(one.name)) for one in plan.enumeration.members}
    aliases = {} if plan.is_flags else {alias.name: screaming(alias.name) for alias, _ in plan.aliases}
    return names | aliases


# --- types


def kind(operation: Operation, path: str = "") -> str:
    """The type of a value, which borrows for `'a`; empty for what has none. `path` stands before enumerations."""
    match operation:
        case Number(enumeration=str(name)) | Content(enumeration=str(name)):
            return path + type_name(name)
        case Number(signed=signed, bits=bits):
            return f"{'i' if signed else 'u'}{bits}"
        case Topic() | Content(text=Text()):
            return "&'a str"
        case Content() | Rest() | Apart(is_rest=False):
            return "&'a [u8]"
        case Fixed(size=size):
            return f"&'a [u8; {size}]"
        case Items():
            return f"list::List<'a, {item_form(operation, path)}>"
        case Apart():
            return "wire::Frames<'a>"
        case _:
            return ""


def owned(operation: Operation, path: str) -> tuple[str, str, str]:
    """The type of a value that borrows nothing; what makes one of a borrowed value, and the other way round: texts with
    braces where the value is to stand.
    """
    match operation:
        case Topic() | Content(enumeration=None, text=Text()):
            return "String", "{}.into()", "&{}"
        case Content(enumeration=None) | Rest() | Apart(is_rest=False):
            return "Vec<u8>", "{}.into()", "&{}"
        case Fixed(size=size):
            return f"[u8; {size}]", "*{}", "&{}"
        case Items():
            return f"list::ListBuf<{item_form(operation, path)}>", "{}.to_buf()", "{}.as_list()"
        case Apart():
            return "Vec<Vec<u8>>", "{}.to_vec()", "{}.as_slice().into()"
        case _:
            return kind(operation, path), "{}", "{}"


def form(operation: Operation, path: str = "") -> str:
    """How a value lies on the wire: a type of the module `list`. A length or a count that stands elsewhere, or nowhere,
    counts as one of eight octets.
    """
    match operation:
        case Number(size=size, signed=signed, enumeration=enumeration):
            sized = f"list::{'I' if signed else 'U'}{8 * size}"
            plain = sized if size else "list::Zigzag" if signed else "list::Varint"
            return plain if enumeration is None else f"list::Member<{path}{type_name(enumeration)}, {plain}>"
        case Content(enumeration=str(name), prefix=prefix):
            return f"list::Word<{path}{type_name(name)}, {prefix}>"
        case Content(prefix=prefix, text=text):
            return f"list::{'Octets' if text is None else 'Text'}<{prefix or 8}>"
        case Topic():
            return "list::Text<8>"
        case Fixed(size=size):
            return f"list::Fixed<{size}>"
        case Items(prefix=prefix):
            return f"list::Nested<{item_form(operation, path)}, {prefix or 8}>"
        case _:
            return "list::Octets<8>"


def item_form(items: Items, path: str = "") -> str:
    """How an item of a list or a hash lies on the wire."""
    forms = [form(part, path) for part in items.parts]
    return f"list::Pair<{', '.join(forms)}>" if items.is_pairs else forms[0]


def rules(operation: Operation) -> str:
    """Which values of its form a message admits."""
    limit = getattr(operation, "limit", None)
    most = "u64::MAX" if limit is None else str(limit)
    match operation:
        case Number(bits=bits, signed=signed):
            return most if limit is not None else f"{'i' if signed else 'u'}{bits}::MAX"
        case Fixed():
            return "()"
        case Content(text=Text() as text):
            return f"({most}, Text::{text.name.capitalize()})"
        case Items(parts=parts):
            found = [rules(part) for part in parts]
            return f"({most}, {found[0]})" if len(found) == 1 else f"({most}, ({', '.join(found)}))"
        case _:
            return most


# --- messages


@dataclass(frozen=True, slots=True)
class Slot:
    """An operation, what its value is called, and whether the message has a field for it."""

    operation: Operation
    name: str
    is_shown: bool = True

    @property
    def local(self) -> str:
        """What the value is called while the message is decoded."""
        return usable(self.name, "rust", {"reader"})


class Struct:
    """The struct of a message."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.plan, self.message = layout, plan_of(layout), layout.message
        self.name = type_name(self.plan.name)
        shown = {field.name: field_name(field.name) for field in layout.shown}
        topic = usable("topic", "rust", shown.values())
        self.slots = [
            Slot(one, topic) if isinstance(one, Topic) else Slot(one, field_name(one.name), one.name in shown)
            for one in (*self.plan.operations, *self.plan.apart)
        ]
        self.shown = [slot for slot in self.slots if slot.is_shown]
        self.generic = "<'a>" if any("'a" in kind(slot.operation) for slot in self.shown) else ""
        self.typed, self.elided = self.name + self.generic, self.name + self.generic.replace("'a", "'_")

    @property
    def constants(self) -> list[Field]:
        """The constant fields."""
        places = (*self.layout.head_constants, *self.layout.places)
        return [place.field for place in places if place.octets is not None]


class MachineNames:
    """What a machine's module calls its own."""

    def __init__(self, plan: MachinePlan) -> None:
        machine = plan.machine
        fields = Scope("rust", {"state", "terminated", "failed"})
        hosts = Scope("rust", {"send", "unsendable", "self", "context", "message"})
        states, variants, methods, calls = (Scope("rust", taken) for taken in ((), (), METHODS, TYPES))
        self.variables = {one.name: (fields.name(snake(one.name)), one) for one in machine.variables}
        self.actions = {one.name: hosts.name(snake(one.name)) for one in plan.actions}
        self.states = {one.name: states.name(pascal(one.name)) for one in machine.states}
        self.within = {one.name: methods.name(f"in_{snake(one.name)}") for one in machine.states}
        """The method for each state."""
        self.variants: dict[str, str] = {}
        self.methods = {one.name: methods.name(snake(one.name)) for one in plan.called}
        self.calls: dict[str, str] = {}
        """The struct of a method's parameters, if it has any."""
        for event in plan.events:
            on = "" if event.kind is EventKind.MESSAGE else "On"
            self.variants[event.name] = variants.name(on + pascal(event.name))
            if event.message is None and event.parameters:
                self.calls[event.name] = calls.name(f"{pascal(event.name)}Call")
