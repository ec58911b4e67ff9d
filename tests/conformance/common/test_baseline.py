"""Baselines: expected findings, and entries that are findings themselves."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from zeps_conformance.common.baseline import Expected, apply_baseline, load_baseline
from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.common.verdicts import Verdict

TODAY = datetime.date(2027, 1, 15)
ENTRY = """
[[expected]]
case = "a.b.c"
verdict = "fail"
reason = "known, and being fixed"
expires = 2027-01-31
"""


def run_of(verdict: Verdict) -> RunResult:
    case = CaseResult(
        "a.b.c", "t", "b", "positive", "nothing", ["R-1"], "MUST", verdict, 0.1, attempts=[verdict]
    )
    return RunResult(
        "t", "tcp://h:1", "a", "0", "p", 1, "0" * 64, 0, "2027-01-15T00:00:00+00:00", 1.0, [case]
    )


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "baseline.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_expected_failure_is_excused(tmp_path: Path) -> None:
    entries = load_baseline(written(tmp_path, ENTRY), {"a.b.c"})
    assert entries == [Expected("a.b.c", Verdict.FAIL, "known, and being fixed", datetime.date(2027, 1, 31))]
    result = run_of(Verdict.FAIL)
    assert not result.ok
    apply_baseline(result, entries, TODAY)
    assert result.ok
    assert result.cases[0].baseline == "expected"
    assert "known, and being fixed (until 2027-01-31)" in result.cases[0].reason


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.FLAKY, Verdict.INCONCLUSIVE, Verdict.WARN])
def test_another_verdict_than_expected_is_a_finding(tmp_path: Path, verdict: Verdict) -> None:
    result = run_of(verdict)
    apply_baseline(result, load_baseline(written(tmp_path, ENTRY), {"a.b.c"}), TODAY)
    assert not result.ok
    assert result.cases[0].is_finding
    assert result.baseline_problems == [
        f"a.b.c: the baseline expects fail, but the verdict is {verdict.value}"
    ]


def test_an_excuse_holds_until_its_day_and_no_longer(tmp_path: Path) -> None:
    entries = load_baseline(written(tmp_path, ENTRY), {"a.b.c"})
    result = run_of(Verdict.FAIL)
    apply_baseline(result, entries, datetime.date(2027, 1, 31))
    assert result.ok
    result = run_of(Verdict.FAIL)
    apply_baseline(result, entries, datetime.date(2027, 2, 1))
    assert not result.ok
    assert "expired on 2027-01-31" in result.cases[0].baseline


def test_cases_that_were_not_run_are_passed_over(tmp_path: Path) -> None:
    entries = load_baseline(written(tmp_path, ENTRY.replace("a.b.c", "a.b.d")), {"a.b.c", "a.b.d"})
    result = run_of(Verdict.PASS)
    apply_baseline(result, entries, TODAY)
    assert result.ok


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (ENTRY.replace("a.b.c", "a.b.x"), "no case matches 'a.b.x'"),
        (ENTRY.replace('"fail"', '"bad"'), "unknown verdict 'bad'"),
        (ENTRY.replace('"fail"', '"pass"'), "pass is not a finding"),
        (ENTRY.replace('reason = "known, and being fixed"\n', ""), "missing keys: reason"),
        (ENTRY.replace("known, and being fixed", " "), "the reason is empty"),
        (ENTRY.replace("expires = 2027-01-31\n", ""), "missing keys: expires"),
        (ENTRY.replace("2027-01-31", '"soon"'), "expires must be a date"),
        (ENTRY + ENTRY, "more than one entry for a.b.c"),
        ("[[expect]]\n", "unknown keys: expect"),
        ("expected = 3", r"baseline\.toml: expected must be a list of tables"),
        ('expected = ["a.b.c"]', r"baseline\.toml: expected must be a list of tables"),
        (ENTRY + 'types = "XPUB"\n', "entry 1: types must be a non-empty list of words"),
        (ENTRY + "types = 3\n", "entry 1: types must be a non-empty list of words"),
        ("[[", "not TOML"),
    ],
)
def test_what_is_wrong_with_a_baseline_is_said(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        load_baseline(written(tmp_path, text), {"a.b.c"})


def test_a_baseline_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        load_baseline(tmp_path / "none.toml", set())


@pytest.mark.parametrize("verdict", Verdict)
def test_what_comes_and_goes_may_be_anything(tmp_path: Path, verdict: Verdict) -> None:
    entries = load_baseline(written(tmp_path, ENTRY.replace('"fail"', '"flaky"')), {"a.b.c"})
    result = run_of(verdict)
    apply_baseline(result, entries, TODAY)
    assert result.ok
    assert result.cases[0].baseline == ("expected" if verdict.is_finding else "")


def test_an_entry_may_name_types_and_several_cases(tmp_path: Path) -> None:
    text = ENTRY.replace('"a.b.c"', '"a.b.*"\ntypes = ["XPUB"]')
    entries = load_baseline(written(tmp_path, text), {"a.b.c", "a.b.d", "a.x.y"})
    assert [(entry.case, entry.types) for entry in entries] == [("a.b.c", ("XPUB",)), ("a.b.d", ("XPUB",))]
    for socket_type, ok in (("XPUB", True), ("PUB", False)):
        result = replace(run_of(Verdict.FAIL), type=socket_type)
        apply_baseline(result, entries, TODAY)
        assert result.ok is ok
    both = text + ENTRY.replace('"a.b.c"', '"a.b.c"\ntypes = ["PUB"]')
    assert len(load_baseline(written(tmp_path, both), {"a.b.c"})) == 2
    with pytest.raises(ValueError, match=r"more than one entry for a\.b\.c"):
        load_baseline(written(tmp_path, text + ENTRY), {"a.b.c"})
