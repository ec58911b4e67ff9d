"""Trials of clients: their recorded traffic, reports that a client does not offer, and clients that give up."""

from __future__ import annotations

from client_runs import CLIENT_PROFILE, judge_client
from toy_client import CODEC

from zeps_conformance.common.traffic import Traffic


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
