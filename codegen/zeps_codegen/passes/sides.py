"""What the explorer needs of a machine and of a channel: everything numbered, everything computed once.

A configuration, a message, a burst of messages and the contents of a channel each get a number when they
first come up. What a machine may do depends on its configuration and on the message that has arrived, and on
nothing else, so it is worked out once for each such pair.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol as Interface

from .local import Configuration, Kind, LocalMachine, Outcome, Packet
from .traces import TraceStep

__all__ = ["LOCAL_BITS", "NOTHING", "QUEUE_BITS", "Channel", "Moves", "Packets", "Side", "Watcher"]

LOCAL_BITS = 14  # of the number of a configuration
QUEUE_BITS = 16  # of the number of a channel's contents
NOTHING = -1


@dataclass(slots=True)
class Moves:
    """What a machine may do with a given configuration and a given message at the head of its channel.

    Each of `steps` is (number of the move, target, burst sent, 1 if it takes the message). Moves that change
    nothing are only in `idle`. `bad` are (kind, detail, outcome, burst that needs room) that end the exploration of
    their branch.
    """

    steps: list[tuple[int, int, int, int]] = field(default_factory=list)
    idle: list[Outcome] = field(default_factory=list)
    bad: list[tuple[str, str, Outcome, int]] = field(default_factory=list)
    cut: bool = False
    met: bool = False  # for the explorer: whether it has been here


class Packets:
    """Numbers for messages and for bursts of messages. Burst 0 is none."""

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
    """Something that follows a machine from step to step, and may object to one.

    Its states are numbers from 0, the first being initial.
    """

    def follow(self, state: int, outcome: Outcome) -> int | tuple[str, str]:
        """The state after the outcome, or (kind, detail) of the objection."""


class Side:
    """One machine as the explorer sees it. A watcher's state becomes part of the configuration."""

    def __init__(
        self, actor: str, machine: LocalMachine, packets: Packets, watcher: Watcher | None = None
    ) -> None:
        self.actor = actor
        self.machine = machine
        self.packets = packets
        self.watcher = watcher
        self.locals: list[tuple[Configuration, int]] = []
        self.outcomes: list[Outcome] = []  # of each move
        self.odd: set[int] = set()  # moves by messages that only `*` takes, and that change the state
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
        """Whether the machine may stay for good: it has terminated, or only timers, if any, leave its state."""
        return self.has_terminated(local) or self.is_end_state(self.state(local))

    def is_end_state(self, state: str) -> bool:
        """Whether no row leaves the state, timers aside."""
        return state in self._ends

    def has_terminated(self, local: int) -> bool:
        """Whether the machine is gone for good."""
        return self.locals[local][0].terminated

    def is_at_rest(self, local: int) -> bool:
        """Whether the machine is where it began, and does nothing from there until a message arrives."""
        configuration = self.locals[local][0]
        if configuration.state != self.machine.initial.state:
            return False
        timers = self.machine.regime.timers
        return all(outcome.event in timers for outcome in self.machine.act(configuration))

    def moves(self, local: int, head: int) -> Moves:
        """All that may happen, `head` being the message that has arrived, or NOTHING."""
        found = self._moves.get((local, head))
        if found is None:
            found = self._moves[local, head] = self._compute(local, head)
        return found

    def met(self) -> list[tuple[int, Moves]]:
        """Every configuration that the explorer was in, with its moves, once for each message at the head."""
        return [(local, moves) for (local, _), moves in self._moves.items() if moves.met]

    def step(self, local: int, outcome: Outcome) -> TraceStep:
        """The outcome, as a step of a trace."""
        return TraceStep(
            actor=self.actor,
            event=outcome.event,
            message=Packet(outcome.event, outcome.inputs) if outcome.received else None,
            inputs=outcome.inputs,
            raised=outcome.raised,
            sends=outcome.sends,
            state_before=self.state(local),
            state_after=outcome.target.state if outcome.target is not None else None,
        )

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
                moves.idle.append(outcome)  # another way to the same end
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
    """The contents that a channel of `bound` messages may have, numbered; 0 is empty."""

    def __init__(self, packets: Packets, bound: int) -> None:
        self.bound = bound
        self.packets = packets
        self.contents: list[tuple[int, ...]] = [()]
        self.head = [NOTHING]
        self.rest = [0]
        self.pushed: dict[int, int] = {}  # (burst, contents) → contents, NOTHING if there is no room
        self._numbers: dict[tuple[int, ...], int] = {(): 0}

    def push(self, content: int, burst: int) -> int:
        """The contents with the burst behind them; NOTHING if there is no room."""
        key = burst << QUEUE_BITS | content
        found = self.pushed.get(key)
        if found is None:
            before, added = self.contents[content], self.packets.bursts[burst]
            full = before and len(before) + len(added) > self.bound
            found = self.pushed[key] = NOTHING if full else self._number(before + added)
        return found

    def _number(self, content: tuple[int, ...]) -> int:
        found = self._numbers.get(content)
        if found is None:
            rest = self._number(content[1:])
            found = self._numbers[content] = len(self.contents)
            self.contents.append(content)
            self.head.append(content[0])
            self.rest.append(rest)
            if found >= 1 << QUEUE_BITS:
                raise OverflowError("the channels can hold too much to explore")
        return found
