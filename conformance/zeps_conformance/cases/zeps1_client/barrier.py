"""The client is served at all."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.trial import ClientTrial


@case(
    "A client attaches, subscribes, receives and detaches", "ZEPS-ATTACH-7", "ZEPS-FRAME-3", "ZEPS-SESSION-5"
)
def served(t: ClientTrial) -> None:
    t.step("The client attaches, subscribes and grants credit; two messages arrive, and it detaches.")
    t.check_served("the client is served")
