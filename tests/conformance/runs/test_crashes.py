"""A broker that crashes: the case that causes it fails, and no other case."""

from __future__ import annotations

from pathlib import Path

import pytest
from runs import MODEL, ZEPS1

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.process import BrokerDescription, BrokerProcess
from zeps_conformance.common.verdicts import Category, Verdict
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint

CARELESS = Path(__file__).parents[1] / "helpers" / "toy_careless.py"


@pytest.mark.slow
def test_a_crash_is_a_finding_of_the_case_that_causes_it() -> None:
    command = ("{python}", str(CARELESS), "crashes", "{endpoint}", "{data}")
    with BrokerProcess(BrokerDescription("careless", command, "", ready="ready")) as process:
        options = Options(parse_endpoint(process.endpoint), timeout=2.0, nonce=fresh_nonce(), control=process)
        result = run(ZEPS1, MODEL, options, ZEPS1.cases(["framing.*"]), Plan(jobs=8, retries=1))
    bad = {case.id: case for case in result.cases if case.verdict is not Verdict.PASS}
    assert set(bad) == {"zeps1.framing.one-part"}
    case = bad["zeps1.framing.one-part"]
    assert case.verdict is Verdict.FAIL
    assert case.category is Category.ROBUSTNESS
    assert (case.rule, case.blocked_by) == ("", "")
    assert case.seen.startswith("it exited with status 70; before that, ")
    assert "fatal: a frame of several parts" in case.output
    assert {rule.verdict for rule in result.rules if rule.id == "ZEPS-FRAME-8"} == {None}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake", "cases"),
    [
        ("crashes", ["framing.one-part", "framing.several-parts", "opening.grants"]),
        ("none", ["restart.after-kill", "restart.after-stop"]),
    ],
)
def test_a_broker_that_does_not_start_again_is_a_finding(
    tmp_path: Path, mistake: str, cases: list[str]
) -> None:
    once = f'mkdir "{tmp_path}/started" || exit 1; exec "$0" "$@"'
    command = ("sh", "-c", once, "{python}", str(CARELESS), mistake, "{endpoint}", "{data}")
    with BrokerProcess(BrokerDescription("careless", command, "", ready="ready")) as process:
        options = Options(parse_endpoint(process.endpoint), timeout=2.0, nonce=fresh_nonce(), control=process)
        chosen = [case for case in ZEPS1.cases() if case.id.removeprefix("zeps1.") in cases]
        result = run(ZEPS1, MODEL, options, chosen, Plan(jobs=1, retries=1))
    bad = [case for case in result.cases if case.verdict is not Verdict.PASS]
    assert bad
    assert {(case.verdict, case.category) for case in bad} == {(Verdict.FAIL, Category.ROBUSTNESS)}
    assert any("exit 1 before it served" in case.seen for case in bad)
