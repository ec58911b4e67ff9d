"""Replays a trace on the generated Python machines."""

from __future__ import annotations

import importlib
import sys
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from zeps_codegen.ir import Bundle
from zeps_codegen.passes.local import Packet
from zeps_codegen.passes.traces import TraceStep
from zeps_codegen.targets.python.target import render

DEFAULTS = {"stream": "a", "pattern": "", "latest": 0, "sequence": 1, "key": "k", "body": b"", "reason": "r"}
#: The parameters of the client's methods and of the host's events.
PARAMETERS = {
    "open": ["stream"],
    "follow": ["pattern", "latest"],
    "grant": ["octets"],
    "post": ["key", "body"],
}


def package_of(bundle: Bundle, folder: Path, name: str) -> str:
    """Generates the bundle's Python package below `folder`, as `name`, ready for import."""
    package = folder / name
    package.mkdir(parents=True)
    for path, content in render(bundle).items():
        (package / path.name).write_bytes(content)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    return name


class DisagreementError(AssertionError):
    """The generated machines differ from the trace."""


class _Host:
    """Records sent messages; its actions raise the events of the trace."""

    def __init__(self, module: ModuleType, raising: frozenset[str]) -> None:
        self.module, self.raising = module, raising
        self.sent: list[Any] = []
        self.choices: deque[str | None] = deque()
        self.machine: Any = None

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def __getattr__(self, action: str) -> Any:
        def act(_message: Any) -> None:
            if action in self.raising:
                event = self.choices.popleft()
                if event is not None:
                    self.machine.fail(self.module.Event[f"ON_{event.upper()}"])

        return act


class Players:
    """A client and a server of the generated package, in their initial states."""

    def __init__(self, package: str, bundle: Bundle) -> None:
        self.zeps = importlib.import_module(f"{package}.zeps")
        self.classes = {kind.NAME: kind for kind in self.zeps.MESSAGES.values()}
        self.unit = self.message(Packet("DELIVER")).size()
        self.unexpected = importlib.import_module(f"{package}.errors").UnexpectedEvent
        self.hosts: dict[str, _Host] = {}
        self.inbox: dict[str, deque[Any]] = {"client": deque(), "server": deque()}
        for machine in bundle.machines:
            actor = machine.role.value
            module = importlib.import_module(f"{package}.{machine.name}")
            raising = frozenset(
                step.name for row in machine.transitions for step in row.steps if getattr(step, "raises", ())
            )
            host = self.hosts[actor] = _Host(module, raising)
            host.machine = getattr(module, f"{actor.title()}Machine")(host)

    def message(self, packet: Packet) -> Any:
        """A message with the packet's values; credit is in units of one DELIVER."""
        kind = self.classes[packet.message]
        given = {name: value * self.unit if name == "credit" else value for name, value in packet.fields}
        return kind(**{name: given.get(name, DEFAULTS.get(name)) for name in kind.__match_args__})

    def play(self, trace: Iterable[TraceStep]) -> None:
        """Replays every step. Raises DisagreementError if a state or a sent message differs from the trace."""
        for number, step in enumerate(trace, 1):
            self._step(number, step)

    def _step(self, number: int, step: TraceStep) -> None:
        host = self.hosts[step.actor]
        machine = host.machine
        host.sent.clear()
        host.choices = deque(step.raised)
        if machine.state.name.lower() != step.state_before:
            raise DisagreementError(f"step {number}: {step.actor} is in {machine.state.name}: {step}")
        try:
            self._do(machine, step)
        except self.unexpected:
            if step.state_after is not None:
                raise DisagreementError(f"step {number}: unexpected: {step}") from None
            return
        if step.state_after is None or machine.state.name.lower() != step.state_after:
            raise DisagreementError(f"step {number}: {step.actor} went to {machine.state.name}: {step}")
        names = [message.NAME for message in host.sent]
        if names != [packet.message for packet in step.sends]:
            raise DisagreementError(f"step {number}: sent {names}: {step}")
        self.inbox["server" if step.actor == "client" else "client"].extend(host.sent)

    def _do(self, machine: Any, step: TraceStep) -> None:
        if step.message is not None:
            message = self.inbox[step.actor].popleft()
            assert step.message.message == message.NAME
            machine.receive(message)
            return
        given = {name: value * self.unit if name == "octets" else value for name, value in step.inputs}
        if step.event == "deliver":
            machine.deliver(self.message(Packet("DELIVER")))
            return
        names = PARAMETERS.get(step.event, [])
        getattr(machine, step.event)(**{name: given.get(name, DEFAULTS.get(name)) for name in names})
