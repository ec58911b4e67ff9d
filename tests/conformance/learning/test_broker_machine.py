"""The machine that is derived from the model, and its complete test suite against brokers in this process."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import ZEPS1, judge
from toy_broker import Place, ToyBroker
from toy_mutants import MUTANTS

from zeps_conformance.broker.options import Options
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.common.results import CaseResult
from zeps_conformance.learning.broker_inputs import BROKER_INPUTS, BrokerInputs
from zeps_conformance.learning.broker_model import PROTOCOL, ModelBroker, broker_machine
from zeps_conformance.learning.broker_rules import MACHINE_RULES, violated_rule
from zeps_conformance.learning.broker_suite import first_failing
from zeps_conformance.learning.broker_words import BrokerWords
from zeps_conformance.learning.suites import complete_suite
from zeps_conformance.model.definitions import Model, load_models
from zeps_conformance.model.interpreter import Decoded, Interpreter
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import Remote

MODELS, MACHINES = load_models()
ORACLE = Oracle(MODELS, MACHINES, [PROTOCOL])
CASES = ZEPS1.cases(["machine.*"])


class ClosesAfterRefusing(ToyBroker):
    """Closes the connection with an INVALID that ends the session (ZEPS-SESSION-6)."""

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, code, text)
        self.hang_up(remote)


def result_of(broker: ToyBroker) -> CaseResult:
    """Runs the complete test suite against a broker that is not started yet."""
    (result,) = judge(broker, CASES, timeout=2.0).cases
    return result


@given(st.lists(st.sampled_from(BROKER_INPUTS), max_size=30))
def test_the_machine_answers_every_word_as_the_model(word: list[str]) -> None:
    """States with equal keys are the same: the abstraction loses nothing that an output depends on."""
    broker = ModelBroker(ORACLE, BrokerInputs(ORACLE.codecs[PROTOCOL]))
    assert [broker.step(symbol) for symbol in word] == broker_machine().outputs(word)


@pytest.mark.parametrize(
    ("word", "output"),
    [
        ("PING", ("INVALID no-session",)),
        ("ATTACH PING", ("PING-OK",)),
        ("ATTACH SUBSCRIBE CREDIT PUBLISH", ("DELIVER*",)),
        ("ATTACH PUBLISH CREDIT SUBSCRIBE", ("SUBSCRIBE-OK", "DELIVER*")),
        ("ATTACH SUBSCRIBE PUBLISH", ()),
        ("ATTACH CREDIT ATTACH SUBSCRIBE PUBLISH", ()),
        ("ATTACH malformed PING", ("INVALID no-session",)),
        ("ATTACH DETACH-OK PING", ("PING-OK",)),
        ("ATTACH PUBLISH close ATTACH SUBSCRIBE CREDIT", ("DELIVER*",)),
    ],
)
def test_words_of_the_specification(word: str, output: tuple[str, ...]) -> None:
    assert broker_machine().outputs(word.split())[-1] == output


def test_every_rule_of_the_machine_is_in_the_model(model: Model) -> None:
    assert [model.rule(rule).id for rule in MACHINE_RULES] == list(MACHINE_RULES)
    assert len(set(MACHINE_RULES)) == len(MACHINE_RULES)


def test_the_suite_has_words_for_each_further_state() -> None:
    machine = broker_machine()
    words, more = complete_suite(machine, 0), complete_suite(machine, 1)
    assert machine.size * len(machine.inputs) < len(words) * 2 < len(more)


@pytest.mark.slow
def test_a_correct_broker_passes(codec: Interpreter) -> None:
    assert result_of(ToyBroker(codec, 20.0)).verdict == "pass"


@pytest.mark.slow
def test_a_broker_may_close_after_an_invalid_that_ends_the_session(codec: Interpreter) -> None:
    assert result_of(ClosesAfterRefusing(codec, 20.0)).verdict == "pass"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mutant", "rule", "word"),
    [
        ("CreditWraps", "ZEPS-PUBLISH-2", "ATTACH, CREDIT, CREDIT"),
        ("AttachKeepsCredit", "ZEPS-CREDIT-5", "ATTACH, CREDIT, ATTACH"),
        ("PublishIsAnswered", "ZEPS-PUBLISH-1", "PUBLISH"),
        ("PingOkIsAnswered", "ZEPS-PING-OK-1", "ATTACH, PING-OK"),
        ("DetachOkIsIgnored", "ZEPS-DETACH-OK-1", "ATTACH, DETACH-OK"),
        ("InvalidKeepsCredit", "ZEPS-CREDIT-5", "ATTACH ''"),
        ("UnionDeliversTwice", "ZEPS-SUBSCRIBE-6", "SUBSCRIBE"),
        ("InvalidWithoutReason", "ZEPS-INVALID-8", "ATTACH ''"),
        ("VanishedPublishersTakeTheirLastMessage", "ZEPS-CREDIT-6", "close"),
    ],
)
def test_a_fault_in_the_machine_is_detected(mutant: str, rule: str, word: str, codec: Interpreter) -> None:
    result = result_of(MUTANTS[mutant](codec, 20.0))
    assert result.verdict == "fail"
    assert (result.rule, word in result.expected) == (rule, True), result.expected


def test_a_difference_without_a_known_rule_has_none() -> None:
    assert violated_rule(broker_machine(), ("ATTACH", "close"), ("PING",)) is None


class AnswersTheSecondPingOk(ToyBroker):
    """Answers the second PING-OK of a session, and no other: in a state more than the model's machine has."""

    def __init__(self, codec: Interpreter) -> None:
        super().__init__(codec, 20.0)
        self.heard: dict[Remote, int] = {}

    def attach(self, remote: Remote, message: Decoded) -> None:
        self.heard[remote] = 0
        super().attach(remote, message)

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        self.heard[remote] += message.name == "PING-OK"
        if message.name == "PING-OK" and self.heard[remote] == 2:
            self.say(remote, "PING-OK")
        super().in_session(remote, place, message)


@pytest.mark.slow
def test_a_fault_in_a_further_state_needs_the_suite_with_extra_states(codec: Interpreter) -> None:
    machine = broker_machine()
    with AnswersTheSecondPingOk(codec) as broker:
        words = BrokerWords(codec, Options(parse_endpoint(broker.endpoint)))
        small, large = complete_suite(machine, 0), complete_suite(machine, 1)
        assert first_failing(machine, small, words) is None
        failing = first_failing(machine, [word for word in large if word.count("PING-OK") > 1], words)
    assert failing is not None
    assert failing.word == ("ATTACH", "PING-OK", "PING-OK")
    assert violated_rule(machine, failing.word, failing.seen[-1]) == "ZEPS-PING-OK-1"
