"""The suite's own machines, run from the tables of `model.json` as they stand there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Carried", "Running", "Table"]

_U64_MAX = (1 << 64) - 1
#: Events in turn that host actions may fail with while one event is handled; the next one is unhandled.
_RAISES_MAX = 8


@dataclass(frozen=True, slots=True)
class Carried:
    """What comes with an event: values by field, and the octets of the message's frame."""

    values: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0
    forwarded: bytes | None = b""


class Unhandled(Exception):  # noqa: N818
    """No row, or no guard that holds, for an event that a host action failed with; no row for the host's own; or
    too many have failed in turn.
    """


class Table:
    """A machine of the model."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.name: str = raw["name"]
        self.protocol: str = raw["protocol"]
        self.events: dict[str, Mapping[str, Any]] = {one["name"]: one for one in raw["events"]}
        self.variables: list[Mapping[str, Any]] = list(raw["variables"])
        self.rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in raw["transitions"]:
            self.rows.setdefault((row["state"], row["event"]), []).append(row)
        steps = [step for row in raw["transitions"] for step in row["steps"]]
        self.actions: dict[str, list[str]] = {}
        for step in steps:
            if step["kind"] == "host":
                known = self.actions.setdefault(step["name"], [])
                known += [raised for raised in step["raises"] if raised not in known]

    def calls(self) -> list[Mapping[str, Any]]:
        """The events that are the host's or the application's."""
        return [one for one in self.events.values() if one["kind"] != "message"]

    def arrival(self, message: str) -> Mapping[str, Any] | None:
        """The event that the arrival of a message is."""
        found = (
            one for one in self.events.values() if one["kind"] == "message" and one["message"] == message
        )
        return next(found, None)


class Running:
    """One machine at work. `send` encodes a message of its; None if that cannot be encoded."""

    def __init__(self, table: Table, send: Callable[[str, Mapping[str, Any]], bytes | None]) -> None:
        self.table, self.send = table, send
        self.state: str = table.raw["states"][0]["name"]
        self.variables: dict[str, Any] = {one["name"]: _initial(one) for one in table.variables}
        self.terminated = False
        self.armed: dict[str, str] = {}
        self.actions: list[tuple[str, bytes]] = []
        self.refused = False

    def happen(self, event: Mapping[str, Any], carried: Carried) -> str:
        """What an event comes to: a letter of the driver protocol. What the host was asked for is in `actions`."""
        self.actions, self.refused = [], False
        try:
            taken = self._handle(event["name"], carried, event["kind"] != "message")
        except Unhandled:
            outcome = "h"
        else:
            outcome = "t" if taken else "u" if event["kind"] == "message" else "n"
        return "e" if self.refused else outcome

    def _handle(self, event: str, carried: Carried, must: bool) -> bool:
        rows = self.table.rows.get((self.state, event))
        if rows is None and must:
            raise Unhandled
        row = self._row(rows or (), carried)
        if row is None:
            return False
        failed, raised = self._take(row, carried), 0
        while failed is not None:
            row = self._row(self.table.rows.get((self.state, failed), ()), Carried())
            if row is None or raised == _RAISES_MAX:
                raise Unhandled
            failed, raised = self._take(row, Carried()), raised + 1
        return True

    def _row(self, rows: Sequence[Mapping[str, Any]], carried: Carried) -> Mapping[str, Any] | None:
        """The first of the rows whose guard holds."""
        for row in rows:
            if row["guard"] is None or self._value(row["guard"], carried):
                return row
        return None

    def _take(self, row: Mapping[str, Any], carried: Carried) -> str | None:
        """Do the row's steps; the event that a host action fails with."""
        steps, split = row["steps"], row["before_at"]
        moves = row["next"] is not None
        for index, step in enumerate(steps):
            if moves and index == split:
                self.state = row["next"]
            failed = self._do(step, carried)
            if failed is not None:
                return failed
        if moves:
            self.state = row["next"]
        return None

    def _do(self, step: Mapping[str, Any], carried: Carried) -> str | None:
        kind = step["kind"]
        if kind == "send":
            self._send(step, carried)
        elif kind == "assign":
            self._assign(step, carried)
        elif kind == "host":
            self.actions.append((step["name"], b""))
            return self.armed.pop(step["name"], None)
        else:
            self.terminated = True
        return None

    def _send(self, step: Mapping[str, Any], carried: Carried) -> None:
        if step["forward"]:
            frame = carried.forwarded
        else:
            values = {name: self._value(value, carried) for name, value in step["fields"]}
            frame = self.send(step["message"], values)
        self.refused = self.refused or frame is None
        self.actions.append(("send", frame or b""))

    def _assign(self, step: Mapping[str, Any], carried: Carried) -> None:
        value = self._value(step["value"], carried)
        variable = next(one for one in self.table.variables if one["name"] == step["variable"])
        if variable["type"] == "number":
            value = min(value, (1 << 8 * variable["size"]) - 1)
        self.variables[step["variable"]] = value

    def _value(self, tree: Mapping[str, Any], carried: Carried) -> Any:
        match tree["kind"]:
            case "name":
                value = (self.variables if tree["scope"] == "variable" else carried.values)[tree["name"]]
                return max(value, 0) if isinstance(value, int) else value
            case "literal":
                return tree["value"].encode() if isinstance(tree["value"], str) else tree["value"]
            case "size":
                return carried.size
            case "unary":
                return not self._value(tree["operand"], carried)
            case _:
                return self._binary(tree, carried)

    def _binary(self, tree: Mapping[str, Any], carried: Carried) -> Any:
        left, operator = self._value(tree["left"], carried), tree["operator"]
        if operator == "and":
            return left and self._value(tree["right"], carried)
        if operator == "or":
            return left or self._value(tree["right"], carried)
        right = self._value(tree["right"], carried)
        if operator in _COMPARISONS:
            return _COMPARISONS[operator]((left > right) - (left < right))
        return min(left + right, _U64_MAX) if operator == "+" else max(left - right, 0)


_COMPARISONS: Mapping[str, Callable[[int], bool]] = {
    "==": lambda sign: sign == 0,
    "!=": lambda sign: sign != 0,
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
}


def _initial(variable: Mapping[str, Any]) -> Any:
    value = variable["value"]
    return value.encode() if isinstance(value, str) else value
