"""Changes of machines, and the proof that two machines are equivalent."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from zeps_conformance.mutants.machine_mutants import MachineChange, machine_changes
from zeps_conformance.mutants.machine_proof import bisimilar
from zeps_conformance.mutants.model_broker import HOST
from zeps_conformance.mutants.targets import ModelTarget

MACHINE = ModelTarget(None).machine
CHANGES = list(machine_changes(MACHINE, ["malformed", "no-session", "stream-name", "unexpected"]))


def proved(changed: Mapping[str, Any]) -> bool:
    return bisimilar(MACHINE, changed, HOST)


def row_of(machine: Mapping[str, Any], state: str, event: str) -> dict[str, Any]:
    rows = (row for row in machine["transitions"] if (row["state"], row["event"]) == (state, event))
    return dict(next(row for row in rows if row["guard"] is None or event == "deliver"))


def changed_row(state: str, event: str, change: Callable[[dict[str, Any]], None]) -> Mapping[str, Any]:
    machine: dict[str, Any] = copy.deepcopy(dict(MACHINE))
    for row in machine["transitions"]:
        if (row["state"], row["event"]) == (state, event) and (row["guard"] is None or event == "deliver"):
            change(row)
    return machine


def test_a_machine_is_equivalent_to_itself() -> None:
    assert proved(copy.deepcopy(MACHINE))


def test_each_change_differs_from_the_machine_and_from_other_changes_of_its_row() -> None:
    assert len(CHANGES) > 300
    for change in CHANGES:
        assert change.machine != MACHINE
    for operator in ("drop-row", "next-state", "swap-steps", "negate-guard", "tighten-guard", "plus-one"):
        assert any(change.operator == operator for change in CHANGES), operator


def move(names: tuple[str, str]) -> Callable[[dict[str, Any]], None]:
    """Returns a change that swaps the adjacent steps with these host actions, variables or messages."""

    def name(step: Mapping[str, Any]) -> str:
        return str(step.get("name") or step.get("variable") or step.get("message"))

    def change(row: dict[str, Any]) -> None:
        steps = row["steps"]
        at = next(
            index for index in range(len(steps) - 1) if tuple(map(name, steps[index : index + 2])) == names
        )
        steps[at], steps[at + 1] = steps[at + 1], steps[at]

    return change


@pytest.mark.parametrize(
    ("state", "event", "names", "equivalent"),
    [
        ("open", "DETACH", ("close_stream", "DETACH-OK"), True),
        ("start", "ATTACH", ("credit", "open_stream"), True),
        ("open", "deliver", ("credit", "DELIVER"), True),
        ("open", "ATTACH", ("open_stream", "ATTACH-OK"), False),
        ("open", "SUBSCRIBE", ("SUBSCRIBE-OK", "add_subscription"), False),
        ("open", "CREDIT", ("credit", "use_credit"), False),
    ],
)
def test_steps_commute_only_if_no_client_can_see_their_order(
    state: str, event: str, names: tuple[str, str], equivalent: bool
) -> None:
    assert proved(changed_row(state, event, move(names))) is equivalent


def test_a_variable_that_is_assigned_before_it_is_read_may_begin_with_any_value() -> None:
    changed = copy.deepcopy(dict(MACHINE))
    changed["variables"] = [{**variable, "value": 7} if variable["name"] == "credit" else variable
                            for variable in changed["variables"]]  # fmt: skip
    assert proved(changed)
    without_reset = changed_row("start", "ATTACH", lambda row: row["steps"].pop(0))
    assert not proved(without_reset)


def test_a_difference_in_an_unreachable_state_is_none() -> None:
    def unreachable(machine: dict[str, Any]) -> dict[str, Any]:
        row = {**row_of(machine, "open", "PING"), "state": "nowhere"}
        machine["states"] = [*machine["states"], {"name": "nowhere"}]
        machine["transitions"] = [*machine["transitions"], row]
        return machine

    assert proved(unreachable(copy.deepcopy(dict(MACHINE))))


def test_a_changed_next_state_or_message_is_a_difference() -> None:
    different: list[MachineChange] = [
        change
        for change in CHANGES
        if change.operator in ("next-state", "other-message", "drop-row", "relax-guard")
    ]
    assert [change.place for change in different if proved(change.machine)] == []


def without_closing(row: dict[str, Any]) -> None:
    row["steps"] = [step for step in row["steps"] if step.get("name") != "close_stream"]
    row["before_at"] = len(row["steps"])


@pytest.mark.parametrize(("state", "equivalent"), [("detaching", True), ("open", False)])
@pytest.mark.parametrize("event", ["DETACH", "expired", "malformed"])
def test_a_stream_that_is_not_closed_is_no_difference_only_after_the_stop(
    state: str, equivalent: bool, event: str
) -> None:
    assert proved(changed_row(state, event, without_closing)) is equivalent


def test_what_a_session_stores_after_the_stop_is_compared() -> None:
    assert not proved(changed_row("detaching", "PUBLISH", lambda row: row["steps"].clear()))


def test_an_end_of_a_detaching_session_that_leads_elsewhere_is_a_difference() -> None:
    def stays(row: dict[str, Any]) -> None:
        row["next"] = None

    assert not proved(changed_row("detaching", "expired", stays))


def test_a_host_that_opens_streams_after_the_stop_shows_those_that_were_not_closed() -> None:
    changed = changed_row("detaching", "DETACH", without_closing)
    assert not bisimilar(MACHINE, changed, replace(HOST, stop=None))


def closing_first(row: dict[str, Any]) -> None:
    row["steps"] = [{"kind": "host", "name": "close_stream", "raises": []}, *row["steps"]]
    row["before_at"] = row["before_at"] + 1


def test_to_close_a_stream_is_no_difference_without_one() -> None:
    assert proved(changed_row("start", "malformed", closing_first))
    assert proved(changed_row("start", "PING", closing_first))
    assert proved(changed_row("open", "attach_refused", without_closing))
    assert not proved(changed_row("open", "PING", closing_first))
    assert not proved(changed_row("open", "PUBLISH", closing_first))


def test_a_stream_that_is_closed_too_early_after_the_stop_is_a_difference() -> None:
    assert not proved(changed_row("detaching", "PUBLISH", closing_first))
    assert not proved(changed_row("detaching", "PING", closing_first))
