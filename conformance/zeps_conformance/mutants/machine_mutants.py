"""Changes of a machine of the model: of its rows, their steps, guards and next states, and of its variables."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["MachineChange", "machine_changes", "row_text"]

Row = dict[str, Any]

#: Changed comparisons of guards.
_COMPARISONS = {
    "==": ("!=",),
    "!=": ("==",),
    ">=": (">", "<"),
    ">": (">=", "<="),
    "<=": ("<", ">"),
    "<": ("<=", ">="),
}


@dataclass(frozen=True)
class MachineChange:
    """One change of a machine. `row`: the number of the changed row in the original, None for a variable."""

    operator: str
    row: int | None
    place: str
    before: str
    after: str
    machine: Mapping[str, Any]


def machine_changes(machine: Mapping[str, Any], codes: Sequence[str]) -> Iterator[MachineChange]:
    """Yields all changes of `machine`, parsed JSON of the model. `codes`: known codes of reasons."""
    rows: Sequence[Row] = machine["transitions"]
    for number, row in enumerate(rows):
        place = f"{machine['name']}, state {row['state']}, event {row['event']}"
        for operator, replacement in _row_changes(machine, number, codes):
            changed = [*rows[:number], *replacement, *rows[number + 1 :]]
            after = " ; ".join(map(row_text, replacement)) or "(no row)"
            yield MachineChange(
                operator, number, place, row_text(row), after, {**machine, "transitions": changed}
            )
        following = rows[number + 1] if number + 1 < len(rows) else None
        if following and (following["state"], following["event"]) == (row["state"], row["event"]):
            changed = [*rows[:number], following, row, *rows[number + 2 :]]
            texts = row_text(row), row_text(following)
            yield MachineChange(
                "swap-rows", number, place, " ; ".join(texts), " ; ".join(texts[::-1]),
                {**machine, "transitions": changed},
            )  # fmt: skip
    for index, variable in enumerate(machine["variables"]):
        if variable["type"] == "number":
            changed_variables = list(machine["variables"])
            changed_variables[index] = {**variable, "value": variable["value"] + 1}
            yield MachineChange(
                "initial-plus-one", None, f"{machine['name']}, variable {variable['name']}",
                f"{variable['name']} = {variable['value']}", f"{variable['name']} = {variable['value'] + 1}",
                {**machine, "variables": changed_variables},
            )  # fmt: skip


def row_text(row: Mapping[str, Any]) -> str:
    """Formats a row: ``[guard] steps -> next``."""
    guard = f"[{_tree_text(row['guard'])}] " if row["guard"] is not None else ""
    steps = ", ".join(map(_step_text, row["steps"])) or "nothing"
    return f"{guard}{steps}" + (f" -> {row['next']}" if row["next"] is not None else "")


def _step_text(step: Mapping[str, Any]) -> str:
    match step["kind"]:
        case "send":
            fields = ", ".join(f"{name}={_tree_text(value)}" for name, value in step["fields"])
            return f"send {step['message']}({fields})"
        case "assign":
            return f"{step['variable']} := {_tree_text(step['value'])}"
        case "host":
            return str(step["name"])
        case kind:
            return str(kind)


def _tree_text(tree: Mapping[str, Any]) -> str:
    match tree["kind"]:
        case "name":
            return f"message.{tree['name']}" if tree["scope"] == "message" else str(tree["name"])
        case "literal":
            return repr(tree["value"])
        case "size":
            return f"size({tree['message']})"
        case "unary":
            return f"not ({_tree_text(tree['operand'])})"
        case _:
            return f"{_tree_text(tree['left'])} {tree['operator']} {_tree_text(tree['right'])}"


def _row_changes(
    machine: Mapping[str, Any], number: int, codes: Sequence[str]
) -> Iterator[tuple[str, list[Row]]]:
    rows: Sequence[Row] = machine["transitions"]
    row = rows[number]
    yield "drop-row", []
    target = row["next"] or row["state"]
    for state in (state["name"] for state in machine["states"]):
        if state != target:
            yield "next-state", [{**row, "next": None if state == row["state"] else state}]
    for guard_operator, guard in _guards(row["guard"]):
        yield guard_operator, [{**row, "guard": guard}]
    for operator, steps in _steps(row["steps"], _sent_messages(rows), codes):
        yield operator, [{**row, "steps": steps, "before_at": _split(row, steps)}]
    for other in rows:
        same = other["event"] == row["event"] and other["guard"] == row["guard"]
        if same and other["state"] != row["state"] and other["steps"] != row["steps"]:
            steps = other["steps"]
            yield "steps-of-another-state", [{**row, "steps": steps, "before_at": _split(row, steps)}]


def _split(row: Mapping[str, Any], steps: Sequence[Any]) -> int:
    """Returns the index of the step before which the state changes, for changed steps."""
    at = int(row["before_at"])
    return len(steps) if at == len(row["steps"]) else min(at, len(steps))


def _sent_messages(rows: Sequence[Row]) -> list[str]:
    """Returns the messages without fields that the machine sends."""
    sent = (step for row in rows for step in row["steps"] if step["kind"] == "send" and not step["forward"])
    return sorted({step["message"] for step in sent if not step["fields"]})


def _guards(guard: Mapping[str, Any] | None) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    if guard is None:
        return
    yield "negate-guard", {"kind": "unary", "operator": "not", "operand": guard, "type": "boolean"}
    yield "relax-guard", None
    if guard["kind"] != "binary":
        return
    for operator in _COMPARISONS.get(guard["operator"], ()):
        yield "change-comparison", {**guard, "operator": operator}
    if guard["right"]["kind"] == "size":
        for name, operator in (("tighten-guard", "+"), ("loosen-guard", "-")):
            yield name, {**guard, "right": _by_one(guard["right"], operator)}


def _by_one(tree: Mapping[str, Any], operator: str) -> Mapping[str, Any]:
    one = {"kind": "literal", "value": 1, "type": "number"}
    return {"kind": "binary", "operator": operator, "left": tree, "right": one, "type": "number"}


def _steps(
    steps: Sequence[Row], messages: Sequence[str], codes: Sequence[str]
) -> Iterator[tuple[str, list[Row]]]:
    for index, step in enumerate(steps):
        before, after = list(steps[:index]), list(steps[index + 1 :])
        yield "drop-step", [*before, *after]
        yield "repeat-step", [*before, step, step, *after]
        if after and after[0] != step:
            yield "swap-steps", [*before, after[0], step, *after[1:]]
        for operator, changed in _step_changes(step, messages, codes):
            yield operator, [*before, changed, *after]


def _step_changes(step: Row, messages: Sequence[str], codes: Sequence[str]) -> Iterator[tuple[str, Row]]:
    if step["kind"] == "assign":
        value = step["value"]
        yield "plus-one", {**step, "value": _by_one(value, "+")}
        if value["kind"] == "binary":
            yield "minus-one", {**step, "value": _by_one(value, "-")}
            yield (
                "change-sign",
                {**step, "value": {**value, "operator": "-" if value["operator"] == "+" else "+"}},
            )
            yield "left-operand", {**step, "value": value["left"]}
            yield "right-operand", {**step, "value": value["right"]}
    elif step["kind"] == "send" and not step["fields"] and step["message"] in messages:
        at = messages.index(step["message"])
        for other in {messages[at - 1], messages[(at + 1) % len(messages)]} - {step["message"]}:
            yield "other-message", {**step, "message": other}
    elif step["kind"] == "send" and step["fields"]:
        ((name, value), *more) = step["fields"]
        if value["kind"] != "literal":
            return
        code, _, text = value["value"].partition(" ")
        for other in (codes[codes.index(code) - 1], codes[(codes.index(code) + 1) % len(codes)]):
            changed = {**value, "value": f"{other} {text}"}
            yield "other-code", copy.deepcopy({**step, "fields": [[name, changed], *more]})
        yield "no-code", copy.deepcopy({**step, "fields": [[name, {**value, "value": text}], *more]})
