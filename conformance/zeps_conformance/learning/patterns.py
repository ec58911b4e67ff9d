"""Bug patterns: automata that accept the traces that violate a rule, and their shortest witness in a machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from zeps_conformance.learning.mealy import Mealy, Output, Word

__all__ = [
    "BAD",
    "BROKER_PATTERNS",
    "BugPattern",
    "Edge",
    "When",
    "Witness",
    "answers",
    "both",
    "find_witnesses",
    "is_input",
    "never",
    "not_before",
    "twice",
    "without",
]

BAD: Final = "bad"
#: Whether an edge is taken, by the input and its output.
When = Callable[[str, Output], bool]


@dataclass(frozen=True, slots=True)
class Edge:
    state: str
    when: When
    following: str


@dataclass(frozen=True, slots=True)
class BugPattern:
    """An automaton over inputs with their outputs. It begins in the state of its first edge, takes the first edge of
    its state that applies, else stays; state BAD is a violation of `rule`.
    """

    rule: str
    title: str
    edges: tuple[Edge, ...]

    def step(self, state: str, symbol: str, output: Output) -> str:
        """Returns the state after an input and its output."""
        for edge in self.edges:
            if edge.state == state and edge.when(symbol, output):
                return edge.following
        return state


@dataclass(frozen=True, slots=True)
class Witness:
    """A shortest word that violates a pattern in a machine, with its outputs."""

    pattern: BugPattern
    word: Word
    outputs: tuple[Output, ...]


def find_witnesses(machine: Mealy, patterns: Iterable[BugPattern]) -> list[Witness]:
    """Returns a shortest witness for each of `patterns` that the machine violates."""
    witnesses = []
    for pattern in patterns:
        word = _shortest(machine, pattern)
        if word is not None:
            witnesses.append(Witness(pattern, word, tuple(machine.outputs(word))))
    return witnesses


def _shortest(machine: Mealy, pattern: BugPattern) -> Word | None:
    start = (0, pattern.edges[0].state)
    words: dict[tuple[int, str], Word] = {start: ()}
    queue = deque([start])
    while queue:
        state, watched = queue.popleft()
        for symbol in machine.inputs:
            output, following = machine.rows[state][symbol]
            pair = (following, pattern.step(watched, symbol, output))
            if pair in words:
                continue
            words[pair] = (*words[state, watched], symbol)
            if pair[1] == BAD:
                return words[pair]
            queue.append(pair)
    return None


def answers(*names: str) -> When:
    """Returns the condition that the output has a symbol that begins with one of `names`."""
    return lambda symbol, output: any(answer.startswith(names) for answer in output)


def twice(name: str) -> When:
    return lambda symbol, output: sum(answer.startswith(name) for answer in output) > 1


def is_input(*symbols: str) -> When:
    return lambda symbol, output: symbol in symbols


def either(one: When, two: When) -> When:
    return lambda symbol, output: one(symbol, output) or two(symbol, output)


def both(one: When, two: When) -> When:
    return lambda symbol, output: one(symbol, output) and two(symbol, output)


def without(one: When, two: When) -> When:
    return lambda symbol, output: one(symbol, output) and not two(symbol, output)


def precedes(first: str, then: str) -> When:
    """Returns the condition that a symbol that begins with `then` follows one that begins with `first`."""

    def applies(symbol: str, output: Output) -> bool:
        at = next((index for index, answer in enumerate(output) if answer.startswith(first)), len(output))
        return any(answer.startswith(then) for answer in output[at + 1 :])

    return applies


def never(rule: str, title: str, bad: When) -> BugPattern:
    """Returns the pattern of a condition that applies nowhere."""
    return BugPattern(rule, title, (Edge("start", bad, BAD),))


def not_before(rule: str, title: str, first: When, bad: When, again: When | None = None) -> BugPattern:
    """Returns the pattern of a condition that applies only after `first`, and not after `again` until the next one."""
    edges = (Edge("before", first, "after"), Edge("before", bad, BAD))
    return BugPattern(rule, title, edges if again is None else (*edges, Edge("after", again, "before")))


SERVED = ("SUBSCRIBE-OK", "DELIVER", "PING-OK", "DETACH-OK")
ENDING = ("INVALID malformed", "INVALID stream-name", "INVALID no-session", "INVALID unknown-command")
ATTACHED, ENDED = answers("ATTACH-OK"), answers(*ENDING)
ENDS = either(is_input("close"), answers(*ENDING, "DETACH-OK", "closed"))


def _not_in_session(rule: str, title: str, bad: When) -> BugPattern:
    """Returns the pattern of a condition that does not apply in a session."""
    return BugPattern(
        rule,
        title,
        (
            Edge("no session", ATTACHED, "session"),
            Edge("session", bad, BAD),
            Edge("session", ENDS, "no session"),
        ),
    )


BROKER_PATTERNS: Final = (
    not_before("ZEPS-SESSION-1", "a command is served without a session", ATTACHED, answers(*SERVED), ENDS),
    BugPattern(
        "ZEPS-DETACH-6",
        "DELIVER after DETACH-OK",
        (
            Edge("start", precedes("DETACH-OK", "DELIVER"), BAD),
            Edge("start", answers("DETACH-OK"), "detached"),
            Edge("detached", ATTACHED, "start"),
            Edge("detached", answers("DELIVER"), BAD),
        ),
    ),
    never("ZEPS-ATTACH-1", "ATTACH-OK twice", twice("ATTACH-OK")),
    never("ZEPS-INVALID-1", "INVALID twice for a command", twice("INVALID")),
    _not_in_session(
        "ZEPS-PUBLISH-1",
        "an answer to PUBLISH in a session",
        both(is_input("PUBLISH"), answers("INVALID", "SUBSCRIBE-OK", "PING-OK", "DETACH-OK")),
    ),
    _not_in_session(
        "ZEPS-PING-OK-1",
        "an answer to PING-OK in a session",
        both(is_input("PING-OK"), answers("INVALID", *SERVED)),
    ),
    BugPattern(
        "ZEPS-INVALID-2",
        "a command is served after an INVALID that ends the session",
        (
            Edge("start", ENDED, "ended"),
            Edge("ended", either(ATTACHED, is_input("close")), "start"),
            Edge("ended", answers(*SERVED), BAD),
        ),
    ),
    _not_in_session(
        "ZEPS-INVALID-9",
        "a command that decodes ends a session with INVALID",
        without(ENDED, is_input("ATTACH ''", "malformed")),
    ),
    not_before(
        "ZEPS-CREDIT-5",
        "DELIVER without credit",
        is_input("CREDIT"),
        answers("DELIVER"),
        either(ATTACHED, ENDS),
    ),
    not_before(
        "ZEPS-SUBSCRIBE-10",
        "DELIVER without a subscription",
        answers("SUBSCRIBE-OK"),
        answers("DELIVER"),
        either(ATTACHED, ENDS),
    ),
    never(
        "ZEPS-SUBSCRIBE-6",
        "a message is delivered again",
        lambda symbol, output: any("again" in answer for answer in output),
    ),
)
"""Patterns for :data:`BROKER_INPUTS`."""
