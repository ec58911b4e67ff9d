"""Real brokers answer the complete test suites of the model's machine, for one and two states more than the model's.

`make test` runs a sample of the sequences for one further state; `make soak PART=complete` all of them, and a sample
for two further states.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import SOAK, random_of, sized

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.process import BrokerProcess, load_broker
from zeps_conformance.learning.broker_model import broker_machine
from zeps_conformance.learning.broker_suite import first_failing
from zeps_conformance.learning.broker_words import BrokerWords
from zeps_conformance.learning.suites import complete_suite
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.wire.endpoint import parse_endpoint

IMPLEMENTATIONS = Path(__file__).parents[2] / "conformance" / "implementations"
SAMPLE = sized(150, 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("broker", ["zeps", "go-memory"])
@pytest.mark.parametrize("extra_states", [1, 2] if SOAK else [1])
def test_a_broker_answers_as_the_model(broker: str, extra_states: int) -> None:
    suite = complete_suite(broker_machine(), extra_states)
    chosen = random_of(extra_states).sample(suite, min(SAMPLE, len(suite)))
    with BrokerProcess(load_broker(IMPLEMENTATIONS / f"{broker}.toml")) as process:
        options = Options(parse_endpoint(process.endpoint), timeout=20.0)
        words = BrokerWords(Interpreter(load_model()), options)
        assert first_failing(broker_machine(), chosen, words) is None
