"""A broker with one defect is detected by the intended cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import SOAK
from mutant import Mutant
from mutants_gaps import NotRetainedIsGranted, RetentionIsSilent
from mutants_rules import BeyondTheEndMeansNew, RefusedSubscribeEndsTheSession
from runs import ZEPS1, judge
from slow_brokers import ClosesAfterRefusing
from toy_broker import STREAMS, Place, ToyBroker
from toy_mutants import MUTANTS

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.process import BrokerDescription, BrokerProcess
from zeps_conformance.common.case import Needs
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Decoded, Interpreter
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import Remote

HELPERS = Path(__file__).parents[1] / "helpers"
VOLUME = 0.3  # of the repetitions in cases of resources, and of a long stream
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


class RemovesLate(ToyBroker):
    """Removes one more message of a stream with small retention at each PING, as a broker does that removes at times
    of its own choice.
    """

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "PING":
            self.remove_one(place.stream)
        super().in_session(remote, place, message)

    def remove_one(self, stream: str) -> None:
        log = self.log(stream)
        if not stream.startswith(STREAMS.brief or "") or log.end - log.oldest < 8:
            return
        gone = log.messages[log.oldest - 1]
        log.size -= self.cost(gone)
        gone.lost = "retention"
        log.oldest += 1
        for other, place in list(self.places.items()):
            if place.stream == stream:
                self.pump(other, place)


class RemovesAfterGranting(RemovesLate):
    """Removes one more message of a stream with small retention between SUBSCRIBE-OK and the first message."""

    def say(self, remote: Remote, name: str, **values: int | str | bytes) -> None:
        super().say(remote, name, **values)
        if name == "SUBSCRIBE-OK":
            self.remove_one(self.places[remote].stream)


def test_messages_removed_between_the_grant_and_the_first_message(codec: Interpreter) -> None:
    result = judge(RemovesAfterGranting(codec, 20.0), ZEPS1.cases(["gaps.not-retained"]))
    assert [(case.verdict, case.expected, case.seen) for case in result.cases] == [(Verdict.PASS, "", "")]


@pytest.mark.parametrize("kind", [ToyBroker, PingsAtOnce, ClosesAfterRefusing, RemovesLate])
def test_a_broker_without_a_mistake_passes(kind: type[ToyBroker], codec: Interpreter) -> None:
    """Of the variants, all cases in `make soak`, every fourth in `make test`."""
    whole = SOAK or kind is ToyBroker
    cases = [case for case in ZEPS1.cases() if case.needs is Needs.NOTHING][:: 1 if whole else 4]
    result = judge(kind(codec, 20.0), cases, volume=0.02)
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
        kind(codec, timeout),
        ZEPS1.cases(list(kind.killed_by)),
        timeout=0.5,
        client_timeout=timeout,
        volume=kind.volume,
    )
    verdicts = {case.id: case.verdict for case in result.cases}
    assert kind.verdict in verdicts.values()
    assert set(verdicts.values()) <= {kind.verdict, Verdict.BLOCKED}, verdicts


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
        ("ends-at-answers", "restart.stopping-broker-commands", Verdict.FAIL, None),
        ("refuses-answers", "restart.stopping-broker-commands", Verdict.FAIL, None),
        ("waits-for-the-silent", "restart.stopping-expires", Verdict.FAIL, "ZEPS-PING-6"),
        ("buffers", "restart.confirmed-survives-kill", Verdict.FAIL, "ZEPS-PING-10"),
        ("skips-damage", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("serves-damage", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("tells-damage-late", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("calls-damage-retention", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("stops-at-damage", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("damage-costs-credit", "gaps.damage-announced", Verdict.FAIL, "ZEPS-DAMAGE-1"),
        ("tells-damage-to-all", "gaps.damage-announced", Verdict.FAIL, "ZEPS-GAP-2"),
        ("joins-streams", "persistence.streams", Verdict.FAIL, None),
        ("loads-ascii", "persistence.names", Verdict.FAIL, "ZEPS-SEQUENCE-3"),
        ("loads-100", "persistence.long-stream", Verdict.FAIL, "ZEPS-PING-10"),
        ("loads-100", "persistence.latest", Verdict.FAIL, None),
        ("resumes-at-end", "persistence.latest", Verdict.FAIL, "ZEPS-SUBSCRIBE-3"),
        ("repeats-last", "persistence.unconfirmed", Verdict.FAIL, "ZEPS-PUBLISH-3"),
        ("keeps-refused", "resources.invalid-input", Verdict.FAIL, ""),
        ("keeps-detached", "resources.sessions", Verdict.FAIL, ""),
        ("keeps-descriptors", "resources.connections", Verdict.FAIL, ""),
        ("spins", "resources.messages", Verdict.FAIL, ""),
        ("none", "persistence.*", Verdict.PASS, None),
        ("none", "resources.*", Verdict.PASS, None),
        ("none", "restart.*", Verdict.PASS, None),
        ("none", "gaps.damage-announced", Verdict.PASS, None),
    ],
)
def test_mistakes_that_only_a_restart_shows(
    mistake: str, case: str, verdict: Verdict, rule: str | None
) -> None:
    timeout = 3.0 if case in ("restart.*", "restart.stopping-expires") else 20.0
    command = (
        *("{python}", str(HELPERS / "toy_careless.py"), mistake, "{endpoint}", "{data}"),
        f"{timeout:g}",
    )
    with BrokerProcess(BrokerDescription("careless", command, "", ready="ready")) as process:
        options = Options(
            parse_endpoint(process.endpoint),
            timeout=2.0,
            client_timeout=timeout,
            nonce=fresh_nonce(),
            control=process,
            volume=VOLUME,
        )
        result = run(ZEPS1, load_model(), options, ZEPS1.cases([case]), Plan(retries=0))
    assert {outcome.verdict for outcome in result.cases} == {verdict}, [
        (outcome.seen, outcome.reason) for outcome in result.cases
    ]
    if rule is not None:
        assert {outcome.rule for outcome in result.cases} == {rule}
