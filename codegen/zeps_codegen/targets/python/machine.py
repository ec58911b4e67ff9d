"""The view of a machine's module: what the template prints besides what the model says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set

from ...ir import Assign, Host, Literal, Machine, Protocol, Send, Terminate, Transition
from ...naming import Scope, pascal, screaming, snake
from ...plan.machine import Functions, Use, machine_plan, reads
from ..describe import show, show_step
from .expressions import assigned, printed
from .lines import tuple_of
from .plan import (
    action_name,
    attribute_name,
    call_name,
    class_name,
    event_member,
    literal,
    sorted_names,
    variable_name,
)

__all__ = ["MachineView"]

#: More payloads than these are written as "any message".
_PAYLOADS_MAX = 3


class MachineView:
    """What templates/machine.py.j2 asks for `machine`, which speaks `protocol`."""

    def __init__(self, machine: Machine, protocol: Protocol) -> None:
        self.plan = machine_plan(machine, protocol)
        self.role = pascal(machine.role.value)
        self.module = snake(protocol.name)
        self.called = [event for event in self.plan.events if event.parameters]
        """The events whose parameters a class keeps."""
        self._functions = Functions(self.plan)
        self._names = _names(self._functions.uses)

    @property
    def exported(self) -> list[str]:
        calls = [call_name(event) for event in self.called]
        names = ["Event", "State", "TABLE", f"{self.role}Host", f"{self.role}Machine", "settled", *calls]
        return sorted_names(names)

    # --- what events carry

    def payload(self, event: str | None) -> str:
        """The type of what the event carries."""
        found = self.plan.event(event) if event is not None else None
        if found is not None and found.message is not None:
            return f"{self.module}.{class_name(found.message)}"
        return call_name(found) if found is not None and found.parameters else "None"

    def union(self, events: Iterable[str | None]) -> str:
        """The type of what any of `events` carries."""
        kinds = list(dict.fromkeys(self.payload(event) for event in events))
        messages = [kind for kind in kinds if "." in kind]
        others = [kind for kind in kinds if "." not in kind and kind != "None"]
        if len(messages) > _PAYLOADS_MAX:
            messages = [f"{self.module}.Message"]
        return " | ".join(messages + others + (["None"] if "None" in kinds else []))

    # --- the functions that rows name

    @property
    def constants(self) -> list[tuple[str, str]]:
        """The messages that never vary."""
        uses = zip(self._functions.uses, self._names, strict=True)
        sent = [(use.item, name) for use, name in uses if isinstance(use.item, Send)]
        return [
            (_constant(name), self._built(item, frozenset())) for item, name in sent if _is_constant(item)
        ]

    @property
    def functions(self) -> list[tuple[str, str]]:
        """Each function's signature, and its statement."""
        found = []
        for use, name in zip(self._functions.uses, self._names, strict=True):
            takes = reads(use.item) or isinstance(use.item, Host)
            message = f"message: {self.union(use.events)}" if takes else "_message: object"
            result = "bool" if use.is_guard else "None"
            signature = f"{name}(machine: {self.role}Machine, {message}) -> {result}"
            found.append((signature, self._statement(use, name)))
        return found

    def _statement(self, use: Use, name: str) -> str:
        fields = [field for event in use.events for field in self.plan.fields(event).values()]
        signed = frozenset(field.name for field in fields if field.signed)
        match use.item:
            case Send(forward=True):
                return "machine.host.send(message)"
            case Send() as send:
                return f"machine.host.send({_constant(name) if _is_constant(send) else self._built(send, signed)})"
            case Assign(variable, value):
                found = next(one for one in self.plan.machine.variables if one.name == variable)
                return f"machine.{variable_name(variable)} = {assigned(found, value, signed)}"
            case Host(action):
                return f"machine.host.{action_name(action)}(message)"
            case Terminate():
                return "machine.terminated = True"
            case guard:
                return f"return {printed(guard, signed)}"

    def _built(self, send: Send, signed: Set[str]) -> str:
        values = ", ".join(f"{attribute_name(name)}={printed(value, signed)}" for name, value in send.fields)
        return f"{self.module}.{class_name(send.message)}({values})"

    # --- the table

    @property
    def rows(self) -> list[str]:
        """The arguments of each row."""
        return [", ".join(self._row(*row)) for row in self._functions.rows]

    def _row(self, row: Transition, guard: int | None, steps: list[int]) -> list[str]:
        return [
            f"State.{screaming(row.state)}",
            event_member(self.plan.event(row.event)),
            literal(show(row.guard)) if row.guard is not None else "None",
            tuple_of([literal(show_step(step)) for step in row.steps]),
            f"State.{screaming(row.next)}" if row.next is not None else "None",
            str(row.before_at),
            self._names[guard] if guard is not None else "None",
            tuple_of([self._names[step] for step in steps]),
        ]

    @property
    def settled(self) -> list[tuple[Transition, Host]]:
        """The rows that do one host action and nothing else, whatever the variables hold."""
        alternatives = Counter((row.state, row.event) for row in self.plan.rows)
        found = []
        for row in self.plan.rows:
            match row:
                case Transition(guard=None, next=None, steps=(Host(raises=()) as action,)):
                    if alternatives[row.state, row.event] == 1:
                        found.append((row, action))
        return found


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
