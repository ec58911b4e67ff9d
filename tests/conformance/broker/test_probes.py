"""Probes at the start of a run: the answer time, from which the waits follow, and small retention of all streams."""

from __future__ import annotations

import time

import pytest
from slow_brokers import KeepsLittle
from toy_broker import Place, ToyBroker

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.probes import PACE_MAX, answer_seconds, paced, probed
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.nulls import NULLS
from zeps_conformance.runs.runner import fresh_nonce
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import Remote, RouterServer

LATE = 0.2  # seconds


class AnswersLate(ToyBroker):
    """Takes 0.2 s for every command."""

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        time.sleep(LATE)
        super().received(remote, parts)


def _options(broker: RouterServer, timeout: float = 5.0) -> Options:
    return Options(parse_endpoint(broker.endpoint), timeout=timeout, nonce=fresh_nonce())


@pytest.mark.parametrize(("answer", "pace"), [(0.0, 1.0), (0.05, 1.0), (0.1, 2.0), (0.5, 10.0), (60.0, 20.0)])
def test_the_pace_follows_from_the_answer_time(answer: float, pace: float) -> None:
    options = Options(parse_endpoint("tcp://127.0.0.1:1"), timeout=5.0, grace=0.03)
    now = paced(options, answer)
    assert (now.pace, now.timeout, now.grace) == (pace, 5.0 * pace, 0.03 * pace)
    assert now.pace <= PACE_MAX


@pytest.mark.slow
def test_a_slow_broker_gets_longer_waits(codec: Interpreter) -> None:
    with AnswersLate(codec) as broker:
        options = _options(broker)
        seconds = answer_seconds(options, codec)
        assert seconds is not None
        assert seconds >= LATE
        assert paced(options, seconds).pace >= LATE / 0.05


def test_a_broker_that_does_not_answer_leaves_the_options_unchanged(codec: Interpreter) -> None:
    with NULLS["silent"](codec) as broker:
        options = _options(broker, timeout=0.1)
        assert probed(options, codec) == options


def test_unlimited_retention_is_not_reported(codec: Interpreter) -> None:
    with ToyBroker(codec) as broker:
        assert probed(_options(broker), codec).retained is None


def test_small_retention_of_all_streams_is_measured(codec: Interpreter) -> None:
    with KeepsLittle(codec) as broker:
        options = probed(_options(broker), codec)
    assert options.streams.brief == ""
    assert options.retained is not None
    assert 32_768 <= options.retained <= 65_536


class OnlyPings(ToyBroker):
    """Does not answer SUBSCRIBE, and sends PING at each turn."""

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        pass

    def turn(self, now: float) -> None:
        for remote in self.places:
            self.say(remote, "PING")


def test_a_broker_that_sends_only_pings_is_not_awaited(codec: Interpreter) -> None:
    with OnlyPings(codec) as broker:
        assert probed(_options(broker, timeout=0.5), codec).retained is None
