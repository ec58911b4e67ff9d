"""Names in C++."""

from __future__ import annotations

from functools import cached_property

from ...ir import Enumeration, Event, EventKind, Field, Protocol
from ...naming import Scope, pascal, snake, usable
from ...plan.build import plan_of
from ...plan.layout import Layout
from ...plan.machine import MachinePlan
from ...plan.operations import Operation, Topic

__all__ = ["MachineNames", "MessageNames", "class_name", "constant_names", "member_names", "namespace"]

_FUNCTIONS = "check decode decode_frames encode encode_frames encoded_size name_of write std zeps_wire"
_RUNTIME = """add copied decode_any describe detail fault kind load_number next_varint octets_of operation raises_max
read_constant read_varint runtime saturated set starts_with store_number store_octets store_varint
subtract text_of unknown varint_size"""
_MACHINE = """advance deadline fail host raise receive state terminated acting_ advance_ busy_ clock_ current_ deadline_
ended_ enter_ fail_ failed_ follow_ following_ handle_ host_ no_timers raise_ raised_ receive_ run_ self_ send_ take_
terminate_ unknown_ Clock Handling Steps Table"""
#: Names in the namespace of every protocol.
FUNCTIONS = frozenset(_FUNCTIONS.split())
#: Names that a protocol or a machine cannot have: other names in `zeps_wire`.
NAMESPACES = FUNCTIONS | frozenset(_RUNTIME.split())
#: Names that a field cannot have.
MEMBERS = frozenset({"message_id", "message_name", "std", "zeps_wire"})
#: Names that a machine's variables and methods cannot have.
MACHINE_MEMBERS = frozenset(_MACHINE.split())


def namespace(name: str, outer: str) -> str:
    """The namespace of a protocol or machine, within the namespace `outer`; also the stem of its file names."""
    return usable(snake(name), "cpp", NAMESPACES | {outer})


def class_name(name: str) -> str:
    """The class of a message or an enumeration; the generator's checks report names that give the same class."""
    return usable(pascal(name), "cpp", {"Message"})


def constant_names(protocol: Protocol) -> list[str]:
    """The names of the protocol's constants."""
    known = {
        f"is_{flags}{snake(enumeration.name)}"
        for enumeration in protocol.enumerations
        for flags in ("", "all_")
    }
    scope = Scope("cpp", FUNCTIONS | known)
    return [scope.name(snake(constant.name)) for constant in protocol.constants]


def member_names(items: Enumeration | Event) -> list[str]:
    """The names of an enumeration's members, or of a method's parameters, in the model's order."""
    scope = Scope("cpp", {"carried", "call"} if isinstance(items, Event) else ())
    parts = items.parameters if isinstance(items, Event) else items.members
    return [scope.name(snake(part.name)) for part in parts]


class MessageNames:
    """A message and the names of its parts. `operations` are those on the constants after the dispatched bytes, on the
    topic, and on the other fields in the order of the message, also reserved ones.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout, self.message, self.plan = layout, layout.message, plan_of(layout)
        self.class_name = class_name(self.message.name)
        fields = (*layout.head_constants, *layout.places)
        self.fields: dict[str, Field] = {place.field.name: place.field for place in fields}
        order = {name: number for number, name in enumerate(self.fields)}
        ordered = sorted(
            self.plan.all, key=lambda operation: -1 if isinstance(operation, Topic) else order[operation.name]
        )
        self.operations: list[Operation] = [*self._head(), *ordered]
        scope = Scope("cpp", MEMBERS)
        #: By name; the topic has the name None.
        self.names: dict[str | None, str] = {
            name: scope.name(snake(name)) for name, field in self.fields.items() if not field.reserved
        }
        if layout.has_topic:
            self.names[None] = scope.name("topic")

    def _head(self) -> list[Operation]:
        """The constants of the head after the dispatched bytes."""
        at, constants = self.plan.seen, list[Operation]()
        for constant in self.plan.constants:
            constants += [constant] if at >= len(self.plan.dispatch) else []
            at += len(constant.octets)
        return constants

    @cached_property
    def shown_names(self) -> set[str]:
        """The names of the shown fields."""
        return {field.name for field in self.layout.shown}

    @cached_property
    def constants(self) -> list[Field]:
        """The constant fields."""
        return [field for field in self.fields.values() if field.value is not None]

    @cached_property
    def shown(self) -> list[Operation]:
        """The operations on the shown fields."""
        return [
            operation
            for operation in self.operations
            if isinstance(operation, Topic) or operation.name in self.shown_names
        ]

    def member(self, operation: Operation) -> str:
        """The member of an operation's field."""
        return self.names[None if isinstance(operation, Topic) else operation.name]

    @property
    def ending(self) -> str:
        """The layout's base class: ``Closed``, or ``Extensible`` with the first optional operation, if any."""
        if not self.plan.extensible:
            return "Closed"
        tail = self.plan.operations[self.plan.tail :]
        return f"Extensible<{self.place(tail[0].name) if tail else ''}>"

    def place(self, name: str) -> int:
        """The index in `operations` for a field's name. Raises ValueError for others; the topic has no name."""
        return [
            None if isinstance(operation, Topic) else operation.name for operation in self.operations
        ].index(name)


class MachineNames:
    """The names of all parts of a machine."""

    def __init__(self, plan: MachinePlan) -> None:
        machine = plan.machine
        states, events, members = Scope("cpp"), Scope("cpp"), Scope("cpp", MACHINE_MEMBERS)
        self.states = {state.name: states.name(snake(state.name)) for state in machine.states}
        ordered = sorted(machine.events, key=lambda event: event.kind is not EventKind.MESSAGE)
        self.events = {event.name: events.name(_event_name(event)) for event in ordered}
        self.variables = {variable.name: members.name(snake(variable.name)) for variable in machine.variables}
        called = [event for event in machine.events if event.kind is not EventKind.MESSAGE]
        self.methods = {event.name: members.name(snake(event.name)) for event in called}
        #: The methods that fill a field, by message and field, and the filled fields, by message.
        self.fills = {
            (message, operation.name): members.name(f"fill_{snake(message)}_{snake(operation.name)}")
            for message, operations in plan.fillable.items()
            for operation in operations
        }
        self.drafts = {message: members.name(f"{snake(message)}_draft_") for message in plan.fillable}
        actions = Scope("cpp", {"on_transition", "send", "unsendable", "std", "zeps_wire"})
        self.actions = {name: actions.name(snake(name)) for name in machine.host_actions()}


def _event_name(event: Event) -> str:
    return snake(event.name) if event.kind is EventKind.MESSAGE else f"on_{snake(event.name)}"
