"""Types of options, and how errors are reported."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import pytest

from zeps_command import USAGE, number, report_error, whole


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (number(0, 86_400), "0", 0.0),
        (number(0, 86_400), "86400", 86_400.0),
        (number(0, 1e9), "0.25", 0.25),
        (whole(1, 65_535), "65535", 65_535),
        (whole(0), "0", 0),
        (whole(1), str(1 << 70), 1 << 70),
    ],
)
def test_values(parse: Callable[[str], float], text: str, value: float) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text", "complaint"),
    [
        (number(0, 86_400), "-0.1", "-0.1 is not from 0 to 86400"),
        (number(0, 86_400), "nan", "nan is not from 0 to 86400"),
        (number(0, 1e9), "inf", "inf is not from 0 to 1000000000"),
        (number(0, 1e9), "soon", "soon is not from 0 to 1000000000"),
        (whole(1, 65_535), "0", "0 is not a whole number, from 1 to 65535"),
        (whole(1, 65_535), "65536", "65536 is not a whole number, from 1 to 65535"),
        (whole(1), "1.5", "1.5 is not a whole number, 1 or more"),
    ],
)
def test_what_is_refused(parse: Callable[[str], float], text: str, complaint: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        parse(text)
    assert str(caught.value) == complaint


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_error(ValueError("no such stream"), USAGE, "zeps sub") == USAGE
    assert capsys.readouterr() == ("", "zeps sub: error: no such stream\n")
