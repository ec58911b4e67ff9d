"""Trials of clients: their recorded traffic, reports that a client does not offer, and clients that give up."""

from __future__ import annotations

import pytest
from client_runs import CLIENT_PROFILE, judge_client
from toy_client import CODEC, LostError, ToyAdapter, ToyClient

from zeps_conformance.common.traffic import Traffic
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.interpreter import Decoded, MalformedFrameError


def test_traffic_of_clients_is_recorded() -> None:
    (case,) = CLIENT_PROFILE.cases(["barrier.served"])
    result = judge_client(case, record=True)
    assert isinstance(result.traffic, Traffic)
    connection, *_ = result.traffic.connections
    assert connection.accepted
    sent = {
        way: b"".join(chunk.data for chunk in connection.chunks if chunk.sent is way) for way in (True, False)
    }
    assert CODEC.encode("ATTACH-OK") in sent[True]
    assert CODEC.encode("DETACH") in sent[False]


class SaysNothing(ToyClient):
    """Reports no gaps, refusals and lost sessions."""

    def tell(self, event: str, **fields: object) -> None:
        if event not in ("gap", "refused", "lost"):
            super().tell(event, **fields)


class SilentAdapter(ToyAdapter):
    """Of clients that offer no reports but deliveries."""

    FEATURES = tuple(name for name in ToyAdapter.FEATURES if name not in ("gaps", "refusals", "losses"))


@pytest.mark.parametrize(
    "name",
    [
        "subscribe.beyond-end",
        "subscribe.not-retained",
        "subscribe.refused-pattern",
        pytest.param("opening.refused", marks=pytest.mark.slow),
    ],
)
def test_a_report_that_a_client_does_not_offer_is_not_required(name: str) -> None:
    (case,) = CLIENT_PROFILE.cases([name])
    result = judge_client(case, SaysNothing, timeout=0.5, adapter=SilentAdapter)
    assert result.verdict is Verdict.PASS, (result.expected, result.seen)


class GivesUp(ToyClient):
    """Gives up with an error after a malformed frame."""

    def malformed(self, error: MalformedFrameError) -> None:
        self.tell("failed", reason=str(error))
        self.ended.set()
        super().malformed(error)


class PassesAndGivesUp(GivesUp):
    """Passes a DELIVER with trailing bytes to its application before it gives up."""

    def malformed(self, error: MalformedFrameError) -> None:
        if error.code == "trailing" and error.message == "DELIVER":
            self.deliver(Decoded("DELIVER", {"sequence": 1000, "key": "hostile", "body": b""}, 0))
        super().malformed(error)


@pytest.mark.parametrize(("kind", "verdict"), [(GivesUp, Verdict.PASS), (PassesAndGivesUp, Verdict.FAIL)])
@pytest.mark.parametrize("name", ["malformed.deliver-in-session", "malformed.while-attaching"])
def test_hostile_input_must_not_reach_a_client_that_gives_up(
    name: str, kind: type[ToyClient], verdict: Verdict
) -> None:
    (case,) = CLIENT_PROFILE.cases([name])
    result = judge_client(case, kind, timeout=1.0)
    assert result.verdict is verdict, (result.expected, result.seen, result.reason)


class WaitsForItsCredit(ToyClient):
    """Grants credit before its SUBSCRIBE is answered."""

    def on_attach_ok(self, message: Decoded) -> None:
        super().on_attach_ok(message)
        self.grant(self.WINDOW)


def test_a_client_may_wait_for_credit_that_it_granted_before_subscribe_ok() -> None:
    (case,) = CLIENT_PROFILE.cases(["heartbeat.three-unanswered"])
    result = judge_client(case, WaitsForItsCredit, timeout=0.5)
    assert result.verdict is Verdict.PASS, (result.expected, result.seen)


class FixedRate(ToyAdapter):
    """Of clients whose rate cannot be configured."""

    FEATURES = tuple(name for name in ToyAdapter.FEATURES if name != "rate")

    def ask(self, op: str, /, patience: float = 2.0, **fields: object) -> object:  # type: ignore[override]
        if op == "open":
            fields["options"].pop("rate", None)  # type: ignore[attr-defined]
        return super().ask(op, patience, **fields)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heartbeat.resumes", "heartbeat.patience"])
def test_a_wait_that_takes_minutes_is_not_awaited(name: str) -> None:
    (case,) = CLIENT_PROFILE.cases([name])
    result = judge_client(case, timeout=0.2, adapter=FixedRate)
    assert result.verdict is Verdict.UNSUPPORTED, (result.expected, result.seen)


class EndsAtDetach(ToyClient):
    """Ends without an error after it has answered the broker's DETACH."""

    def on_detach(self, message: Decoded) -> None:
        self.closing = True
        try:
            super().on_detach(message)
        except LostError:
            self.ended.set()


def test_a_client_may_end_after_it_has_answered_detach() -> None:
    (case,) = CLIENT_PROFILE.cases(["closing.answered"])
    result = judge_client(case, EndsAtDetach, timeout=1.0)
    assert result.verdict is Verdict.PASS, (result.expected, result.seen)


class KeepsAlive(ToyClient):
    """Sends PING-OK, which is not answered, whenever it has nothing else to do."""

    def tick(self) -> None:
        if self.state == "open":
            self.send("PING-OK")
        super().tick()


def test_a_client_may_send_ping_ok_without_a_ping() -> None:
    (case,) = CLIENT_PROFILE.cases(["heartbeat.answered"])
    result = judge_client(case, KeepsAlive, timeout=1.0)
    assert result.verdict is Verdict.PASS, (result.expected, result.seen)


class ReportsOddly(ToyClient):
    """Its adapter reports a message without a sequence."""

    def deliver(self, message: Decoded) -> None:
        self.tell("delivered", key="k")


def test_an_invalid_event_is_an_error_of_the_adapter() -> None:
    (case,) = CLIENT_PROFILE.cases(["barrier.served"])
    result = judge_client(case, ReportsOddly, timeout=1.0)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "ReportsOddly: invalid event {'event': 'delivered', 'key': 'k'}" in result.reason
