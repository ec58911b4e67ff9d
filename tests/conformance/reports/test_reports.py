"""Every report, from one run with a case of each verdict."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest
from junitparser import JUnitXml
from markupsafe import escape
from page import Page
from runs import ZEPS1, judge
from toy_broker import ToyBroker

from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.results import CaseResult, RunResult, source_text
from zeps_conformance.common.verdicts import DeviationError, Verdict
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.reports.html import html
from zeps_conformance.reports.junit import junit
from zeps_conformance.reports.sarif import sarif
from zeps_conformance.reports.terminal import WIDTH, format_run


def fails(t: BrokerTrial) -> None:
    t.step("A pings without a session; <b>not bold</b> & \x01.")
    a = t.connect("A")
    a.send_parts(b"one", b"two")
    a.expect_invalid()
    a.send("PING")
    a.expect("PING-OK", "ZEPS-PING-1")


def warns(t: BrokerTrial) -> None:
    t.check(False, "a PING", "none", "ZEPS-PING-4")


def deviates(t: BrokerTrial) -> None:
    raise DeviationError("a PONG", "none: as libzmq does it")


def cannot(t: BrokerTrial) -> None:
    t.unsupported("not here")


def breaks(t: BrokerTrial) -> None:
    raise ZeroDivisionError("broken")


def made(name: str, function: Any) -> Case:
    return Case(
        f"zeps1.made.{name}",
        f"Made to be {name}",
        ("ZEPS-PING-1",),
        Polarity.POSITIVE,
        Needs.NOTHING,
        function,
    )


@pytest.fixture(scope="module")
def result() -> RunResult:
    tried: list[int] = []

    def flickers(t: BrokerTrial) -> None:
        tried.append(1)
        t.check(len(tried) > 1, "a pass", "a failure")

    cases = [
        *ZEPS1.cases(["opening.grants", "framing.one-part"]),
        *(
            made(name, f)
            for name, f in (
                ("fail", fails),
                ("warn", warns),
                ("deviation", deviates),
                ("cannot", cannot),
                ("broken", breaks),
            )
        ),
        made("flaky", flickers),
    ]
    return judge(ToyBroker(Interpreter(load_model()), 20.0), cases, retries=1)


def test_there_is_one_of_each_verdict(result: RunResult) -> None:
    expected = dict.fromkeys(Verdict, 1) | {Verdict.PASS: 2, Verdict.OBSERVED: 0, Verdict.BLOCKED: 0}
    assert result.counts() == expected
    assert len(result.findings) == 4
    assert not result.ok


def test_json_follows_its_schema_and_comes_back(result: RunResult) -> None:
    schema = json.loads(
        resources.files("zeps_conformance.reports").joinpath("report.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(json.dumps(result.to_json()))
    jsonschema.validate(document, schema)
    assert RunResult.from_json(document).to_json() == document
    for wrong in ([], {}, {"format": "other"}, {**document, "cases": [{}]}, {**document, "more": 1}):
        with pytest.raises(ValueError, match="not a report"):
            RunResult.from_json(wrong)


def test_junit_parses_and_counts(result: RunResult) -> None:
    parsed = JUnitXml.fromstring(junit(result).encode())
    assert (parsed.tests, parsed.failures, parsed.errors, parsed.skipped) == (8, 3, 1, 1)
    suites = {suite.name: [case.name for case in suite] for suite in parsed}
    assert suites["zeps1.opening"] == ["zeps1.opening.grants"]
    kinds = {case.name: [type(entry).__name__ for entry in case.result] for suite in parsed for case in suite}
    assert kinds["zeps1.made.fail"] == ["Failure"]
    assert kinds["zeps1.made.flaky"] == ["Failure"]
    assert kinds["zeps1.made.deviation"] == ["Failure"]
    assert kinds["zeps1.made.broken"] == ["Error"]
    assert kinds["zeps1.made.cannot"] == ["Skipped"]
    assert kinds["zeps1.made.warn"] == []


def test_sarif_has_rules_and_results(result: RunResult) -> None:
    run = sarif(result)["runs"][0]
    levels = {
        entry["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]: entry["level"]
        for entry in run["results"]
    }
    assert levels == {
        "zeps1.made.fail": "error",
        "zeps1.made.flaky": "error",
        "zeps1.made.deviation": "error",
        "zeps1.made.warn": "warning",
        "zeps1.made.broken": "note",
    }
    for entry in run["results"]:
        assert run["tool"]["driver"]["rules"][entry["ruleIndex"]]["id"] == entry["ruleId"]
    json.dumps(run)


def test_the_terminal_report_is_plain_and_fits(result: RunResult) -> None:
    text = format_run(result)
    assert all(line == "" or line.isprintable() for line in text.splitlines())
    assert max(map(len, text.splitlines())) <= WIDTH
    for part in (
        "FAIL         zeps1.made.fail",
        "ZEPS-PING-1 (MUST) A broker MUST answer PING in an open session by PING-OK.",
        "expected  A receives PING-OK",
        "seen      INVALID reason='no-session ATTACH opens one'",
        "A > PING",
        "WARN         zeps1.made.warn",
        "FLAKY        zeps1.made.flaky",
        "attempts  fail, pass",
        "unsupported  zeps1.made.cannot: not here",
        "8 cases: 2 pass, 1 unsupported, 1 warn, 1 deviation, 1 flaky, 1 inconclusive, 1 fail · 4 findings",
    ):
        assert part in text
    assert "[MULTIPART §Heartbeating and Sessions: The source demands it; a client" in " ".join(text.split())


def test_html_is_one_file_whose_links_lead_somewhere(result: RunResult) -> None:
    text = html([result])
    page = Page(text)
    assert page.outside == set()
    assert page.links <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    for case in result.cases:
        assert f"0-{case.id}" in page.ids
    assert "&lt;b&gt;not bold&lt;/b&gt; &amp;" in text
    assert "aa a5 08" in text
    assert "prefers-color-scheme: dark" in text
    for rule in result.rules:
        assert f'class="small soft">{escape(source_text(rule))}</td>' in text


def test_html_has_a_column_for_each_run(result: RunResult) -> None:
    other = RunResult.from_json(result.to_json())
    other.name = "the other"
    other.cases = [case for case in other.cases if case.id != "zeps1.opening.grants"]
    page = Page(html([result, other]))
    assert "1-zeps1.made.fail" in page.ids
    assert "1-zeps1.opening.grants" not in page.ids
    assert page.links <= set(page.ids)
    with pytest.raises(ValueError, match="at least one run"):
        html([])


def test_a_multipart_message_is_told_part_by_part(result: RunResult) -> None:
    case: CaseResult = next(case for case in result.cases if case.id == "zeps1.made.fail")
    parts = [(line.part, line.parts, line.hex) for line in case.wire if line.parts == 2]
    assert parts == [(1, 2, b"one".hex()), (2, 2, b"two".hex())]
    assert "part 2 of 2: part of a message [74 77 6f]" in format_run(result)
