"""The code of one message: its names, and the spelling of its operations as calls of the runtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...ir import Dispatch, Field, FieldType, Protocol, Relation, Text
from ...naming import Scope, camel, screaming
from ...plan import operations as ops
from ...plan.build import plans
from ...plan.layout import Layout, layouts
from ...plan.run import default_of
from .names import LOCALS, MEMBERS, ProtocolNames, is_member, literal, long_literal, octets, unsigned

__all__ = ["Message", "Slot", "messages_of"]

_VERBS = {None: "octets", Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "vchar"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A value that the message shows. `octets`, `at` and `length` are what its view and its writer have beside it."""

    operation: ops.Operation
    field: Field
    component: str
    local: str
    type: str
    octets: str
    at: str
    length: str

    @property
    def is_member(self) -> bool:
        """Whether it is a member of an enumeration, which may be null."""
        return is_member(self.operation)

    @property
    def is_span(self) -> bool:
        """Whether a view keeps its place, and a writer takes its octets."""
        return self.type in ("String", "Octets")


@dataclass(frozen=True, slots=True)
class Message:
    """What templates/Record.java.j2 prints. Slots have their fields' names; that of the topic has none."""

    layout: Layout
    plan: ops.Plan
    names: ProtocolNames
    dispatch: Dispatch
    is_multipart: bool
    """Whether messages of its protocol have several frames."""
    slots: dict[str, Slot]
    constants: dict[str, tuple[Field, str, str]]
    """By the fields' names, each with the static fields that have its value and its octets."""
    counts: dict[str, str]
    """The locals of the numbers that no message shows."""

    @property
    def class_name(self) -> str:
        return self.names.messages[self.plan.name]

    @property
    def shown(self) -> tuple[Slot, ...]:
        """The record's components."""
        return tuple(self.slots.values())

    @property
    def has_view(self) -> bool:
        """Whether a view and a writer are worth having: something varies in size, and nothing is a list."""
        lists = any(one.type.startswith("List") or isinstance(one.operation, ops.Topic) for one in self.shown)
        texts = any(one.is_member and isinstance(one.operation, ops.Content) for one in self.shown)
        grows = self.plan.tail < len(self.plan.operations)
        return not (self.is_multipart or lists or texts or grows) and any(one.is_span for one in self.shown)

    def read(self, view: bool = False) -> list[str]:
        """The statements that turn `in` into locals; those of a view only find where text and octets lie."""
        lines = [f"in.message(NAME, {self.plan.seen});"]
        for number, one in enumerate(
            (*self.plan.constants, *self.plan.operations), -len(self.plan.constants)
        ):
            field = f"in.field({literal(one.name)})"
            match one:
                case ops.Constant(name):
                    lines.append(f"{field}.constant({self.constants[name][2]});")
                case ops.Reserved(_, size):
                    lines.append(f"{field}.skip({size});")
                case _:
                    value = self._read(one, "in", field, "Span" if view else "")
                    if number >= self.plan.tail:
                        value = f"in.isAtEnd() ? {self._default(one)} : {value}"
                    local, kind = self._local(_key(one)), self.names.type_of(one)
                    kind = "long" if view and kind in ("String", "Octets") else kind
                    lines.append(f"final {kind} {local} = {value};")
                    if isinstance(one, ops.Number):
                        lines += [
                            f"in.related({self._relation(each, self._found)});" for each in one.relations
                        ]
        lines += [] if self.plan.takes_all else ["in.end();"]
        for one in self.plan.apart:
            value = self._read(one, "in", f"in.field({literal(one.name)})")
            lines.append(f"final {self.names.type_of(one)} {self._local(one.name)} = {value};")
        return lines + (["in.lastFrame();"] if self.is_multipart else [])

    def _read(self, operation: ops.Operation, in_: str, first: str, span: str = "", depth: int = 0) -> str:
        """The value that is read. `first` is the reader where the field has to be named, `in_` where it has been."""
        match operation:
            case ops.Topic():
                return f"{first}.topic()"
            case ops.Number(limit=limit, signed=signed):
                value = f"{first}.{_verb(operation)}()"
                if limit is not None:
                    wide = "Signed" if signed and self.names.type_of(operation) == "long" else ""
                    value = f"{in_}.most{wide}({value}, {unsigned(limit)})"
            case ops.Content(measured_by=str(sibling), most=most):
                return f"{first}.measured{span}({self._local(sibling)}, {unsigned(most)})"
            case ops.Content(prefix=prefix, most=most, text=text):
                value = f"{first}.{_VERBS[text]}{span}({prefix}, {unsigned(most)})"
            case ops.Fixed(size=size):
                return f"{first}.fixed{span}({size})"
            case ops.Rest(limit=limit):
                return f"{first}.rest{span}({unsigned(limit)})"
            case ops.Items(most=most, least=least, counted_by=sibling):
                item = f"item{depth or ''}"
                parts = ", ".join(self._read(part, item, item, depth=depth + 1) for part in operation.parts)
                read = f"{item} -> {f'new Entry<>({parts})' if operation.is_pairs else parts}"
                if operation.is_open:
                    return f"{first}.open({unsigned(most)}, {read})"
                count = "list" if sibling is None else "counted"
                number = operation.prefix if sibling is None else self._local(sibling)
                return f"{first}.{count}({number}, {unsigned(most)}, {least}, {read})"
            case ops.Apart(is_rest=is_rest, limit=limit):
                return f"{first}.frame{'s' if is_rest else ''}({unsigned(limit)})"
            case _:
                raise ValueError(f"{operation.name} has no value")
        if operation.enumeration is None:
            return value
        enumeration = self.names.enumerations[operation.enumeration]
        if is_member(operation):
            return f"{in_}.member({enumeration}.of({value}))"
        return f"{in_}.bits({value}, {enumeration}.MASK)"

    def _default(self, operation: ops.Operation) -> str:
        """The value of a field that the frame ends before."""
        default, kind = default_of(operation), self.names.type_of(operation)
        if kind.startswith("List"):
            return "List.of()"
        if isinstance(default, int):
            spelled = str(default) if kind == "int" else long_literal(default)
        elif kind == "Octets":
            return f"Octets.wrap(new byte[] {octets(default)})"
        else:
            spelled = literal(default.decode())
        return f"{kind}.of({spelled})" if is_member(operation) else spelled

    def _relation(self, relation: Relation, number: Callable[[str], str]) -> str:
        """Whether it holds between numbers, which are spelled by their names."""
        right = number(relation.right) if isinstance(relation.right, str) else unsigned(relation.right)
        return f"Long.compareUnsigned({number(relation.left)}, {right}) {relation.operator} 0"

    def _found(self, name: str) -> str:
        """The value of a number that was read."""
        return f"{self._local(name)}{'.value()' if name in self.slots and self.slots[name].is_member else ''}"

    def _local(self, name: str) -> str:
        return self.counts.get(name) or self.slots[name].local

    def encode(self, writer: bool) -> list[str]:
        """The statements with which `out` checks the values of a record or a writer, and then writes them."""
        lines = []
        for one in self.plan.operations:
            measured = one.measures if isinstance(one, ops.Number) else ()
            for other in measured[1:]:
                lengths = f"{self._length(other, writer)}, {self._length(measured[0], writer)}"
                lines.append(f"out.field({literal(other)}).agree({lengths});")
        lines += ["out.constant(HEAD);"] if self.plan.head else []
        for one in (*self.plan.operations, *self.plan.apart):
            match one:
                case ops.Constant(name):
                    lines.append(f"out.constant({self.constants[name][2]});")
                    continue
                case ops.Reserved(_, size):
                    lines.append(f"out.zeros({size});")
                    continue
                case ops.Number(measures=(name, *_)):
                    value = self._length(name, writer)
                case _:
                    name, value = one.name, self._given(one, writer)
            lines.append(f"{self._put(one, 'out', f'out.field({literal(name)})', value)};")
            for each in one.relations if isinstance(one, ops.Number) else ():
                holds = self._relation(each, lambda name: self._number(name, writer))
                lines.append(f"out.field({literal(one.name)}).related({holds});")
        return lines

    def _put(self, operation: ops.Operation, out: str, first: str, value: str, depth: int = 0) -> str:
        match operation:
            case ops.Topic():
                return f"{first}.topic({value})"
            case ops.Number(limit=limit, signed=signed, enumeration=enumeration, flags=flags):
                if limit is not None:
                    value = f"{out}.most{'Signed' if signed else ''}({value}, {unsigned(limit)})"
                if enumeration is not None and flags:
                    value = f"{out}.bits({value}, {self.names.enumerations[enumeration]}.MASK)"
                return f"{first}.{_verb(operation)}({value})"
            case ops.Content(prefix=prefix, most=most, text=text):
                return f"{first}.{_VERBS[text]}({value}, {prefix}, {unsigned(most)})"
            case ops.Fixed(size=size):
                return f"{first}.fixed({value}, {size})"
            case ops.Rest(limit=limit):
                return f"{first}.octets({value}, 0, {unsigned(limit)})"
            case ops.Items(prefix=prefix, most=most, is_pairs=is_pairs):
                inner, item = f"out{depth + 1}", f"item{depth or ''}"
                paths = [f"{item}.key()", f"{item}.value()"] if is_pairs else [item]
                calls = [
                    self._put(part, inner, inner, f"{path}.value()" if is_member(part) else path, depth + 1)
                    for part, path in zip(operation.parts, paths, strict=True)
                ]
                each = f"({inner}, {item}) -> {{ {' '.join(f'{call};' for call in calls)} }}"
                return f"{first}.list({value}, {prefix}, {unsigned(most)}, {each})"
            case ops.Apart(is_rest=is_rest, limit=limit):
                return f"{first}.frame{'s' if is_rest else ''}({value}, {unsigned(limit)})"
            case _:
                raise ValueError(f"{operation.name} has no value")

    def _number(self, name: str, writer: bool) -> str:
        """The value of a number, also of one that no message shows."""
        one = next(one for one in self.plan.operations if one.name == name)
        measures = one.measures if isinstance(one, ops.Number) else ()
        return self._length(measures[0], writer) if measures else self._given(one, writer)

    def _given(self, operation: ops.Operation, writer: bool) -> str:
        """The value of a component: that of a writer is where octets lie."""
        slot = self.slots[_key(operation)]
        value = f"this.{slot.component}"
        if slot.is_member:
            absent = "absentText" if isinstance(operation, ops.Content) else "absent"
            return f"{value} == null ? out.{absent}() : {value}.value()"
        return f"{value}, this.{slot.at}, this.{slot.length}" if writer and slot.is_span else value

    def _length(self, name: str, writer: bool) -> str:
        slot = self.slots[name]
        length = f"{slot.component}.{'size' if slot.type.startswith('List') else 'length'}()"
        return f"this.{slot.length if writer else length}"


def _verb(number: ops.Number) -> str:
    if not number.size:
        return "zigzag" if number.signed else "varint"
    return f"{'i' if number.signed else 'u'}{number.bits}"


def _key(operation: ops.Operation) -> str:
    return "" if isinstance(operation, ops.Topic) else operation.name


def messages_of(protocol: Protocol, names: ProtocolNames) -> list[Message]:
    """The messages that the protocol's version has."""
    known = list(zip(layouts(protocol), plans(protocol), strict=True))
    is_multipart = any(plan.apart for _, plan in known)
    return [_message(layout, plan, names, protocol.dispatch, is_multipart) for layout, plan in known]


def _message(
    layout: Layout, plan: ops.Plan, names: ProtocolNames, dispatch: Dispatch, is_multipart: bool
) -> Message:
    operations = {_key(one): one for one in (*plan.operations, *plan.apart)}
    shown = {"": Field("topic", FieldType.STRING)} if layout.has_topic else {}
    shown |= {place.field.name: place.field for place in layout.places if place.shown}
    components, locals_ = Scope("java", MEMBERS), Scope("java", LOCALS)
    titles = {name: components.name(camel(field.name)) for name, field in shown.items()}
    view = Scope("java", {*MEMBERS, *titles.values()})
    slots = {}
    for name, field in shown.items():
        title, kind = titles[name], names.type_of(operations[name])
        beside = [view.name(f"{title}{what}") for what in ("Octets", "At", "Length")]
        slots[name] = Slot(operations[name], field, title, locals_.name(title), kind, *beside)
    hidden = [one.name for one in plan.operations if isinstance(one, ops.Number) and one.name not in slots]
    counts = {name: locals_.name(camel(name)) for name in hidden}
    statics, constants = Scope("java", {"BEGINNING", "HEAD", "ID", "NAME"}), {}
    for place in (*layout.head_constants, *layout.places):
        if place.octets is not None:
            value = statics.name(screaming(place.field.name))
            constants[place.field.name] = place.field, value, statics.name(f"{value}_OCTETS")
    return Message(layout, plan, names, dispatch, is_multipart, slots, constants, counts)
