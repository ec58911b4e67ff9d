"""Runs the complete test suite of the model's machine against a broker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zeps_conformance.learning.broker_words import BrokerWords
from zeps_conformance.learning.mealy import Mealy, Output, Word

__all__ = ["Failing", "first_failing"]


@dataclass(frozen=True, slots=True)
class Failing:
    """A word whose last output differs from the machine's: `expected` and `seen` have an output for each input."""

    word: Word
    expected: tuple[Output, ...]
    seen: tuple[Output, ...]


def first_failing(
    machine: Mealy, suite: Sequence[Word], words: BrokerWords, before: Callable[[], object] = lambda: None
) -> Failing | None:
    """Runs the words of `suite` in order. Returns the first one that fails, up to its first different output; None if
    all pass. `before` is called before each word. Raises ConnectionLostError if the broker does not accept connections.
    """
    for word in suite:
        before()
        expected, run, seen = machine.outputs(word), words.begin(), list[Output]()
        try:
            for index, symbol in enumerate(word):
                seen.append(run.step(symbol))
                if seen[-1] != expected[index]:
                    return Failing(word[: index + 1], tuple(expected[: index + 1]), tuple(seen))
        finally:
            run.close()
    return None
