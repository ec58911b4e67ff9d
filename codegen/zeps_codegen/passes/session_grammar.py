"""The session grammar against the machines: checks that the traces of client and server follow the grammar.

The theory. A session grammar is ABNF over messages with roles. Its words are traces: the messages that the server
receives and sends, in the order that the server observes. Without recursive rules the grammar is a regular
expression, which :mod:`.automaton` converts to a deterministic automaton in which an accepting state is reachable from
every state. A trace is a prefix of a word if and only if the automaton can follow it.

So the automaton watches the server's steps while :mod:`.composition` explores everything that client and server can do
together over ordered channels. A step that it cannot follow violates the grammar (ZC604); the path to it is the
counterexample. Malformed input on both sides is part of the exploration, because grammars describe its answer.

A prefix need not be complete. Therefore, where both channels are empty and the grammar requires a message before the
word may end, some step of one of the machines must send one of the messages that may follow; otherwise an answer is
missing (ZC605).

The converse is proved for steps, not for words: a step that the grammar allows in a state of the automaton, and that
the machines never take there, is reported (ZC608).
"""

from __future__ import annotations

from collections.abc import Callable

from ..diagnostics import Diagnostic, Location, Locations, error, remark, warning
from ..ir import Bundle, Machine, Protocol
from ..model import fold
from ..report import Report
from ..source.abnf import (
    Alternation,
    Concatenation,
    Element,
    Grammar,
    Reference,
    Repetition,
    parse_grammar,
    references,
)
from .abstraction import Abstraction
from .automaton import (
    REPEAT_MAX,
    Alt,
    Automaton,
    Empty,
    Regex,
    Repeat,
    Seq,
    Symbol,
    compile_regex,
    is_repeatable,
)
from .composition import SHORTEST_STATES_MAX, Explorer, Finding, Result, situations_max, with_traces_of
from .local import Kind, LocalMachine, Outcome, Regime
from .sides import Packets, Side
from .traces import pairs

__all__ = ["GrammarWatcher", "check_session_grammar", "explore_grammar", "grammar_automaton"]

RECURSIVE = warning("ZC601", "a rule of the session grammar that is recursive")
NO_TRACE = warning("ZC602", "a part of the session grammar that is neither a message nor a rule")
NO_WORD = warning("ZC603", "a message that the grammar has only in rules without words")
VIOLATION = error("ZC604", "client and server violate the session grammar")
OWED = error("ZC605", "client and server stop where the session grammar requires a message")
GRAMMAR_SUMMARY = remark("ZC606", "the comparison of the session grammar with the machines")
NEVER_DONE = warning("ZC608", "the session grammar allows a message that client and server never send")
GRAMMAR_LIMIT = warning("ZC607", "the comparison with the grammar stopped at its limit of situations")

# Grammars describe the answer to malformed input; a message with a bad length still counts as received.
REGIME = Regime(excluded=frozenset())


def check_session_grammar(
    bundle: Bundle,
    locations: Locations | None = None,
    bound: int = 2,
    keep: Callable[[Finding], None] | None = None,
) -> list[Diagnostic]:
    """Checks each protocol's session grammar by itself, and against the client and server, if the protocol has them.
    `bound` is the capacity of a channel in messages. `keep` is called with each finding that has a trace.
    """
    where = locations or Locations()
    machines = {protocol.name: (client, server) for protocol, client, server in pairs(bundle)}
    all_diagnostics: list[Diagnostic] = []
    for protocol in bundle.protocols:
        if not protocol.grammar.strip():
            continue
        automaton, diagnostics = grammar_automaton(protocol, where)
        all_diagnostics += diagnostics
        if automaton is not None and protocol.name in machines:
            faults, diagnostics = _compare(protocol, *machines[protocol.name], automaton, bound, where)
            all_diagnostics += diagnostics
            for finding in faults:
                if keep is not None:
                    keep(finding)
    return all_diagnostics


def grammar_automaton(
    protocol: Protocol, locations: Locations | None = None
) -> tuple[Automaton | None, list[Diagnostic]]:
    """The automaton of the protocol's grammar, None if it has no rules or cannot be converted; and the findings, except
    syntax errors and unknown names, which are reported when the model is loaded.
    """
    place = (locations or Locations()).find(f"grammar:{protocol.name}", f"class:{protocol.name}")
    grammar = parse_grammar(protocol.grammar, place.file, Report(), place.line or 1, tolerances=False)
    reader = _Reader(protocol, grammar, place.file)
    try:
        automaton = reader.automaton()
    except RecursionError:
        text = "the rules of the session grammar are nested too deeply"
        reader.diagnostics = [NO_TRACE.at(place.file, place.line, text, "reduce the nesting")]
        return None, reader.diagnostics
    if automaton is not None:
        reader.check_messages(automaton)
    return automaton, reader.diagnostics


class _Reader:
    """Conversion of a grammar to a regular expression over `C:MESSAGE` and `S:MESSAGE`."""

    def __init__(self, protocol: Protocol, grammar: Grammar, file: str) -> None:
        self.protocol, self.grammar, self.file = protocol, grammar, file
        self.messages = {fold(message.name): message.name for message in protocol.messages}
        self.diagnostics: list[Diagnostic] = []
        self.sound = True
        self._open: list[str] = []
        self._done: dict[str, Regex] = {}

    def automaton(self) -> Automaton | None:
        if not self.grammar.rules:
            return None
        regex = self.rule(self.grammar.rules[0].name.lower(), self.grammar.rules[0].line)
        return compile_regex(regex) if self.sound else None

    def rule(self, name: str, line: int) -> Regex:
        if name in self._open:
            self.sound = False
            circle = " → ".join((*self._open[self._open.index(name) :], name))
            hint = "use a repetition instead: a session grammar must be a regular expression"
            self.diagnostics.append(RECURSIVE.at(self.file, line, f"{name} is recursive: {circle}", hint))
            return Empty()
        if name not in self._done:
            self._open.append(name)
            self._done[name] = Alt(
                tuple(self.element(rule.element, rule.line) for rule in self.grammar.named(name))
            )
            self._open.pop()
        return self._done[name]

    def element(self, element: Element, line: int) -> Regex:
        match element:
            case Reference():
                return self.reference(element)
            case Repetition(item, least, most) if is_repeatable(least, most):
                return Repeat(self.element(item, line), least, most)
            case Repetition(_, least, most):
                return self.refuse(
                    line,
                    f"{least}*{'' if most is None else most} is not a repetition that can be checked",
                    f"bounds are at most {REPEAT_MAX}, and the first does not exceed the second",
                )
            case Concatenation(items):
                return Seq(tuple(self.element(item, line) for item in items))
            case Alternation(items):
                return Alt(tuple(self.element(item, line) for item in items))
            case _:
                text = "a session grammar cannot have terminal values"
                return self.refuse(line, text, "use rules, and messages with a role: C:NAME, S:NAME")

    def refuse(self, line: int, text: str, hint: str) -> Regex:
        """Reports a part of the grammar that has no automaton; returns a placeholder for it."""
        self.sound = False
        self.diagnostics.append(NO_TRACE.at(self.file, line, text, hint))
        return Empty()

    def reference(self, item: Reference) -> Regex:
        if item.role is None and self.grammar.named(item.name):
            return self.rule(item.name.lower(), item.line)
        name = self.messages.get(fold(item.name))
        role = (item.role or "P").upper()
        if name is None or role not in ("C", "S", "P"):
            self.sound = False  # reported when the model was loaded
            return Empty()
        return Alt(tuple(Symbol(f"{who}:{name}") for who in ("CS" if role == "P" else role)))

    def check_messages(self, automaton: Automaton) -> None:
        named = {(fold(item.name), item.line) for item in references(self.grammar.rules)}
        occurring = {symbol[2:] for symbol in automaton.alphabet()}
        for message in self.protocol.messages:
            lines = sorted(line for name, line in named if name == fold(message.name))
            if lines and message.name not in occurring:
                text = f"the grammar names {message.name}, but no session contains it"
                self.diagnostics.append(NO_WORD.at(self.file, lines[0], text))


class GrammarWatcher:
    """Follows the server through the automaton; reports a violation if no word continues with the server's step."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.taken: set[tuple[int, str]] = set()

    def follow(self, state: int, outcome: Outcome) -> int | tuple[str, str]:
        """The state after one step, which is added to `taken`; ("violation", detail) if no word continues with it."""
        for symbol in _symbols(outcome):
            after = self.automaton.step(state, symbol)
            if after is None:
                expected = ", ".join(self.automaton.expected(state)) or "the end"
                return "violation", f"{symbol} where the grammar has {expected}"
            self.taken.add((state, symbol))
            state = after
        return state


def _symbols(outcome: Outcome) -> tuple[str, ...]:
    received = (f"C:{outcome.event}",) if outcome.received else ()
    return (*received, *(f"S:{packet.message}" for packet in outcome.sends))


class _Quiet:
    """The check of empty channels: whether the grammar requires a message that neither machine sends next."""

    def __init__(self, client: Side, server: Side, automaton: Automaton) -> None:
        self.client, self.server, self.automaton = client, server, automaton

    def __call__(self, client: int, server: int) -> tuple[str, str, str] | None:
        state = self.server.locals[server][1]
        if state in self.automaton.accepting:
            return None
        if state == 0 and (self.client.has_terminated(client) or self.server.has_terminated(server)):
            return None  # no session has begun, and one of the machines has terminated
        expected = self.automaton.expected(state)
        coming = {
            f"{role}:{packet.message}"
            for role, side, local in (("C", self.client, client), ("S", self.server, server))
            for outcome in side.machine.act(side.locals[local][0])
            if outcome.kind is Kind.MOVE
            for packet in outcome.sends[:1]
        }
        if coming & set(expected):
            return None
        actor = "server" if all(symbol.startswith("S:") for symbol in expected) else "client"
        return "owed", actor, f"the grammar requires {' or '.join(expected)}"


def explore_grammar(
    protocol: Protocol,
    client: Machine,
    server: Machine,
    automaton: Automaton,
    bound: int = 2,
    *,
    reduce: bool = True,
    states_max: int | None = None,
) -> tuple[Result, GrammarWatcher]:
    """Explores client and server together, watched by the automaton, over channels of `bound` messages. Without
    `reduce` every order of events is explored, and traces are as short as possible. `states_max` defaults to
    `situations_max(bound)`.
    """
    abstraction = Abstraction(protocol, (client, server))
    packets = Packets()
    watcher = GrammarWatcher(automaton)
    here = Side("client", LocalMachine(client, abstraction, REGIME), packets)
    there = Side("server", LocalMachine(server, abstraction, REGIME), packets, watcher)
    quiet = _Quiet(here, there, automaton)
    explorer = Explorer(
        here, there, bound, reduce=reduce, quiet=quiet, states_max=states_max or situations_max(bound)
    )
    return explorer.run(), watcher


def _compare(
    protocol: Protocol, client: Machine, server: Machine, automaton: Automaton, bound: int, where: Locations
) -> tuple[list[Finding], list[Diagnostic]]:
    place = where.find(f"grammar:{protocol.name}", f"class:{protocol.name}")
    if not automaton.steps:
        return [], []  # an empty language: every message has been reported
    result, watcher = explore_grammar(protocol, client, server, automaton, bound)
    faults = [finding for finding in result.findings if finding.kind in _CODES]
    if faults:
        again, _ = explore_grammar(
            protocol, client, server, automaton, bound, reduce=False, states_max=SHORTEST_STATES_MAX
        )
        faults = with_traces_of(faults, again.findings)
    diagnostics = [_diagnostic(finding, client, server, where) for finding in faults]
    if not result.complete:
        text = f"stopped after {result.states:,} situations; the comparison with the grammar is incomplete"
        diagnostics.append(GRAMMAR_LIMIT.at(place.file, place.line, text, "a smaller bound"))
    elif not diagnostics:
        diagnostics += _never(automaton, watcher, place)
    steps = sum(len(row) for row in automaton.steps)
    text = (
        f"{client.name} and {server.name} follow the grammar through {result.states:,} situations and "
        f"{result.transitions:,} transitions at bound {bound}; they take {len(watcher.taken)} of its "
        f"automaton's {steps} steps ({len(automaton.steps)} states)"
    )
    if not faults:
        diagnostics.append(GRAMMAR_SUMMARY.at(place.file, place.line, text))
    return faults, diagnostics


def _never(automaton: Automaton, watcher: GrammarWatcher, place: Location) -> list[Diagnostic]:
    """Findings about steps that the grammar allows and the machines never take: one for each automaton state."""
    words: dict[int, tuple[str, ...]] = {0: ()}
    for state in (waiting := [0]):
        for symbol, after in automaton.steps[state].items():
            if after not in words:
                words[after] = (*words[state], symbol)
                waiting.append(after)
    diagnostics = []
    for state, row in enumerate(automaton.steps):
        done = {symbol for symbol in row if (state, symbol) in watcher.taken}
        either = {_turned(symbol) for symbol in done if row.get(_turned(symbol)) == row[symbol]}
        never = [symbol for symbol in row if symbol not in done | either]
        if never:
            after_ = f"after {' '.join(words[state])}" if words[state] else "at the beginning"
            text = f"the grammar allows {', '.join(never)} {after_}, but client and server never do this"
            diagnostics.append(NEVER_DONE.at(place.file, place.line, text))
    return diagnostics


def _turned(symbol: str) -> str:
    """The same message from the other side: in a grammar without roles, or with `P:`, either side may send it."""
    return ("S" if symbol[0] == "C" else "C") + symbol[1:]


_CODES = {"violation": VIOLATION, "owed": OWED}


def _diagnostic(finding: Finding, client: Machine, server: Machine, where: Locations) -> Diagnostic:
    machine = client if finding.actor == "client" else server
    text = f"in {finding.state}, the {finding.actor} violates the session grammar: {finding.detail}"
    if finding.kind == "owed":
        text = f"in {finding.state}, the {finding.actor} is silent: {finding.detail}"
    return finding.diagnostic(_CODES[finding.kind], text, machine, where)
