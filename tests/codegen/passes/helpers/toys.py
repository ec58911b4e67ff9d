"""Small bundles in a compact notation, one line for each row: `state event -> next: steps`.

The event is a message in capitals, a method with `()`, or a host event; `[…]` after it is a guard. Steps are separated
by `;`: `send MESSAGE`, `send MESSAGE as event` (a reading for the receiver's host), `variable := value`, `raise? event`
(a host action that may raise it), `then? event` (the same, after the row), `end` (terminate). `*` rows cover the
messages without rows in the state. The only variable is `n`; guards and values are `n`, literals, `n + 1`, `n > 0` …
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from zeps_codegen.ir import (
    Assign,
    Binary,
    Bundle,
    Dispatch,
    Event,
    EventKind,
    Expression,
    Host,
    Literal,
    Machine,
    Message,
    Method,
    Name,
    Protocol,
    Role,
    Send,
    State,
    Step,
    Terminate,
    Transition,
    Type,
    Variable,
)

_ROW = re.compile(r"(\w+) ([\w()*-]+)(?:\[(.+?)\])?(?: -> (\w+))?(?:: (.*))?")


def toy(client: str, server: str, grammar: str = "", messages: Sequence[str] = ()) -> Bundle:
    """A protocol called `toy` with both machines. Its messages are `messages` and those in the rows."""
    message_names = dict.fromkeys(messages)
    message_names |= dict.fromkeys(re.findall(r"\b[A-Z][A-Z-]*\b", client + server))
    protocol = Protocol(
        name="toy",
        title="Toy",
        dispatch=Dispatch.SIGNATURE,
        signature=0,
        version=1,
        messages=tuple(Message(name, number, ()) for number, name in enumerate(message_names, 1)),
        grammar=grammar,
    )
    names = tuple(message_names)
    return Bundle((protocol,), (machine(client, Role.CLIENT, names), machine(server, Role.SERVER, names)))


def machine(text: str, role: Role, messages: tuple[str, ...]) -> Machine:
    """A machine; the state of its first row is the initial state."""
    rows: list[Transition] = []
    states: dict[str, None] = {}
    events: dict[str, Event] = {name: Event(name, EventKind.MESSAGE, name) for name in messages}
    stars: dict[str, Transition] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        matched = _ROW.fullmatch(line)
        assert matched is not None, line
        state, event, guard, target, steps = matched.groups()
        states.setdefault(state)
        name = event.removesuffix("()")
        kind = EventKind.METHOD if event.endswith("()") else EventKind.HOST
        if name not in events and name != "*":
            events[name] = Event(name, kind)
        run = tuple(_step(part.strip()) for part in (steps or "").split(";") if part.strip())
        row = Transition(
            state, name, _expression(guard) if guard else None, run, target, len(run), name == "*"
        )
        if name == "*":
            stars[state] = row
        else:
            rows.append(row)
    for state, star in stars.items():
        for name in messages:
            if not any(row.state == state and row.event == name and row.guard is None for row in rows):
                rows.append(Transition(state, name, None, star.steps, star.next, star.before_at, True))
    states |= dict.fromkeys(row.next for row in rows if row.next is not None)
    return Machine(
        name=f"toy_{role.value}",
        title="Toy",
        role=role,
        protocol="toy",
        states=tuple(State(name) for name in states),
        events=tuple(events.values()),
        transitions=tuple(rows),
        variables=(Variable("n", Type.NUMBER),),
        methods=tuple(Method(event.name) for event in events.values() if event.kind is EventKind.METHOD),
    )


def _step(text: str) -> Step:
    if text.startswith("send "):
        message, _, read_as = text.removeprefix("send ").partition(" as ")
        return Send(message, read_as=read_as or None)
    if text.startswith("raise? "):
        return Host("try", tuple(text.removeprefix("raise? ").split()))
    if text.startswith("then? "):
        return Host("try", then=tuple(text.removeprefix("then? ").split()))
    if text == "end":
        return Terminate()
    variable, _, value = text.partition(" := ")
    return Assign(variable, _expression(value))


def _expression(text: str) -> Expression:
    parts = text.split()
    if len(parts) == 3:
        kind = Type.NUMBER if parts[1] in "+-" else Type.BOOLEAN
        return Binary(parts[1], _expression(parts[0]), _expression(parts[2]), kind)
    return Literal(int(text), Type.NUMBER) if text.isdigit() else Name(text, "variable", Type.NUMBER)
