"""Comparisons: disagreements between columns, and the trend since earlier runs."""

from __future__ import annotations

import pytest
from made_runs import failed, made_case, made_run

from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.cells import columns_of_runs
from zeps_conformance.reports.disagreements import disagreements
from zeps_conformance.reports.trend import Direction, compare_runs, format_trend


def test_a_disagreement_has_the_columns_of_each_outcome() -> None:
    runs = [
        made_run([made_case("a", Verdict.PASS), made_case("b", Verdict.PASS)], "one"),
        made_run([failed("a"), made_case("b", Verdict.UNSUPPORTED)], "two"),
        made_run([failed("a", "it answers"), made_case("b", Verdict.PASS)], "three"),
        made_run([made_case("a", Verdict.PASS), made_case("b", Verdict.INCONCLUSIVE)], "four"),
    ]
    (found,) = disagreements(columns_of_runs(runs))
    assert found.case.id == "zmtp-pub.made.a"
    assert [[cell.column.implementation for cell in outcome.cells] for outcome in found.outcomes] == [
        ["one", "four"],
        ["two"],
        ["three"],
    ]
    assert [outcome.text for outcome in found.outcomes] == ["as required", "it stays open", "it answers"]
    assert not found.is_open


def test_different_observations_are_a_disagreement_that_the_specification_allows() -> None:
    texts = ["it answers 'x'", "it answers 'y'", "it is silent"]
    runs = [
        made_run([made_case("a", Verdict.OBSERVED, seen=text)], name)
        for text, name in zip(texts, "abc", strict=True)
    ]
    (found,) = disagreements(columns_of_runs(runs))
    assert len(found.outcomes) == 2
    assert found.is_open


@pytest.mark.parametrize(
    ("before", "now", "direction"),
    [
        (made_case("a", Verdict.PASS), failed("a"), Direction.NEW),
        (made_case("a", Verdict.UNSUPPORTED), failed("a"), Direction.NEW),
        (None, failed("a"), Direction.ADDED),
        (failed("a"), made_case("a", Verdict.PASS), Direction.GONE),
        (failed("a"), failed("a", "it answers"), Direction.CHANGED),
        (failed("a"), made_case("a", Verdict.FLAKY, reason="x"), Direction.CHANGED),
        (failed("a", "10 bytes"), failed("a", "12 bytes"), None),
        (made_case("a", Verdict.PASS), made_case("a", Verdict.OBSERVED), None),
        (failed("a"), None, None),
    ],
)
def test_the_trend_names_what_changed(before: object, now: object, direction: Direction | None) -> None:
    earlier = made_run([before] if before else [])  # type: ignore[list-item]
    present = made_run([now] if now else [])  # type: ignore[list-item]
    trend = compare_runs([present], [earlier])
    assert [change.direction for change in trend.changes] == ([direction] if direction else [])


def test_the_trend_compares_the_same_columns_and_names_the_others() -> None:
    earlier = [made_run([made_case("a", Verdict.PASS)], version="1"), made_run([], "old")]
    now = [made_run([failed("a")], version="2"), made_run([failed("a")], "young")]
    trend = compare_runs(now, earlier)
    assert [(change.column.id, change.now.id) for change in trend.changes] == [("one-pub", "zmtp-pub.made.a")]
    assert (trend.only_now, trend.only_earlier) == (("young-pub",), ("old-pub",))
    assert trend.changed_versions == (("one 4.3 PUB", "1", "2"),)
    text = format_trend(trend)
    assert text.startswith("problems since 2027-01-15T10:00:00+00:00: 1 new, 0 added, 0 changed, 0 gone\n")
    assert "  new      one-pub zmtp-pub.made.a: pass -> fail\n" in text
    assert "  not compared, because only one run has them: young-pub, old-pub\n" in text
