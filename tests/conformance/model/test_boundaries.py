"""Values around the limits of numeric fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_conformance.model.boundaries import WIDTHS, boundaries, maximum
from zeps_conformance.model.definitions import Field, Model

FIELDS = st.builds(
    Field, st.just("n"), st.just("number"), st.integers(1, 8), max=st.none() | st.integers(1, 1 << 40)
)


@given(FIELDS, st.integers(1, 1 << 20), st.integers(0, 1 << 20))
def test_both_sides_of_every_overflow_are_included(field: Field, times: int, plus: int) -> None:
    values = boundaries(field, times=times, plus=plus)
    assert values == sorted(set(values))
    assert {0, maximum(field)} <= set(values)
    assert values[-1] == maximum(field)
    for width in WIDTHS:
        over = [value for value in values if value * times + plus >= 1 << width]
        if maximum(field) * times + plus >= 1 << width and plus < 1 << width:
            least = over[0]
            assert least == 0 or (least - 1) * times + plus < 1 << width
            assert least == 0 or least - 1 in values


def test_the_models_own_fields(model: Model) -> None:
    credit = boundaries(model.message("CREDIT").field("credit"))
    assert {0, 1, 255, 256, 257, (1 << 31) - 1, 1 << 32, (1 << 63) + 1, (1 << 64) - 2, (1 << 64) - 1} <= set(
        credit
    )
    assert boundaries(model.message("SUBSCRIBE").field("pattern")) == [0, 1, 254, 255]
    assert maximum(model.message("PUBLISH").field("body")) == 16_777_216


@pytest.mark.parametrize("bad", [{"times": 0}, {"plus": -1}])
def test_senseless_factors_are_refused(bad: dict[str, int], model: Model) -> None:
    with pytest.raises(ValueError, match="must"):
        boundaries(model.message("CREDIT").field("credit"), **bad)
