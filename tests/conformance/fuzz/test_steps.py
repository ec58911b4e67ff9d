"""Fuzzed conversations as data, and the oracle."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from zeps_conformance.broker.session import NEW, Item
from zeps_conformance.fuzz.oracle import OracleSession, OracleStream, starts
from zeps_conformance.fuzz.steps import (
    Action,
    Step,
    conversations,
    format_step,
    steps_from_json,
    steps_to_json,
)


@given(conversations())
def test_steps_survive_a_file(steps: list[Step]) -> None:
    assert steps_from_json(json.loads(json.dumps(steps_to_json(steps)))) == steps


@pytest.mark.parametrize(
    "document",
    [
        None,
        [1],
        [[0]],
        [[3, []]],
        [[0, [["leave"]]]],
        [[0, [["attach"]]]],
        [[0, [["attach", "1"]]]],
        [[0, [["drop", 1]]]],
        [["0", [["ping"]]]],
        [[True, [["ping"]]]],
        [[0, [["attach", 2]]]],
        [[0, [["attach", -1]]]],
        [[0, [["credit", -1]]]],
        [[0, [["credit", 1 << 64]]]],
        [[0, [["subscribe", "", "later", 0]]]],
    ],
)
def test_other_documents_are_refused(document: object) -> None:
    with pytest.raises(ValueError, match="not a list of steps"):
        steps_from_json(document)


def test_a_step_for_people() -> None:
    step = Step(2, (Action("publish", ("a", 1, 3)), Action("ping")))
    assert format_step(step) == "client 2: publish 'a' 1 3, ping"


@pytest.mark.parametrize(
    ("kind", "distance", "latest"),
    [("all", 3, 0), ("new", 3, NEW), ("from", 3, 4), ("from", 9, 0), ("beyond", 0, 8)],
)
def test_latest_of_a_subscription(kind: str, distance: int, latest: int) -> None:
    assert starts(kind, distance, 7) == latest


def cost(item: Item) -> int:
    return 10 + len(item.body)


def filled() -> OracleSession:
    stream = OracleStream()
    for key, size in (("a", 0), ("b", 5), ("a", 5)):
        stream.items.append(Item(stream.end + 1, key, bytes(size)))
    return OracleSession(stream, subscriptions=[("a", 0)])


@pytest.mark.parametrize(("credit", "sequence"), [(9, None), (10, 1), (1 << 64, 1)])
def test_a_message_is_missing_if_the_credit_covers_it(credit: int, sequence: int | None) -> None:
    session = filled()
    session.grant(credit)
    item = session.missing(cost)
    assert (item.sequence if item else None) == sequence


def test_only_messages_that_were_requested_are_due() -> None:
    session = filled()
    session.subscriptions = [("b", 2), ("a", 1)]
    assert [item.sequence for item in session.due()] == [3]
    session.handled.add(3)
    assert session.due() == []


def test_nothing_is_missing_while_the_next_message_of_one_subscription_is_too_large() -> None:
    session = filled()
    session.subscriptions.append(("b", 0))
    session.grant(14)
    assert [item.sequence for item in session.next_of_each()] == [1, 2]
    assert session.missing(cost) is None
    session.grant(1)
    assert session.missing(cost) is not None


def test_credit_does_not_overflow() -> None:
    session = filled()
    session.grant((1 << 64) - 1)
    session.grant(5)
    assert session.credit == (1 << 64) - 1
