"""A subscriber that sends only valid input is served: on this every other case depends."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.sockets.brackets import check_served
from zeps_conformance.sockets.pubsub import BOTH, PubSubTrial


@case("A subscriber receives messages of its topic, and of no other topic", "ZMTP-S-8", dialects=BOTH)
def served(t: PubSubTrial) -> None:
    t.step("A subscribes to a topic, receives messages of it and none of another topic, and cancels.")
    check_served(t.subscriber("A"), "ZMTP-S-8")
