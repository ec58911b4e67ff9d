"""Recorded traffic in files of findings."""

from __future__ import annotations

import math

import pytest

from zeps_conformance.common.traffic import Traffic

CONNECTION = {
    "name": "A",
    "suite": ["127.0.0.1", 1],
    "peer": ["127.0.0.1", 2],
    "accepted": False,
    "opened": 0.0,
    "ended": 0.5,
    "end": "closed by the peer",
    "chunks": ["0.250000 > /w=="],
}
DOCUMENT = {"started": 1e9, "cut": False, "connections": [CONNECTION]}


def test_traffic_survives_a_file() -> None:
    assert Traffic.from_json("kept.json", DOCUMENT).to_json() == DOCUMENT


@pytest.mark.parametrize(
    "changes",
    [
        {"opened": math.inf},
        {"ended": math.nan},
        {"opened": -1.0},
        {"suite": ["127.0.0.1", math.inf]},
        {"suite": ["127.0.0.1", 1 << 16]},
        {"peer": ["127.0.0.1", -1]},
        {"chunks": ["inf > /w=="]},
        {"chunks": ["1e300 > /w=="]},
        {"chunks": ["0.0  /w=="]},
        {"chunks": ["0.0 <> /w=="]},
        {"end": "open", "chunks": [3]},
    ],
)
def test_traffic_that_a_capture_cannot_represent_is_refused(changes: dict[str, object]) -> None:
    document = {**DOCUMENT, "connections": [{**CONNECTION, **changes}]}
    with pytest.raises(ValueError, match=r"^kept\.json: invalid traffic"):
        Traffic.from_json("kept.json", document)
    with pytest.raises(ValueError, match=r"^kept\.json: invalid traffic"):
        Traffic.from_json("kept.json", {**DOCUMENT, "started": -math.inf})
