"""Expressions as text: the parser reads the same tree back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from random_machines import EVENTS, VARIABLES, expressions

from zeps_codegen.ir import (
    Assign,
    Event,
    EventKind,
    Field,
    FieldType,
    Host,
    Literal,
    Machine,
    Message,
    Role,
    Send,
    State,
    Step,
    Terminate,
    Transition,
    Type,
)
from zeps_codegen.passes.expressions import Scope, resolve_expression
from zeps_codegen.report import Place, Report
from zeps_codegen.targets.describe import show, show_events, show_step

DELIVER = next(event for event in EVENTS if event.name == "deliver")
FIELDS = {"sequence": Field("sequence", FieldType.NUMBER, 8), "key": Field("key", FieldType.STRING)}
SCOPE = Scope(
    {variable.name: variable for variable in VARIABLES},
    {},
    "deliver",
    FIELDS,
    Message("DELIVER", 7, tuple(FIELDS.values())),
)


@settings(max_examples=sized(100, 4000))
@given(st.data())
def test_what_is_shown_reads_back(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([Type.BOOLEAN, Type.NUMBER, Type.STRING]))
    expression = data.draw(expressions(kind, DELIVER, depth=3))
    report = Report()
    resolved = resolve_expression(show(expression), kind, SCOPE, Place("m.xml"), "guard", report)
    assert report.diagnostics == []
    assert resolved == expression, show(expression)


def test_what_a_star_covers() -> None:
    rows = [Transition("start", name, None, (), None, 0, covered_by_star=True) for name in ("PING", "oops")]
    machine = Machine(
        "m",
        "M",
        Role.SERVER,
        "p",
        (State("start"),),
        (Event("PING", EventKind.MESSAGE, "PING"), Event("oops", EventKind.HOST)),
        tuple(rows),
    )
    assert show_events(machine, rows) == "any other event"
    assert show_events(machine, rows[:1]) == "any other message"
    assert show_events(machine, [replace(row, covered_by_star=False) for row in rows]) == "PING, oops"


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (Send("PING"), "send PING"),
        (Send("CREDIT", (("credit", Literal(7, Type.NUMBER)),)), "send CREDIT(credit = 7)"),
        (Assign("ready", Literal(True, Type.BOOLEAN)), "ready := true"),
        (Assign("state", Literal("it's", Type.STRING)), 'state := "it\'s"'),
        (Host("open_stream", ("refused",)), "open_stream"),
        (Terminate(), "terminate"),
    ],
)
def test_steps(step: Step, text: str) -> None:
    assert show_step(step) == text
