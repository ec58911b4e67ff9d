"""The view of a protocol's header and source: everything that their templates print, in C++'s terms."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Constant, Dispatch, Enumeration, Field, FieldType, Protocol
from ...naming import Scope, snake, usable
from ...plan.layout import Layout, Place, layouts, least_octets
from .kinds import class_name, enumeration_name, is_word, kind_of, may_misfit, may_refuse, value_type
from .text import array, comment, number, string, string_view

__all__ = [
    "CodecView",
    "MessageView",
    "Shown",
    "field_names",
    "namespace",
    "sentence",
    "shown_fields",
    "view_codec",
]

#: What a field may not be called: what every message and its layout have.
MEMBERS = frozenset({"message_id", "message_name", "head", "beginning", "constants", "std", "zeps_wire"})
#: What the parameters and locals of generated functions are called, and what they call.
LOCALS = MEMBERS | frozenset({"at", "error", "frame", "in", "message", "whole", "kind", "layout", "std"})
LOCALS |= frozenset({"allowed", "fitting", "read", "read_constant", "read_end", "read_head", "same_count"})
LOCALS |= frozenset({"store_constant", "zeps_wire", "spare", "glance_head", "glance_constant", "carries"})
LOCALS |= frozenset({"read_reserved", "glance_reserved", "store_zeros"})
#: What stands in a protocol's namespace besides.
FUNCTIONS = LOCALS | frozenset(
    {"begins", "beginnings", "check", "decode", "encode", "encoded_size", "name_of"}
)
FUNCTIONS |= frozenset({"unknown", "write"})


@dataclass(frozen=True, slots=True)
class ConstantView:
    declaration: str
    value: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class EnumerationView:
    class_name: str
    base: str
    doc: list[str]
    members: list[tuple[str, str, list[str]]]
    known: str
    values: list[str]
    mask: str


@dataclass(frozen=True, slots=True)
class MemberView:
    type: str
    name: str
    doc: list[str]


@dataclass(frozen=True, slots=True)
class Shown:
    """A field that a message shows: its name there, its kind, and whether its numbers are signed."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class MessageView:
    class_name: str
    name: str
    id: int
    doc: list[str]
    constants: list[ConstantView]
    members: list[MemberView]
    kinds: list[tuple[str, str]]
    arrays: list[tuple[str, str]]
    pieces: list[str]
    beginning: list[str]
    locals: list[str]
    glances: list[str]
    reads: list[str]
    counts: list[str]
    carries: list[str]
    checks: list[str]
    sizes: list[str]
    writes: list[str]
    shown: list[Shown]


@dataclass(frozen=True, slots=True)
class CodecView:
    namespace: str
    file: str
    model_name: str
    title: list[str]
    constants: list[ConstantView]
    enumerations: list[EnumerationView]
    words: list[EnumerationView]
    messages: list[MessageView]
    beginnings: list[str]
    numbered_at: int | None  # where the octet that numbers the message stands
    by_beginning: list[MessageView]  # the order in which beginnings are tried


def namespace(name: str) -> str:
    """The namespace of a protocol or machine, and the name of its files."""
    return usable(snake(name), "cpp", {"kind", "layout", "std", "zeps_wire", "runtime", "detail"})


def sentence(text: str) -> str:
    """`text` with a stop at its end."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".?!:;" else f"{text}."


def field_names(layout: Layout) -> dict[str, str]:
    """What each field, shown or constant, is called in its message's class."""
    scope = Scope("cpp", MEMBERS)
    places = (*layout.head_constants, *layout.places)
    named = [place.field.name for place in places if not place.field.reserved]
    names = {name: scope.name(snake(name)) for name in named}
    if layout.has_topic:
        names["\0topic"] = scope.name("topic")
    return names


def shown_fields(layout: Layout) -> list[Shown]:
    """What a message shows, in the order of the wire, its topic first."""
    names = field_names(layout)
    shown = [names["\0topic"]] if layout.has_topic else []
    shown += [names[field.name] for field in layout.shown]
    return [Shown(name, f"layout::{class_name(layout.message.name)}::{name}") for name in shown]


def view_codec(protocol: Protocol) -> CodecView:
    """What the templates print for `protocol`. UnsupportedByTarget if a message has several frames."""
    found = layouts(protocol)
    messages = [_Emitter(layout, protocol).view() for layout in found]
    names = Scope("cpp", FUNCTIONS | {f"is_{snake(one.name)}" for one in protocol.enumerations})
    kinds = [_enumeration(one) for one in protocol.enumerations if not is_word(one)]
    words = [_enumeration(one) for one in protocol.enumerations if is_word(one)]
    order = {view.class_name: view for view in messages}
    longest = sorted(found, key=lambda layout: -len(layout.dispatch))
    return CodecView(
        namespace(protocol.name),
        namespace(protocol.name),
        string(protocol.name),
        comment(sentence(protocol.title), protocol.doc),
        [_constant(one, names.name(snake(one.name))) for one in protocol.constants],
        kinds,
        words,
        messages,
        [f"layout::{view.class_name}::beginning" for view in messages],
        _numbered_at(protocol),
        [order[class_name(layout.message.name)] for layout in longest],
    )


def _numbered_at(protocol: Protocol) -> int | None:
    match protocol.dispatch:
        case Dispatch.SIGNATURE:
            return 2
        case Dispatch.PUBSUB | Dispatch.OCTET:
            return 0
        case _:
            return None


def _constant(one: Constant, name: str) -> ConstantView:
    return ConstantView(*_declared(name, one.value), comment(sentence(one.doc)))


def _declared(name: str, value: int | str | bytes) -> tuple[str, str]:
    """A constant's type and name, and its value."""
    if isinstance(value, int):
        return f"{'std::uint64_t' if value >= 0 else 'std::int64_t'} {name}", number(value)
    return f"std::string_view {name}", string_view(value)


def _enumeration(one: Enumeration) -> EnumerationView:
    scope = Scope("cpp")
    values = list(dict.fromkeys(member.value for member in one.members))
    numbers = [value for value in values if isinstance(value, int)]
    members = [
        (
            scope.name(snake(member.name)),
            number(member.value) if isinstance(member.value, int) else string_view(member.value),
            comment(sentence(member.doc), indent=2),
        )
        for member in one.members
    ]
    mask = 0
    for value in numbers:
        mask |= value & (1 << 64) - 1
    return EnumerationView(
        enumeration_name(one.name),
        "std::int64_t" if min(numbers, default=0) < 0 else "std::uint64_t",
        comment(sentence(one.doc) or f"Values of {one.name}."),
        members,
        snake(one.name),
        [number(value) if isinstance(value, int) else string_view(value) for value in values],
        f"{mask:#x}U",
    )


class _Emitter:
    """Writes down what is to be said of one message."""

    def __init__(self, layout: Layout, protocol: Protocol) -> None:
        self._layout = layout
        self._protocol = protocol
        self._message = layout.message.name
        self._enumerations = {one.name: one for one in protocol.enumerations}
        self._names = field_names(layout)
        self._layout_name = f"layout::{class_name(self._message)}"
        locals_ = Scope("cpp", LOCALS)
        self._locals = {place.field.name: locals_.name(snake(place.field.name)) for place in layout.places}

    def view(self) -> MessageView:
        layout = self._layout
        message = layout.message
        constants = [
            ConstantView(
                *_declared(self._names[place.field.name], place.field.value),
                comment(sentence(place.field.doc), indent=2),
            )
            for place in (*layout.head_constants, *layout.places)
            if place.field.value is not None
        ]
        topic = [MemberView("std::string_view", self._names["\0topic"], [])] if layout.has_topic else []
        members = topic + [
            MemberView(
                value_type(field, self._message),
                self._names[field.name],
                comment(sentence(field.doc), indent=2),
            )
            for field in layout.shown
        ]
        return MessageView(
            class_name(self._message),
            string(self._message),
            message.id,
            comment(sentence(message.doc) or f"{self._message}."),
            constants,
            members,
            self._kinds(),
            self._arrays(),
            self._pieces(),
            self._beginning(),
            [f"std::uint64_t {self._locals[place.field.name]} = 0;" for place in self._derived()],
            self._glances(),
            self._reads(),
            self._counts(),
            self._carries(),
            self._checks(),
            self._sizes(),
            self._writes(),
            shown_fields(layout),
        )

    def _kind(self, field: Field) -> str:
        return f"{self._layout_name}::{self._names[field.name]}"

    def _kinds(self) -> list[tuple[str, str]]:
        """What each field is called, and what it is."""
        topic = [(self._names["\0topic"], "zeps_wire::kind::Topic")] if self._layout.has_topic else []
        return topic + [
            (self._names[place.field.name], kind_of(place.field, self._message, self._enumerations))
            for place in self._layout.places
            if _varies(place)
        ]

    def _derived(self) -> list[Place]:
        """Numbers that count or measure, and that nobody is shown."""
        return [place for place in self._layout.places if not place.shown and _varies(place)]

    # --- how it begins

    def _arrays(self) -> list[tuple[str, str]]:
        """The constants on the wire, and their names."""
        places = (*self._layout.places, *self._layout.head_constants)
        named = [("head", self._layout.head)]
        named += [(self._array(place.field), place.octets) for place in places if place.octets]
        return [(name, array(octets)) for name, octets in named if octets]

    def _array(self, field: Field) -> str:
        return self._names[field.name]

    def _pieces(self) -> list[str]:
        return [f"{{{string(place.field.name)}, {self._array(place.field)}}}" for place in self._further()]

    def _further(self) -> list[Place]:
        """The constants of the head behind what tells the message from others."""
        at, told = self._layout.dispatch_size, len(self._layout.dispatch)
        found = []
        for place in self._layout.head_constants:
            if at >= told:
                found.append(place)
            at += len(place.octets or b"")
        return found

    def _beginning(self) -> list[str]:
        by = {Dispatch.CONSTANT: "constant", Dispatch.NAME: "name"}.get(self._protocol.dispatch, "number")
        size = len(self._layout.dispatch)
        told_by = f"zeps_wire::Octets(head, {size})" if size else "zeps_wire::Octets()"
        parts = [string(self._message), f"zeps_wire::Beginning::Dispatch::{by}", told_by]
        return [*parts, "constants" if self._pieces() else "{}"]

    # --- reading

    def _reads(self) -> list[str]:
        """The expressions that are true, one after the other, of a frame that holds the message."""
        name = string(self._message)
        found = [f"read_head(in, {self._layout_name}::head, {self._layout_name}::beginning, error)"]
        found = found if self._layout.head else []
        topic = self._names.get("\0topic")
        if topic is not None:
            found.append(f'read<{self._layout_name}::{topic}>(in, {name}, "topic", message.{topic}, error)')
        for place in self._layout.places:
            field, shown = place.field, string(place.field.name)
            if place.octets is not None:
                if place.octets:
                    found.append(
                        f"read_constant(in, {name}, {shown}, {self._layout_name}::{self._array(field)}, error)"
                    )
                continue
            if field.reserved:
                found.append(f"read_reserved(in, {name}, {shown}, {field.size}U, error)")
                continue
            target = f"message.{self._names[field.name]}" if place.shown else self._locals[field.name]
            sibling = field.count or field.length
            further = f", {self._locals[sibling]}" if sibling else ""
            found.append(f"read<{self._kind(field)}>(in, {name}, {shown}, {target}, error{further})")
        return [*found, f"read_end(in, {name}, error)"]

    def _glances(self) -> list[str]:
        """The same at a glance, with `at` and `spare`; none if it holds what takes a longer look."""
        layout, places = self._layout, self._layout.places
        if layout.has_topic or not layout.head or any(map(_takes_longer, places)):
            return []
        least = layout.least + sum(len(place.octets or b"") for place in places)
        least -= sum(least_octets(place.field) for place in places if place.octets is not None)
        found = [f"glance_head(frame, {self._layout_name}::head, {least}U, at, spare)"]
        for place in places:
            field = place.field
            if field.reserved:
                found.append(f"glance_reserved(at, {field.size}U)")
                continue
            kind = self._kind(field)
            if place.octets is not None:
                found += [f"glance_constant(at, {kind})"] if place.octets else []
                continue
            target = f"message.{self._names[field.name]}" if place.shown else self._locals[field.name]
            further = f", {self._locals[field.length]}" if field.length else ""
            if place is places[-1] and field.type in (FieldType.STRING, FieldType.CHUNK):
                return [*found, f"{kind}::glance_last(at, spare, {target})"]
            found.append(f"{kind}::glance(at, spare, {target}{further})")
        return [*found, "spare == 0"]

    # --- writing

    def _counts(self) -> list[str]:
        """The numbers that are computed from what they count or measure."""
        return [
            f"[[maybe_unused]] const std::uint64_t {self._locals[place.field.name]} = {self._measure(place)};"
            for place in self._derived()
        ]

    def _measure(self, place: Place) -> str:
        return f"message.{self._names[place.measures[0].name]}.size()" if place.measures else "0"

    def _carries(self) -> list[str]:
        """The expressions that are true of a message that can be written, if each field answers for itself."""
        if self._layout.has_topic or any(len(place.measures) > 1 for place in self._derived()):
            return []
        found = []
        for place in self._layout.places:
            asked = _varies(place) and (may_refuse(place.field) or may_misfit(place.field))
            if asked and _takes_longer(place):
                return []
            if asked:
                found.append(f"carries<{self._kind(place.field)}>({self._value(place)})")
        return found

    def _checks(self) -> list[str]:
        """The expressions that are true, one after the other, of a message that can be written."""
        name, found, fits = string(self._message), [], []
        if self._layout.has_topic:
            topic = f"message.{self._names[chr(0) + 'topic']}"
            found.append(f'allowed<zeps_wire::kind::Topic>({name}, "topic", {topic}, error)')
        for place in self._derived():
            for other in place.measures[1:]:
                size = f"message.{self._names[other.name]}.size()"
                wanted = self._locals[place.field.name]
                found.append(f"same_count({name}, {string(other.name)}, {size}, {wanted}, error)")
        for place in self._layout.places:
            field = place.field
            if not _varies(place):
                continue
            blamed = place.measures[0] if place.measures else field
            value = f"message.{self._names[field.name]}" if place.shown else self._locals[field.name]
            arguments = f"({name}, {string(blamed.name)}, {value}, error)"
            if may_refuse(field):
                found.append(f"allowed<{self._kind(field)}>{arguments}")
            if may_misfit(field):
                fits.append(f"fitting<{self._kind(field)}>{arguments}")
        return found + fits or ["true"]

    def _sizes(self) -> list[str]:
        fixed = len(self._layout.head)
        found = []
        if self._layout.has_topic:
            found.append(f"zeps_wire::kind::Topic::size(message.{self._names[chr(0) + 'topic']})")
        for place in self._layout.places:
            if place.octets is not None:
                fixed += len(place.octets)
            elif place.field.type is FieldType.NUMBER or place.field.reserved:
                fixed += place.field.size
            else:
                found.append(f"{self._kind(place.field)}::size({self._value(place)})")
        return [f"{fixed}U", *found] if fixed or not found else found

    def _value(self, place: Place) -> str:
        return f"message.{self._names[place.field.name]}" if place.shown else self._measure(place)

    def _writes(self) -> list[str]:
        found = [f"at = store_constant(at, {self._layout_name}::head);"] if self._layout.head else []
        if self._layout.has_topic:
            found.append(f"at = zeps_wire::kind::Topic::write(at, message.{self._names[chr(0) + 'topic']});")
        for place in self._layout.places:
            if place.field.reserved:
                found.append(f"at = store_zeros(at, {place.field.size}U);")
            elif place.octets is None:
                found.append(f"at = {self._kind(place.field)}::write(at, {self._value(place)});")
            elif place.octets:
                found.append(f"at = store_constant(at, {self._layout_name}::{self._array(place.field)});")
        return found


def _varies(place: Place) -> bool:
    """Whether a place has a value: it is neither constant nor reserved."""
    return place.octets is None and not place.field.reserved


def _takes_longer(place: Place) -> bool:
    """Whether a field cannot be read at a glance."""
    return place.octets is None and place.field.type in (FieldType.VARINT, FieldType.LIST, FieldType.HASH)
