"""Complete test suites: every machine with at most k states more than the model fails a word, unless it is equal."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator

from zeps_conformance.learning.mealy import Mealy, Output, Word, find_difference

__all__ = ["access_words", "complete_suite", "identifiers"]


def access_words(machine: Mealy) -> list[Word]:
    """Returns a shortest word to each state. Raises ValueError if a state cannot be reached."""
    words: dict[int, Word] = {0: ()}
    queue = deque([0])
    while queue:
        state = queue.popleft()
        for symbol in machine.inputs:
            following = machine.rows[state][symbol][1]
            if following not in words:
                words[following] = (*words[state], symbol)
                queue.append(following)
    if len(words) < machine.size:
        raise ValueError("a state of the machine cannot be reached")
    return [words[state] for state in range(machine.size)]


def identifiers(machine: Mealy) -> list[list[Word]]:
    """Returns for each state words whose outputs distinguish it from every other state: few, chosen greedily. All sets
    together distinguish all pairs. Raises ValueError if two states are equivalent.
    """
    pool = _separating_words(machine)
    seen: dict[tuple[int, Word], list[Output]] = {
        (state, word): machine.outputs(word, state) for state in range(machine.size) for word in pool
    }
    chosen: list[list[Word]] = []
    for state in range(machine.size):
        left, words = set(range(machine.size)) - {state}, list[Word]()
        while left:
            split = {
                word: {other for other in left if seen[state, word] != seen[other, word]} for word in pool
            }
            best = max(pool, key=lambda word: (len(split[word]), -len(word)))
            words.append(best)
            left -= split[best]
        chosen.append(words)
    return chosen


def _separating_words(machine: Mealy) -> list[Word]:
    """Returns words that separate all pairs of states: shortest ones, of pairs that earlier words do not separate."""
    words: list[Word] = []
    for one, two in itertools.combinations(range(machine.size), 2):
        if any(machine.outputs(word, one) != machine.outputs(word, two) for word in words):
            continue
        difference = find_difference(machine, machine, (one, two))
        if difference is None:
            raise ValueError(f"states {one} and {two} are equivalent: minimise the machine first")
        words.append(difference.word)
    return words


def complete_suite(machine: Mealy, extra_states: int) -> list[Word]:
    """Returns the suite of the Wp method (Fujiwara and others, 1991) for a minimal machine and implementations with at
    most `extra_states` states more. Words that are prefixes of others are left out; short words come first.
    """
    access, local = access_words(machine), identifiers(machine)
    whole = list(dict.fromkeys(word for words in local for word in words)) or [()]
    cover = set(access)
    transitions = [(*word, symbol) for word in access for symbol in machine.inputs]
    words = {
        (*prefix, *middle, *suffix)
        for prefix in access
        for middle in _middles(machine, extra_states)
        for suffix in whole
    }
    for prefix in transitions:
        if prefix in cover:
            continue
        for middle in _middles(machine, extra_states):
            start = (*prefix, *middle)
            words.add(start)
            words.update((*start, *suffix) for suffix in local[machine.after(start)])
    return sorted(_without_prefixes(words), key=lambda word: (len(word), word))


def _middles(machine: Mealy, longest: int) -> Iterator[Word]:
    for length in range(longest + 1):
        yield from itertools.product(machine.inputs, repeat=length)


def _without_prefixes(words: Iterable[Word]) -> list[Word]:
    """Returns the words that are not a prefix of another one."""
    ordered = sorted(words)
    last = len(ordered) - 1
    return [
        word
        for index, word in enumerate(ordered)
        if word and (index == last or ordered[index + 1][: len(word)] != word)
    ]
