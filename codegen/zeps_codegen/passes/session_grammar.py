"""The session grammar against the machines: what client and server do together is what the grammar says.

The theory. A session grammar is ABNF over messages with roles, and its words are traces: what the server
receives and what it sends, in that order, as the server sees it. As long as no rule leads back to itself,
such a grammar is a regular expression, and :mod:`.automaton` makes of it a deterministic automaton in which
every state can still reach the end of a word. A trace is the beginning of a word if and only if the automaton
can follow it.

So the automaton is set beside the server as a watcher and follows what the server does, while
:mod:`.composition` looks at everything that client and server can do together over channels that keep order.
Where it cannot follow, the machines do something that the grammar does not allow (ZC604); the way there is
the counterexample. Malformed input belongs to the game here, on both sides, because grammars speak of its
answer.

Being the beginning of a word says nothing about going on. So, where both channels are empty, and the grammar
demands a message before the word may end, some step of one of the machines has to bring one of those that may
follow; otherwise an answer is missing (ZC605).

The converse is not proved for words, but for steps: what the grammar allows in a state of the automaton, and
the machines never do there, is reported (ZC608).
"""

from __future__ import annotations

from collections.abc import Callable

from ..diagnostics import Diagnostic, Location, Locations, Severity, define
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
    walk,
)
from .abstraction import Abstraction
from .automaton import Alt, Automaton, Empty, Regex, Repeat, Seq, Symbol, compile_regex
from .composition import Explorer, Finding, Result, situations_max
from .local import Kind, LocalMachine, Outcome, Regime
from .sides import Packets, Side
from .traces import pairs, render_line

__all__ = ["GrammarWatcher", "check_session_grammar", "explore_grammar", "grammar_automaton"]

RECURSIVE = define("ZC601", Severity.WARNING, "a rule of the session grammar that leads back to itself")
NO_TRACE = define(
    "ZC602", Severity.WARNING, "something in the session grammar that is neither message nor rule"
)
NO_WORD = define(
    "ZC603", Severity.WARNING, "a message that is named in the grammar, but occurs in no session"
)
VIOLATION = define("ZC604", Severity.ERROR, "client and server do what the session grammar does not allow")
OWED = define("ZC605", Severity.ERROR, "client and server stop where the session grammar demands a message")
GRAMMAR_SUMMARY = define("ZC606", Severity.INFO, "how the session grammar and the machines compare")
NEVER_DONE = define("ZC608", Severity.WARNING, "the session grammar allows what client and server never do")
GRAMMAR_LIMIT = define(
    "ZC607", Severity.WARNING, "more to look at than the comparison with the grammar may take"
)

SHORTEST_STATES_MAX = 200_000
# Grammars speak of the answer to bad input; a message with a bad length is still one that was received.
REGIME = Regime(excluded=frozenset())


def check_session_grammar(
    bundle: Bundle,
    locations: Locations | None = None,
    bound: int = 2,
    keep: Callable[[Finding], None] | None = None,
) -> list[Diagnostic]:
    """Compare each protocol's session grammar with its client and server, if it has them.

    `bound` is the number of messages that a channel holds. `keep` is given each finding that has a trace.
    """
    where = locations or Locations()
    machines = {protocol.name: (client, server) for protocol, client, server in pairs(bundle)}
    found: list[Diagnostic] = []
    for protocol in bundle.protocols:
        if not protocol.grammar.strip():
            continue
        automaton, diagnostics = grammar_automaton(protocol, where)
        found += diagnostics
        if automaton is not None and protocol.name in machines:
            faults, diagnostics = _compare(protocol, *machines[protocol.name], automaton, bound, where)
            found += diagnostics
            for finding in faults:
                if keep is not None:
                    keep(finding)
    return found


def grammar_automaton(
    protocol: Protocol, locations: Locations | None = None
) -> tuple[Automaton | None, list[Diagnostic]]:
    """The automaton of the protocol's grammar, or None if it has none; and what was found on the way.

    Syntax and unknown names are reported when a model is loaded, and not here again.
    """
    place = (locations or Locations()).find(f"grammar:{protocol.name}", f"class:{protocol.name}")
    grammar = parse_grammar(protocol.grammar, place.file, Report(), place.line or 1, tolerances=False)
    reader = _Reader(protocol, grammar, place.file)
    try:
        automaton = reader.automaton()
    except RecursionError:
        text = "the rules of the session grammar lead to each other too deeply"
        reader.diagnostics = [NO_TRACE.at(place.file, place.line, text, "fewer rules, one within the other")]
        return None, reader.diagnostics
    if automaton is not None:
        reader.check_messages(automaton)
    return automaton, reader.diagnostics


class _Reader:
    """A grammar → a regular expression over `C:MESSAGE` and `S:MESSAGE`."""

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
            hint = "write it with a repetition: a session grammar is a regular expression"
            self.diagnostics.append(
                RECURSIVE.at(self.file, line, f"{name} leads back to itself: {circle}", hint)
            )
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
            case Repetition(item, least, most):
                return Repeat(self.element(item, line), least, most)
            case Concatenation(items):
                return Seq(tuple(self.element(item, line) for item in items))
            case Alternation(items):
                return Alt(tuple(self.element(item, line) for item in items))
            case _:
                self.sound = False
                text = "octets and texts have no place in a grammar of sessions"
                hint = "rules, and messages with a role: C:NAME, S:NAME"
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
        named = {
            (fold(item.name), item.line)
            for rule in self.grammar.rules
            for item in walk(rule.element)
            if isinstance(item, Reference)
        }
        occurring = {symbol[2:] for symbol in automaton.alphabet()}
        for message in self.protocol.messages:
            lines = sorted(line for name, line in named if name == fold(message.name))
            if lines and message.name not in occurring:
                text = f"{message.name} is named in the grammar, but occurs in no session"
                self.diagnostics.append(NO_WORD.at(self.file, lines[0], text))


class GrammarWatcher:
    """Follows the server through the automaton; objects where no word goes on as the server does."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.taken: set[tuple[int, str]] = set()

    def follow(self, state: int, outcome: Outcome) -> int | tuple[str, str]:
        """The automaton's state after what the server received and sent in one step."""
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
    """Where both channels are empty: whether the grammar demands a message that nobody is about to send."""

    def __init__(self, client: Side, server: Side, automaton: Automaton) -> None:
        self.client, self.server, self.automaton = client, server, automaton

    def __call__(self, client: int, server: int) -> tuple[str, str, str] | None:
        state = self.server.locals[server][1]
        if state in self.automaton.accepting:
            return None
        if state == 0 and (self.client.has_terminated(client) or self.server.has_terminated(server)):
            return None  # no session has begun, and nobody is there to begin one with
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
        return "owed", actor, f"the grammar demands {' or '.join(expected)}"


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
    """Client and server together, watched by the automaton; findings are `violation` and `owed`.

    Without `reduce` every order of events is looked at, and traces are as short as can be.
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
        return [], []  # no session at all: every message has been reported
    result, watcher = explore_grammar(protocol, client, server, automaton, bound)
    faults = [finding for finding in result.findings if finding.kind in _CODES]
    if faults:
        again, _ = explore_grammar(
            protocol, client, server, automaton, bound, reduce=False, states_max=SHORTEST_STATES_MAX
        )
        shorter = {_what(finding): finding for finding in again.findings}
        faults = [shorter.get(_what(finding), finding) for finding in faults]
    found = [_diagnostic(finding, client, server, where) for finding in faults]
    if not result.complete:
        text = f"stopped after {result.states:,} situations; the rest is not compared with the grammar"
        found.append(GRAMMAR_LIMIT.at(place.file, place.line, text, "a smaller bound"))
    elif not found:
        found += _never(automaton, watcher, place)
    steps = sum(len(row) for row in automaton.steps)
    text = (
        f"{client.name} and {server.name} follow the grammar through {result.states:,} situations and "
        f"{result.transitions:,} transitions at bound {bound}; they take {len(watcher.taken)} of its "
        f"automaton's {steps} steps ({len(automaton.steps)} states)"
    )
    if not faults:
        found.append(GRAMMAR_SUMMARY.at(place.file, place.line, text))
    return faults, found


def _never(automaton: Automaton, watcher: GrammarWatcher, place: Location) -> list[Diagnostic]:
    """What the grammar allows and the machines never do, with a shortest trace that leads there."""
    words: dict[int, tuple[str, ...]] = {0: ()}
    for state in (waiting := [0]):
        for symbol, after in automaton.steps[state].items():
            if after not in words:
                words[after] = (*words[state], symbol)
                waiting.append(after)
    found = []
    for state, row in enumerate(automaton.steps):
        done = {symbol for symbol in row if (state, symbol) in watcher.taken}
        either = {_turned(symbol) for symbol in done if row.get(_turned(symbol)) == row[symbol]}
        never = [symbol for symbol in row if symbol not in done | either]
        if never:
            after_ = f"after {' '.join(words[state])}" if words[state] else "at the beginning"
            text = f"the grammar allows {', '.join(never)} {after_}, and client and server never do it"
            found.append(NEVER_DONE.at(place.file, place.line, text))
    return found


def _turned(symbol: str) -> str:
    """The same message from the other side: a grammar without roles, or with `P:`, means either."""
    return ("S" if symbol[0] == "C" else "C") + symbol[1:]


def _what(finding: Finding) -> tuple[str, ...]:
    return (finding.kind, finding.actor, finding.state, finding.event)


_CODES = {"violation": VIOLATION, "owed": OWED}


def _diagnostic(finding: Finding, client: Machine, server: Machine, where: Locations) -> Diagnostic:
    machine = client if finding.actor == "client" else server
    rows = [f"transition:{machine.name}.{row}" for row in finding.rows[:1]]
    place: Location = where.find(
        *rows,
        f"event:{machine.name}.{finding.state}.{finding.event}",
        f"state:{machine.name}.{finding.state}",
    )
    text = f"in {finding.state}, the {finding.actor} breaks the session grammar: {finding.detail}"
    if finding.kind == "owed":
        text = f"in {finding.state}, the {finding.actor} is silent: {finding.detail}"
    return _CODES[finding.kind].at(place.file, place.line, text, f"trace: {render_line(finding.trace)}")
