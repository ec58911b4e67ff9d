"""Learns the Mealy machine of an implementation from its answers to words, with AALpy."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from aalpy.base import SUL, Oracle
from aalpy.learning_algs import run_KV

from zeps_conformance.learning.mealy import SILENT, Mealy, Output, Word, explore, minimise
from zeps_conformance.learning.suites import access_words, complete_suite, identifiers

__all__ = ["Effort", "Learned", "NonDeterminismError", "Progress", "Run", "Teacher", "learn"]

#: Called with the number of words that were run, and the number of states of the present hypothesis.
Progress = Callable[[int, int], None]

STATES_MAX = 200
"""A hypothesis with more states ends the learning: the implementation has no finite machine at this abstraction."""


class Run(Protocol):
    """One word under way, from the initial state."""

    def step(self, symbol: str) -> Output: ...

    def close(self) -> None: ...


class Teacher(Protocol):
    """An implementation that answers words. After an output that ends with one of `final`, all outputs are SILENT."""

    @property
    def final(self) -> frozenset[str]: ...

    def begin(self) -> Run: ...


class NonDeterminismError(Exception):
    """An implementation has answered the same inputs differently: `first` and `second` are its outputs for `word`."""

    def __init__(self, word: Word, first: Sequence[Output], second: Sequence[Output]) -> None:
        super().__init__(f"different answers to {', '.join(word)}")
        self.word = word
        self.first = tuple(first)
        self.second = tuple(second)


class _OverError(Exception):
    """The time is over, or the hypothesis has too many states."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Settings of learning. The last hypothesis is tested with the complete suite for `extra_states`, and with `walks`
    random words, which `seed` determines: to a state, about `walk_length` inputs, and an identifier of the state that
    they should lead to. `seconds`: maximum time, or None.
    """

    extra_states: int = 0
    walks: int = 100
    walk_length: int = 4
    seed: int = 0
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Learned:
    """A learned machine, minimal. `words` and `inputs`: how many the implementation was sent; `cached`: the number
    of further words that earlier answers covered. `incomplete`: why the tests of the machine did not end, or empty.
    """

    machine: Mealy
    words: int
    inputs: int
    cached: int
    seconds: float
    incomplete: str = ""


@dataclass(slots=True)
class _Node:
    """The known outputs after a word, by input."""

    following: dict[str, tuple[Output, _Node]] = field(default_factory=dict)


class _Cached(SUL):  # type: ignore[misc]
    """AALpy's view of a teacher: it runs a word unless its outputs are known, and detects contradictions."""

    def __init__(self, teacher: Teacher, deadline: float, progress: Progress) -> None:
        super().__init__()
        self.states = 1
        self._teacher = teacher
        self._deadline = deadline
        self._progress = progress
        self._root = _Node()

    def query(self, word: Sequence[str]) -> list[Output]:
        known = self._known(word)
        if known is not None:
            self.num_cached_queries += 1
            return known
        if time.monotonic() > self._deadline:
            raise _OverError("the time is over")
        outputs: list[Output] = []
        run = self._teacher.begin()
        try:
            for symbol in word:
                outputs.append(run.step(symbol))
                self.num_steps += 1
        finally:
            run.close()
        self.num_queries += 1
        self._store(tuple(word), outputs)
        self._progress(self.num_queries, self.states)
        return outputs

    def pre(self) -> None:
        raise NotImplementedError("words are run whole")

    def post(self) -> None:
        raise NotImplementedError("words are run whole")

    def step(self, letter: str) -> Output:
        raise NotImplementedError("words are run whole")

    def _known(self, word: Sequence[str]) -> list[Output] | None:
        outputs, node = list[Output](), self._root
        for symbol in word:
            if outputs and outputs[-1] and outputs[-1][-1] in self._teacher.final:
                outputs.append(SILENT)
                continue
            if symbol not in node.following:
                return None
            output, node = node.following[symbol]
            outputs.append(output)
        return outputs

    def _store(self, word: Word, outputs: Sequence[Output]) -> None:
        node, before = self._root, list[Output]()
        for index, (symbol, output) in enumerate(zip(word, outputs, strict=True)):
            known, following = node.following.setdefault(symbol, (output, _Node()))
            before.append(known)
            if known != output:
                raise NonDeterminismError(word[: index + 1], before, outputs[: index + 1])
            node = following


class _Tests(Oracle):  # type: ignore[misc]
    """Searches a counterexample: with `known` words, the complete suite of the hypothesis, and random words."""

    def __init__(self, inputs: Sequence[str], cached: _Cached, effort: Effort, known: Sequence[Word]) -> None:
        super().__init__(list(inputs), cached)
        self._cached = cached
        self._effort = effort
        self._known = known
        self._random = random.Random(effort.seed)
        self.hypothesis: Mealy | None = None

    def find_cex(self, hypothesis: Any) -> Word | None:
        machine = _machine_of(hypothesis, self.alphabet)
        self.hypothesis, self._cached.states = machine, machine.size
        if machine.size > STATES_MAX:
            raise _OverError(f"the hypothesis has more than {STATES_MAX} states")
        differences = (self._differs(machine, word) for word in self._words(machine))
        return next((word for word in differences if word is not None), None)

    def _words(self, machine: Mealy) -> Iterator[Word]:
        yield from self._known
        for extra in range(self._effort.extra_states + 1):  # short suites first
            yield from complete_suite(machine, extra)
        access, local, choose = access_words(machine), identifiers(machine), self._random
        for _ in range(self._effort.walks):
            start = choose.choice(access)
            middle = choose.choices(self.alphabet, k=choose.randint(1, 2 * self._effort.walk_length - 1))
            word = (*start, *middle)
            yield (*word, *choose.choice(local[machine.after(word)] or [()]))

    def _differs(self, machine: Mealy, word: Word) -> Word | None:
        seen = self._cached.query(word)
        expected = machine.outputs(word)
        return next((word[: at + 1] for at in range(len(word)) if seen[at] != expected[at]), None)


def learn(
    teacher: Teacher,
    inputs: Sequence[str],
    effort: Effort | None = None,
    progress: Progress = lambda words, states: None,
    known: Sequence[Word] = (),
) -> Learned:
    """Learns the machine of `teacher` over `inputs`. Every hypothesis is tested with the words of `known` first: with
    the complete suite of a model, a learned machine differs from the model if the implementation does. Raises
    NonDeterminismError if equal words have different outputs, TimeoutError if the time is over before the first
    hypothesis, and what the runs of `teacher` raise.
    """
    effort = effort or Effort()
    began = time.monotonic()
    deadline = float("inf") if effort.seconds is None else began + effort.seconds
    cached = _Cached(teacher, deadline, progress)
    tests = _Tests(inputs, cached, effort, known)
    incomplete = ""
    try:
        run_KV(list(inputs), cached, tests, "mealy", cache_and_non_det_check=False, print_level=0)
    except _OverError as error:
        incomplete = str(error)
        if tests.hypothesis is None:
            raise TimeoutError(f"{error} before the first machine: allow more time with --time") from error
    assert tests.hypothesis is not None
    return Learned(
        tests.hypothesis,
        cached.num_queries,
        cached.num_steps,
        cached.num_cached_queries,
        time.monotonic() - began,
        incomplete,
    )


def _machine_of(learned: Any, inputs: Sequence[str]) -> Mealy:
    """Converts AALpy's machine into a minimal one."""

    def run(word: Word) -> tuple[Output, str]:
        state, output = learned.initial_state, ()
        for symbol in word:
            output, state = state.output_fun[symbol], state.transitions[symbol]
        return output, state.state_id

    machine = explore(inputs, run, learned.initial_state.state_id)
    small = minimise(machine)
    return Mealy(small.inputs, small.rows)
