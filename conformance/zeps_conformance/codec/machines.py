"""The suite's own machines, which interpret the tables of `model.json`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zeps_conformance.model.definitions import COMPARISONS

__all__ = ["EventPayload", "Running", "Table"]

_U64_MAX = (1 << 64) - 1
#: Maximum number of consecutive events that host actions raise for one event; a further one is unhandled.
_RAISES_MAX = 8


@dataclass(frozen=True, slots=True)
class EventPayload:
    """An event's values by name, the size of its frames in bytes, and its frames (None if not encodable)."""

    values: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0
    forwarded: Sequence[bytes] | None = ()


class Unhandled(Exception):  # noqa: N818
    """An event that no row handles: raised by a host action, raised by the host, or one of more than eight in turn."""


class Table:
    """A machine of the model."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.name: str = raw["name"]
        self.protocol: str = raw["protocol"]
        self.events: dict[str, Mapping[str, Any]] = {event["name"]: event for event in raw["events"]}
        self.variables: list[Mapping[str, Any]] = list(raw["variables"])
        self.rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in raw["transitions"]:
            self.rows.setdefault((row["state"], row["event"]), []).append(row)
        steps = [step for row in raw["transitions"] for step in row["steps"]]
        self.actions: dict[str, list[str]] = {}
        """The events that host actions fail with."""
        self.raised: dict[str, list[str]] = {}
        """The events that host actions raise, to be handled after the row."""
        for step in steps:
            if step["kind"] == "host":
                known = self.actions.setdefault(step["name"], [])
                known += [raised for raised in step["raises"] if raised not in known]
                self.raised.setdefault(step["name"], []).extend(step.get("then", ()))
        self.internal: list[str] = list(raw.get("internal", ()))
        self.timers: list[Mapping[str, Any]] = list(raw.get("timers", ()))
        self.filled: dict[str, set[str]] = {}
        """Fields that the host fills, by message."""
        for step in steps:
            if step["kind"] == "send" and step.get("filled"):
                self.filled.setdefault(step["message"], set()).update(step["filled"])

    def calls(self) -> list[Mapping[str, Any]]:
        """Returns the events that the host or the application raises."""
        return [event for event in self.events.values() if event["kind"] != "message"]

    def arrival(self, message: str) -> Mapping[str, Any] | None:
        """Returns the event of a message's arrival, or None if the machine has none."""
        arrivals = (
            event
            for event in self.events.values()
            if event["kind"] == "message" and event["message"] == message
        )
        return next(arrivals, None)


class Running:
    """A running machine. `send` encodes a message from its name and values, or returns None if that is impossible. Its
    third argument says whether missing values are zero.
    """

    def __init__(
        self,
        table: Table,
        send: Callable[[str, Mapping[str, Any], bool], Sequence[bytes] | None],
    ) -> None:
        self.table, self.send = table, send
        self.state: str = table.raw["states"][0]["name"]
        self.variables: dict[str, Any] = {
            variable["name"]: _initial(variable) for variable in table.variables
        }
        self.terminated = False
        self.armed: dict[str, str] = {}
        self.raising: dict[str, str] = {}
        self.drafts: dict[str, dict[str, Any]] = {}
        self.now: int | None = None
        self.due: dict[int, int] = {}
        """Due time of each running timer."""
        self.actions: list[tuple[str, bytes]] = []
        self.refused = False
        self._raised: str | None = None

    def happen(self, event: Mapping[str, Any], carried: EventPayload) -> str:
        """Handles an event. Returns the letter of its outcome; `actions` are then its host actions and messages."""
        self.actions, self.refused = [], False
        if event["kind"] == "message":
            self._restart("received")
        try:
            taken = self._handle(event["name"], carried, event["kind"] != "message")
        except Unhandled:
            outcome = "h"
        else:
            outcome = "t" if taken else "u" if event["kind"] == "message" else "n"
        return "e" if self.refused else outcome

    def advance(self, now: int) -> str:
        """Advances the clock to `now` ms, never back, and raises due timers' events, earliest first. The first call
        starts the current state's timers. Returns the outcome, and sets `actions`, as :meth:`happen`.
        """
        self.actions, self.refused = [], False
        taken = False
        if self.now is None:
            self.now = now
            for number, timer in enumerate(self.table.timers):
                if self.state in timer["states"]:
                    self._start(number)
        self.now = max(now, self.now)
        try:
            while ready := [(at, number) for number, at in self.due.items() if at <= self.now]:
                number = min(ready)[1]
                self._start(number)
                taken = self._handle(self.table.timers[number]["event"], EventPayload(), True) or taken
        except Unhandled:
            return "e" if self.refused else "h"
        return "e" if self.refused else "t" if taken else "n"

    def _start(self, number: int) -> None:
        self.due.pop(number, None)
        wait = self._value(self.table.timers[number]["milliseconds"], EventPayload())
        if self.now is not None and 0 < wait < _U64_MAX - self.now:
            self.due[number] = self.now + wait

    def _restart(self, since: str) -> None:
        for number, timer in enumerate(self.table.timers):
            if timer["since"] == since and self.state in timer["states"]:
                self._start(number)

    def _enter(self, state: str) -> None:
        left, self.state = self.state, state
        for number, timer in enumerate(self.table.timers):
            if state not in timer["states"]:
                self.due.pop(number, None)
            elif timer["since"] == "entered" or left not in timer["states"]:
                self._start(number)

    def _handle(self, event: str, carried: EventPayload, must: bool) -> bool:
        rows = self.table.rows.get((self.state, event))
        if rows is None and must:
            raise Unhandled
        row = self._row(rows or (), carried)
        if row is None:
            return False
        failed, raised = self.take(row, carried), 0
        while failed is not None:
            row = self._row(self.table.rows.get((self.state, failed), ()), EventPayload())
            if row is None or raised == _RAISES_MAX:
                raise Unhandled
            failed, raised = self.take(row, EventPayload()), raised + 1
        return True

    def _row(self, rows: Sequence[Mapping[str, Any]], carried: EventPayload) -> Mapping[str, Any] | None:
        """Returns the first row whose guard is true or missing, or None."""
        for row in rows:
            if row["guard"] is None or self._value(row["guard"], carried):
                return row
        return None

    def holds(self, guard: Mapping[str, Any], carried: EventPayload) -> bool:
        """Returns whether a row's guard is true for an event with `carried`."""
        return bool(self._value(guard, carried))

    def take(self, row: Mapping[str, Any], carried: EventPayload) -> str | None:
        """Runs the row's steps. Returns the event with which a host action fails, which ends the row at once; else the
        event that an action raised last; else, or if the machine has terminated, None.
        """
        steps, split = row["steps"], row["before_at"]
        moves = row["next"] is not None
        self._raised = None
        for index, step in enumerate(steps):
            if moves and index == split:
                self._enter(row["next"])
            failed = self._do(step, carried)
            if failed is not None:
                return failed
        if moves and split == len(steps):
            self._enter(row["next"])
        return None if self.terminated else self._raised

    def _do(self, step: Mapping[str, Any], carried: EventPayload) -> str | None:
        kind = step["kind"]
        if kind == "send":
            self._send(step, carried)
        elif kind == "assign":
            self._assign(step, carried)
        elif kind == "host":
            return self.act(step["name"], carried)
        else:
            self.terminated = True
        return None

    def act(self, name: str, carried: EventPayload) -> str | None:
        """Runs a host action; `carried` is what its event carries. Returns the event that the action fails with, or
        None. Subclasses override it to be a host.
        """
        self.actions.append((name, b""))
        self._raised = self.raising.pop(name, self._raised)
        return self.armed.pop(name, None)

    def emit(self, frames: Sequence[bytes] | None) -> None:
        """Sends a message's frames; None if it cannot be encoded. Subclasses override it to be a host."""
        self.actions.append(("send", encode_sent(frames or ())))

    def _send(self, step: Mapping[str, Any], carried: EventPayload) -> None:
        draft = self.drafts.pop(step["message"], {})
        if step["forward"]:
            frames = carried.forwarded
        else:
            values = {name: self._value(value, carried) for name, value in step["fields"]}
            values |= {name: value for name, value in draft.items() if name in step.get("filled", ())}
            frames = self.send(step["message"], values, step.get("defaults", False))
        self.emit(frames)
        if frames is None:
            self.refused = True
        else:
            self._restart("sent")

    def _assign(self, step: Mapping[str, Any], carried: EventPayload) -> None:
        value = self._value(step["value"], carried)
        variable = next(
            candidate for candidate in self.table.variables if candidate["name"] == step["variable"]
        )
        if variable["type"] == "number":
            value = min(value, (1 << 8 * variable["size"]) - 1)
        self.variables[step["variable"]] = value

    def _value(self, tree: Mapping[str, Any], carried: EventPayload) -> Any:
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

    def _binary(self, tree: Mapping[str, Any], carried: EventPayload) -> Any:
        left, operator = self._value(tree["left"], carried), tree["operator"]
        if operator == "and":
            return left and self._value(tree["right"], carried)
        if operator == "or":
            return left or self._value(tree["right"], carried)
        right = self._value(tree["right"], carried)
        if operator in COMPARISONS:
            return COMPARISONS[operator](left, right)
        return min(left + right, _U64_MAX) if operator == "+" else max(left - right, 0)


def encode_sent(frames: Sequence[bytes]) -> bytes:
    """Returns sent frames in the form of answers: one as it is, each of several after its length; empty without one."""
    if len(frames) <= 1:
        return b"".join(frames)
    return b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)


def _initial(variable: Mapping[str, Any]) -> Any:
    value = variable["value"]
    return value.encode() if isinstance(value, str) else value
