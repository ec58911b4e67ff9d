"""Series: their frames are those of the codec, and input that differs from them is decoded from that message on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import MODEL
from toy_broker import Place, Stored, ToyBroker

from zeps_conformance.broker.expected import Expected
from zeps_conformance.broker.options import Options
from zeps_conformance.broker.series import Series
from zeps_conformance.broker.session import ALL, NEW
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import Remote
from zeps_conformance.wire.zmtp_codec import packaged_wire

CODEC = Interpreter(MODEL)
COUNT = 300


class ChangesOne(ToyBroker):
    """Delivers another body for sequence 200, and a PING before sequence 100."""

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        if stored.sequence == 100:
            self.say(remote, "PING")
        body = b"other" if stored.sequence == 200 else stored.body
        self.say(remote, "DELIVER", sequence=stored.sequence, key=stored.key, body=body)


class Pings(ToyBroker):
    """Sends PING before every hundredth message."""

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        if stored.sequence % 100 == 0:
            self.say(remote, "PING")
        super().deliver(remote, place, stored)


@contextmanager
def _trial(broker: ToyBroker) -> Iterator[BrokerTrial]:
    case = Case("zeps1.test.series", "A case", ("ZEPS-GEAR-1",), Polarity.POSITIVE, Needs.NOTHING, print)
    trial = BrokerTrial(case, CODEC, Options(parse_endpoint(broker.endpoint), timeout=2.0))
    yield trial
    trial.close()


@given(st.integers(1, 10**9), st.sampled_from(["", "k", "é"]), st.sampled_from([b"", b"0" * 300, b"\xff9"]))
def test_frames_are_those_of_the_codec(number: int, key: str, tail: bytes) -> None:
    series = Series(CODEC, key, tail)
    sequence, _, body = series.item(number)
    frame = packaged_wire().frame
    assert series.publishes(number, number) == frame(CODEC.encode("PUBLISH", key=key, body=body))
    deliver = CODEC.encode("DELIVER", sequence=sequence, key=key, body=body)
    assert series.delivers(number, number) == frame(deliver)
    assert len(frame(deliver)) == series.deliver_bytes
    assert series.delivered(number) == CODEC.decode(deliver)


@given(st.lists(st.integers(1, 40), max_size=12), st.integers(0, 119) | st.none())
def test_bytes_after_the_first_difference_are_decoded(cuts: list[int], wrong: int | None) -> None:
    """Whatever the pieces: whole messages before the difference are counted, and all bytes after them are returned."""
    data = bytes(range(100))
    expected = Expected(data, 10)
    arriving = bytearray(data + b"more than expected")
    if wrong is not None and wrong < len(arriving):
        arriving[wrong] ^= 1
    rest, at = b"", 0
    for size in [*cuts, len(arriving)]:
        rest += expected.take(bytes(arriving[at : at + size]))
        at += size
    rest += expected.close()
    whole = 10 if wrong is None or wrong >= 100 else wrong // 10
    assert expected.messages == whole
    assert rest == bytes(arriving[whole * 10 :])
    assert not expected.open


def test_a_series_passes_between_heartbeats() -> None:
    with Pings(CODEC, 20.0) as broker, _trial(broker) as trial:
        series = trial.series()
        a, b = trial.reader("A", "", NEW), trial.session("B")
        b.publish_series(series, 1, COUNT)
        a.expect_series(series, 1, COUNT)
        assert a.pinged == COUNT // 100
        trial.reader("C", "", ALL).expect_series(series, 1, COUNT)


def test_one_other_message_is_a_failure() -> None:
    with ChangesOne(CODEC, 20.0) as broker, _trial(broker) as trial:
        series = trial.series()
        a, b = trial.reader("A", "", NEW), trial.session("B")
        b.publish_series(series, 1, COUNT)
        with pytest.raises(FailureError, match="body='other'") as failure:
            a.expect_series(series, 1, COUNT, "ZEPS-GEAR-1")
        assert failure.value.rule == "ZEPS-GEAR-1"
        assert "sequence=200" in failure.value.expected
