"""Correct brokers that are slow or frugal pass. `make test` tries the two quickest, `make soak PART=slow` all."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import SOAK, sized
from runs import MODEL, ZEPS1, judge, others_than_passes
from slow_brokers import ClosesAfterRefusing, KeepsLittle
from slow_link import SlowLink, Way
from toy_broker import ToyBroker

from zeps_conformance.broker.options import Options, Streams
from zeps_conformance.broker.process import BrokerProcess, load_broker
from zeps_conformance.common.case import Needs
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint

BROKER = Path(__file__).parents[3] / "conformance" / "implementations" / "zeps.toml"
WAYS = {
    "200 ms for each command": Way(delay=0.2),
    "50 ms ticks": Way(tick=0.05),
    "500 ms pauses": Way(pause=0.5),
    "1 to 7 bytes at a time": Way(piece=7),
    "1 to 100 bytes at a time": Way(piece=100),
}
IN_TEST = "1 to 100 bytes at a time"
VOLUME = 0.02  # of the messages in cases of scale
JOBS = sized(8, 24)  # cases at a time: with a slow broker they wait


@pytest.mark.slow
@pytest.mark.parametrize("name", WAYS if SOAK else [IN_TEST])
def test_the_broker_behind_a_slow_link_passes(name: str) -> None:
    description = load_broker(BROKER)
    with BrokerProcess(description) as process, SlowLink(process.endpoint, WAYS[name]) as link:
        options = Options(
            parse_endpoint(link.endpoint),
            client_timeout=description.client_timeout,
            nonce=fresh_nonce(),
            streams=description.streams,
            control=process if SOAK else None,
            volume=VOLUME,
        )
        cases = [case for case in ZEPS1.cases() if SOAK or case.needs is Needs.NOTHING]
        result = run(ZEPS1, MODEL, options, cases, Plan(JOBS, retries=0, name=name))
    others = others_than_passes(result)
    wrong = [str(other) for other in others if other[1] != "unsupported"]
    assert not wrong, "\n".join(wrong)
    assert len(others) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", [KeepsLittle, ClosesAfterRefusing] if SOAK else [KeepsLittle])
def test_a_frugal_broker_passes(kind: type[ToyBroker], codec: Interpreter) -> None:
    cases = [
        case
        for case in ZEPS1.cases()
        if case.needs in ((Needs.NOTHING, Needs.TIME) if SOAK else (Needs.NOTHING,))
    ]
    broker = kind(codec, 8.0)
    cases = cases[:: 1 if SOAK else 3]
    result = judge(broker, cases, client_timeout=8.0, volume=VOLUME, streams=Streams(regex="regex/"))
    others = others_than_passes(result)
    wrong = [str(other) for other in others if "needs streams " not in other[-1]]
    assert not wrong, "\n".join(wrong)
    assert len(others) < 25
