"""The code of a message: its names, and its operations as calls of the runtime."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Dispatch, Field, FieldType, Protocol, Relation, Text
from ...naming import Scope, camel, screaming
from ...plan import operations as ops
from ...plan.build import plans
from ...plan.layout import Layout, layouts
from ...plan.run import default_of
from .names import LOCALS, MEMBERS, ProtocolNames, is_member, literal, long_literal

__all__ = ["Message", "Slot", "messages_of"]

_VERBS = {None: "octets", Text.UTF8: "utf8", Text.PRINTABLE: "printable", Text.VCHAR: "vchar"}


@dataclass(frozen=True, slots=True)
class Slot:
    """A shown value: a component, a local, and members that a view and a writer add (`content`, `at`, `length`)."""

    operation: ops.Operation
    field: Field
    component: str
    local: str
    type: str
    is_member: bool  # a member of an enumeration, which may be null
    is_span: bool  # a view keeps its position, and a writer takes its bytes
    content: str
    at: str
    length: str


class Message:
    """The variables of templates/Record.java.j2. `slots` are by fields in wire order; the topic's name is empty."""

    def __init__(self, layout: Layout, plan: ops.Plan, names: ProtocolNames, kind: Dispatch, multipart: bool):
        self.layout, self.plan, self.names, self.dispatch = layout, plan, names, kind
        self.is_multipart = multipart  # whether messages of its protocol may have several frames
        self.class_name = names.messages[plan.name]
        self.slots: dict[str, Slot] = {}
        operations = {ops.key_of(operation): operation for operation in plan.all}
        fields = {"": Field("topic", FieldType.STRING)} if layout.has_topic else {}
        fields |= {place.field.name: place.field for place in layout.places if place.shown}
        components, locals_ = Scope("java", MEMBERS), Scope("java", LOCALS)
        titles = {name: components.name(camel(field.name)) for name, field in fields.items()}
        view = Scope("java", {*MEMBERS, *titles.values()})
        for name, field in fields.items():
            title, operation = titles[name], operations[name]
            type_name = names.type_of(operation)
            of_type = (type_name, is_member(operation), type_name in ("String", "Octets"))
            beside = [view.name(f"{title}{what}") for what in ("Octets", "At", "Length")]
            self.slots[name] = Slot(operation, field, title, locals_.name(title), *of_type, *beside)
        self.shown = tuple(self.slots.values())
        spans = [slot.is_span for slot in self.shown if not isinstance(slot.operation, ops.Number)]
        several = multipart or layout.has_topic or plan.tail < len(plan.operations)
        self.has_view = not several and bool(spans) and all(spans)  # variable content without lists
        numbers = [number for number in plan.operations if isinstance(number, ops.Number)]
        self._numbers = {number.name: number for number in numbers}
        hidden = [number.name for number in numbers if number.name not in fields]
        self._counts = {name: locals_.name(camel(name)) for name in hidden}
        statics = Scope("java", {"BEGINNING", "HEAD", "ID", "NAME"})
        self.constants: dict[str, tuple[Field, str, str]] = {}
        """The static fields with the value and the bytes of each constant, by the names of fields."""
        for place in (*layout.head_constants, *layout.places):
            if place.constant is not None:
                value = statics.name(screaming(place.field.name))
                self.constants[place.field.name] = place.field, value, statics.name(f"{value}_OCTETS")

    def read(self, view: bool = False) -> list[str]:
        """The statements that read from `in` into locals; those of a view only locate text and bytes."""
        lines = [f"in.message(NAME, {self.plan.seen});"]
        constants = self.plan.constants
        for number, operation in enumerate((*constants, *self.plan.operations), -len(constants)):
            lines += self._read_lines(operation, view, number >= self.plan.tail)
        lines += [] if self.plan.takes_all else ["in.end();"]
        lines += [line for operation in self.plan.apart for line in self._read_lines(operation)]
        return lines + (["in.lastFrame();"] if self.is_multipart else [])

    def _read_lines(self, operation: ops.Operation, view: bool = False, may_end: bool = False) -> list[str]:
        """The statements that read a value into a local and check it; with `may_end` short frames have the default."""
        kind = self.names.type_of(operation)
        as_span = view and kind in ("String", "Octets")
        value = self._read(operation, "in", f"in.field({literal(operation.name)})", "Span" if as_span else "")
        if isinstance(operation, ops.Constant | ops.Reserved):
            return [f"{value.replace('Span', '')};"]
        if may_end:
            value = f"in.isAtEnd() ? {self.names.value_of(operation, default_of(operation))} : {value}"
        lines = [f"final {'long' if as_span else kind} {self._local(ops.key_of(operation))} = {value};"]
        for relation in operation.relations if isinstance(operation, ops.Number) else ():
            values = {name: ".value()" * is_member(self._numbers[name]) for name in relation.fields}
            numbers = {name: f"{self._local(name)}{value}" for name, value in values.items()}
            lines.append(f"in.related({_holds(relation, numbers)});")
        return lines

    def _local(self, name: str) -> str:
        return self._counts.get(name) or self.slots[name].local

    def _read(self, operation: ops.Operation, in_: str, first: str, span: str = "", depth: int = 0) -> str:
        """The expression that reads a value. The reader `first` needs the field's name, `in_` does not; with `span`
        "Span" it only locates bytes; `depth` counts the enclosing lists.
        """
        verb, arguments = self._call(operation)
        if isinstance(operation, ops.Content) and operation.measured_by is not None:
            arguments.insert(0, self._local(operation.measured_by))
        if isinstance(operation, ops.Items):
            item = f"item{depth or ''}"
            parts = ", ".join(self._read(part, item, item, depth=depth + 1) for part in operation.parts)
            if not operation.is_open:
                sibling = operation.counted_by
                count = str(operation.prefix) if sibling is None else self._local(sibling)
                arguments = [count, *arguments, str(operation.least)]
            arguments.append(f"{item} -> {f'new Entry<>({parts})' if operation.is_pairs else parts}")
        value = self._looked(operation, in_, f"{first}.{verb}{span}({', '.join(arguments)})")
        return f"{in_}.member({self.names.type_of(operation)}.of({value}))" if is_member(operation) else value

    def _looked(self, operation: ops.Operation, by: str, value: str) -> str:
        """The expression `value`, for numbers with checks against the limit and against the bits of the enumeration."""
        if isinstance(operation, ops.Number) and operation.limit is not None:
            signed = "Signed" * operation.signed
            value = f"{by}.most{signed}({value}, {long_literal(operation.limit)})"
        if isinstance(operation, ops.Number) and operation.enumeration is not None and operation.flags:
            value = f"{by}.bits({value}, {self.names.enumerations[operation.enumeration]}.MASK)"
        return value

    def encode(self, writer: bool) -> list[str]:
        """The statements with which `out` checks the values of a record (or of a `writer`), and then writes them."""
        lines = []
        for number in self._numbers.values():
            for other in number.measures[1:]:
                lengths = f"{self._length(other, writer)}, {self._length(number.measures[0], writer)}"
                lines.append(f"out.field({literal(other)}).agree({lengths});")
        lines += ["out.constant(HEAD);"] if self.plan.head else []
        for operation in self.plan.all:
            measures = operation.measures if isinstance(operation, ops.Number) else ()
            name = measures[0] if measures else operation.name
            place = f"out.field({literal(name)})"
            lines.append(f"{self._put(operation, 'out', place, self._given(operation, writer))};")
            for relation in operation.relations if isinstance(operation, ops.Number) else ():
                numbers = {name: self._given(self._numbers[name], writer) for name in relation.fields}
                lines.append(f"out.field({literal(operation.name)}).related({_holds(relation, numbers)});")
        return lines

    def _put(self, operation: ops.Operation, out: str, first: str, value: str, depth: int = 0) -> str:
        verb, arguments = self._call(operation)
        if isinstance(operation, ops.Items):
            inner, item = f"out{depth + 1}", f"item{depth or ''}"
            paths = [f"{item}.key()", f"{item}.value()"] if operation.is_pairs else [item]
            calls = [
                self._put(part, inner, inner, f"{path}.value()" if is_member(part) else path, depth + 1)
                for part, path in zip(operation.parts, paths, strict=True)
            ]
            write_item = f"({inner}, {item}) -> {{ {' '.join(f'{call};' for call in calls)} }}"
            verb, arguments = "list", [str(operation.prefix), *arguments, write_item]
        if verb in ("measured", "rest"):
            verb, arguments = "octets", ["0", *arguments]
        return f"{first}.{verb}({', '.join(filter(None, [self._looked(operation, out, value), *arguments]))})"

    def _call(self, operation: ops.Operation) -> tuple[str, list[str]]:
        """The runtime's method for reading and writing an operation, and its arguments apart from the value."""
        match operation:
            case ops.Constant(name):
                return "constant", [self.constants[name][2]]
            case ops.Reserved(_, size):
                return "skip", [str(size)]
            case ops.Number(size=0, signed=signed):
                return "zigzag" if signed else "varint", []
            case ops.Number(bits=bits, signed=signed):
                return f"{'i' if signed and bits < 64 else 'u'}{bits}", []
            case ops.Content(measured_by=str(), most=most):
                return "measured", [long_literal(most)]
            case ops.Content(text=text, prefix=prefix, most=most):
                return _VERBS[text], [str(prefix), long_literal(most)]
            case ops.Fixed(size=size):
                return "fixed", [str(size)]
            case ops.Rest(limit=limit):
                return "rest", [long_literal(limit)]
            case ops.Items(most=most, is_open=is_open, counted_by=counted_by):
                verb = "open" if is_open else "list" if counted_by is None else "counted"
                return verb, [long_literal(most)]
            case ops.Apart(is_rest=is_rest, limit=limit):
                return "frames" if is_rest else "frame", [long_literal(limit)]
            case _:
                return "topic", []

    def _given(self, operation: ops.Operation, writer: bool) -> str:
        """The value to write: a component, a writer's position, the size of a sibling, or empty if constant."""
        if isinstance(operation, ops.Constant | ops.Reserved):
            return ""
        if isinstance(operation, ops.Number) and operation.measures:
            return self._length(operation.measures[0], writer)
        slot = self.slots[ops.key_of(operation)]
        value = f"this.{slot.component}"
        if slot.is_member:
            absent = "absentText" if isinstance(operation, ops.Content) else "absent"
            return f"{value} == null ? out.{absent}() : {value}.value()"
        return f"{value}, this.{slot.at}, this.{slot.length}" if writer and slot.is_span else value

    def _length(self, name: str, writer: bool) -> str:
        slot = self.slots[name]
        length = f"{slot.component}.{'size' if slot.type.startswith('List') else 'length'}()"
        return f"this.{slot.length if writer else length}"


def _holds(relation: Relation, numbers: dict[str, str]) -> str:
    """The condition of a relation between numbers, which are given as expressions by their names."""
    right = numbers[relation.right] if isinstance(relation.right, str) else long_literal(relation.right)
    return f"Long.compareUnsigned({numbers[relation.left]}, {right}) {relation.operator} 0"


def messages_of(protocol: Protocol, names: ProtocolNames) -> list[Message]:
    """The messages that the protocol's version includes."""
    known = list(zip(layouts(protocol), plans(protocol), strict=True))
    multipart = any(plan.apart for _, plan in known)
    return [Message(layout, plan, names, protocol.dispatch, multipart) for layout, plan in known]
