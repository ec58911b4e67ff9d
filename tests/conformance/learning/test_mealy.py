"""Mealy machines: minimal forms, differences, and complete test suites that detect every inequivalent machine."""

from __future__ import annotations

import random

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from mealy_machines import INPUTS, OUTPUTS, machines

from zeps_conformance.learning.mealy import Mealy, Word, explore, find_difference, format_output, minimise
from zeps_conformance.learning.suites import access_words, complete_suite, identifiers


@st.composite
def mutants(draw: st.DrawFn, machine: Mealy, extra: int) -> Mealy:
    """Draws a machine with copies of up to `extra` states, and some transitions that go or answer elsewhere."""
    rows = [dict(row) for row in machine.rows]
    rows += [dict(rows[draw(st.integers(0, len(rows) - 1))]) for _ in range(draw(st.integers(0, extra)))]
    for _ in range(draw(st.integers(1, 3))):
        row = rows[draw(st.integers(0, len(rows) - 1))]
        symbol = draw(st.sampled_from(INPUTS))
        output = draw(st.sampled_from([row[symbol][0], *OUTPUTS]))
        row[symbol] = (output, draw(st.integers(0, len(rows) - 1)))
    return Mealy(INPUTS, tuple(rows))


def detects(suite: list[Word], model: Mealy, other: Mealy) -> bool:
    return any(model.outputs(word) != other.outputs(word) for word in suite)


@given(machines(6))
def test_a_minimal_machine_is_equivalent_and_its_states_differ(machine: Mealy) -> None:
    small = minimise(machine)
    assert find_difference(machine, small) is None
    assert len(access_words(small)) == small.size
    for one in range(small.size):
        for two in range(one):
            assert find_difference(small, small, (one, two)) is not None


@given(machines(), machines())
def test_a_difference_is_a_shortest_word(left: Mealy, right: Mealy) -> None:
    difference = find_difference(left, right)
    generator = random.Random(left.size * 31 + right.size)
    words = [tuple(generator.choices(INPUTS, k=generator.randint(1, 8))) for _ in range(50)]
    longest = 10 if difference is None else len(difference.word) - 1
    for word in words:
        assert left.outputs(word[:longest]) == right.outputs(word[:longest])
    if difference is not None:
        assert left.outputs(difference.word)[-1] != right.outputs(difference.word)[-1]
        assert list(difference.left) == left.outputs(difference.word)


@given(machines(6))
def test_identifiers_distinguish_every_pair_of_states(machine: Mealy) -> None:
    small = minimise(machine)
    for state, words in enumerate(identifiers(small)):
        for other in range(small.size):
            same = all(small.outputs(word, state) == small.outputs(word, other) for word in words)
            assert same == (state == other)


@settings(max_examples=sized(200, 5000))
@given(st.data(), machines(), st.integers(0, 2))
def test_the_suite_detects_each_inequivalent_mutant(data: st.DataObject, machine: Mealy, extra: int) -> None:
    model = minimise(machine)
    mutant = data.draw(mutants(model, extra))
    suite = complete_suite(model, extra)
    assert detects(suite, model, mutant) == (find_difference(model, mutant) is not None)


@settings(max_examples=sized(200, 5000))
@given(st.data(), machines(4), st.integers(0, 2))
def test_the_suite_detects_each_inequivalent_machine(data: st.DataObject, machine: Mealy, extra: int) -> None:
    model = minimise(machine)
    other = data.draw(machines(model.size + extra))
    suite = complete_suite(model, extra)
    assert detects(suite, model, other) == (find_difference(model, other) is not None)


def test_a_suite_without_extra_states_misses_a_machine_with_more() -> None:
    """The bound is sharp: a fault behind a state that the suite does not allow for is not detected."""
    model = Mealy(("a",), ({"a": ((), 0)},))
    fault = Mealy(("a",), ({"a": ((), 1)}, {"a": (("x",), 1)}))
    assert not detects(complete_suite(model, 0), model, fault)
    assert detects(complete_suite(model, 1), model, fault)


def test_no_word_of_a_suite_is_a_prefix_of_another() -> None:
    rows = ({"a": (("x",), 1), "b": ((), 0)}, {"a": ((), 0), "b": (("y",), 1)})
    words = complete_suite(Mealy(("a", "b"), rows), 1)
    assert not [
        word for word in words if any(other != word and other[: len(word)] == word for other in words)
    ]


def test_equivalent_states_are_rejected() -> None:
    twice = Mealy(("a",), ({"a": ((), 1)}, {"a": ((), 0)}))
    with pytest.raises(ValueError, match="minimise"):
        identifiers(twice)


def test_exploring_stops_at_the_maximum() -> None:
    with pytest.raises(ValueError, match="more than 5 states"):
        explore(("a",), lambda word: ((), len(word)), 0, states_max=5)


def test_outputs_are_formatted_on_one_line() -> None:
    assert format_output(()) == "-"
    assert format_output(("ATTACH-OK", "DELIVER*")) == "ATTACH-OK, DELIVER*"
