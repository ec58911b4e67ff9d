"""Baselines: expected findings, and entries that are findings themselves."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from zeps_conformance.common.baseline import (
    DAYS_MAX,
    Expected,
    apply_baseline,
    format_baseline,
    load_baseline,
)
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
    entries = load_baseline(written(tmp_path, ENTRY), {"a.b.c"}, TODAY)
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
    apply_baseline(result, load_baseline(written(tmp_path, ENTRY), {"a.b.c"}, TODAY), TODAY)
    assert not result.ok
    assert result.cases[0].is_finding
    assert result.baseline_problems == [
        f"a.b.c: the baseline expects fail, but the verdict is {verdict.value}"
    ]


def test_an_excuse_holds_until_its_day_and_no_longer(tmp_path: Path) -> None:
    entries = load_baseline(written(tmp_path, ENTRY), {"a.b.c"}, TODAY)
    result = run_of(Verdict.FAIL)
    apply_baseline(result, entries, datetime.date(2027, 1, 31))
    assert result.ok
    result = run_of(Verdict.FAIL)
    apply_baseline(result, entries, datetime.date(2027, 2, 1))
    assert not result.ok
    assert "expired on 2027-01-31" in result.cases[0].baseline


def test_cases_that_were_not_run_are_passed_over(tmp_path: Path) -> None:
    entries = load_baseline(written(tmp_path, ENTRY.replace("a.b.c", "a.b.d")), {"a.b.c", "a.b.d"}, TODAY)
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
        (
            ENTRY.replace("2027-01-31", "2028-01-17"),
            "entry 1: expires on 2028-01-17, more than a year ahead: use 2028-01-16 or an earlier date",
        ),
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
        load_baseline(written(tmp_path, text), {"a.b.c"}, TODAY)


def test_a_baseline_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        load_baseline(tmp_path / "none.toml", set(), TODAY)


@pytest.mark.parametrize("verdict", Verdict)
def test_what_comes_and_goes_may_be_anything(tmp_path: Path, verdict: Verdict) -> None:
    entries = load_baseline(written(tmp_path, ENTRY.replace('"fail"', '"flaky"')), {"a.b.c"}, TODAY)
    result = run_of(verdict)
    apply_baseline(result, entries, TODAY)
    assert result.ok
    assert result.cases[0].baseline == ("expected" if verdict.is_finding else "")


def test_an_entry_may_name_types_and_several_cases(tmp_path: Path) -> None:
    text = ENTRY.replace('"a.b.c"', '"a.b.*"\ntypes = ["XPUB"]')
    entries = load_baseline(written(tmp_path, text), {"a.b.c", "a.b.d", "a.x.y"}, TODAY)
    assert [(entry.case, entry.types) for entry in entries] == [("a.b.c", ("XPUB",)), ("a.b.d", ("XPUB",))]
    for socket_type, ok in (("XPUB", True), ("PUB", False)):
        result = replace(run_of(Verdict.FAIL), type=socket_type)
        apply_baseline(result, entries, TODAY)
        assert result.ok is ok
    both = text + ENTRY.replace('"a.b.c"', '"a.b.c"\ntypes = ["PUB"]')
    assert len(load_baseline(written(tmp_path, both), {"a.b.c"}, TODAY)) == 2
    with pytest.raises(ValueError, match=r"more than one entry for a\.b\.c"):
        load_baseline(written(tmp_path, text + ENTRY), {"a.b.c"}, TODAY)


def test_an_entry_may_expire_a_year_ahead(tmp_path: Path) -> None:
    latest = TODAY + datetime.timedelta(days=DAYS_MAX)
    (entry,) = load_baseline(written(tmp_path, ENTRY.replace("2027-01-31", str(latest))), {"a.b.c"}, TODAY)
    assert entry.expires == latest


@pytest.mark.parametrize("socket_type", ["", "XPUB"])
@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict.is_finding])
def test_a_written_baseline_expects_the_present_findings(
    tmp_path: Path, verdict: Verdict, socket_type: str
) -> None:
    result = replace(run_of(verdict), type=socket_type, name='a "b"\x07 \\ c')
    result.cases[0].expected, result.cases[0].seen = 'x "quoted" \\', "line\n\x7f\ud83d 'y' ✓" + "z" * 1000
    text = format_baseline(result, [], TODAY)
    (entry,) = load_baseline(written(tmp_path, text), {"a.b.c"}, TODAY)
    assert (entry.case, entry.verdict, entry.types) == (
        "a.b.c",
        verdict,
        (socket_type,) if socket_type else (),
    )
    assert TODAY < entry.expires <= TODAY + datetime.timedelta(days=DAYS_MAX)
    assert 'expected x "quoted"' in entry.reason
    assert "✓" in entry.reason
    apply_baseline(result, [entry], TODAY)
    assert result.ok


def test_a_baseline_without_findings_has_no_entries(tmp_path: Path) -> None:
    assert (
        load_baseline(written(tmp_path, format_baseline(run_of(Verdict.WARN), [], TODAY)), set(), TODAY) == []
    )


@pytest.mark.parametrize(
    ("entry", "kept"),
    [
        (ENTRY, True),
        (ENTRY.replace('"fail"', '"flaky"'), True),
        (ENTRY.replace('"fail"', '"deviation"'), False),
        (ENTRY.replace("2027-01-31", "2027-01-14"), False),
        (ENTRY + 'types = ["XPUB"]\n', False),
    ],
)
def test_entries_that_still_apply_are_kept(tmp_path: Path, entry: str, kept: bool) -> None:
    before = load_baseline(written(tmp_path, entry), {"a.b.c"}, TODAY)
    text = format_baseline(run_of(Verdict.FAIL), before, TODAY)
    after = load_baseline(written(tmp_path, text), {"a.b.c"}, TODAY)
    assert (after == before) is kept
    assert len(after) == 1
