"""Random Mealy machines for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from zeps_conformance.learning.mealy import Mealy

INPUTS = ("a", "b", "c")
OUTPUTS = ((), ("x",), ("x", "y"))


@st.composite
def machines(draw: st.DrawFn, states_max: int = 5, states_min: int = 1) -> Mealy:
    size = draw(st.integers(states_min, states_max))
    cell = st.tuples(st.sampled_from(OUTPUTS), st.integers(0, size - 1))
    rows = draw(st.lists(st.tuples(*[cell] * len(INPUTS)), min_size=size, max_size=size))
    return Mealy(INPUTS, tuple(dict(zip(INPUTS, row, strict=True)) for row in rows))
