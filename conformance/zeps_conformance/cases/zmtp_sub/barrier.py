"""A publisher that sends only valid input is served: on this every other case depends."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.sockets.brackets import check_served
from zeps_conformance.sockets.pubsub import BOTH, PubSubTrial


@case(
    "A publisher receives subscriptions, and its message is delivered", "ZMTP-U-7", "ZMTP-U-6", dialects=BOTH
)
def served(t: PubSubTrial) -> None:
    t.step("The application subscribes to a topic, receives P's message of it, and cancels.")
    check_served(t.publisher("P"), "ZMTP-U-7")
