"""Runs the complete test suite of the model's machine against a broker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

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
    machine: Mealy,
    suite: Sequence[Word],
    words: BrokerWords,
    progress: Callable[[], object] = lambda: None,
    at_once: int = 1,
) -> Failing | None:
    """Runs the words of `suite`, `at_once` at a time. Returns the first one in their order that fails, up to its first
    different output; None if all pass. `progress` is called in this thread before the first word and after each one.
    Raises ConnectionLostError if the broker does not accept connections.
    """
    progress()
    pool = ThreadPoolExecutor(at_once, "word")
    try:
        for failing in pool.map(partial(_failing, machine, words), suite):
            if failing is not None:
                return failing
            progress()
    finally:
        pool.shutdown(cancel_futures=True)
    return None


def _failing(machine: Mealy, words: BrokerWords, word: Word) -> Failing | None:
    expected, run, seen = machine.outputs(word), words.begin(), list[Output]()
    try:
        for index, symbol in enumerate(word):
            seen.append(run.step(symbol))
            if seen[-1] != expected[index]:
                return Failing(word[: index + 1], tuple(expected[: index + 1]), tuple(seen))
    finally:
        run.close()
    return None
