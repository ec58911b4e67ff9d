"""Bug patterns: automata that accept the traces that violate a rule, and their shortest witness in a machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
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


def both(one: When, two: When) -> When:
    return lambda symbol, output: one(symbol, output) and two(symbol, output)


def without(one: When, two: When) -> When:
    return lambda symbol, output: one(symbol, output) and not two(symbol, output)


def precedes(first: str, then: Sequence[str]) -> When:
    """Returns the condition that a symbol that begins with one of `then` follows one that begins with `first`."""

    def applies(symbol: str, output: Output) -> bool:
        at = next((index for index, answer in enumerate(output) if answer.startswith(first)), len(output))
        return any(answer.startswith(tuple(then)) for answer in output[at + 1 :])

    return applies


SERVED = ("SUBSCRIBE-OK", "DELIVER", "PING-OK", "DETACH-OK")
ENDING = ("INVALID malformed", "INVALID stream-name", "INVALID no-session", "INVALID unknown-command")
ENDS: When = lambda symbol, output: (  # noqa: E731
    symbol == "close" or any(answer.startswith((*ENDING, "DETACH-OK", "closed")) for answer in output)
)

BROKER_PATTERNS: Final = (
    BugPattern(
        "ZEPS-SESSION-1",
        "a command is served without a session",
        (
            Edge("no session", answers("ATTACH-OK"), "session"),
            Edge("no session", answers(*SERVED), BAD),
            Edge("session", ENDS, "no session"),
        ),
    ),
    BugPattern(
        "ZEPS-DETACH-6",
        "DELIVER after DETACH-OK",
        (
            Edge("start", precedes("DETACH-OK", ["DELIVER"]), BAD),
            Edge("start", answers("DETACH-OK"), "detached"),
            Edge("detached", answers("ATTACH-OK"), "start"),
            Edge("detached", answers("DELIVER"), BAD),
        ),
    ),
    BugPattern("ZEPS-ATTACH-1", "ATTACH-OK twice", (Edge("start", twice("ATTACH-OK"), BAD),)),
    BugPattern("ZEPS-INVALID-1", "INVALID twice for a command", (Edge("start", twice("INVALID"), BAD),)),
    BugPattern(
        "ZEPS-PUBLISH-1",
        "an answer to PUBLISH in a session",
        (
            Edge("no session", answers("ATTACH-OK"), "session"),
            Edge("session", both(is_input("PUBLISH"), answers("INVALID", *SERVED[:1], *SERVED[2:])), BAD),
            Edge("session", ENDS, "no session"),
        ),
    ),
    BugPattern(
        "ZEPS-PING-OK-1",
        "an answer to PING-OK in a session",
        (
            Edge("no session", answers("ATTACH-OK"), "session"),
            Edge("session", both(is_input("PING-OK"), answers("INVALID", *SERVED)), BAD),
            Edge("session", ENDS, "no session"),
        ),
    ),
    BugPattern(
        "ZEPS-INVALID-2",
        "a command is served after an INVALID that ends the session",
        (
            Edge("start", answers(*ENDING), "ended"),
            Edge("ended", answers("ATTACH-OK"), "start"),
            Edge("ended", is_input("close"), "start"),
            Edge("ended", answers(*SERVED), BAD),
        ),
    ),
    BugPattern(
        "ZEPS-INVALID-9",
        "a command that decodes ends a session with INVALID",
        (
            Edge("no session", answers("ATTACH-OK"), "session"),
            Edge("session", without(answers(*ENDING), is_input("ATTACH ''", "malformed")), BAD),
            Edge("session", ENDS, "no session"),
        ),
    ),
    BugPattern(
        "ZEPS-CREDIT-5",
        "DELIVER without credit",
        (
            Edge("without credit", is_input("CREDIT"), "credit"),
            Edge("without credit", answers("DELIVER"), BAD),
            Edge("credit", answers("ATTACH-OK"), "without credit"),
            Edge("credit", ENDS, "without credit"),
        ),
    ),
    BugPattern(
        "ZEPS-SUBSCRIBE-10",
        "DELIVER without a subscription",
        (
            Edge("unsubscribed", answers("SUBSCRIBE-OK"), "subscribed"),
            Edge("unsubscribed", answers("DELIVER"), BAD),
            Edge("subscribed", answers("ATTACH-OK"), "unsubscribed"),
            Edge("subscribed", ENDS, "unsubscribed"),
        ),
    ),
    BugPattern(
        "ZEPS-SUBSCRIBE-6",
        "a message is delivered again",
        (Edge("start", lambda symbol, output: any("again" in answer for answer in output), BAD),),
    ),
)
"""Patterns for :data:`BROKER_INPUTS`."""
