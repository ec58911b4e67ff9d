"""Causes: which findings belong together, in which order, and keys that do not change."""

from __future__ import annotations

import pytest
from made_runs import failed, made_case, made_run, one_of_each

from zeps_conformance.common.results import RunResult
from zeps_conformance.common.verdicts import Category, Verdict
from zeps_conformance.reports.causes import Cause, Severity, causes_of, key_of, normalised
from zeps_conformance.reports.cells import Cell, columns_of_runs, reproduction


def causes(*runs: RunResult) -> list[Cause]:
    return causes_of(Cell(column, case) for column in columns_of_runs(runs) for case in column.run.cases)


def test_results_that_differ_in_names_and_numbers_have_one_cause() -> None:
    texts = [
        "A receives 10 bytes and 'x1'",
        "P2 receives 0 bytes and 'y, z'",
        "B receives 64 bytes and b'y'",
    ]
    found = causes(made_run([failed(f"c{number}", seen) for number, seen in enumerate(texts)]))
    assert [len(cause.cells) for cause in found] == [3]
    assert found[0].first.seen == texts[0]


@pytest.mark.parametrize(
    "other",
    [
        failed("b", rule="ZMTP-S-11"),
        failed("b", "it answers"),
        failed("b", expected="an ERROR"),
        failed("b", category=Category.ROBUSTNESS, rule=""),
    ],
)
def test_another_rule_text_or_category_is_another_cause(other: object) -> None:
    assert len(causes(made_run([failed("a"), other]))) == 2  # type: ignore[list-item]


def test_versions_of_zmtp_and_words_are_kept() -> None:
    assert (
        normalised("subscribe 'a' in the form of ZMTP 3.1, 0.25 s")
        == "subscribe … in the form of ZMTP 3.1, … s"
    )
    assert normalised("the application's topic") == "the application's topic"
    assert normalised("'a', 'b' and 'c'") == "…"


def test_crashes_with_the_same_error_have_one_cause() -> None:
    texts = [
        'its process ended by signal 6; its last output: 0x17\npanic: no socket type "a"\n\ngoroutine 18 [running]',
        'its process ended by signal 6; its last output: panic: no socket type "" goroutine 7; before that, P0 sends x',
        "its process ended by signal 6; its last output: panic: index out of range",
    ]
    crashes = [
        failed(f"c{number}", seen, rule="", expected=f"it answers {seen[-1]}", category=Category.ROBUSTNESS)
        for number, seen in enumerate(texts)
    ]
    assert [len(cause.cells) for cause in causes(made_run(crashes))] == [2, 1]
    assert normalised("127.0.0.1:45123 sent 01 02 ff") == "… sent …"


def test_the_worst_come_first() -> None:
    found = causes(one_of_each())
    assert [cause.severity for cause in found] == list(Severity)
    assert [cause.rule for cause in found[:3]] == ["", "ZMTP-G-11", "ZMTP-S-11"]
    assert [case for cause in found for case in cause.cases if cause.severity is Severity.MUST] == [
        "zmtp-pub.made.fails",
        "zmtp-pub.made.known",
    ]


def test_a_cause_is_expected_only_if_all_its_results_are() -> None:
    known = failed("a", baseline="expected")
    assert causes(made_run([known]))[0].is_expected
    assert not causes(made_run([known, failed("b")]))[0].is_expected


def test_a_key_stays_when_runs_and_cases_are_added() -> None:
    (before,) = causes(made_run([failed("b")]))
    after = causes(
        made_run([failed("a"), made_case("c", Verdict.WARN, reason="x")], "two"), made_run([failed("b")])
    )
    assert before.key == "zmtp-g-11-13af07e4"
    assert before.key in [cause.key for cause in after]


def test_blocked_cases_are_grouped_by_the_case_that_blocks_them() -> None:
    blocked = [
        made_case(name, Verdict.BLOCKED, blocked_by="zmtp-pub.barrier.served", seen=name)
        for name in ("a", "b")
    ]
    assert key_of(blocked[0]) == key_of(blocked[1])
    assert key_of(blocked[0]).startswith("blocked-")


def test_ids_of_columns_stay_and_do_not_collide() -> None:
    run, other = made_run([failed("a")]), made_run([failed("a")], "two", "XPUB")
    broker = made_run([failed("a")], "", "")
    broker.name = "tcp://127.0.0.1:5670"
    ids = [column.id for column in columns_of_runs([run, other, run, broker])]
    assert ids == ["one-pub", "two-xpub", "one-pub-2", "tcp-127-0-0-1-5670-zmtp-pub"]


def test_the_command_that_repeats_a_case() -> None:
    run = made_run([failed("a")])
    command = "zeps-conform run --implementation implementations/one.toml --type PUB"
    assert reproduction(run, "a.b.c") == f"{command} --case a.b.c"
    run.seed = 7
    assert reproduction(run, "a.b.c") == f"{command} --seed 7 --case a.b.c"
    run.command = "zeps-conform check a.pcapng --judge client"
    assert reproduction(run, "a.b.c") == run.command
    run.command = "zeps-conform run --start 'my broker.toml'"
    assert reproduction(run, "a.b.c") == "zeps-conform run --start 'my broker.toml' --case a.b.c"
