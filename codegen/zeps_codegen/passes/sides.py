"""Machines and channels as the explorer sees them: configurations, messages, bursts and channel contents are numbered
on first occurrence, and the moves for each pair of configuration and arrived message are computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol as Interface

from .local import Configuration, Kind, LocalMachine, Outcome, Packet
from .traces import TraceStep

__all__ = ["LOCAL_BITS", "NOTHING", "QUEUE_BITS", "Channel", "Moves", "Packets", "Side", "Watcher"]

LOCAL_BITS = 14  # bits of the number of a configuration
QUEUE_BITS = 16  # bits of the number of a channel's content
NOTHING = -1


@dataclass(slots=True)
class Moves:
    """The possible moves of a machine in a configuration with a message at the head of its channel. Each of `steps` is
    (number of the move, target, burst sent, 1 if it takes the message). Outcomes without an effect, or with that of an
    earlier move, are only in `idle`. `bad` are faults, (kind, detail, outcome, burst that needs channel space); each
    ends its branch.
    """

    steps: list[tuple[int, int, int, int]] = field(default_factory=list)
    idle: list[Outcome] = field(default_factory=list)
    bad: list[tuple[str, str, Outcome, int]] = field(default_factory=list)
    cut: bool = False
    met: bool = False  # set when the explorer has used these moves


class Packets:
    """Numbers for messages and for bursts of messages. Burst 0 is empty."""

    def __init__(self) -> None:
        self.packets: list[Packet] = []
        self.bursts: list[tuple[int, ...]] = [()]
        self._packets: dict[Packet, int] = {}
        self._bursts: dict[tuple[int, ...], int] = {(): 0}

    def burst(self, sends: tuple[Packet, ...]) -> int:
        ids = tuple(self._packet(packet) for packet in sends)
        if ids not in self._bursts:
            self._bursts[ids] = len(self.bursts)
            self.bursts.append(ids)
        return self._bursts[ids]

    def _packet(self, packet: Packet) -> int:
        if packet not in self._packets:
            self._packets[packet] = len(self.packets)
            self.packets.append(packet)
        return self._packets[packet]


class Watcher(Interface):
    """An observer that follows a machine's steps and may report a fault. States are numbers; 0 is the initial one."""

    def follow(self, state: int, outcome: Outcome) -> int | tuple[str, str]:
        """The state after the outcome, or (kind, detail) of the fault."""


class Side:
    """One machine for the explorer; `local` is a configuration's number. It includes the watcher's state."""

    def __init__(
        self, actor: str, machine: LocalMachine, packets: Packets, watcher: Watcher | None = None
    ) -> None:
        self.actor = actor
        self.machine = machine
        self.packets = packets
        self.watcher = watcher
        self.locals: list[tuple[Configuration, int]] = []
        self.outcomes: list[Outcome] = []  # the outcome of each move
        self.odd: set[int] = set()  # moves in which only `*` handles a message, and the state changes
        self._locals: dict[tuple[Configuration, int], int] = {}
        self._moves: dict[tuple[int, int], Moves] = {}
        self.initial = self._local(machine.initial, 0)
        rows = machine.machine.transitions
        timers = machine.regime.timers
        left = {row.state for row in rows if row.next not in (None, row.state) and row.event not in timers}
        self._ends = frozenset(state.name for state in machine.machine.states) - left

    def state(self, local: int) -> str:
        """The name of the machine's state."""
        return self.locals[local][0].state

    def is_end(self, local: int) -> bool:
        """Whether the machine may stay for ever: it has terminated, or only timers leave its state."""
        return self.has_terminated(local) or self.is_end_state(self.state(local))

    def is_end_state(self, state: str) -> bool:
        """Whether no row leaves the state, except rows of timers."""
        return state in self._ends

    def has_terminated(self, local: int) -> bool:
        """Whether the machine has terminated."""
        return self.locals[local][0].terminated

    def is_at_rest(self, local: int) -> bool:
        """Whether the machine is in its initial state, and only timers act there until a message arrives."""
        configuration = self.locals[local][0]
        if configuration.state != self.machine.initial.state:
            return False
        timers = self.machine.regime.timers
        return all(outcome.event in timers for outcome in self.machine.act(configuration))

    def moves(self, local: int, head: int) -> Moves:
        """All possible moves if the message `head` (or NOTHING) has arrived. Raises OverflowError if too many."""
        moves = self._moves.get((local, head))
        if moves is None:
            moves = self._moves[local, head] = self._compute(local, head)
        return moves

    def met(self) -> list[tuple[int, Moves]]:
        """Every configuration that the explorer visited, with its moves, once for each message at the head."""
        return [(local, moves) for (local, _), moves in self._moves.items() if moves.met]

    def step(self, local: int, outcome: Outcome) -> TraceStep:
        """Converts the outcome to a step of a trace."""
        return TraceStep.of(self.actor, self.state(local), outcome)

    def _compute(self, local: int, head: int) -> Moves:
        configuration, watched = self.locals[local]
        outcomes = list(self.machine.act(configuration))
        if head != NOTHING and self.machine.listens(configuration):
            outcomes += self.machine.receive(configuration, self.packets.packets[head])
        moves = Moves()
        known: set[tuple[int, int, int]] = set()
        for outcome in outcomes:
            if outcome.kind is Kind.CUT:
                moves.cut = True
                continue
            if outcome.target is None:
                moves.bad.append((outcome.kind.value, "", outcome, 0))
                continue
            after = watched
            begins = configuration.terminated and self.machine.machine.session and outcome.received
            if self.watcher is not None and (begins or not configuration.terminated):
                answer = self.watcher.follow(0 if begins else watched, outcome)
                if isinstance(answer, tuple):
                    moves.bad.append((*answer, outcome, self.packets.burst(outcome.sends)))
                    continue
                after = answer
            target = self._local(outcome.target, after)
            key = (target, self.packets.burst(outcome.sends), int(outcome.received))
            if key == (local, 0, 0):
                moves.idle.append(outcome)
            elif key in known:
                moves.idle.append(outcome)  # another outcome has the same effect
            else:
                known.add(key)
                moves.steps.append((len(self.outcomes), *key))
                if self._is_odd(outcome):
                    self.odd.add(len(self.outcomes))
                self.outcomes.append(outcome)
        return moves

    def _is_odd(self, outcome: Outcome) -> bool:
        if not outcome.received or not outcome.rows:
            return False
        row = self.machine.machine.transitions[outcome.rows[0]]
        return row.covered_by_star and row.next is not None

    def _local(self, configuration: Configuration, watched: int) -> int:
        key = (configuration, watched)
        if key not in self._locals:
            self._locals[key] = len(self.locals)
            self.locals.append(key)
            if len(self.locals) >= 1 << LOCAL_BITS:
                raise OverflowError(f"the {self.actor} has too many configurations to explore")
        return self._locals[key]


class Channel:
    """A channel's contents, numbered; 0 is empty. `head` has the first message, or NOTHING, and `rest` the others."""

    def __init__(self, packets: Packets, bound: int) -> None:
        self.bound = bound
        self.packets = packets
        self.contents: list[tuple[int, ...]] = [()]
        self.head = [NOTHING]
        self.rest = [0]
        self.pushed: dict[int, int] = {}  # (burst, contents) → contents, NOTHING if the channel is full
        self._numbers: dict[tuple[int, ...], int] = {(): 0}

    def push(self, content: int, burst: int) -> int:
        """The content with the burst appended; NOTHING if it exceeds the bound. An empty channel takes any burst.
        Raises OverflowError if there are too many contents to number.
        """
        key = burst << QUEUE_BITS | content
        number = self.pushed.get(key)
        if number is None:
            before, added = self.contents[content], self.packets.bursts[burst]
            full = before and len(before) + len(added) > self.bound
            number = self.pushed[key] = NOTHING if full else self._number(before + added)
        return number

    def _number(self, content: tuple[int, ...]) -> int:
        number = self._numbers.get(content)
        if number is None:
            rest = self._number(content[1:])
            number = self._numbers[content] = len(self.contents)
            self.contents.append(content)
            self.head.append(content[0])
            self.rest.append(rest)
            if number >= 1 << QUEUE_BITS:
                raise OverflowError("the channels can hold too much to explore")
        return number
