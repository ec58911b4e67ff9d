"""A peer that sends only valid input is served: on this every other case depends."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.sockets.brackets import check_served
from zeps_conformance.sockets.router import BOTH, RouterTrial


@case("A request is answered", "ZMTP-F-8", dialects=BOTH)
def served(t: RouterTrial) -> None:
    t.step("A sends a request, and receives its answer.")
    check_served(t.dealer("A"), "ZMTP-F-8")
