"""A second check of client and server together, by the model checker spin. It searches the Promela that
:mod:`.targets.promela` prints, breadth first and completely, once for each question, with the same abstraction of data
as our own explorer. The shortest path to a fault becomes a trace after our own tables have confirmed each step.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .ir import Machine, Protocol
from .passes.abstraction import Abstraction
from .passes.local import Configuration, LocalMachine, Outcome, Packet, Regime, evaluate
from .passes.traces import Trace, TraceStep
from .targets.promela import promela_source
from .targets.promela.paths import Ending, Stored
from .targets.promela.paths import Path as Way
from .targets.promela.view import LIMIT, MoveView, PairView

__all__ = ["QUESTIONS", "Question", "SpinError", "Verdict", "ask"]

_MEMORY_MAX = 8192  # MiB
_TABLE_BITS = 21  # of the hash table, which spin clears at the start; short chains are fast enough
_SECONDS_MAX = 3600
_COUNTED = re.compile(r"^\s*(\d+) states, stored.*?^\s*(\d+) transitions", re.MULTILINE | re.DOTALL)


class SpinError(Exception):
    """spin or a C compiler is missing, fails or takes too long, or spin contradicts our tables; the text says which."""


@dataclass(frozen=True, slots=True)
class Question:
    """One search. `defines` are macros of the Promela; `kinds` are names of `check` for the faults that it may find."""

    name: str
    defines: tuple[str, ...]
    kinds: frozenset[str]


#: The questions about every pair of machines.
QUESTIONS = (
    Question("everything may fail", (), frozenset({"deadlock", "unspecified", "unhandled"})),
    Question("no timer gives up", ("GIVE_UP=0",), frozenset({"odd"})),
    Question("the session grammar", ("GRAMMAR",), frozenset({"violation", "owed"})),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a search: a fault with its trace, or both empty. `complete` is False after a fault, or if the
    search was cut short. `rows` are the transitions taken, by index, of client and server; empty after a fault.
    """

    situations: int
    transitions: int
    complete: bool
    fault: str = ""
    trace: Trace = ()
    rows: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())


def ask(
    protocol: Protocol, client: Machine, server: Machine, bound: int, defines: Iterable[str] = ()
) -> Verdict:
    """Searches the two machines over channels of `bound` messages until the first fault. Ends incomplete at 8 GiB.
    `defines` are those of the question. Raises SpinError, also after an hour, and UnsupportedByTarget.
    """
    source, view = promela_source(protocol, client, server)
    options = [f"-D{item}" for item in (f"N={bound}", *defines)]
    with tempfile.TemporaryDirectory(prefix="zeps-spin-") as name:
        folder = Path(name)
        (folder / "model.pml").write_text(source, encoding="utf-8")
        _run(["spin", *options, "-DCOVERAGE", "-a", "model.pml"], folder)
        compiler = ["gcc", "-O1"]
        if bound <= 2:  # compiling takes longer than a small search, and gcc twice as long as clang
            compiler = ["clang" if shutil.which("clang") else "gcc", "-O0"]
        flags = ["-w", "-DBFS", "-DNOREDUCE", f"-DMEMLIM={_MEMORY_MAX}"]
        if compiler[0] == "clang":
            flags.append("-fbracket-depth=100000")  # a long disjunction is nested
        _run([*compiler, *flags, "-o", "pan", "pan.c"], folder)
        said = _run(["./pan", f"-w{_TABLE_BITS}"], folder)
        counted = _COUNTED.search(said)
        if counted is None:
            raise SpinError(f"the output of spin's verifier cannot be parsed:\n{said}")
        situations, transitions = int(counted[1]), int(counted[2])
        if "errors: 0" in said:
            complete = "error:" not in said and "Search not completed" not in said
            return Verdict(situations, transitions, complete, rows=_rows(view, said))
        steps = _run(["spin", *options, "-k", "model.pml.trail", "-t", "model.pml"], folder)
    moves = re.findall(r"^\s*@ (\w+) (\S+)$", steps, re.MULTILINE)
    fault, trace = _Replay(protocol, client, server, view).run(moves)
    if "-DGRAMMAR" in options and fault != "owed":
        fault = "no_word"
    return Verdict(situations, transitions, False, fault, trace)


def _run(command: list[str], folder: Path) -> str:
    """Runs a command in `folder` for an hour at most, and returns its standard output. Raises SpinError."""
    if shutil.which(command[0]) is None and not command[0].startswith("./"):
        raise SpinError(f"{command[0]} is not installed: apt-get install {command[0]}")
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS_MAX, check=False
        )
    except subprocess.TimeoutExpired:
        raise SpinError(f"{command[0]} took more than {_SECONDS_MAX} s: try a smaller bound") from None
    if done.returncode != 0 or (command[0] == "spin" and "Error:" in done.stdout and "-a" in command):
        raise SpinError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _rows(view: PairView, said: str) -> tuple[frozenset[int], frozenset[int]]:
    """The transitions of client and server that were taken, by index, from the verifier's output."""
    taken = {(int(side), int(move)) for side, move in re.findall(r"^= (\d) (\d+)$", said, re.MULTILINE)}
    client, server = (
        frozenset(row for move in side.moves if (side.number, move.number) in taken for row in move.path.rows)
        for side in view.sides
    )
    return client, server


class _Replay:
    """Replays spin's moves on the tables of `passes.local`, and records them as a trace."""

    def __init__(self, protocol: Protocol, client: Machine, server: Machine, view: PairView) -> None:
        abstraction = Abstraction(protocol, (client, server), LIMIT)
        regime = Regime(excluded=frozenset())
        self.machines = {
            "client": LocalMachine(client, abstraction, regime),
            "server": LocalMachine(server, abstraction, regime),
        }
        self.variables = {
            actor: [item.name for item in abstraction.variables(local.machine)]
            for actor, local in self.machines.items()
        }
        self.moves = {side.actor: {move.number: move for move in side.moves} for side in view.sides}
        self.at = {actor: local.initial for actor, local in self.machines.items()}
        self.inbox: dict[str, list[Packet]] = {"client": [], "server": []}

    def run(self, moves: list[tuple[str, str]]) -> tuple[str, Trace]:
        """Returns the fault's name, and the trace that leads to it. Raises SpinError if a table lacks a move."""
        trace: list[TraceStep] = []
        fault = ""
        for actor, what in moves:
            if actor == "judge":
                fault = what
            elif what != "-1":
                move = self.moves[actor][int(what)]
                trace.append(self.step(actor, move))
                fault = move.fault or ("unexpected" if move.odd else "")
            else:
                trace.append(self.drop(actor))
        return fault or "no_word", tuple(trace)

    def drop(self, actor: str) -> TraceStep:
        """Removes the next message to a machine that has terminated, and returns this as a step."""
        message, state = self.inbox[actor].pop(0), self.at[actor].state
        return TraceStep(actor, message.message, message, message.fields, (), (), state, state)

    def step(self, actor: str, move: MoveView) -> TraceStep:
        way, at = move.path, self.at[actor]
        message = self.inbox[actor].pop(0) if way.received else None
        machine = self.machines[actor]
        outcomes = machine.receive(at, message) if message else machine.fire(at, way.event, way.inputs, False)
        outcome = next((item for item in outcomes if self.agrees(actor, item, way)), None)
        if outcome is None:
            raise SpinError(
                f"spin takes a step that the {actor}'s table does not have: {way.event} in {at.state}"
            )
        if outcome.target is not None:
            self.at[actor] = outcome.target
            self.inbox["server" if actor == "client" else "client"].extend(outcome.sends)
        return TraceStep.of(actor, at.state, outcome)

    def agrees(self, actor: str, outcome: Outcome, way: Way) -> bool:
        """Whether the outcome of a table is the path that spin chose."""
        if outcome.rows != way.rows or outcome.raised != way.raised:
            return False
        if way.ending is not Ending.MOVE:
            return outcome.target is None
        return outcome.target is not None and outcome.sends == self.sends(actor, self.at[actor], way, outcome)

    def sends(self, actor: str, at: Configuration, way: Way, outcome: Outcome) -> tuple[Packet, ...]:
        """The messages that the path sends from this configuration."""
        values = dict(zip(self.variables[actor], at.values, strict=True))
        inputs = dict(outcome.inputs)
        packets = []
        for effect in way.effects:
            if isinstance(effect, Stored):
                value = evaluate(effect.value, values, inputs)
                if effect.least is not None and isinstance(value, int):
                    value = min(value, effect.least)
                values[effect.variable] = value
            else:
                fields = tuple((name, evaluate(value, values, inputs)) for name, value in effect.fields)
                packets.append(Packet(effect.message, fields))
        return tuple(packets)
