"""Generated machines against a reference executor of the IR: random machines, and ZEPS under random events."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import BUNDLE
from random_machines import (
    Missing,
    Notebook,
    PlainMachine,
    generated_machine,
    host_methods,
    machines,
    method_of,
)

from zeps_codegen.ir import EventKind, FieldType, Machine, Protocol
from zeps_wire import zeps, zeps_client, zeps_server
from zeps_wire.errors import UnexpectedEvent, UnhandledEvent

EXAMPLES = sized(30, 3000)
ZEPS = BUNDLE.protocol("zeps")

texts = st.sampled_from(["", "x", "key"])
numbers = st.sampled_from([0, 1, 17, 100, 2**63, 2**64 - 1])
MESSAGES: dict[str, st.SearchStrategy[Any]] = {
    "ATTACH": st.builds(zeps.Attach, texts),
    "SUBSCRIBE": st.builds(zeps.Subscribe, texts, numbers),
    "CREDIT": st.builds(zeps.Credit, numbers),
    "PUBLISH": st.builds(zeps.Publish, texts, st.just(b"body")),
    "DELIVER": st.builds(zeps.Deliver, numbers, texts, st.binary(max_size=9)),
    "INVALID": st.builds(zeps.Invalid, texts),
}
VALUES = {FieldType.NUMBER: numbers, FieldType.STRING: texts, FieldType.CHUNK: st.just(b"body")}


def happening(data: st.DataObject, machine: Machine) -> tuple[Any, list[Any]]:
    """An event of the machine, and its data."""
    event = data.draw(st.sampled_from(machine.events))
    if event.message is not None:
        kind = MESSAGES.get(event.message)
        return event, [
            data.draw(kind) if kind is not None else zeps.MESSAGES[ZEPS.message(event.message).id]()
        ]
    return event, [data.draw(VALUES[field.type]) for field in event.parameters]


def compare(machine: Machine, module: ModuleType, data: st.DataObject, protocol: Protocol) -> None:
    """Runs the generated and the reference machine through the same events, until one has no row."""
    fails = data.draw(st.lists(st.booleans(), max_size=30))
    host = Notebook(module, host_methods(machine), itertools.chain(fails, itertools.repeat(False)))
    role = machine.role.value.capitalize()
    ours = getattr(module, f"{role}Machine")(host)
    host.machine = ours
    plain = PlainMachine(machine, protocol, itertools.chain(fails, itertools.repeat(False)))
    for _ in range(data.draw(st.integers(1, 25))):
        event, carried = happening(data, machine)
        payload = carried[0] if event.message is not None else None
        if event.kind is EventKind.METHOD and event.parameters:
            payload = getattr(module, f"{event.name.capitalize()}Call")(*carried)
        try:
            expected = plain.handle(event.name, payload)
        except Missing:
            error = UnexpectedEvent if event.kind is EventKind.MESSAGE else UnhandledEvent
            with pytest.raises((error, UnhandledEvent)):
                _raise(ours, machine, event, carried)
            break
        if event.kind is EventKind.MESSAGE and not expected:
            with pytest.raises(UnexpectedEvent):
                ours.receive(carried[0])
        else:
            assert _raise(ours, machine, event, carried) in (expected, None)
        assert ours.state.name == plain.state.upper()
        assert ours.terminated == plain.terminated
        assert host.log == plain.log
        for name, value in plain.variables.items():
            assert getattr(ours, f"{name}_" if name == "state" else name) == value


def _raise(ours: Any, machine: Machine, event: Any, carried: list[Any]) -> Any:
    if event.kind is EventKind.MESSAGE:
        return ours.receive(carried[0])
    return getattr(ours, method_of(machine, event.name))(*carried)


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_random_machines(data: st.DataObject) -> None:
    machine = data.draw(machines())
    with generated_machine(machine, ZEPS) as module:
        for _ in range(3):
            compare(machine, module, data, ZEPS)


@pytest.mark.parametrize(("name", "module"), [("zeps_server", zeps_server), ("zeps_client", zeps_client)])
@settings(max_examples=EXAMPLES * 2)
@given(st.data())
def test_the_machines_of_zeps(name: str, module: ModuleType, data: st.DataObject) -> None:
    machine = next(candidate for candidate in BUNDLE.machines if candidate.name == name)
    compare(machine, module, data, ZEPS)


@pytest.mark.parametrize(("name", "module"), [("zeps_server", zeps_server), ("zeps_client", zeps_client)])
def test_the_table_is_the_models(name: str, module: Any) -> None:
    machine = next(candidate for candidate in BUNDLE.machines if candidate.name == name)
    assert [state.name for state in module.State] == [state.name.upper() for state in machine.states]
    assert len(module.TABLE) == len(machine.transitions)
    for row, transition in zip(module.TABLE, machine.transitions, strict=True):
        assert row.state.name == transition.state.upper()
        assert row.next == (None if transition.next is None else module.State[transition.next.upper()])
        assert (row.before_at, len(row.steps), len(row.run)) == (
            transition.before_at,
            *[len(transition.steps)] * 2,
        )
        assert (row.guard is None) == (transition.guard is None) == (row.holds is None)
