"""A broker with one defect is detected by the intended cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutant import Mutant
from mutants_gaps import NotRetainedIsGranted, RetentionIsSilent
from mutants_rules import BeyondTheEndMeansNew, RefusedSubscribeEndsTheSession
from runs import ZEPS1, judge
from toy_broker import ToyBroker
from toy_mutants import MUTANTS

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.process import BrokerDescription, BrokerProcess
from zeps_conformance.common.case import Needs
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import Remote

HELPERS = Path(__file__).parents[1] / "helpers"
QUICK = 1.5  # seconds of silence after which the toy ends a session, for cases that wait for it


def timeout_of(kind: type[ToyBroker]) -> float:
    """Returns a short timeout only for the mutants whose defect concerns it."""
    waits = any(case.needs is Needs.TIME for case in ZEPS1.cases(list(getattr(kind, "killed_by", ("*",)))))
    return QUICK if waits else 20.0


class PingsAtOnce(ToyBroker):
    """Answers a sign of life by PING, so that PING crosses the end of a session."""

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        if remote in self.places and parts != (self.codec.encode("PING-OK"),):
            self.say(remote, "PING")
        super().received(remote, parts)


class ClosesAfterRefusing(ToyBroker):
    """Closes the connection with an INVALID that ends the session (ZEPS-SESSION-6)."""

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, code, text)
        self.hang_up(remote)


@pytest.mark.parametrize("kind", [ToyBroker, PingsAtOnce, ClosesAfterRefusing])
def test_a_broker_without_a_mistake_passes(kind: type[ToyBroker], codec: Interpreter) -> None:
    cases = [case for case in ZEPS1.cases() if case.needs is Needs.NOTHING]
    result = judge(kind(codec, 20.0), cases)
    assert [
        (case.id, case.expected, case.seen, case.reason)
        for case in result.cases
        if case.verdict is not Verdict.PASS
    ] == []


@pytest.mark.parametrize("name", MUTANTS)
def test_each_mutant_is_killed_by_the_cases_that_name_its_mistake(name: str, codec: Interpreter) -> None:
    kind = MUTANTS[name]
    timeout = timeout_of(kind)
    result = judge(
        kind(codec, timeout), ZEPS1.cases(list(kind.killed_by)), timeout=0.5, client_timeout=timeout
    )
    assert {case.id: case.verdict for case in result.cases} == {
        case.id: kind.verdict for case in result.cases
    }


class SilentLoss(NotRetainedIsGranted, RetentionIsSilent):
    """Skips messages in retention and resumption without an announcement."""


@pytest.mark.parametrize("kind", [SilentLoss, RefusedSubscribeEndsTheSession, BeyondTheEndMeansNew])
def test_a_broker_of_before_the_promises_fails(kind: type[Mutant], codec: Interpreter) -> None:
    cases = [case for case in ZEPS1.cases(["gaps.*", "subscribe.*"]) if case.needs is Needs.NOTHING]
    result = judge(kind(codec, 20.0), cases, timeout=2.0)
    assert not result.ok
    failed = {case.id for case in result.cases if case.verdict is Verdict.FAIL}
    expected = (
        {*RetentionIsSilent.killed_by, *NotRetainedIsGranted.killed_by}
        if kind is SilentLoss
        else kind.killed_by
    )
    assert {f"zeps1.{name}" for name in expected} <= failed


@pytest.mark.parametrize(
    ("mistake", "case", "verdict", "rule"),
    [
        ("forgets", "restart.after-stop", Verdict.FAIL, "ZEPS-SEQUENCE-3"),
        ("forgets", "restart.after-kill", Verdict.FAIL, None),
        ("renumbers", "restart.after-stop", Verdict.FAIL, "ZEPS-SEQUENCE-2"),
        ("hangs-up", "restart.stop-detaches", Verdict.WARN, "ZEPS-DETACH-4"),
        ("deaf", "restart.published-before-detach", Verdict.FAIL, "ZEPS-DETACH-5"),
        ("stays", "restart.stop-detaches", Verdict.WARN, "ZEPS-DETACH-4"),
        ("buffers", "restart.confirmed-survives-kill", Verdict.FAIL, "ZEPS-PING-10"),
        ("skips-damage", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("serves-damage", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("tells-damage-late", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("calls-damage-retention", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("stops-at-damage", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("damage-costs-credit", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("tells-damage-to-all", "gaps.damage-announced", Verdict.FAIL, "ZEPS-GAP-2"),
        ("none", "restart.*", Verdict.PASS, None),
        ("none", "gaps.damage-announced", Verdict.PASS, None),
    ],
)
def test_mistakes_that_only_a_restart_shows(
    mistake: str, case: str, verdict: Verdict, rule: str | None
) -> None:
    command = ("{python}", str(HELPERS / "toy_careless.py"), mistake, "{endpoint}", "{data}")
    with BrokerProcess(BrokerDescription("careless", command, "", ready="ready")) as process:
        options = Options(parse_endpoint(process.endpoint), timeout=2.0, nonce=fresh_nonce(), control=process)
        result = run(ZEPS1, load_model(), options, ZEPS1.cases([case]), Plan(retries=0))
    assert {outcome.verdict for outcome in result.cases} == {verdict}, [
        (outcome.seen, outcome.reason) for outcome in result.cases
    ]
    if rule is not None:
        assert {outcome.rule for outcome in result.cases} == {rule}
