"""The order of owners that compete for turns."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.turns import Turns


def test_those_who_ask_for_little_come_first() -> None:
    turns: Turns[str] = Turns()
    for who in ("much 1", "little 1", "much 2", "little 2"):
        turns.add(who, heavy=who.startswith("much"))
    assert list(turns.round()) == ["little 1", "little 2", "much 1", "much 2"]
    assert not turns


def test_who_asks_again_has_the_place_that_it_had() -> None:
    turns: Turns[str] = Turns()
    for who in ("a", "b", "a"):
        turns.add(who, heavy=False)
    turns.add("a", heavy=True)
    assert list(turns.round()) == ["a", "b"]


def test_what_is_forgotten_has_no_turn_not_even_in_a_round_that_has_begun() -> None:
    turns: Turns[str] = Turns()
    for who in ("a", "b", "c"):
        turns.add(who, heavy=who == "c")
    served = []
    for who in turns.round():
        served.append(who)
        turns.discard("b")
    turns.add("d", heavy=True)
    turns.clear()
    assert served == ["a", "c"]
    assert not turns


def test_who_asks_again_in_a_round_waits_for_the_next() -> None:
    turns: Turns[str] = Turns()
    turns.add("a", heavy=True)
    turns.add("b", heavy=True)
    for who in turns.round():
        turns.add(who, heavy=True)
    assert list(turns.round()) == ["a", "b"]


@given(
    st.lists(st.booleans(), min_size=1, max_size=8),
    st.integers(1, 3),
    st.lists(st.integers(0, 8), max_size=30),
)
def test_nobody_waits_for_ever(heavies: list[bool], a_round: int, discarded: list[int]) -> None:
    turns: Turns[int] = Turns()
    waited = dict.fromkeys(range(len(heavies)), 0)
    for who in discarded:
        turns.discard(who)
        for peer, heavy in enumerate(heavies):
            turns.add(peer, heavy=heavy)
        served = set(islice(turns.round(), a_round))
        assert len(served) == min(a_round, len(heavies))
        waited = {peer: 0 if peer in served or peer == who else rounds + 1 for peer, rounds in waited.items()}
        assert max(waited.values()) <= 2 * len(heavies)
