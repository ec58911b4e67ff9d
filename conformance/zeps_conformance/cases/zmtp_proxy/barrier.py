"""A subscriber behind a proxy is served by a publisher in front of it: on this every other case depends."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.sockets.brackets import check_served
from zeps_conformance.sockets.pubsub import BOTH
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial


@case("A subscriber receives messages of its topic, and of no other topic", "ZMTP-S-8", dialects=BOTH)
def served(t: ProxyTrial) -> None:
    t.step("S, behind the proxy, subscribes to a topic, receives messages of it and none of another topic.")
    t.relay(t.publisher("P"))
    check_served(t.subscriber("S"), "ZMTP-S-8")
