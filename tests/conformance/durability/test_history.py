"""The oracle: readings after a fault, against what was published and confirmed."""

from __future__ import annotations

from math import inf

import pytest

from zeps_conformance.durability.history import Counts, Gap, History
from zeps_conformance.durability.messages import MessageId, body_of, parse_body

SEED = 5


def history(published: int, confirmed: range | list[int], *, consumes: bool = False) -> History:
    return History(0, SEED, consumes, published, {number: float(number) for number in confirmed})


def bodies(*numbers: int) -> list[str]:
    return [body_of(MessageId(0, number), SEED) for number in numbers]


def counted(subject: History) -> dict[str, int]:
    """Returns the counts that are not 0, without published and confirmed."""
    counts = subject.counts
    names = [name for name in Counts.__dataclass_fields__ if name not in ("published", "confirmed")]
    return {name: getattr(counts, name) for name in names if getattr(counts, name)}


def test_everything_confirmed_and_read_is_no_loss() -> None:
    subject = history(5, range(1, 4))
    subject.read(bodies(1, 2, 3, 4), inf)  # an unconfirmed message may be there
    assert counted(subject) == {}
    assert (subject.counts.published, subject.counts.confirmed) == (5, 3)


def test_missing_confirmed_messages_are_lost_once() -> None:
    subject = history(5, range(1, 6))
    for _ in range(2):
        subject.read(bodies(1, 2, 4), 4.0)
    assert counted(subject) == {"lost": 2, "early": 1}


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ([*bodies(1), Gap(2), *bodies(4, 5)], {"announced": 2}),
        ([*bodies(1), Gap(1), *bodies(4, 5)], {"announced": 1, "lost": 1, "early": 1}),
        ([*bodies(1, 2, 3, 4), Gap(9)], {"announced": 1}),
        ([Gap(1), *bodies(2, 3, 5)], {"announced": 1, "lost": 1, "early": 1}),
        ([*bodies(1, 2, 3), Gap(1), *bodies(5), Gap(1)], {"announced": 1}),
        ([Gap(5)], {"announced": 5}),
    ],
)
def test_announced_gaps_cover_messages_between_their_neighbours(
    reading: list[str | Gap], expected: dict[str, int]
) -> None:
    subject = history(5, range(1, 6))
    subject.read(reading, inf)
    assert counted(subject) == expected


def test_unconfirmed_messages_do_not_use_up_a_gap() -> None:
    subject = history(3, [3])
    subject.read([*bodies(1), Gap(1)], inf)
    assert counted(subject) == {"announced": 1}


def test_repetitions_and_changes_of_order() -> None:
    subject = history(5, range(1, 6))
    subject.read(bodies(1, 3, 2, 4, 4, 5), inf)
    assert counted(subject) == {"duplicated": 1, "reordered": 1}


def test_changed_and_invented_messages_are_corrupted() -> None:
    subject = history(3, [])
    changed = bodies(2)[0][:-1] + "g"
    strange = body_of(MessageId(1, 1), SEED)
    subject.read([*bodies(1), changed, "", "x", strange, *bodies(4)], inf)
    assert counted(subject) == {"corrupted": 5}


def test_what_a_reader_received_must_stay() -> None:
    subject = history(3, [1])
    subject.read(bodies(1, 2), inf)
    subject.read(bodies(1), inf)
    assert counted(subject) == {"withdrawn": 1}


def test_reading_may_consume() -> None:
    subject = history(4, range(1, 5), consumes=True)
    subject.read(bodies(1, 2), inf)
    subject.read(bodies(2, 3), inf)
    assert counted(subject) == {"duplicated": 1, "lost": 2, "early": 2}


def test_a_broker_that_does_not_serve_makes_the_rest_unavailable() -> None:
    subject = history(4, range(1, 5))
    subject.read(bodies(1, 2, 3), inf)
    subject.not_served("exit 1")
    assert counted(subject) == {"lost": 1, "early": 1, "unavailable": 3}


def test_consumed_messages_are_not_unavailable() -> None:
    subject = history(4, range(1, 5), consumes=True)
    subject.read(bodies(1, 2, 3), inf)
    subject.confirmed[5], subject.published = 5.0, 5
    subject.not_served("exit 1")
    assert counted(subject) == {"lost": 1, "early": 1, "unavailable": 1}


def test_bodies_are_recognized_and_differ_by_seed() -> None:
    for number in range(1, 200):
        body = body_of(MessageId(3, number), SEED)
        assert parse_body(body, SEED) == MessageId(3, number)
        assert body.isascii()
        assert parse_body(body, SEED + 1) is None
    assert parse_body("3-" + "1" * 60 + " 00", SEED) is None
