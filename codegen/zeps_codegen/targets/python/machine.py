"""The view of a machine's module: what the template prints besides what the model says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ...ir import (
    Assign,
    Event,
    Expression,
    Host,
    Literal,
    Machine,
    Protocol,
    Send,
    Step,
    Terminate,
    Transition,
)
from ...naming import Scope, pascal, screaming, snake, usable
from ...plan.machine import ActionPlan, Functions, MachinePlan, Use, machine_plan, reads
from ..describe import show, show_step
from .expressions import assigned, printed
from .lines import Function, docstring
from .plan import (
    attribute_name,
    class_name,
    event_member,
    literal,
    method_name,
    parameter_annotation,
    sorted_names,
    variable_name,
)

__all__ = ["MachineView", "call_name", "view_machine"]

#: More payloads than these are written as "any message".
_PAYLOADS_MAX = 3


@dataclass(frozen=True, slots=True)
class MachineView:
    plan: MachinePlan
    class_name: str
    host_name: str
    calls: list[Event]  # whose parameters are kept in a class
    host: list[Function]
    methods: list[Function]
    constants: list[tuple[str, str]]  # messages that never vary
    functions: list[Function]
    rows: list[str]
    settled: list[Transition]
    exported: list[str]


def view_machine(machine: Machine, protocol: Protocol) -> MachineView:
    """What templates/machine.py.j2 prints for `machine`, which speaks `protocol`."""
    plan, role = machine_plan(machine, protocol), pascal(machine.role.value)
    functions = Functions(plan)
    names = _names(functions.uses)
    constants = [
        (_constant(name), _built(plan, use.item, frozenset()))
        for use, name in zip(functions.uses, names, strict=True)
        if isinstance(use.item, Send) and _is_constant(use.item)
    ]
    calls = [event for event in plan.events if event.parameters]
    exported = ["Event", "State", "TABLE", f"{role}Host", f"{role}Machine", "settled"]
    return MachineView(
        plan,
        f"{role}Machine",
        f"{role}Host",
        calls,
        [_host_action(plan, action) for action in plan.actions],
        [_method(plan, event) for event in plan.called],
        constants,
        [
            _function(plan, use, name, f"{role}Machine")
            for use, name in zip(functions.uses, names, strict=True)
        ],
        [_row(plan, row, guard, steps, names) for row, guard, steps in functions.rows],
        _settled(plan),
        sorted_names(exported + [call_name(event) for event in calls]),
    )


def call_name(event: Event) -> str:
    """The class that holds a method's parameters."""
    return f"{pascal(event.name)}Call"


# --- what events carry


def _payload(plan: MachinePlan, event: str | None) -> str:
    """The type of what the event carries."""
    found = plan.event(event) if event is not None else None
    if found is not None and found.message is not None:
        return f"{snake(plan.protocol.name)}.{class_name(found.message)}"
    return call_name(found) if found is not None and found.parameters else "None"


def _union(plan: MachinePlan, events: Iterable[str | None]) -> str:
    """The type of what any of `events` carries."""
    kinds = list(dict.fromkeys(_payload(plan, event) for event in events))
    messages = [kind for kind in kinds if "." in kind]
    others = [kind for kind in kinds if "." not in kind and kind != "None"]
    if len(messages) > _PAYLOADS_MAX:
        messages = [f"{snake(plan.protocol.name)}.Message"]
    return " | ".join(messages + others + (["None"] if "None" in kinds else []))


# --- the functions that rows name


def _names(uses: list[Use]) -> list[str]:
    names: list[str] = []
    scope, stems = Scope("python"), Counter[str]()
    for use in uses:
        match use.item:
            case _ if use.is_guard:
                stem, numbered = "_when", True
            case Send(message, fields):
                stem, numbered = f"_send_{snake(message)}", bool(fields)
            case Assign(variable):
                stem, numbered = f"_set_{snake(variable)}", True
            case Host(name):
                stem, numbered = f"_{snake(name)}", False
            case _:
                stem, numbered = "_terminate", False
        stems[stem] += numbered
        names.append(scope.name(f"{stem}_{stems[stem]}" if numbered else stem))
    return names


def _constant(function: str) -> str:
    """What the message that the function sends is called, if it never varies."""
    return function.removeprefix("_send").upper()


def _is_constant(send: Send) -> bool:
    return not send.forward and all(isinstance(value, Literal) for _, value in send.fields)


def _built(plan: MachinePlan, send: Send, signed: frozenset[str]) -> str:
    values = ", ".join(f"{attribute_name(name)}={printed(value, signed)}" for name, value in send.fields)
    return f"{snake(plan.protocol.name)}.{class_name(send.message)}({values})"


def _function(plan: MachinePlan, use: Use, name: str, machine: str) -> Function:
    signed = frozenset(
        field.name for event in use.events for field in plan.fields(event).values() if field.signed
    )
    takes = reads(use.item) or isinstance(use.item, Host)
    parameter = f"message: {_union(plan, use.events)}" if takes else "_message: object"
    body = _body(plan, use.item, name, signed)
    return Function(name, [], f"machine: {machine}, {parameter}", "bool" if use.is_guard else "None", [body])


def _body(plan: MachinePlan, item: Expression | Step, name: str, signed: frozenset[str]) -> str:
    match item:
        case Send(forward=True):
            return "machine.host.send(message)"
        case Send():
            return (
                f"machine.host.send({_constant(name) if _is_constant(item) else _built(plan, item, signed)})"
            )
        case Assign(variable, value):
            found = next(one for one in plan.machine.variables if one.name == variable)
            return f"machine.{variable_name(variable)} = {assigned(found, value, signed)}"
        case Host(action):
            return f"machine.host.{usable(snake(action), 'python')}(message)"
        case Terminate():
            return "machine.terminated = True"
        case guard:
            return f"return {printed(guard, signed)}"


def _row(plan: MachinePlan, row: Transition, guard: int | None, steps: list[int], names: list[str]) -> str:
    return ", ".join(
        [
            f"State.{screaming(row.state)}",
            event_member(plan.event(row.event)),
            literal(show(row.guard)) if row.guard is not None else "None",
            _tuple([literal(show_step(step)) for step in row.steps]),
            f"State.{screaming(row.next)}" if row.next is not None else "None",
            str(row.before_at),
            names[guard] if guard is not None else "None",
            _tuple([names[step] for step in steps]),
        ]
    )


def _tuple(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


# --- the host and the methods


def _host_action(plan: MachinePlan, action: ActionPlan) -> Function:
    doc = [f"May fail with {', '.join(action.raises)}."] if action.raises else []
    parameters = f"self, message: {_union(plan, action.carried)}"
    return Function(usable(snake(action.name), "python"), doc, parameters, "None", ["..."])


def _method(plan: MachinePlan, event: Event) -> Function:
    parameters, payload = ["self"], "None"
    if event.message is not None:
        parameters, payload = ["self", f"message: {_payload(plan, event.name)}"], "message"
    elif event.parameters:
        names = [attribute_name(field.name) for field in event.parameters]
        kinds = [parameter_annotation(field) for field in event.parameters]
        parameters += [f"{name}: {kind}" for name, kind in zip(names, kinds, strict=True)]
        payload = f"{call_name(event)}({', '.join(names)})"
    return Function(
        method_name(event.name, plan.machine),
        docstring(event.doc, "False if no guard holds.", indent=8),
        ", ".join(parameters),
        "bool",
        [f"return self._raise({event_member(event)}, {payload})"],
    )


def _settled(plan: MachinePlan) -> list[Transition]:
    """The rows that do one host action and nothing else, whatever the variables hold."""
    alternatives = Counter((row.state, row.event) for row in plan.rows)
    found = []
    for row in plan.rows:
        match row:
            case Transition(guard=None, next=None, steps=(Host(raises=()),)):
                if alternatives[row.state, row.event] == 1:
                    found.append(row)
    return found
