"""What everything is called in C++."""

from __future__ import annotations

from ...ir import Event, EventKind, Machine
from ...naming import Scope, pascal, snake, usable
from ...plan.operations import Plan, Reserved, Topic

__all__ = [
    "FUNCTIONS",
    "LOCALS",
    "TOPIC",
    "MachineNames",
    "call_name",
    "class_name",
    "enumeration_name",
    "field_names",
    "namespace",
]

#: What a message's or an enumeration's class may not be called.
CLASSES = frozenset({"Message"})
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
#: What a machine's variables and methods may not be called.
MACHINE_MEMBERS = frozenset(
    {"fail", "host", "receive", "state", "terminated", "busy_", "current_", "ended_", "failed_", "host_"}
)
MACHINE_MEMBERS |= frozenset(
    {"handle_", "recover_", "take_", "run_", "terminate_", "unknown_", "Handling", "Table", "Steps"}
)
#: The key of a message's topic among the names of its fields, one of which may be called so.
TOPIC = "\0topic"


def namespace(name: str) -> str:
    """The namespace of a protocol or machine, and the name of its files."""
    return usable(snake(name), "cpp", {"kind", "layout", "std", "zeps_wire", "runtime", "detail"})


def class_name(message: str) -> str:
    """The class of the message called `message`."""
    return usable(pascal(message), "cpp", CLASSES)


def enumeration_name(enumeration: str) -> str:
    """The class of an enumeration; should a message have the name, the front end has said so."""
    return usable(pascal(enumeration), "cpp", CLASSES)


def field_names(plan: Plan) -> dict[str, str]:
    """What each field, shown or constant, is called in its message's class."""
    scope = Scope("cpp", MEMBERS)
    named = [one for one in plan.operations if not isinstance(one, Topic | Reserved)]
    names = {one.name: scope.name(snake(one.name)) for one in (*plan.constants, *named)}
    if any(isinstance(one, Topic) for one in plan.operations):
        names[TOPIC] = scope.name("topic")
    return names


class MachineNames:
    """What everything in a machine is called."""

    def __init__(self, machine: Machine) -> None:
        states, events, members = Scope("cpp"), Scope("cpp"), Scope("cpp", MACHINE_MEMBERS)
        self.states = {one.name: states.name(snake(one.name)) for one in machine.states}
        ordered = sorted(machine.events, key=lambda one: one.kind is not EventKind.MESSAGE)
        self.events = {one.name: events.name(_event_name(one)) for one in ordered}
        self.variables = {one.name: members.name(snake(one.name)) for one in machine.variables}
        raised = [one for one in machine.events if one.kind is not EventKind.MESSAGE]
        self.methods = {one.name: members.name(snake(one.name)) for one in raised}
        actions = Scope("cpp", {"send", "unsendable", "std", "zeps_wire"})
        self.actions = {name: actions.name(snake(name)) for name in machine.host_actions()}
        carried = Scope("cpp", {"message"})
        self.calls = {one.name: carried.name(snake(one.name)) for one in raised if one.parameters}


def _event_name(event: Event) -> str:
    name = snake(event.name)
    return name if event.kind is EventKind.MESSAGE else f"on_{name}"


def call_name(event: Event) -> str:
    """The class of what the event's method was called with."""
    return f"{pascal(event.name)}Call"
