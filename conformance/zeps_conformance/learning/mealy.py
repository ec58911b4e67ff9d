"""Mealy machines: finite, deterministic and complete."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "ANY",
    "SILENT",
    "Difference",
    "Mealy",
    "Output",
    "Word",
    "explore",
    "find_difference",
    "format_output",
    "minimise",
]

#: Input symbols, in order.
Word = tuple[str, ...]
#: The symbols of the answers to one input, in order.
Output = tuple[str, ...]

SILENT: Output = ("no answer",)
"""The output of every input after one whose output ends with this symbol, or with another one that is final."""

ANY: Output = ("any output",)
"""An output of an expected machine that every output equals."""


@dataclass(frozen=True, slots=True)
class Mealy:
    """A machine with states 0 to n-1, 0 the initial one. `rows` has for each state the output and the next state of
    every input. `names` are labels of the states, only for drawings; empty, or one for each state.
    """

    inputs: tuple[str, ...]
    rows: tuple[Mapping[str, tuple[Output, int]], ...]
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def is_open_ended(self) -> bool:
        """Whether it has the output ANY."""
        return any(output == ANY for row in self.rows for output, _ in row.values())

    def run(self, word: Iterable[str], state: int = 0) -> tuple[list[Output], int]:
        """Returns the outputs for `word` from `state`, and the state after it."""
        outputs = []
        for symbol in word:
            output, state = self.rows[state][symbol]
            outputs.append(output)
        return outputs, state

    def outputs(self, word: Iterable[str], state: int = 0) -> list[Output]:
        return self.run(word, state)[0]

    def after(self, word: Iterable[str], state: int = 0) -> int:
        return self.run(word, state)[1]

    def name(self, state: int) -> str:
        """Returns the label of a state, by default its number."""
        return self.names[state] if self.names else str(state)

    @classmethod
    def from_json(cls, document: Any) -> Mealy:
        """Returns the machine of a document of :meth:`to_json`. Raises ValueError if it is not such a document."""
        try:
            inputs = tuple(map(str, document["inputs"]))
            states = document["states"]
            rows = tuple(
                {
                    symbol: (
                        tuple(map(str, state["transitions"][symbol]["output"])),
                        range(len(states)).index(state["transitions"][symbol]["next"]),
                    )
                    for symbol in inputs
                }
                for state in states
            )
            names = tuple(str(state["name"]) for state in states)
            if not rows:
                raise ValueError("no states")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not a machine: {type(error).__name__}: {error}") from error
        return cls(inputs, rows, names)

    def to_json(self) -> dict[str, Any]:
        """Returns the machine as a JSON document: inputs, and for each state its name and its transitions."""
        states = [
            {
                "name": self.name(state),
                "transitions": {
                    symbol: {"output": list(output), "next": following}
                    for symbol, (output, following) in row.items()
                },
            }
            for state, row in enumerate(self.rows)
        ]
        return {"inputs": list(self.inputs), "states": states}


@dataclass(frozen=True, slots=True)
class Difference:
    """A shortest word whose last output differs between two machines."""

    word: Word
    left: tuple[Output, ...]
    right: tuple[Output, ...]


def format_output(output: Output) -> str:
    """Formats an output on one line."""
    return " ".join(f"{symbol}," for symbol in output).rstrip(",") if output else "-"


def explore(
    inputs: Sequence[str],
    run: Callable[[Word], tuple[Output, Hashable]],
    start: Hashable,
    name: Callable[[Hashable], str] = str,
    states_max: int = 10_000,
) -> Mealy:
    """Returns the machine of all states that words reach. `run` returns the last output for a word, and a key of the
    state after it; states with equal keys are taken to be the same, `start` is the key of the initial state. Raises
    ValueError if there are more than `states_max` states.
    """
    numbers: dict[Hashable, int] = {start: 0}
    access: list[Word] = [()]
    rows: list[dict[str, tuple[Output, int]]] = []
    while len(rows) < len(access):
        row: dict[str, tuple[Output, int]] = {}
        for symbol in inputs:
            word = (*access[len(rows)], symbol)
            output, key = run(word)
            if key not in numbers:
                if len(access) == states_max:
                    raise ValueError(f"the machine has more than {states_max} states")
                numbers[key] = len(access)
                access.append(word)
            row[symbol] = (output, numbers[key])
        rows.append(row)
    return Mealy(tuple(inputs), tuple(rows), tuple(map(name, numbers)))


def minimise(machine: Mealy) -> Mealy:
    """Returns the smallest equivalent machine, its states numbered in breadth-first order; equivalent states have the
    name of the first of them.
    """
    blocks = _blocks(machine)
    first = [blocks.index(block) for block in range(max(blocks) + 1)]
    order, numbers = [blocks[0]], {blocks[0]: 0}
    rows: list[dict[str, tuple[Output, int]]] = []
    while len(rows) < len(order):
        row: dict[str, tuple[Output, int]] = {}
        for symbol in machine.inputs:
            output, following = machine.rows[first[order[len(rows)]]][symbol]
            block = blocks[following]
            if block not in numbers:
                numbers[block] = len(order)
                order.append(block)
            row[symbol] = (output, numbers[block])
        rows.append(row)
    names = tuple(machine.name(first[block]) for block in order) if machine.names else ()
    return Mealy(machine.inputs, tuple(rows), names)


def _blocks(machine: Mealy) -> list[int]:
    """Returns the number of each state's class of equivalent states, by refinement of partitions."""
    blocks = [0] * machine.size
    while True:
        signatures = [
            (
                blocks[state],
                *((row[symbol][0], blocks[row[symbol][1]]) for symbol in machine.inputs),
            )
            for state, row in enumerate(machine.rows)
        ]
        numbers: dict[Hashable, int] = {}
        refined = [numbers.setdefault(signature, len(numbers)) for signature in signatures]
        if len(numbers) == max(blocks) + 1:
            return refined
        blocks = refined


def find_difference(left: Mealy, right: Mealy, start: tuple[int, int] = (0, 0)) -> Difference | None:
    """Returns a shortest word that distinguishes two machines with the same inputs, from the states of `start`; None if
    they are bisimilar. It searches their product breadth-first. ANY of the left machine equals every output.
    """
    came_from: dict[tuple[int, int], tuple[tuple[int, int], str] | None] = {start: None}
    queue = deque([start])
    while queue:
        pair = queue.popleft()
        for symbol in left.inputs:
            one, after_one = left.rows[pair[0]][symbol]
            two, after_two = right.rows[pair[1]][symbol]
            if ANY != one != two:
                word = (*_path(came_from, pair), symbol)
                return Difference(
                    word, tuple(left.outputs(word, start[0])), tuple(right.outputs(word, start[1]))
                )
            following = (after_one, after_two)
            if following not in came_from:
                came_from[following] = (pair, symbol)
                queue.append(following)
    return None


def _path(
    came_from: Mapping[tuple[int, int], tuple[tuple[int, int], str] | None], pair: tuple[int, int]
) -> Word:
    word: list[str] = []
    while (step := came_from[pair]) is not None:
        pair, symbol = step
        word.append(symbol)
    return tuple(reversed(word))
