"""Verdicts, and how each is reached."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import PyDLL
from dataclasses import replace

import pytest
from runs import MODEL, ZEPS1, judge
from toy_broker import ToyBroker

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import FailureError, Verdict
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.nulls import NULLS
from zeps_conformance.runs.runner import run_case
from zeps_conformance.wire.endpoint import parse_endpoint


def case_of(
    function: Callable[[BrokerTrial], None], *rules: str, polarity: Polarity = Polarity.POSITIVE
) -> Case:
    return Case("zeps1.test.case", "A case", rules or ("ZEPS-PING-1",), polarity, Needs.NOTHING, function)


def settle(
    function: Callable[[BrokerTrial], None], codec: Interpreter, retries: int = 0, **how: object
) -> CaseResult:
    made = case_of(function, **how) if how else case_of(function)  # type: ignore[arg-type]
    return judge(ToyBroker(codec, 20.0), [made], retries=retries).cases[0]


def test_a_pass_is_narrated(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        t.step("A attaches.")
        t.session("A").barrier()

    result = settle(case, codec)
    assert result.verdict is Verdict.PASS
    assert [step.text for step in result.steps] == [
        "A attaches.",
        "After: no input is unexplained, and the broker still serves.",
    ]
    assert [check.expected for check in result.steps[0].checks] == [
        "A receives ATTACH-OK",
        "A receives PING-OK",
    ]
    assert {line.connection for line in result.wire} == {"A", "newcomer"}


def test_a_failure_names_rule_expected_and_seen(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        t.step("A pings without a session and expects too much.")
        a = t.connect("A")
        a.send("PING")
        a.expect("PING-OK", "ZEPS-PING-3")

    result = settle(case, codec, retries=2)
    assert result.verdict is Verdict.FAIL
    assert result.attempts == [Verdict.FAIL] * 2
    assert (result.rule, result.expected) == ("ZEPS-PING-3", "A receives PING-OK")
    assert result.seen == "INVALID reason='no-session ATTACH opens one'"
    assert not result.steps[-1].checks[-1].ok


def test_nothing_in_time(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        t.session("A").expect("PING-OK")

    made = replace(case_of(case))
    result = judge(ToyBroker(codec, 20.0), [made], timeout=0.1).cases[0]
    assert (result.verdict, result.seen) == (Verdict.FAIL, "nothing within 0.1 s")


def test_a_should_is_a_warning(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        t.check(False, "a PING now and then", "none", "ZEPS-PING-4")

    result = settle(case, codec)
    assert result.verdict is Verdict.WARN
    assert not result.is_finding


def test_a_failure_of_no_rule_is_the_cases_own(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        raise FailureError("this", "that")

    assert settle(case, codec).rule == "ZEPS-PING-1"


def test_what_fails_and_then_passes_is_flaky(codec: Interpreter) -> None:
    attempts: list[int] = []

    def case(t: BrokerTrial) -> None:
        attempts.append(1)
        t.check(len(attempts) > 1, "a pass", "a failure")

    result = settle(case, codec, retries=2)
    assert result.verdict is Verdict.FLAKY
    assert result.attempts == [Verdict.FAIL, Verdict.PASS, Verdict.PASS]
    assert result.seen == "a failure"
    assert result.is_finding


def test_a_failure_while_the_suite_was_late_counts_if_it_is_repeated(codec: Interpreter) -> None:
    """Here the suite is late because a native call holds the interpreter's lock."""
    attempts: list[int] = []

    def case(t: BrokerTrial) -> None:
        attempts.append(1)
        if len(attempts) == 1:
            PyDLL(None).usleep(600_000)
        t.check(len(attempts) > 1, "a pass", "a failure")

    result = settle(case, codec, retries=2)
    assert result.verdict is Verdict.PASS
    assert result.attempts == [Verdict.INCONCLUSIVE, Verdict.PASS, Verdict.PASS]


def test_the_harness_own_fault_is_inconclusive(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        raise ZeroDivisionError("oops")

    result = settle(case, codec)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "ZeroDivisionError: oops (test_runner.py, line" in result.reason


def test_a_case_that_takes_too_long_is_inconclusive(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        t.allow(-1000)
        t.session("A")

    result = settle(case, codec)
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, "the case exceeded its time limit")


def test_a_case_of_a_broker_has_its_own_time_limit(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        t.session("A")

    result = judge(ToyBroker(codec, 20.0), [replace(case_of(case), limit=0.0)]).cases[0]
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, "the case exceeded its time limit")


def test_what_cannot_be_tried_is_unsupported(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        t.unsupported("no such thing here")

    result = settle(case, codec)
    assert (result.verdict, result.reason) == (Verdict.UNSUPPORTED, "no such thing here")
    assert not result.is_finding


def test_without_control_nothing_is_restarted(codec: Interpreter) -> None:
    result = judge(ToyBroker(codec, 20.0), ZEPS1.cases(["restart.*"]))
    assert {case.verdict for case in result.cases} == {Verdict.UNSUPPORTED}
    assert {case.reason for case in result.cases} == {"needs a broker that the suite starts: use --start"}


def test_a_timeout_longer_than_the_patience_is_unsupported(codec: Interpreter) -> None:
    result = judge(ToyBroker(codec, 20.0), ZEPS1.cases(["heartbeat.forgets-the-silent"]), client_timeout=60.0)
    assert result.cases[0].verdict is Verdict.UNSUPPORTED
    assert "longer than the patience" in result.cases[0].reason


def test_an_unknown_timeout_that_does_not_come_is_inconclusive(codec: Interpreter) -> None:
    with ToyBroker(codec, 60.0) as broker:
        options = Options(parse_endpoint(broker.endpoint), patience=0.3)
        result = run_case(ZEPS1.cases(["heartbeat.forgets-the-silent"])[0], codec, options)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "--client-timeout" in result.reason


def test_a_stray_frame_at_the_end_fails_the_case(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        t.reader("A").publish("k", b"v")

    result = settle(case, codec)
    assert result.verdict is Verdict.FAIL
    assert result.expected == "nothing for A: every due message has arrived"
    assert result.seen == "DELIVER sequence=1 key='k' body='v'"


def test_a_negative_case_needs_a_witness(codec: Interpreter) -> None:
    def case(t: BrokerTrial) -> None:
        raise AssertionError("the witness comes first")

    result = judge(
        NULLS["refuse-everything"](codec), [case_of(case, polarity=Polarity.NEGATIVE)], timeout=0.3
    ).cases[0]
    assert result.verdict is Verdict.FAIL
    assert result.steps[0].text.startswith("Before: a witness")


def test_an_offender_has_to_be_served_again(codec: Interpreter) -> None:
    class Grudge(ToyBroker):
        def attach(self, remote: object, message: object) -> None:
            if remote in self.offenders:
                self.refuse(remote, "stopping", "not you")
            else:
                super().attach(remote, message)  # type: ignore[arg-type]

        def refuse(self, remote: object, code: str, text: str) -> None:
            self.offenders.add(remote)
            super().refuse(remote, code, text)  # type: ignore[arg-type]

        offenders: set[object] = set()  # noqa: RUF012

    def case(t: BrokerTrial) -> None:
        a = t.session("A")
        a.send_frame(b"")
        a.expect_invalid()

    result = judge(Grudge(codec, 20.0), [case_of(case, polarity=Polarity.NEGATIVE)]).cases[0]
    assert result.verdict is Verdict.FAIL
    assert (result.expected, result.seen) == ("A receives ATTACH-OK", "INVALID reason='stopping not you'")


def test_rules_carry_the_worst_verdict_of_their_cases(codec: Interpreter) -> None:
    def bad(t: BrokerTrial) -> None:
        t.check(False, "this", "that", "ZEPS-PING-3")

    def good(t: BrokerTrial) -> None:
        t.step("Nothing.")

    cases = [
        replace(case_of(bad, "ZEPS-PING-1", "ZEPS-PING-3"), id="zeps1.test.bad"),
        replace(case_of(good, "ZEPS-PING-1"), id="zeps1.test.good"),
        replace(case_of(bad, "ZEPS-CREDIT-1"), id="zeps1.test.other"),
    ]
    verdicts = {rule.id: rule.verdict for rule in judge(ToyBroker(codec, 20.0), cases).rules}
    assert verdicts["ZEPS-PING-1"] is Verdict.PASS
    assert verdicts["ZEPS-PING-3"] is Verdict.FAIL
    assert verdicts["ZEPS-CREDIT-1"] is Verdict.BLOCKED
    assert verdicts["ZEPS-SUBSCRIBE-1"] is None
    assert len(verdicts) == len(MODEL.all_rules())


def test_a_case_that_cannot_be_tried_takes_nothing_from_its_rules(codec: Interpreter) -> None:
    result = judge(
        ToyBroker(codec, 20.0), ZEPS1.cases(["restart.*", "sequence.from-one", "sequence.no-gaps"])
    )
    verdicts = {rule.id: rule.verdict for rule in result.rules}
    assert verdicts["ZEPS-SEQUENCE-2"] is Verdict.PASS
    assert verdicts["ZEPS-SEQUENCE-3"] is Verdict.UNSUPPORTED
    assert Verdict.worst([]) is None


@pytest.mark.parametrize("frame", [b"", b"\xaa\xa5\x63", b"\xaa\xa5\x08\x00"])
def test_a_broker_that_sends_bad_frames_fails_under_the_frames_rule(codec: Interpreter, frame: bytes) -> None:
    class Babbler(ToyBroker):
        def say(self, remote: object, name: str, **values: object) -> None:
            if name == "PING-OK":
                remote.send(frame)  # type: ignore[attr-defined]
            else:
                super().say(remote, name, **values)  # type: ignore[arg-type]

    def case(t: BrokerTrial) -> None:
        t.session("A").barrier()

    result = judge(Babbler(codec, 20.0), [case_of(case, "ZEPS-PING-1")]).cases[0]
    assert result.verdict is Verdict.FAIL
    assert result.rule in ("ZEPS-FRAME-5", "ZEPS-FRAME-6", "ZEPS-FRAME-4")
