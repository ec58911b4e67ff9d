"""Regular languages: conversion of an expression to the minimal deterministic automaton.

The conversion is the usual one: Thompson's construction gives an automaton with silent steps, the subset construction
makes it deterministic, and Moore's refinement merges equivalent states. Only *live* states are kept, from which an
accepting state can be reached, so a missing step means that no word has this prefix. Because the automaton is minimal,
and its states are numbered in breadth-first order by sorted symbol, expressions for the same language give equal
automata.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..reach import reachable

__all__ = ["Alt", "Automaton", "Empty", "Regex", "Repeat", "Seq", "Symbol", "compile_regex", "symbols"]

# A bounded repetition is expanded; a bound beyond this is taken for an error.
REPEAT_MAX = 1000


def is_repeatable(least: int, most: int | None) -> bool:
    """Whether 0 <= least <= most <= REPEAT_MAX; a `most` of None has no bound."""
    return 0 <= least <= (least if most is None else most) and max(least, most or 0) <= REPEAT_MAX


@dataclass(frozen=True, slots=True)
class Empty:
    """The language with only the empty word."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol of the alphabet, such as `C:ATTACH`."""

    name: str


@dataclass(frozen=True, slots=True)
class Seq:
    """The concatenation of the parts. Without parts: the empty word."""

    parts: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """A choice. Without choices: the empty language."""

    choices: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A repetition, `least` to `most` times; a `most` of None is unlimited."""

    body: Regex
    least: int = 0
    most: int | None = None


Regex = Empty | Symbol | Seq | Alt | Repeat


def symbols(regex: Regex) -> frozenset[str]:
    """The symbols in the expression, even if no word of its language has them."""
    match regex:
        case Symbol(name):
            return frozenset((name,))
        case Seq(parts) | Alt(parts):
            return frozenset[str]().union(*(symbols(part) for part in parts))
        case Repeat(body):
            return symbols(body)
        case Empty():
            return frozenset()


@dataclass(frozen=True, slots=True)
class Automaton:
    """A minimal deterministic automaton without dead states; state 0 is the initial state, and `steps[state]` maps a
    symbol to the next state. An empty language has no states.
    """

    steps: tuple[dict[str, int], ...]
    accepting: frozenset[int]

    def step(self, state: int, symbol: str) -> int | None:
        """The state after `symbol`; None if no word continues with it."""
        return self.steps[state].get(symbol)

    def run(self, word: Iterable[str]) -> int | None:
        """The state after `word`; None if it is not a prefix of a word."""
        state: int | None = 0 if self.steps else None
        for symbol in word:
            if state is None:
                return None
            state = self.step(state, symbol)
        return state

    def accepts(self, word: Iterable[str]) -> bool:
        """Whether `word` is in the language."""
        return self.run(word) in self.accepting

    def is_prefix(self, word: Iterable[str]) -> bool:
        """Whether some word of the language begins with `word`."""
        return self.run(word) is not None

    def expected(self, state: int) -> tuple[str, ...]:
        """The symbols that may follow in `state`, sorted."""
        return tuple(sorted(self.steps[state]))

    def alphabet(self) -> frozenset[str]:
        """The symbols that occur in at least one word."""
        return frozenset(symbol for row in self.steps for symbol in row)


def compile_regex(regex: Regex) -> Automaton:
    """The minimal automaton. Raises ValueError for a bound that exceeds REPEAT_MAX, is negative or is out of order."""
    nfa = _Nfa()
    start, end = nfa.add(regex)
    table, accepting = _determinise(nfa, start, end)
    return _minimise(table, accepting)


class _Nfa:
    """Thompson's automaton: every fragment has one entry and one exit, joined by silent steps."""

    def __init__(self) -> None:
        self.silent: list[list[int]] = []
        self.loud: list[list[tuple[str, int]]] = []

    def state(self) -> int:
        self.silent.append([])
        self.loud.append([])
        return len(self.silent) - 1

    def add(self, regex: Regex) -> tuple[int, int]:
        start, end = self.state(), self.state()
        match regex:
            case Empty():
                self.silent[start].append(end)
            case Symbol(name):
                self.loud[start].append((name, end))
            case Seq(parts):
                self._chain(start, end, parts)
            case Alt(choices):
                for choice in choices:
                    first, last = self.add(choice)
                    self.silent[start].append(first)
                    self.silent[last].append(end)
            case Repeat(body, least, most):
                self._repeat(start, end, body, least, most)
        return start, end

    def _chain(self, start: int, end: int, parts: Sequence[Regex]) -> None:
        at = start
        for part in parts:
            first, last = self.add(part)
            self.silent[at].append(first)
            at = last
        self.silent[at].append(end)

    def _repeat(self, start: int, end: int, body: Regex, least: int, most: int | None) -> None:
        if not is_repeatable(least, most):
            times = f"{least} or more" if most is None else f"{least} to {most}"
            raise ValueError(f"cannot repeat {times} times: the bounds are in order and at most {REPEAT_MAX}")
        at = start
        for number in range(max(least, most or 0)):
            if number >= least:
                self.silent[at].append(end)
            first, last = self.add(body)
            self.silent[at].append(first)
            at = last
        if most is None:
            first, last = self.add(body)
            self.silent[at].append(first)
            self.silent[last].append(at)
        self.silent[at].append(end)

    def close(self, states: Iterable[int]) -> frozenset[int]:
        """`states`, and the states that silent steps reach from them."""
        return frozenset(reachable(states, self.silent.__getitem__))


def _determinise(nfa: _Nfa, start: int, end: int) -> tuple[list[dict[str, int]], set[int]]:
    """The steps and accepting states of the subset construction, without dead states; empty for an empty language."""
    initial = nfa.close((start,))
    numbers = {initial: 0}
    order = [initial]
    table: list[dict[str, int]] = []
    for subset in order:
        targets: dict[str, set[int]] = {}
        for state in subset:
            for symbol, target in nfa.loud[state]:
                targets.setdefault(symbol, set()).add(target)
        row: dict[str, int] = {}
        for symbol in sorted(targets):
            closed = nfa.close(targets[symbol])
            if closed not in numbers:
                numbers[closed] = len(order)
                order.append(closed)
            row[symbol] = numbers[closed]
        table.append(row)
    accepting = {number for subset, number in numbers.items() if end in subset}
    live = _live(table, accepting)
    pruned = [
        {symbol: target for symbol, target in row.items() if target in live} if state in live else {}
        for state, row in enumerate(table)
    ]
    return (pruned, accepting) if 0 in live else ([], set())


def _live(table: Sequence[dict[str, int]], accepting: set[int]) -> set[int]:
    sources: list[list[int]] = [[] for _ in table]
    for state, row in enumerate(table):
        for target in row.values():
            sources[target].append(state)
    return reachable(accepting, sources.__getitem__)


def _minimise(table: Sequence[dict[str, int]], accepting: set[int]) -> Automaton:
    """Moore's refinement: splits two initial blocks until all members of a block step to equal blocks."""
    block = [int(state in accepting) for state in range(len(table))]
    while True:
        keys: dict[tuple[object, ...], int] = {}
        refined = []
        for state, row in enumerate(table):
            key = (block[state], tuple((symbol, block[target]) for symbol, target in sorted(row.items())))
            refined.append(keys.setdefault(key, len(keys)))
        if len(keys) == len(set(block)):
            break
        block = refined
    return _renumber(table, accepting, block)


def _renumber(table: Sequence[dict[str, int]], accepting: set[int], block: Sequence[int]) -> Automaton:
    if not table:
        return Automaton((), frozenset())
    sample = {block[state]: state for state in reversed(range(len(table)))}
    order = [block[0]]
    numbers = {block[0]: 0}
    steps: list[dict[str, int]] = []
    for name in order:
        row: dict[str, int] = {}
        for symbol, target in sorted(table[sample[name]].items()):
            if block[target] not in numbers:
                numbers[block[target]] = len(order)
                order.append(block[target])
            row[symbol] = numbers[block[target]]
        steps.append(row)
    return Automaton(
        tuple(steps), frozenset(number for name, number in numbers.items() if sample[name] in accepting)
    )
