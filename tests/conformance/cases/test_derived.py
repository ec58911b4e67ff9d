"""Cases that are derived from the model: a message that is added to it has cases."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace

import pytest

from zeps_conformance.cases.zeps1 import derived, guards, timers
from zeps_conformance.common.case import OMITTED, REGISTRY
from zeps_conformance.model import definitions
from zeps_conformance.model.definitions import Field, Message, load_model, load_models


@pytest.fixture
def derived_cases() -> Iterator[dict[str, object]]:
    before = dict(REGISTRY)
    for case_id in [case_id for case_id in REGISTRY if case_id.startswith("zeps1.derived.")]:
        del REGISTRY[case_id]
    yield REGISTRY
    REGISTRY.clear()
    REGISTRY.update(before)


def test_an_added_message_has_cases(
    derived_cases: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load_model()
    added = Message("RENAME", 42, (Field("name", "string"), Field("number", "number", size=4)))
    monkeypatch.setattr(definitions, "load_model", lambda: replace(model, messages=(*model.messages, added)))
    importlib.reload(derived)
    ids = [case_id for case_id in derived_cases if case_id.startswith("zeps1.derived.rename-")]
    assert ids == [f"zeps1.derived.rename-{state}" for state in derived.STATES]
    assert len(derived_cases) == 3 * (len(model.messages) + 1) + len(
        [case_id for case_id in derived_cases if not case_id.startswith("zeps1.derived.")]
    )


def transitions() -> list[dict[str, object]]:
    (machine,) = (raw for raw in load_models(None)[1] if raw["name"] == "zeps_server")
    return list(machine["transitions"])


def test_each_side_of_each_guard_has_a_case_or_a_reason() -> None:
    rows = guards.guarded_rows()
    assert [row for row in transitions() if row["guard"] is not None] == rows
    for row in rows:
        for side in ("true", "false"):
            case_id = f"zeps1.guards.{row['state']}-{row['event']}-{side}".lower()
            assert (case_id in REGISTRY) is not (case_id in OMITTED)


def test_each_timer_of_each_state_has_a_case_or_a_reason() -> None:
    states = {row["state"] for row in transitions() if row["event"] == "expired"}
    assert states == {"open", "detaching"}
    assert "zeps1.timers.expired-detaching" in OMITTED
    names = timers.signs_of_life()
    assert set(names) == {"ATTACH", "SUBSCRIBE", "CREDIT", "PUBLISH", "PING", "PING-OK"}
    for name in names:
        case_id = f"zeps1.timers.restarts-{name.lower()}"
        assert (case_id in REGISTRY) is not (case_id in OMITTED)
