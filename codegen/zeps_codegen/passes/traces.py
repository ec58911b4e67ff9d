"""Counterexamples: traces that can be printed, saved as JSON and replayed. A trace is a list of steps from the initial
states and two empty channels. :func:`replay` runs it on the machines' tables again and confirms every step: the message
is at the head of the channel, the choices are possible, and messages sent and state reached are equal.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..ir import Bundle, Machine, Protocol, Role
from .abstraction import Abstraction, Bindings, Value
from .local import Configuration, Kind, LocalMachine, Outcome, Packet

__all__ = [
    "ReplayError",
    "Replayed",
    "Trace",
    "TraceStep",
    "pairs",
    "parse_trace",
    "render_line",
    "render_text",
    "render_trace",
    "replay",
]

LINE_STEPS_MAX = 40  # steps in a one-line rendering


class ReplayError(ValueError):
    """The trace cannot be read, or does not follow the tables; the text says why, and at which step, if any."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """An event of one machine; `actor` is `client` or `server`. `message` is the message from the channel, or None for
    a call of the application and an event of the host, whose parameters (or message's fields) are `inputs`. `raised`
    has, for each host action with `raises` or `then` that ran, its event (with the prefix ``then `` if it is handled
    after the row) or None. None as `state_after`: no row handles the event, or one that an action raises, and the trace
    ends.
    """

    actor: str
    event: str
    message: Packet | None
    inputs: Bindings
    raised: tuple[str | None, ...]
    sends: tuple[Packet, ...]
    state_before: str
    state_after: str | None

    @classmethod
    def of(cls, actor: str, state: str, outcome: Outcome) -> TraceStep:
        """The step in which the machine of `actor` has the outcome in `state`."""
        return cls(
            actor=actor,
            event=outcome.event,
            message=Packet(outcome.event, outcome.inputs) if outcome.received else None,
            inputs=outcome.inputs,
            raised=outcome.raised,
            sends=outcome.sends,
            state_before=state,
            state_after=outcome.target.state if outcome.target is not None else None,
        )

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.inputs)
        what = f"receives {self.message}" if self.message else f"{self.event}({values})"
        raised = "".join(f", raised {name}" for name in self.raised if name)
        sends = "".join(f", sends {packet}" for packet in self.sends)
        if self.state_after is None:
            goes = f"in {self.state_before}: no row handles it"
        elif self.state_after == self.state_before:
            goes = f"in {self.state_before}"
        else:
            goes = f"{self.state_before} → {self.state_after}"
        return f"{self.actor} {what}{raised}{sends} [{goes}]"

    def symbols(self) -> tuple[str, ...]:
        """The server's messages in a step, in their order: `C:` received, `S:` sent; empty for a step of the client."""
        if self.actor != "server":
            return ()
        received = (f"C:{self.message.message}",) if self.message else ()
        return (*received, *(f"S:{packet.message}" for packet in self.sends))


Trace = tuple[TraceStep, ...]


@dataclass(frozen=True, slots=True)
class Replayed:
    """The end of a trace; `observed` has the messages that the server received (`C:NAME`) and sent (`S:NAME`)."""

    client: Configuration
    server: Configuration
    to_server: tuple[Packet, ...]
    to_client: tuple[Packet, ...]
    observed: tuple[str, ...]
    unspecified: bool  # no row handles the last step's event, or one that an action raises


def pairs(bundle: Bundle) -> list[tuple[Protocol, Machine, Machine]]:
    """Each protocol with its first client and its first server; protocols without both are left out."""
    triples = []
    for protocol in bundle.protocols:
        machines = [item for item in bundle.machines if item.protocol == protocol.name]
        client = next((item for item in machines if item.role is Role.CLIENT), None)
        server = next((item for item in machines if item.role is Role.SERVER), None)
        if client is not None and server is not None:
            triples.append((protocol, client, server))
    return triples


def render_text(trace: Iterable[TraceStep]) -> str:
    """Formats one numbered line per step."""
    return "\n".join(f"{number:3}. {step}" for number, step in enumerate(trace, 1))


def render_line(trace: Trace) -> str:
    """Formats the steps on one line, without states; of more than LINE_STEPS_MAX the middle is left out."""
    steps = [str(step).partition(" [")[0] for step in trace]
    if len(steps) > LINE_STEPS_MAX:
        half = LINE_STEPS_MAX // 2
        steps = [*steps[:half], f"… {len(steps) - 2 * half} steps …", *steps[-half:]]
    return "; ".join(steps)


def render_trace(trace: Iterable[TraceStep]) -> str:
    """Formats a JSON array with one object per step; :func:`parse_trace` reads it."""
    return json.dumps([_step_json(step) for step in trace], indent=2, ensure_ascii=False)


def parse_trace(text: str) -> Trace:
    """Parses the output of :func:`render_trace`. Raises ReplayError for other texts."""
    try:
        return tuple(_step(item) for item in json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReplayError(f"not a trace: {error}") from error


def replay(bundle: Bundle, trace: Iterable[TraceStep], protocol: str | None = None) -> Replayed:
    """Replays the trace on the tables, without limits of numbers. `protocol` is needed if more than one has a client
    and a server. Raises ReplayError at the first step that differs, or if no single protocol matches.
    """
    matches = [item for item in pairs(bundle) if protocol in (None, item[0].name)]
    if len(matches) != 1:
        raise ReplayError(f"the trace needs one pair of client and server, not {len(matches)}")
    return _Replay(*matches[0]).run(tuple(trace))


class _Replay:
    def __init__(self, protocol: Protocol, client: Machine, server: Machine) -> None:
        abstraction = Abstraction(protocol, (client, server), limit=2**62)
        self.machines = {
            "client": LocalMachine(client, abstraction),
            "server": LocalMachine(server, abstraction),
        }
        self.at = {actor: machine.initial for actor, machine in self.machines.items()}
        self.inbox: dict[str, deque[Packet]] = {"client": deque(), "server": deque()}
        self.observed: list[str] = []

    def run(self, trace: Trace) -> Replayed:
        unspecified = False
        for number, step in enumerate(trace, 1):
            if unspecified:
                raise ReplayError(f"step {number}: the trace continues after an event that no row handles")
            if step.actor not in self.machines:
                raise ReplayError(f"step {number}: unknown actor {step.actor!r}")
            unspecified = self.step(number, step)
        return Replayed(
            client=self.at["client"],
            server=self.at["server"],
            to_server=tuple(self.inbox["server"]),
            to_client=tuple(self.inbox["client"]),
            observed=tuple(self.observed),
            unspecified=unspecified,
        )

    def step(self, number: int, step: TraceStep) -> bool:
        at = self.at[step.actor]
        if at.state != step.state_before:
            raise ReplayError(f"step {number}: {step.actor} is in {at.state}, not in {step.state_before}")
        inputs = step.inputs
        if step.message is not None:
            inbox = self.inbox[step.actor]
            if not inbox or inbox[0] != step.message:
                head = str(inbox[0]) if inbox else "nothing"
                raise ReplayError(f"step {number}: the message at the head is {head}, not {step.message}")
            inputs = inbox.popleft().fields
        outcomes = self.outcomes(step, at, inputs)
        if not any(_agrees(item, step) for item in outcomes):
            raise ReplayError(f"step {number}: the table does not have this step: {step}")
        self.observed.extend(step.symbols())
        if step.state_after is None:
            return True
        self.inbox["server" if step.actor == "client" else "client"].extend(step.sends)
        target = next(item.target for item in outcomes if _agrees(item, step))
        assert target is not None
        self.at[step.actor] = target
        return False

    def outcomes(self, step: TraceStep, at: Configuration, inputs: Bindings) -> list[Outcome]:
        machine = self.machines[step.actor]
        if step.message is not None:
            return machine.receive(at, step.message)
        return machine.fire(at, step.event, inputs, received=False)


def _agrees(outcome: Outcome, step: TraceStep) -> bool:
    if step.state_after is None:
        return outcome.kind in (Kind.UNSPECIFIED, Kind.UNHANDLED) and outcome.raised == step.raised
    return (
        outcome.target is not None
        and outcome.target.state == step.state_after
        and outcome.raised == step.raised
        and outcome.sends == step.sends
    )


def _step_json(step: TraceStep) -> dict[str, Any]:
    return {
        "actor": step.actor,
        "event": step.event,
        "message": _packet_json(step.message) if step.message else None,
        "inputs": dict(step.inputs),
        "raised": list(step.raised),
        "sends": [_packet_json(packet) for packet in step.sends],
        "state_before": step.state_before,
        "state_after": step.state_after,
    }


def _packet_json(packet: Packet) -> dict[str, Any]:
    return {"name": packet.message, "fields": dict(packet.fields)}


def _step(item: dict[str, Any]) -> TraceStep:
    message = item["message"]
    return TraceStep(
        actor=str(item["actor"]),
        event=str(item["event"]),
        message=_packet(message) if message is not None else None,
        inputs=_bindings(item["inputs"]),
        raised=tuple(item["raised"]),
        sends=tuple(_packet(packet) for packet in item["sends"]),
        state_before=str(item["state_before"]),
        state_after=item["state_after"],
    )


def _packet(item: dict[str, Any]) -> Packet:
    return Packet(str(item["name"]), _bindings(item["fields"]))


def _bindings(item: dict[str, Value]) -> Bindings:
    return tuple(item.items())
