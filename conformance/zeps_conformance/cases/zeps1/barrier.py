"""A client that sends only valid input is served: on this every other case depends."""

from __future__ import annotations

from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case


@case(
    "A client attaches, subscribes, publishes and receives",
    "ZEPS-ATTACH-1",
    "ZEPS-SUBSCRIBE-1",
    "ZEPS-SUBSCRIBE-2",
    "ZEPS-PING-1",
)
def served(t: BrokerTrial) -> None:
    t.step("A attaches, subscribes to everything, grants credit, publishes and receives; PING gets PING-OK.")
    t.serve(t.connect("A"), "a client is served")
