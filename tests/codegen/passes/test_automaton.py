"""Conversion of expressions to automata, compared with Python's regular expressions and with the definition."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_codegen.passes.automaton import (
    REPEAT_MAX,
    Alt,
    Automaton,
    Empty,
    Regex,
    Repeat,
    Seq,
    Symbol,
    compile_regex,
    symbols,
)

A, B = Symbol("a"), Symbol("b")
WORDS = [word for length in range(6) for word in product("ab", repeat=length)]

regexes: st.SearchStrategy[Regex] = st.recursive(
    st.sampled_from([Empty(), A, B]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: Seq(tuple(parts))),
        st.lists(inner, max_size=3).map(lambda choices: Alt(tuple(choices))),
        st.builds(
            lambda body, least, more: Repeat(body, least, None if more is None else least + more),
            inner,
            st.integers(0, 2),
            st.none() | st.integers(0, 2),
        ),
    ),
    max_leaves=8,
)


def pattern(regex: Regex) -> str:
    """The same expression for Python's `re`."""
    match regex:
        case Empty():
            return ""
        case Symbol(name):
            return name
        case Seq(parts):
            return "".join(f"(?:{pattern(part)})" for part in parts)
        case Alt(()):
            return "(?!)"
        case Alt(choices):
            return "|".join(f"(?:{pattern(choice)})" for choice in choices)
        case Repeat(body, least, most):
            return f"(?:{pattern(body)}){{{least},{'' if most is None else most}}}"


@given(regexes)
def test_it_accepts_what_re_accepts(regex: Regex) -> None:
    automaton = compile_regex(regex)
    compiled = re.compile(pattern(regex))
    for word in WORDS:
        assert automaton.accepts(word) == bool(compiled.fullmatch("".join(word)))


@given(regexes)
def test_a_prefix_is_what_some_word_goes_on_from(regex: Regex) -> None:
    automaton = compile_regex(regex)
    for word in WORDS:
        if automaton.accepts(word):
            assert all(automaton.is_prefix(word[:end]) for end in range(len(word) + 1))
    for start, row in enumerate(automaton.steps):
        assert start in automaton.accepting or row, "a state from which no word ends"


@given(regexes)
def test_no_two_states_do_the_same(regex: Regex) -> None:
    """Fills a table of pairs: two states differ if one accepts, or if a step leads to two that differ."""
    automaton = compile_regex(regex)
    states: list[int | None] = [None, *range(len(automaton.steps))]  # None: no word goes on
    pairs = [(one, other) for index, one in enumerate(states) for other in states[:index]]
    differ = {pair for pair in pairs if (pair[0] in automaton.accepting) != (pair[1] in automaton.accepting)}
    size = -1
    while size != len(differ):
        size = len(differ)
        for one, other in pairs:
            for symbol in "ab":
                after = (_step(automaton, one, symbol), _step(automaton, other, symbol))
                if after in differ or after[::-1] in differ:
                    differ.add((one, other))
    assert differ == set(pairs)


def _step(automaton: Automaton, state: int | None, symbol: str) -> int | None:
    return None if state is None else automaton.step(state, symbol)


@given(regexes, regexes)
def test_equal_languages_have_equal_automata(one: Regex, other: Regex) -> None:
    assert compile_regex(Alt((one, other))) == compile_regex(Alt((other, one, one)))
    assert compile_regex(Repeat(one, 1, None)) == compile_regex(Seq((one, Repeat(one))))


def test_the_empty_language_has_no_states() -> None:
    nothing = compile_regex(Seq((A, Alt(()))))
    assert nothing.steps == ()
    assert not nothing.accepts(())
    assert not nothing.is_prefix(())


def test_expected_and_alphabet_leave_out_what_leads_nowhere() -> None:
    automaton = compile_regex(Alt((Seq((A, B)), Seq((B, Alt(()))))))
    assert automaton.expected(0) == ("a",)
    assert automaton.alphabet() == {"a", "b"}
    assert symbols(Seq((A, Repeat(B), Empty()))) == {"a", "b"}


@pytest.mark.parametrize(("least", "most"), [(0, REPEAT_MAX + 1), (-1, 2), (3, 2)])
def test_absurd_repetitions_are_refused(least: int, most: int) -> None:
    with pytest.raises(ValueError, match="cannot repeat"):
        compile_regex(Repeat(A, least, most))
