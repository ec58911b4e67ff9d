"""Badge: its text, its colour, and that it is an SVG without references."""

from __future__ import annotations

import pytest
from lxml import etree
from made_runs import failed, made_case, made_run, one_of_each

from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.badge import GREEN, RED, YELLOW, badge, badge_text


@pytest.mark.parametrize(
    ("cases", "value", "colour"),
    [
        ([made_case("a", Verdict.PASS), made_case("b", Verdict.OBSERVED)], "2 of 2", GREEN),
        ([made_case("a", Verdict.PASS), made_case("b", Verdict.UNSUPPORTED)], "1 of 1", GREEN),
        ([made_case("a", Verdict.PASS), made_case("b", Verdict.WARN)], "1 of 2", YELLOW),
        ([made_case("a", Verdict.FLAKY)], "0 of 1", YELLOW),
        ([failed("a", baseline="expected"), made_case("b", Verdict.PASS)], "1 of 2", RED),
        ([made_case("a", Verdict.DEVIATION), made_case("b", Verdict.BLOCKED)], "0 of 1", RED),
        ([], "0 of 0", YELLOW),
    ],
)
def test_the_badge_counts_cases_that_follow_the_rules(
    cases: list[CaseResult], value: str, colour: str
) -> None:
    run = made_run(cases)
    assert badge_text(run) == ("zmtp-pub PUB", value)
    assert colour in badge(run)


def test_the_badge_is_an_svg_without_references() -> None:
    run = one_of_each()
    run.type = 'a <b> & "c"'
    root = etree.fromstring(badge(run).encode())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = ["".join(element.itertext()) for element in root.iter("{*}text")]
    assert texts == ['zmtp-pub a <b> & "c"', "2 of 9"]
    assert root.get("aria-label") == 'zmtp-pub a <b> & "c": 2 of 9'
    assert int(root.get("width", "0")) > 100
    assert not [element for element in root.iter() if any("href" in name for name in element.attrib)]


def test_the_badge_of_a_broker_names_the_profile() -> None:
    run = made_run([made_case("a", Verdict.PASS)], "", "")
    run.profile = "zeps1"
    assert ": ".join(badge_text(run)) == "zeps1: 1 of 1"
