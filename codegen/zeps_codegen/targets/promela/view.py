"""The variables of the template: paths as moves of spin, with all names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...ir import Binary, Literal, Machine, Protocol, Terminate, Type, Unary
from ...naming import Scope, screaming, snake
from ...passes.abstraction import Abstraction
from ...passes.automaton import Automaton
from ...passes.local import Regime
from ...passes.session_grammar import grammar_automaton
from ..describe import show
from ..errors import UnsupportedByTarget
from ..operators import U64_MAX, CLike, spell
from .paths import Ending, Path, Sent, Stored, paths_of

__all__ = ["LIMIT", "MoveView", "PairView", "SideView", "pair_view"]

LIMIT = 2  # for numbers that need a limit, as in `check`
_BIG = 1 << 30  # represents the greatest number of 64 bits
_MALFORMED = frozenset({"malformed"})


@dataclass(frozen=True, slots=True)
class MoveView:
    """An atomic step of a machine. `space` (not in `guard`) is the condition on the channel, empty if the step sends
    nothing. A step is `odd` if a row of `*` handles a message and names a next state.
    """

    number: int
    name: str
    path: Path
    title: str
    guard: str
    space: str
    body: list[str]
    observed: str  # the following state of the session grammar's automaton
    odd: bool
    changes: str | None = ""
    """The condition under which it changes the situation: always if empty, never if None."""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class StateView:
    name: str
    state: str
    moves: list[MoveView]


@dataclass(slots=True)
class SideView:
    """One machine. `inbox` and `outbox` are channels, `fields` the variables for the first message in the inbox. `ends`
    is the condition that the machine may stop; `cuts` are the guards of moves that are not explored.
    """

    actor: str
    machine: Machine
    title: str
    inbox: str
    outbox: str
    peer: str
    states: list[StateView] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # names of the states
    variables: list[tuple[str, str, str, str]] = field(default_factory=list)  # type, name, value, doc
    fields: list[str] = field(default_factory=list)
    ends: str = ""
    terminates: bool = False
    cuts: list[str] = field(default_factory=list)
    slots: int = 0
    burst: int = 1

    @property
    def number(self) -> int:
        return int(self.actor == "server")

    @property
    def moves(self) -> list[MoveView]:
        """All moves, in the order of states."""
        return [move for state in self.states for move in state.moves]

    @property
    def waiting(self) -> list[MoveView]:
        """The moves that may wait for channel space."""
        return [move for move in self.moves if move.space]

    @property
    def drops(self) -> bool:
        """Whether the machine terminates for good, and drops messages from then on."""
        return self.terminates and not self.machine.session

    @property
    def changing(self) -> list[MoveView]:
        """The moves that may change the situation."""
        return [move for move in self.moves if move.changes is not None and not move.fault]

    @property
    def faulty(self) -> list[MoveView]:
        """The moves for events that no row handles."""
        return [move for move in self.moves if move.fault]


@dataclass(frozen=True, slots=True)
class PairView:
    """A client and a server of one protocol."""

    name: str
    title: str
    messages: list[str]
    texts: list[tuple[str, int, str]]
    client: SideView
    server: SideView
    symbols: list[tuple[str, str]]  # a symbol of the session grammar, and the following state
    owed: list[
        tuple[int, str]
    ]  # a state in which a message is required, and the condition that one is coming

    @property
    def sides(self) -> tuple[SideView, SideView]:
        return self.client, self.server

    @property
    def moves_max(self) -> int:
        """A bound that exceeds every move's number."""
        return 1 + max(move.number for side in self.sides for move in side.moves)

    @property
    def burst(self) -> int:
        """The maximum number of messages that one step sends, at least 1, which an empty channel must hold."""
        return max(self.client.burst, self.server.burst)


class _Names:
    def __init__(self, protocol: Protocol) -> None:
        self.scope = Scope("promela")
        self.messages = {item.name: self.scope.name(screaming(item.name)) for item in protocol.messages}
        self.texts: dict[str, str] = {}

    def text(self, value: str) -> str:
        if value not in self.texts:
            word = screaming(value) if value.isascii() and value.isalnum() else ""
            self.texts[value] = self.scope.name(f"TEXT_{word}" if word else "TEXT")
        return self.texts[value]


class _Spelling(CLike):
    """Expressions of one machine; the fields of the received message are the registers of its inbox."""

    comparison = staticmethod("{1} {0} {2}".format)
    add = staticmethod("ADD({}, {})".format)
    subtract = staticmethod("SUBTRACT({}, {})".format)
    least = staticmethod("LEAST({}, {})".format)

    def __init__(self, names: _Names, variables: dict[str, str], registers: dict[str, str]) -> None:
        self._names, self._variables, self._registers = names, variables, registers

    def variable(self, name: str) -> str:
        return self._variables[name]

    def parameter(self, name: str, kind: Type) -> str:
        return self._registers[name]

    def literal(self, value: int | str | bool, kind: Type) -> str:
        if isinstance(value, str):
            return self._names.text(value)
        if isinstance(value, bool):
            return str(value).lower()
        if value == U64_MAX:
            return "BIG"
        if value >= _BIG:
            why = f"cannot carry {value}: numbers must be less than 2^30 (spin's numbers have 31 bits)"
            raise UnsupportedByTarget("promela", "", "", why)
        return str(value)

    def size(self, message: str) -> str:
        raise AssertionError("paths have no sizes")


class _Side:
    def __init__(
        self,
        actor: str,
        machine: Machine,
        abstraction: Abstraction,
        names: _Names,
        sent: frozenset[str],
        peer: Machine,
    ) -> None:
        self.machine, self.abstraction, self.names = machine, abstraction, names
        self.timers = Regime().of(machine).timers
        self.actor = actor
        other = "server" if actor == "client" else "client"
        self.paths = [
            path for path in paths_of(machine, abstraction) if not path.received or path.event in sent
        ]
        self.view = SideView(actor, machine, machine.title, f"to_{actor}", f"to_{other}", other)
        self.states = {item.name: names.scope.name(f"{actor}_{snake(item.name)}") for item in machine.states}
        self.variables = {
            item.name: names.scope.name(f"{actor}_{snake(item.name)}")
            for item in abstraction.variables(machine)
        }
        self.initial = {item.name: item.value for item in machine.variables}
        self.view.terminates = machine.session or _terminates(machine)
        self.peer_terminates = peer.session or _terminates(peer)
        self.view.names = list(self.states.values())
        self.view.slots = max((len(abstraction.carried(name)) for name in sent), default=0)
        self.view.fields = [f"{actor}_field_{slot}" for slot in range(1, self.view.slots + 1)]
        self.view.burst = max((len(path.sends) for path in self.paths), default=1) or 1

    def build(self, outbox_slots: int, automaton: Automaton | None) -> SideView:
        view = self.view
        self.outbox_slots = outbox_slots
        self.observe = automaton is not None and self.actor == "server"
        plain = self._spelling({})
        kinds = {Type.NUMBER: "int", Type.BOOLEAN: "bool"}
        view.variables = [
            (
                kinds.get(item.type, "byte"),
                self.variables[item.name],
                plain.literal(item.value, item.type),
                item.doc,
            )
            for item in self.abstraction.variables(self.machine)
        ]
        left = {
            row.state
            for row in self.machine.transitions
            if row.next not in (None, row.state) and row.event not in self.timers
        }
        ends = [f"{self.actor} == {name}" for state, name in self.states.items() if state not in left]
        ends += [f"{self.actor}_terminated"] if view.terminates else []
        ends += [f"{view.peer}_terminated"] if self.machine.session and self.peer_terminates else []
        view.ends = " || ".join(ends) or "false"
        numbered = list(enumerate(self.paths))
        for state, name in self.states.items():
            moves = [self._move(number, path) for number, path in numbered if path.state == state]
            view.states.append(StateView(name, state, [move for move in moves if move is not None]))
        return view

    def _spelling(self, registers: dict[str, str]) -> _Spelling:
        return _Spelling(self.names, self.variables, registers)

    def _registers(self, path: Path) -> dict[str, str]:
        if not path.received:
            return {}
        fields = self.abstraction.carried(path.event)
        return {item.name: register for item, register in zip(fields, self.view.fields, strict=False)}

    def _move(self, number: int, path: Path) -> MoveView | None:
        spelling = self._spelling(self._registers(path))
        guard = self._guard(path, spelling)
        if path.ending is Ending.CUT:
            self.view.cuts.append(guard)
            return None
        space = ""
        if path.sends and path.ending is Ending.MOVE:
            space = f"SPACE({self.view.outbox}, {len(path.sends)})"
        fault = {Ending.UNSPECIFIED: "unspecified_reception", Ending.UNHANDLED: "unhandled_raise"}
        row = self.machine.transitions[path.rows[0]] if path.rows else None
        return MoveView(
            number=number,
            name=f"{self.actor}_{number}",
            path=path,
            title=_title(path),
            guard=guard,
            space=space,
            body=self._body(path, spelling),
            observed=self._observed(path),
            changes=self._changes(path, spelling),
            odd=path.received and row is not None and row.covered_by_star and row.next is not None,
            fault=fault.get(path.ending, ""),
        )

    def _guard(self, path: Path, spelling: _Spelling) -> str:
        parts = [f"{self.actor} == {self.states[path.state]}"]
        if self.view.terminates and not self._may_begin(path):
            parts.append(f"!{self.actor}_terminated")
        if path.received:
            parts.append(f"{self.actor}_head == {self.names.messages[path.event]}")
        elif path.event in _MALFORMED:
            parts.append("MALFORMED")
        elif path.event in self.timers and (path.terminated or path.next != path.state):
            parts.append("GIVE_UP")
        if path.refuses:
            parts.append("REFUSE")
        for condition in path.conditions:
            text = spell(condition, spelling)
            parts.append(f"({text})" if isinstance(condition, (Binary, Unary)) else text)
        return " && ".join(parts)

    def _body(self, path: Path, spelling: _Spelling) -> list[str]:
        if path.ending is not Ending.MOVE:
            return []
        lines = [self._effect(effect, spelling) for effect in path.effects]
        if path.sends:
            lines.append(f"look_{self.view.peer}();")
        is_over = path.terminated and self.machine.session
        next_ = self.machine.initial if is_over else path.next
        if next_ != path.state:
            lines.append(f"{self.actor} = {self.states[next_]};")
        if path.terminated:
            lines.append(f"{self.actor}_terminated = true;")
        elif self._may_begin(path):
            lines.append(f"{self.actor}_terminated = false;")
        live = frozenset[str]() if path.terminated else self.abstraction.live(self.machine, path.next)
        before = self.abstraction.live(self.machine, path.state)
        written = {item.variable for item in path.effects if isinstance(item, Stored)}
        for name, variable in self.variables.items():
            if name not in live and (name in before or name in written):
                lines.append(f"{variable} = {self._initial(name)};")
        if path.received:
            lines.append(f"take_{self.actor}();")
        return lines

    def _changes(self, path: Path, spelling: _Spelling) -> str | None:
        if path.received or path.sends or path.terminated or path.next != path.state:
            return ""
        live = self.abstraction.live(self.machine, path.next)
        differing = [
            f"{self.variables[name]} != {spell(value, spelling)}"
            for name, value in path.stored().items()
            if name in live
        ]
        return f"({' || '.join(differing)})" if differing else None

    def _may_begin(self, path: Path) -> bool:
        """Whether the path may be the first of a session."""
        return self.machine.session and path.received and path.state == self.machine.initial

    def _initial(self, name: str) -> str:
        return self._spelling({}).literal(self.initial[name], Type.NUMBER)

    def _effect(self, effect: Stored | Sent, spelling: _Spelling) -> str:
        if isinstance(effect, Stored):
            text = spell(effect.value, spelling)
            if effect.least is not None and not isinstance(effect.value, Literal):
                text = f"LEAST({text}, {effect.least})"
            elif effect.least is not None and isinstance(effect.value, Literal):
                value = effect.value.value
                text = str(min(value, effect.least)) if isinstance(value, int) else text
            return f"{self.variables[effect.variable]} = {text};"
        values = [spell(value, spelling) for _, value in effect.fields]
        values += ["0"] * (self.outbox_slots - len(values))
        return f"{self.view.outbox} ! {', '.join([self.names.messages[effect.message], *values])};"

    def _observed(self, path: Path) -> str:
        if not self.observe:
            return ""
        symbols = [f"C:{path.event}"] if path.received else []
        symbols += [f"S:{item.message}" for item in path.sends]
        text = f"({self.actor}_terminated -> 0 : word)" if self._may_begin(path) else "word"
        for symbol in symbols:
            text = f"{_after(symbol)}({text})"
        return text if symbols else ""


def _after(symbol: str) -> str:
    """The name of the macro for the automaton's transition on a symbol, ``C:ATTACH`` or ``S:PING``."""
    return f"AFTER_{symbol[0]}_{screaming(symbol[2:])}"


def _title(path: Path) -> str:
    """A short description of the path, for a comment in the model."""
    values = ", ".join(f"{name} = {value!r}" for name, value in path.inputs)
    parts = [f"{path.event}({values})" if values else path.event]
    if path.conditions:
        parts.append("[" + " and ".join(map(show, path.conditions)) + "]")
    parts += [f"refused: {name}" for name in path.raised if name]
    return " ".join(parts).replace("*/", "* /")


def pair_view(protocol: Protocol, client: Machine, server: Machine) -> PairView:
    """The variables of the template for a client and a server. Raises UnsupportedByTarget like `promela_source`."""
    abstraction = Abstraction(protocol, (client, server), LIMIT)
    names = _Names(protocol)
    automaton = grammar_automaton(protocol)[0] if protocol.grammar.strip() else None
    if automaton is not None and not automaton.steps:
        automaton = None
    sent = [_sent(paths_of(machine, abstraction)) for machine in (client, server)]
    sides = [
        _Side("client", client, abstraction, names, sent[1], server),
        _Side("server", server, abstraction, names, sent[0], client),
    ]
    slots = [side.view.slots for side in sides]
    views = [side.build(slots[1 - index], automaton) for index, side in enumerate(sides)]
    return PairView(
        name=protocol.name,
        title=protocol.title,
        messages=list(names.messages.values()),
        texts=[(name, number, text) for number, (text, name) in enumerate(names.texts.items())],
        client=views[0],
        server=views[1],
        symbols=_symbols(automaton, sent) if automaton else [],
        owed=_owed(automaton, *views) if automaton else [],
    )


def _terminates(machine: Machine) -> bool:
    return any(isinstance(step, Terminate) for row in machine.transitions for step in row.steps)


def _sent(paths: Iterable[Path]) -> frozenset[str]:
    return frozenset(item.message for path in paths for item in path.sends)


def _symbols(automaton: Automaton, sent: Sequence[frozenset[str]]) -> list[tuple[str, str]]:
    """For each symbol that a side may send, its macro and the state after the state `w`: NO_WORD if not allowed."""
    symbols = []
    for role, messages in zip("CS", sent, strict=True):
        for message in sorted(messages):
            symbol = f"{role}:{message}"
            text = "NO_WORD"
            for state, row in reversed(list(enumerate(automaton.steps))):
                if symbol in row:
                    text = f"((w) == {state} -> {row[symbol]} : {text})"
            symbols.append((_after(symbol), text))
    return symbols


def _owed(automaton: Automaton, client: SideView, server: SideView) -> list[tuple[int, str]]:
    """The states in which a session may not end, each with the condition that a required message is coming, or (before
    the first message) that a side has terminated.
    """
    owed = []
    for state in range(len(automaton.steps)):
        if state in automaton.accepting:
            continue
        expected = set(automaton.expected(state))
        coming = [
            move.name
            for side, role in ((client, "C"), (server, "S"))
            for move in side.moves
            if not move.path.received and _first(move.path, role) in expected
        ]
        ended = [f"{side.actor}_terminated" for side in (client, server) if side.terminates and state == 0]
        owed.append((state, " || ".join([*coming, *ended]) or "false"))
    return owed


def _first(path: Path, role: str) -> str:
    return f"{role}:{path.sends[0].message}" if path.sends and path.ending is Ending.MOVE else ""
