"""JUnit and SARIF against their schemas, and every verdict, category and blocked case in every format."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import referencing
from lxml import etree
from made_runs import failed, made_case, made_run, one_of_each

from zeps_conformance.common.results import RunResult, WireLine
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.grid import LETTERS, format_grid
from zeps_conformance.reports.html import html
from zeps_conformance.reports.junit import junit
from zeps_conformance.reports.page import MARKS
from zeps_conformance.reports.sarif import sarif
from zeps_conformance.reports.terminal import WIDTH, format_case, format_run
from zeps_conformance.runs.matrix import Matrix

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def run() -> RunResult:
    return one_of_each()


def schema(name: str) -> Any:
    return json.loads(resources.files("zeps_conformance.reports").joinpath(name).read_text(encoding="utf-8"))


def test_the_run_has_every_verdict(run: RunResult) -> None:
    assert all(run.counts().values())
    assert set(LETTERS) == set(MARKS) == set(Verdict)


def test_json_follows_both_schemas_and_comes_back(run: RunResult) -> None:
    document = json.loads(json.dumps(Matrix([run]).to_json()))
    registry = referencing.Registry().with_resource(
        "report.schema.json", referencing.Resource.from_contents(schema("report.schema.json"))
    )
    jsonschema.Draft202012Validator(schema("matrix.schema.json"), registry=registry).validate(document)
    assert Matrix.from_json(document).to_json() == document
    assert set(schema("report.schema.json")["properties"]) == set(run.to_json())
    assert set(schema("report.schema.json")["$defs"]["case"]["properties"]) == set(
        document["runs"][0]["cases"][0]
    )


def test_a_report_of_an_earlier_version_is_read(run: RunResult) -> None:
    document = json.loads(json.dumps(run.to_json()))
    for name in ("command", "description"):
        del document[name]
    for case in document["cases"]:
        for name in ("category", "blocked_by", "output"):
            del case[name]
    jsonschema.validate(document, schema("report.schema.json"))
    assert RunResult.from_json(document).cases[0].blocked_by == ""


def parts(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all values of a JSON document, of lists only the first item."""
    items = (
        value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    )
    for key, inner in items:
        yield (*path, key)
        yield from parts(inner, (*path, key))


def test_a_report_with_a_value_of_another_type_is_not_a_report(run: RunResult) -> None:
    document = json.loads(json.dumps(run.to_json()))
    accepted, refusals = [], set[str]()
    for path in parts({name: value for name, value in document.items() if name not in ("ok", "counts")}):
        *before, last = path
        holder = functools.reduce(lambda value, key: value[key], before, document)
        kept = holder[last]
        for wrong in (5, "x", [5], {"a": 1}, math.inf, None):
            if type(wrong) is type(kept) and wrong not in ([5], {"a": 1}, math.inf):
                continue
            holder[last] = wrong
            try:
                RunResult.from_json(document)
                accepted.append((path, wrong))
            except ValueError as error:
                refusals.add(str(error).partition(" of format")[0])
        holder[last] = kept
    assert refusals == {"not a report"}
    numbers = {"duration", "pace", "at"}
    assert {(path[-1], wrong) for path, wrong in accepted} == {(name, 5) for name in numbers}
    assert RunResult.from_json(document).to_json() == document


def test_junit_is_valid_and_maps_each_verdict(run: RunResult) -> None:
    text = junit(run)
    root = etree.fromstring(text.encode())
    etree.XMLSchema(etree.parse(HERE / "junit.xsd")).assertValid(root)
    outcomes = {
        case.get("name", "").rpartition(".")[2]: [(str(child.tag), child.get("type")) for child in case]
        for case in root.iter("testcase")
    }
    assert outcomes == {
        "passes": [],
        "fails": [("failure", "fail")],
        "known": [("skipped", None)],
        "crashes": [("failure", "robustness"), ("system-err", None)],
        "deviates": [("failure", "deviation")],
        "flickers": [("failure", "flaky")],
        "breaks": [("error", "inconclusive")],
        "warns": [("system-out", None)],
        "waits": [("skipped", None)],
        "observed": [],
        "cannot": [("skipped", None)],
    }
    assert 'message="blocked by zmtp-pub.made.fails"' in text
    assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["11", "4", "1", "3"]


def test_the_schema_of_junit_refuses_another_structure(run: RunResult) -> None:
    root = etree.fromstring(
        junit(run).replace("<testcase ", "<test ").replace("</testcase>", "</test>").encode()
    )
    assert not etree.XMLSchema(etree.parse(HERE / "junit.xsd")).validate(root)


@pytest.mark.parametrize("address", ["", "https://example.org/pages/"])
def test_sarif_is_valid_and_rules_have_help_links(run: RunResult, address: str) -> None:
    log = json.loads(json.dumps(sarif(run, address)))
    jsonschema.validate(log, json.loads((HERE / "sarif.schema.json").read_text(encoding="utf-8")))
    driver, results = log["runs"][0]["tool"]["driver"], log["runs"][0]["results"]
    rules = {rule["id"]: rule for rule in driver["rules"]}
    assert set(rules) == {"ZMTP-G-11", "ZMTP-S-11", "ROBUSTNESS"}
    assert rules["ZMTP-G-11"]["helpUri"] == (
        "https://rfc.zeromq.org/spec/37/#authentication-and-confidentiality"
    )
    linked = (
        "https://example.org/pages/specification/zmtp-rfc.html#zmtp-g-11"
        in rules["ZMTP-G-11"]["help"]["markdown"]
    )
    assert linked is bool(address)
    by_case = {result["partialFingerprints"]["case/v1"].rpartition(".")[2]: result for result in results}
    assert set(by_case) == {"fails", "known", "crashes", "deviates", "flickers", "breaks", "warns"}
    assert by_case["crashes"]["ruleId"] == "ROBUSTNESS"
    assert "suppressions" in by_case["known"]
    assert "suppressions" not in by_case["fails"]
    for result in results:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert place == "implementations/one.toml"


def test_results_of_one_cause_have_one_fingerprint() -> None:
    results = sarif(made_run([failed("a", "10 bytes"), failed("b", "12 bytes"), failed("c", "an end")]))[
        "runs"
    ][0]["results"]
    causes = [result["partialFingerprints"]["cause/v1"] for result in results]
    assert causes[0] == causes[1] != causes[2]


def test_the_terminal_names_categories_and_blocking_cases(run: RunResult) -> None:
    text = format_run(run)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert all(line == "" or line.isprintable() for line in text.splitlines())
    assert "  category  robustness: counts for no rule" in text
    assert "  output\n    Abort\ufffd" in text
    assert "blocked      zmtp-pub.made.waits: by zmtp-pub.made.fails" in text
    assert " ".join(text.split()).endswith("3 fail (1 of robustness) · 5 findings")


def test_the_grid_has_a_letter_for_each_verdict(run: RunResult) -> None:
    lines = [" ".join(line.split()) for line in format_grid(Matrix([run])).splitlines()]
    for line in ("passes .", "fails F", "known f", "waits b", "cannot -", "flickers ~"):
        assert line in lines


def test_each_finding_of_the_matrix_is_one_line_with_its_column_and_case() -> None:
    wrong = made_case("b", Verdict.PASS, baseline="the baseline expects fail, but the verdict is pass")
    run = made_run([failed("a", "\x1b[31m" + "word " * 60), wrong, failed("known", baseline="expected")])
    run.baseline_problems.append(f"{wrong.id}: {wrong.baseline}")
    lines = format_grid(Matrix([run, one_of_each()], Path("kept here"))).splitlines()
    assert "FAIL         one 4.3 PUB: zmtp-pub.made.a" in lines
    assert "    zeps-conform replay 'kept here/one-pub/zmtp-pub.made.a.json'" in lines
    at = lines.index("PASS         one 4.3 PUB: zmtp-pub.made.b")
    assert lines[at + 1] == "    ZMTP-G-11: the baseline expects fail, but the verdict is pass"
    assert not any("made.b.json" in line or "PUB: zmtp-pub.made.known" in line for line in lines)
    assert all(line.isprintable() for line in lines)
    assert max(len(line) for line in lines if "word word" in line) <= WIDTH
    assert lines[-1].endswith("· 7 findings")


def test_the_terminal_gets_no_control_characters() -> None:
    run = made_run(
        [
            failed("a", wire=[WireLine(0.1, "A\x1b", "-", "note", "\x1b[2J\n")], title="\x1b"),
            made_case("b", Verdict.UNSUPPORTED, reason="\x1b[2J"),
        ]
    )
    run.name = run.endpoint = "\x9b"
    for text in (format_run(run), format_case(run.cases[0], run)):
        assert all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize(
    ("description", "uri"),
    [
        ("my brokers/b#1.toml", "my%20brokers/b%231.toml"),
        ("/etc/my broker.toml", "file:///etc/my%20broker.toml"),
    ],
)
def test_a_path_in_sarif_is_a_uri(description: str, uri: str) -> None:
    run = made_run([failed("a")])
    run.description = description
    (result,) = sarif(run)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_a_problem_of_a_baseline_is_one_finding() -> None:
    wrong = made_case("b", Verdict.PASS, baseline="the baseline expects fail, but the verdict is pass")
    run = made_run([wrong])
    run.baseline_problems.append(f"{wrong.id}: {wrong.baseline}")
    text = format_run(run)
    assert text.endswith("1 cases: 1 pass · 1 finding\n")
    assert " ".join(text.split()).count("the baseline expects fail") == 1


def test_the_single_page_names_categories_and_blocking_cases(run: RunResult) -> None:
    text = html([run])
    assert "<dt>category</dt><dd>robustness: counts for no rule</dd>" in text
    assert '<dt>blocked by</dt><dd class="mono">zmtp-pub.made.fails</dd>' in text
    assert text.count("⊘") >= 2
