"""Verdicts of cases of profile zeps1 for brokers that are made for one question each."""

from __future__ import annotations

import sys
import time
from collections import deque
from pathlib import Path

import pytest
from runs import ZEPS1, judge
from toy_broker import Place, Stored, ToyBroker

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.probes import paced
from zeps_conformance.broker.process import BrokerDescription, BrokerProcess
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.runs.runner import fresh_nonce, run_case
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import Remote

HELPERS = Path(__file__).parents[1] / "helpers"


def _judge(broker: ToyBroker, case_id: str, client_timeout: float | None = 20.0) -> CaseResult:
    (result,) = judge(broker, ZEPS1.cases([case_id]), timeout=1.0, client_timeout=client_timeout).cases
    return result


class ChangesKeys(ToyBroker):
    """Delivers another key."""

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        self.say(remote, "DELIVER", sequence=stored.sequence, key="other", body=stored.body)


def test_another_key_is_a_failure_of_the_order(codec: Interpreter) -> None:
    result = _judge(ChangesKeys(codec, 20.0), "publish.keeps-order")
    assert (result.verdict, result.rule) == (Verdict.FAIL, "ZEPS-PUBLISH-3"), result.reason


class ServesOnce(ToyBroker):
    """Delivers nothing on a connection on which INVALID has ended a session."""

    def __init__(self, codec: Interpreter, client_timeout: float) -> None:
        super().__init__(codec, client_timeout)
        self.refused: set[Remote] = set()

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, code, text)
        self.refused.add(remote)

    def pump(self, remote: Remote, place: Place) -> None:
        if remote not in self.refused:
            super().pump(remote, place)


def test_a_peer_that_is_not_served_after_its_refusal_is_a_failure(codec: Interpreter) -> None:
    """Although the first rule of the case is a MAY."""
    result = _judge(ServesOnce(codec, 20.0), "invalid.may-close")
    assert (result.verdict, result.rule) == (Verdict.FAIL, "ZEPS-PUBLISH-2")


class DiesOfDetachOk(ToyBroker):
    """Answers DETACH-OK without DETACH by a second ATTACH-OK, and accepts no connection afterwards."""

    dead = False

    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        if name == "DETACH-OK":
            self.say(remote, "ATTACH-OK")
            self.dead = True
        else:
            super().unexpected(remote, place, name)

    def opened(self, remote: Remote) -> None:
        if self.dead:
            self.hang_up(remote)
        else:
            super().opened(remote)


def test_a_failing_sequence_that_cannot_be_repeated_is_a_failure(codec: Interpreter) -> None:
    case = ZEPS1.cases(["machine.complete"])[0]
    with DiesOfDetachOk(codec, 20.0) as broker:
        result = run_case(
            case, codec, Options(parse_endpoint(broker.endpoint), timeout=1.0, nonce=fresh_nonce())
        )
    assert result.verdict is Verdict.FAIL, result.reason
    assert "not repeated" in result.seen


class DeliversLate(ToyBroker):
    """Delivers one second after PING-OK has confirmed a message, in order."""

    LATE = 1.0

    def __init__(self, codec: Interpreter, client_timeout: float) -> None:
        super().__init__(codec, client_timeout)
        self.late: deque[tuple[float, Remote, Place, Stored]] = deque()

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        self.late.append((time.monotonic() + self.LATE, remote, place, stored))

    def turn(self, now: float) -> None:
        super().turn(now)
        while self.late and self.late[0][0] <= now:
            _, remote, place, stored = self.late.popleft()
            if self.places.get(remote) is place:
                super().deliver(remote, place, stored)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forgets-the-silent", "signs-of-life", "slow-message", "asks-the-silent"])
def test_the_end_of_a_session_is_not_seen_too_early_at_a_slow_broker(codec: Interpreter, name: str) -> None:
    """And other sessions stay alive meanwhile."""
    with DeliversLate(codec, 3.0) as broker:
        options = Options(
            parse_endpoint(broker.endpoint), timeout=1.0, client_timeout=3.0, nonce=fresh_nonce()
        )
        (case,) = ZEPS1.cases([f"heartbeat.{name}"])
        result = run_case(case, codec, paced(options, 0.1))
    assert result.verdict is Verdict.PASS, (result.expected, result.seen, result.reason)


@pytest.mark.slow
def test_a_timeout_that_is_short_and_not_known_is_not_judged(codec: Interpreter) -> None:
    result = _judge(ToyBroker(codec, 1.0), "timers.restarts-ping", client_timeout=None)
    assert result.verdict is Verdict.UNSUPPORTED, (result.expected, result.seen, result.reason)
    assert "client-timeout" in result.reason


HURRIED = """
import toy_broker

def hurry(self, now, stop=toy_broker.ToyBroker.stop_in_order):
    stop(self, now)
    self.stopped = self.stopped or now - self.stopping_since > 1

toy_broker.ToyBroker.stop_in_order = hurry
toy_broker.main()
"""


@pytest.mark.slow
def test_a_broker_need_not_wait_for_its_clients_when_it_stops(codec: Interpreter) -> None:
    """It stops within a second, and a silent session has not ended by then."""
    command = (sys.executable, "-c", HURRIED, "{endpoint}", "{data}", "2.5")
    description = BrokerDescription("hurried", command, "", "ready", environment={"PYTHONPATH": str(HELPERS)})
    with BrokerProcess(description) as process:
        options = Options(
            parse_endpoint(process.endpoint), client_timeout=2.5, nonce=fresh_nonce(), control=process
        )
        (case,) = ZEPS1.cases(["restart.stopping-expires"])
        result = run_case(case, codec, options)
    assert result.verdict is Verdict.PASS, (result.expected, result.seen, result.reason)
