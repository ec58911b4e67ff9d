"""Small random clients and servers of one protocol, as IR: for what explores both together."""

from __future__ import annotations

import random

from zeps_codegen.ir import (
    Assign,
    Binary,
    Bundle,
    Dispatch,
    Event,
    EventKind,
    Expression,
    Field,
    FieldType,
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

__all__ = ["random_pair"]

REQUESTS, ANSWERS = ("ASK", "TELL"), ("ANSWER", "SORRY")
TIMERS = ("expired", "heartbeat")
_GRAMMARS = ("", "talk = *( C:ASK S:ANSWER )", "talk = C:ASK *( S:ANSWER / C:TELL ) [ S:SORRY ]")


def random_pair(rng: random.Random) -> Bundle:
    """A client and a server of two or three states each; perhaps with guards, refusals, timers, `*` and a grammar."""
    messages = tuple(
        Message(name, number, (Field("n", FieldType.NUMBER),) if name in ("TELL", "SORRY") else ())
        for number, name in enumerate((*REQUESTS, *ANSWERS), 1)
    )
    grammar = rng.choice(_GRAMMARS)
    protocol = Protocol("talk", "Talk", Dispatch.SIGNATURE, 0, 1, messages, grammar=grammar)
    return Bundle((protocol,), tuple(_Machine(rng, role).build() for role in (Role.CLIENT, Role.SERVER)))


class _Machine:
    def __init__(self, rng: random.Random, role: Role) -> None:
        self.rng, self.role = rng, role
        self.sends, self.takes = (REQUESTS, ANSWERS) if role is Role.CLIENT else (ANSWERS, REQUESTS)
        self.states = [f"s{number}" for number in range(rng.randint(2, 3))]
        self.variables = (Variable("n", Type.NUMBER, rng.choice((1, 8)), rng.randint(0, 1)),)

    def build(self) -> Machine:
        rows: list[Transition] = []
        for state in self.states:
            rows += self.rows(state)
        called = [
            Event("ask", EventKind.METHOD),
            Event("tick", EventKind.HOST),
            Event("oops", EventKind.HOST),
        ]
        events = (
            *(Event(name, EventKind.MESSAGE, name) for name in (*REQUESTS, *ANSWERS)),
            *called,
            *(Event(name, EventKind.HOST) for name in TIMERS),
        )
        return Machine(
            f"talk_{self.role.value}",
            "Talk",
            self.role,
            "talk",
            tuple(State(name) for name in self.states),
            events,
            tuple(rows),
            self.variables,
            (Method("ask"),),
            session=self.role is Role.SERVER and self.rng.random() < 0.5,
        )

    def rows(self, state: str) -> list[Transition]:
        rng = self.rng
        named: list[str] = [name for name in self.takes if rng.random() < 0.7]
        named += ["oops"] if rng.random() < 0.7 else []
        if self.role is Role.CLIENT:
            named += ["ask"] if state == self.states[0] or rng.random() < 0.3 else []
        else:
            named += ["tick"] if rng.random() < 0.2 else []
        named += [name for name in TIMERS if rng.random() < 0.2]
        rows: list[Transition] = []
        for event in named:
            if rng.random() < 0.25:
                rows.append(self.row(state, event, guard=self.guard(event)))
            if not rows or rows[-1].event != event or rng.random() < 0.8:
                rows.append(self.row(state, event))
        if rng.random() < 0.3:
            whole = {row.event for row in rows if row.guard is None}
            star = self.row(state, "*", star=True)
            for event in (*REQUESTS, *ANSWERS):
                if event not in whole:
                    row = Transition(state, event, None, star.steps, star.next, star.before_at, True)
                    rows.append(row)
        return rows

    def row(self, state: str, event: str, guard: Expression | None = None, star: bool = False) -> Transition:
        rng = self.rng
        steps: list[Step] = [self.step(event, star) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
        if rng.random() < 0.08:
            steps.append(Terminate())
        target = rng.choice((None, *self.states))
        before_at = rng.randint(0, len(steps)) if target else len(steps)
        return Transition(state, event, guard, tuple(steps), target, before_at, star)

    def step(self, event: str, star: bool) -> Step:
        rng = self.rng
        kind = rng.random()
        if kind < 0.6:
            name = rng.choice(self.sends)
            fields = (("n", self.number(event, star)),) if name in ("TELL", "SORRY") else ()
            return Send(name, fields)
        if kind < 0.8:
            return Assign("n", self.number(event, star))
        return Host("try", ("oops",))

    def number(self, event: str, star: bool) -> Expression:
        n = Name("n", "variable", Type.NUMBER)
        choices: list[Expression] = [Literal(self.rng.randint(0, 2), Type.NUMBER), n]
        choices += [Binary(sign, n, Literal(1, Type.NUMBER), Type.NUMBER) for sign in "+-"]
        if event in ("TELL", "SORRY") and not star:
            choices.append(Name("n", "message", Type.NUMBER))
        return self.rng.choice(choices)

    def guard(self, event: str) -> Expression:
        operator: str = self.rng.choice(("==", "!=", "<", "<=", ">", ">="))
        right = Literal(self.rng.randint(0, 2), Type.NUMBER)
        return Binary(operator, self.number(event, False), right, Type.BOOLEAN)
