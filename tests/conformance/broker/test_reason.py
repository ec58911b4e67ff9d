"""The form of INVALID's reason (ZEPS-INVALID-8)."""

from __future__ import annotations

import pytest

from zeps_conformance.broker.reason import Reason, Reasons
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import Interpreter


@pytest.mark.parametrize(
    ("reason", "read"),
    [
        ("bad-pattern ( is not closed", Reason("bad-pattern", 0, 0, "( is not closed")),
        ("bad-pattern 3 letters: größer", Reason("bad-pattern", 0, 0, "3 letters: größer")),
        ("not-retained 3 98 entfernt – zu alt", Reason("not-retained", 3, 98, "entfernt – zu alt")),
    ],
)
def test_a_reason_has_text_in_any_language(reason: str, read: Reason, codec: Interpreter) -> None:
    assert Reasons(codec.model).read(reason) == read


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "malformed",
        "malformed ",
        "Malformed text",
        "no-such-code text",
        "retention text without sequences",
        "retention 0 4 text",
        "retention 5 4 text",
        "retention 5 18446744073709551616 text",
    ],
)
def test_other_reasons_fail(reason: str, codec: Interpreter) -> None:
    with pytest.raises(FailureError) as failure:
        Reasons(codec.model).read(reason)
    assert failure.value.rule == "ZEPS-INVALID-8"
