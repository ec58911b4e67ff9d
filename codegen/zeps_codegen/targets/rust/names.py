"""Names and types in Rust: of modules, messages, fields, values and machines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from ...ir import Constant, EventKind, Field, FieldType, Text, Type, Variable
from ...naming import Scope, pascal, screaming, snake, usable
from ...plan.build import parameter_of, plan_of
from ...plan.enumerations import EnumerationPlan
from ...plan.layout import Layout
from ...plan.machine import MachinePlan
from ...plan.operations import Apart, Content, Fixed, Items, Number, Operation, Topic

__all__ = ["MachineNames", "RustType", "Slot", "Struct", "field_name", "members", "module_name", "named"]
__all__ += ["byte_string", "quoted", "rust_type", "type_name", "variable_type", "wide"]

#: Modules and crates whose names protocols and machines cannot have.
_MODULES = "alloc core error lib list machine std text wire answers fields main request runner zeps_wire"
#: Methods of every machine.
_METHODS = "new handle receive state terminated act advance deadline"
#: Types beside the argument types of methods.
_TYPES = "State Event InternalEvent Input Context Drafts Host Machine Since Timer"


def quoted(text: str) -> str:
    """`text` as a string literal."""
    plain = {'"': '\\"', "\\": "\\\\"}
    escaped = (plain.get(char, char if char.isprintable() else f"\\u{{{ord(char):x}}}") for char in text)
    return f'"{"".join(escaped)}"'


def byte_string(value: bytes) -> str:
    """`value` as a byte string literal."""
    plain = {0x22: '\\"', 0x5C: "\\\\"}
    escaped = (plain.get(byte, chr(byte) if 0x20 <= byte <= 0x7E else f"\\x{byte:02x}") for byte in value)
    return f'b"{"".join(escaped)}"'


def module_name(name: str, crate: str) -> str:
    """The module of a protocol or machine; a name that is reserved or that the crate uses itself gets an underscore."""
    return usable(snake(name), "rust", (*_MODULES.split(), crate))


def type_name(name: str) -> str:
    """The type of a message or an enumeration."""
    return usable(pascal(name), "rust")


def field_name(field: str) -> str:
    """The name in Rust of the message's field, or the method's parameter, called `field`."""
    return usable(snake(field), "rust")


def named(constants: Iterable[Constant | Field], *taken: str) -> list[tuple[str, Constant | Field]]:
    """Each constant with its name in Rust."""
    scope = Scope("rust", taken)
    return [(scope.name(screaming(constant.name)), constant) for constant in constants]


def members(plan: EnumerationPlan) -> dict[str, str]:
    """An enumeration's members by the model's names. Bits and aliases are constants, others are variants."""
    scope = Scope("rust")
    spell = screaming if plan.is_flags else pascal
    names = {member.name: scope.name(spell(member.name)) for member in plan.enumeration.members}
    aliases = {} if plan.is_flags else {alias.name: screaming(alias.name) for alias, _ in plan.aliases}
    return names | aliases


class RustType(NamedTuple):
    """The Rust type of an operation's value. `kind` is the type, which borrows for `'a`. `form` is the type in the
    module `list` for the encoding, with eight bytes of length if a sibling holds the length or count; empty for frames.
    `rules` are the constraints. `owned` is the type without borrows, if different; `own` converts a borrowed value (in
    place of its braces) to it, `lend` does the reverse. `is_text` is set if the value or its items are strings.
    """

    kind: str
    form: str
    rules: str
    owned: str = ""
    own: str = "{}"
    lend: str = "{}"
    is_text: bool = False


def rust_type(operation: Operation, path: str = "") -> RustType:
    """The Rust type of a value; `path` is the prefix of enumerations."""
    limit = getattr(operation, "limit", None)
    most = "u64::MAX" if limit is None else str(limit)
    match operation:
        case Number(size=size, signed=signed, bits=bits, enumeration=enumeration):
            number = f"{'i' if signed else 'u'}{bits}"
            form = f"list::{number.upper()}" if size else "list::Zigzag" if signed else "list::Varint"
            most = f"{number}::MAX" if limit is None else most
            if enumeration is None:
                return RustType(number, form, most)
            member = path + type_name(enumeration)
            return RustType(member, f"list::Member<{member}, {form}>", most)
        case Content(prefix=prefix, text=Text() as text, enumeration=enumeration):
            rules = f"({most}, Text::{text.name.capitalize()})"
            if enumeration is None:
                return RustType("&'a str", f"list::Text<{prefix}>", rules, "String", "{}.into()", "&{}", True)
            member = path + type_name(enumeration)
            return RustType(member, f"list::Word<{member}, {prefix}>", rules, is_text=True)
        case Topic():
            return RustType("&'a str", "list::Text<8>", "", "String", "{}.into()", "&{}", True)
        case Fixed(size=size):
            return RustType(f"&'a [u8; {size}]", f"list::Fixed<{size}>", "()", f"[u8; {size}]", "*{}", "&{}")
        case Items(prefix=prefix):
            parts = [rust_type(part, path) for part in operation.parts]
            forms, admitted = ", ".join(part.form for part in parts), ", ".join(part.rules for part in parts)
            item = f"list::Pair<{forms}>" if operation.is_pairs else forms
            rules = f"({most}, ({admitted}))" if operation.is_pairs else f"({most}, {admitted})"
            form, owned = f"list::Nested<{item}, {prefix or 8}>", f"list::ListBuf<{item}>"
            types = (f"list::List<'a, {item}>", form, rules, owned)
            return RustType(*types, "{}.to_buf()", "{}.as_list()", parts[0].is_text)
        case Apart(is_rest=True):
            lend = "{}.as_slice().into()"
            return RustType("wire::Frames<'a>", "", most, "Vec<Vec<u8>>", "{}.to_vec()", lend)
        case _:
            form = f"list::Octets<{getattr(operation, 'prefix', 0) or 8}>"
            is_text = isinstance(operation, Content) and operation.is_string
            return RustType("&'a [u8]", form, most, "Vec<u8>", "{}.into()", "&{}", is_text)


def wide(operation: Operation) -> Operation:
    """The operation, but with a length or count of 8 bytes if it is on text, bytes or a list. Limits stay."""
    return replace(operation, prefix=8) if isinstance(operation, Content | Items) else operation


def variable_type(variable: Variable) -> RustType:
    """The type of a machine's variable; for a boolean, its type in the driver's requests."""
    types = {Type.STRING: FieldType.STRING, Type.OCTETS: FieldType.CHUNK}
    size = variable.size if variable.type is Type.NUMBER else 1 if variable.type is Type.BOOLEAN else 4
    return rust_type(parameter_of(Field("value", types.get(variable.type, FieldType.NUMBER), size)))


class Slot(NamedTuple):
    """An operation of a message, and the name and type of its value."""

    operation: Operation
    name: str
    type: RustType


class Struct:
    """The struct of a message."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.plan, self.message = layout, plan_of(layout), layout.message
        self.name = type_name(self.plan.name)
        fields = {field.name: field_name(field.name) for field in layout.shown}
        topic = usable("topic", "rust", fields.values())
        self.slots = list[Slot]()
        for operation in self.plan.all:
            name = topic if isinstance(operation, Topic) else field_name(operation.name)
            self.slots.append(Slot(operation, name, rust_type(operation)))
        self.shown = [
            slot for slot in self.slots if isinstance(slot.operation, Topic) or slot.operation.name in fields
        ]
        """The operations whose values are fields of the struct."""
        self.reader = usable("reader", "rust", [slot.name for slot in self.slots])
        self.generic = "<'a>" if any("'a" in slot.type.kind for slot in self.shown) else ""
        self.typed, self.elided = self.name + self.generic, self.name + self.generic.replace("'a", "'_")


class MachineNames:
    """The names in a machine's module."""

    def __init__(self, plan: MachinePlan) -> None:
        fields = Scope("rust", ("state", "terminated", "signals", "drafts", "clock"))
        hosts = Scope("rust", ("send", "unsendable", "on_transition", "self", "context", "message"))
        methods, types = Scope("rust", _METHODS.split()), Scope("rust", _TYPES.split())
        states, variants, drafts = Scope("rust"), Scope("rust"), Scope("rust")
        self.variables = {
            variable.name: (fields.name(snake(variable.name)), variable)
            for variable in plan.machine.variables
        }
        self.actions = {action.name: hosts.name(snake(action.name)) for action in plan.actions}
        self.states = {state.name: states.name(pascal(state.name)) for state in plan.machine.states}
        self.within = {state.name: methods.name(f"in_{snake(state.name)}") for state in plan.machine.states}
        """The method for each state."""
        self.drafts = {message: drafts.name(snake(message)) for message in plan.fillable}
        self.draft_types = {message: types.name(f"{pascal(message)}Draft") for message in plan.fillable}
        self.methods = {event.name: methods.name(snake(event.name)) for event in plan.called}
        on = {event.name: "" if event.kind is EventKind.MESSAGE else "On" for event in plan.events}
        self.variants = {
            event.name: variants.name(on[event.name] + pascal(event.name)) for event in plan.events
        }
        with_call = [event for event in plan.events if event.message is None and event.parameters]
        self.calls = {event.name: types.name(f"{pascal(event.name)}Call") for event in with_call}
        """The struct of a method's parameters, if it has any."""
