"""The view of a protocol's header and source: everything that their templates print, in C++'s terms."""

from __future__ import annotations

from dataclasses import dataclass

from ... import ir
from ...ir import Dispatch, Protocol
from ...naming import Scope, snake
from ...plan.build import plan_of
from ...plan.enumerations import EnumerationPlan, enumeration_plans
from ...plan.layout import Layout, layouts
from ...plan.operations import Constant, Content, Fixed, Items, Number, Operation, Reserved, Topic
from ..errors import UnsupportedByTarget
from .kinds import kind_of, may_misfit, may_refuse, value_type
from .names import FUNCTIONS, LOCALS, TOPIC, class_name, enumeration_name, field_names, namespace
from .text import array, comment, number, string, string_view

__all__ = ["CodecView", "MessageView", "sentence", "view_codec"]

_DISPATCHES = {Dispatch.CONSTANT: "constant", Dispatch.NAME: "name"}


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


def sentence(text: str) -> str:
    """`text` with a stop at its end."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".?!:;" else f"{text}."


def view_codec(protocol: Protocol) -> CodecView:
    """What the templates print for `protocol`. UnsupportedByTarget if a message has several frames."""
    messages = [MessageView(layout, protocol) for layout in layouts(protocol)]
    names = Scope("cpp", FUNCTIONS | {f"is_{snake(one.name)}" for one in protocol.enumerations})
    enumerations = enumeration_plans(protocol)
    return CodecView(
        namespace(protocol.name),
        namespace(protocol.name),
        string(protocol.name),
        comment(sentence(protocol.title), protocol.doc),
        [_constant(names.name(snake(one.name)), one) for one in protocol.constants],
        [_enumeration(one) for one in enumerations if not one.is_text],
        [_enumeration(one) for one in enumerations if one.is_text],
        messages,
        [f"{view.layout}::beginning" for view in messages],
        {Dispatch.SIGNATURE: 2, Dispatch.PUBSUB: 0, Dispatch.OCTET: 0}.get(protocol.dispatch),
        sorted(messages, key=lambda view: -len(view.plan.dispatch)),
    )


def _constant(name: str, one: ir.Constant | ir.Field, indent: int = 0) -> ConstantView:
    value, doc = one.value, comment(sentence(one.doc), indent=indent)
    if isinstance(value, int):
        kind = "std::uint64_t" if value >= 0 else "std::int64_t"
        return ConstantView(f"{kind} {name}", number(value), doc)
    return ConstantView(f"std::string_view {name}", string_view(value or b""), doc)


def _enumeration(plan: EnumerationPlan) -> EnumerationView:
    one, scope = plan.enumeration, Scope("cpp")
    return EnumerationView(
        enumeration_name(one.name),
        "std::int64_t" if plan.is_signed else "std::uint64_t",
        comment(sentence(one.doc) or f"Values of {one.name}."),
        [
            (scope.name(snake(member.name)), _literal(member.value), comment(sentence(member.doc), indent=2))
            for member in one.members
        ],
        snake(one.name),
        [_literal(member.value) for member in plan.members],
        f"{plan.mask:#x}U",
    )


def _literal(value: int | str | bytes) -> str:
    return number(value) if isinstance(value, int) else string_view(value)


class MessageView:
    """One message: its class, its layout, and the lines of its functions."""

    def __init__(self, layout: Layout, protocol: Protocol) -> None:
        message, self.plan = layout.message, plan_of(layout)
        for one in self.plan.apart:
            raise UnsupportedByTarget("cpp", message.name, one.name, "a message is one frame here")
        self._fields = {place.field.name: place.field for place in (*layout.head_constants, *layout.places)}
        self._names = field_names(self.plan)
        self._shown = {TOPIC, *(field.name for field in layout.shown)}
        scope = Scope("cpp", LOCALS)
        on_wire = [one for one in self.plan.operations if not isinstance(one, Topic)]
        self._locals = {one.name: scope.name(snake(one.name)) for one in on_wire}
        self.class_name = class_name(message.name)
        self.layout = f"layout::{self.class_name}"
        self.name = string(message.name)
        self.id = message.id
        self.doc = comment(sentence(message.doc) or f"{message.name}.")
        self.constants = [
            _constant(self._names[one.name], self._fields[one.name], indent=2)
            for one in (*self.plan.constants, *self.plan.operations)
            if isinstance(one, Constant)
        ]
        self.arrays = self._arrays()
        self.pieces = self._pieces()
        self.beginning = self._beginning(protocol.dispatch)
        self.members: list[tuple[str, str, list[str]]] = []
        """Type, name and comment of each."""
        self.shown: list[tuple[str, str]] = []
        """Name and kind of each member."""
        self.kinds: list[tuple[str, str]] = []
        self.locals: list[str] = []
        self.counts: list[str] = []
        """The numbers that are computed from what they count or measure."""
        self.reads: list[str] = []
        """The expressions that are true, one after the other, of a frame that holds the message."""
        self.glances: list[str] = []
        """The same at a glance, with `at` and `spare`; none if it holds what takes a longer look."""
        self.carries: list[str] = []
        """The expressions that are true of a message that can be written, if each field answers for itself."""
        self.sizes: list[str] = []
        self.writes: list[str] = []
        self._agree: list[str] = []
        self._allowed: list[str] = []
        self._fitting: list[str] = []
        self._fixed = len(self.plan.head)
        self._least = len(self.plan.head)
        if self.plan.head:
            self.reads.append(f"read_head(in, {self.layout}::head, {self.layout}::beginning, error)")
            self.writes.append(f"at = store_constant(at, {self.layout}::head);")
        for operation in self.plan.operations:
            self._add(operation)
        self._finish()

    @property
    def checks(self) -> list[str]:
        """The expressions that are true, one after the other, of a message that can be written."""
        return [*self._agree, *self._allowed, *self._fitting] or ["true"]

    @property
    def _ends_with_content(self) -> bool:
        """Whether all that is left is the last operation's: a glance at it sees that nothing is trailing."""
        match self.plan.operations:
            case (*_, Content(prefix=prefix)):
                return prefix > 0
            case _:
                return False

    # --- how it begins

    def _arrays(self) -> list[tuple[str, str]]:
        """The constants on the wire, and their names."""
        found = (one for one in (*self.plan.operations, *self.plan.constants) if isinstance(one, Constant))
        named = [("head", self.plan.head), *((self._names[one.name], one.octets) for one in found)]
        return [(name, array(octets)) for name, octets in named if octets]

    def _pieces(self) -> list[str]:
        """The constants of the head behind what tells the message from others."""
        at, found = self.plan.seen, []
        for one in self.plan.constants:
            if at >= len(self.plan.dispatch):
                found.append(f"{{{string(one.name)}, {self._names[one.name]}}}")
            at += len(one.octets)
        return found

    def _beginning(self, dispatch: Dispatch) -> list[str]:
        size = len(self.plan.dispatch)
        return [
            self.name,
            f"zeps_wire::Beginning::Dispatch::{_DISPATCHES.get(dispatch, 'number')}",
            f"zeps_wire::Octets(head, {size})" if size else "zeps_wire::Octets()",
            "constants" if self.pieces else "{}",
        ]

    # --- the operations

    def _add(self, operation: Operation) -> None:
        match operation:
            case Constant(name, octets) if octets:
                constant = f"{self.layout}::{self._names[name]}"
                self.reads.append(f"read_constant(in, {self.name}, {string(name)}, {constant}, error)")
                self.glances.append(f"glance_constant(at, {constant})")
                self.writes.append(f"at = store_constant(at, {constant});")
                self._fixed += len(octets)
                self._least += len(octets)
            case Reserved(name, size):
                self.reads.append(f"read_reserved(in, {self.name}, {string(name)}, {size}U, error)")
                self.glances.append(f"glance_reserved(at, {size}U)")
                self.writes.append(f"at = store_zeros(at, {size}U);")
                self._fixed += size
                self._least += size
            case Constant():
                pass
            case _:
                self._add_value(operation)

    def _add_value(self, operation: Operation) -> None:
        key = TOPIC if isinstance(operation, Topic) else operation.name
        name, kind = self._names[key], f"{self.layout}::{self._names[key]}"
        self.kinds.append((name, kind_of(operation)))
        value = local = f"message.{name}"
        if key in self._shown:
            doc = comment(sentence(self._fields[key].doc), indent=2) if key in self._fields else []
            self.members.append((value_type(operation), name, doc))
            self.shown.append((name, kind))
        elif isinstance(operation, Number):
            value, local = self._add_derived(operation), self._locals[key]
        self._add_reading(operation, kind, local)
        if isinstance(operation, Topic):
            kind = kind_of(operation)
        self._add_checks(operation, kind, value, local)
        match operation:
            case Number(size=size) if size:
                self._fixed += size
            case _:
                self.sizes.append(f"{kind}::size({value})")
        self.writes.append(f"at = {kind}::write(at, {value});")

    def _add_derived(self, operation: Number) -> str:
        """A number that counts or measures, and that nobody is shown: what it is computed from."""
        local = self._locals[operation.name]
        sizes = {one: f"message.{self._names[one]}.size()" for one in operation.measures}
        value = next(iter(sizes.values()), "0")
        self.locals.append(f"std::uint64_t {local} = 0;")
        self.counts.append(f"[[maybe_unused]] const std::uint64_t {local} = {value};")
        for other in operation.measures[1:]:
            self._agree.append(f"same_count({self.name}, {string(other)}, {sizes[other]}, {local}, error)")
        return value

    def _add_reading(self, operation: Operation, kind: str, target: str) -> None:
        further, glanced = "", ""
        match operation:
            case Content(measured_by=str(sibling)):
                further = glanced = f", {self._locals[sibling]}"
            case Items(counted_by=str(sibling)):
                further = f", {self._locals[sibling]}"
        shown = string(operation.name)
        self.reads.append(f"read<{kind}>(in, {self.name}, {shown}, {target}, error{further})")
        match operation:
            case Number(size=size) | Fixed(size=size) | Content(prefix=size):
                self._least += size
        if self._ends_with_content and operation is self.plan.operations[-1]:
            self.glances.append(f"{kind}::glance_last(at, spare, {target})")
        else:
            self.glances.append(f"{kind}::glance(at, spare, {target}{glanced})")

    def _add_checks(self, operation: Operation, kind: str, value: str, local: str) -> None:
        blamed = operation.name
        if isinstance(operation, Number) and operation.measures:
            blamed = operation.measures[0]
        arguments = f"({self.name}, {string(blamed)}, {local}, error)"
        refuses, misfits = may_refuse(operation), may_misfit(operation)
        if refuses:
            found = self._agree if isinstance(operation, Topic) else self._allowed
            found.append(f"allowed<{kind}>{arguments}")
        if misfits:
            self._fitting.append(f"fitting<{kind}>{arguments}")
        if refuses or misfits:
            self.carries.append(f"carries<{kind}>({value})")

    def _finish(self) -> None:
        operations = self.plan.operations
        self.reads.append(f"read_end(in, {self.name}, error)")
        if not self.plan.head or any(map(_takes_longer, operations)):
            self.glances = []
        else:
            self.glances.insert(0, f"glance_head(frame, {self.layout}::head, {self._least}U, at, spare)")
            if not self._ends_with_content:
                self.glances.append("spare == 0")
        asked = [one for one in operations if may_refuse(one) or may_misfit(one)]
        if any(map(_takes_longer, asked)) or any(map(_measures_several, operations)):
            self.carries = []
        if self._fixed or not self.sizes:
            self.sizes.insert(0, f"{self._fixed}U")


def _takes_longer(operation: Operation) -> bool:
    """Whether it cannot be read at a glance."""
    return isinstance(operation, Topic | Items) or (isinstance(operation, Number) and not operation.size)


def _measures_several(operation: Operation) -> bool:
    return isinstance(operation, Number) and len(operation.measures) > 1
