"""Rules of which a capture can show a violation."""

from __future__ import annotations

from zeps_conformance.captures.checker import Judged, Party

__all__ = ["BROKER_RULES", "CLIENT_RULES", "ZMTP_RULES", "judged_rules"]

ZMTP_RULES = (
    "ZMTP-G-1",
    "ZMTP-G-2",
    "ZMTP-G-13",
    "ZMTP-G-22",
    "ZMTP-N-1",
    "ZMTP-N-3",
    "ZMTP-N-4",
    "ZMTP-N-7",
    "ZMTP-N-14",
    "ZMTP-N-20",
    "ZMTP-F-1",
    "ZMTP-F-3",
    "ZMTP-F-5",
    "ZMTP-F-7",
    "ZMTP-F-14",
    "ZMTP-H-2",
    "ZMTP-H-3",
    "ZMTP-H-4",
)
BROKER_RULES = (
    "ZEPS-ATTACH-1",
    "ZEPS-ATTACH-5",
    "ZEPS-CREDIT-1",
    "ZEPS-CREDIT-5",
    "ZEPS-DAMAGE-1",
    "ZEPS-DELIVER-1",
    "ZEPS-DELIVER-2",
    "ZEPS-DETACH-1",
    "ZEPS-DETACH-6",
    "ZEPS-DETACH-OK-1",
    "ZEPS-FRAME-3",
    "ZEPS-FRAME-4",
    "ZEPS-FRAME-5",
    "ZEPS-FRAME-6",
    "ZEPS-FRAME-7",
    "ZEPS-GAP-2",
    "ZEPS-GAP-4",
    "ZEPS-INVALID-1",
    "ZEPS-INVALID-2",
    "ZEPS-INVALID-7",
    "ZEPS-INVALID-8",
    "ZEPS-INVALID-9",
    "ZEPS-PING-1",
    "ZEPS-PING-3",
    "ZEPS-PUBLISH-7",
    "ZEPS-RETAIN-1",
    "ZEPS-RETAIN-2",
    "ZEPS-SEQUENCE-1",
    "ZEPS-SESSION-1",
    "ZEPS-SESSION-5",
    "ZEPS-SUBSCRIBE-1",
    "ZEPS-SUBSCRIBE-3",
    "ZEPS-SUBSCRIBE-5",
    "ZEPS-SUBSCRIBE-6",
    "ZEPS-SUBSCRIBE-10",
    "ZEPS-SUBSCRIBE-15",
    "ZEPS-TEXT-2",
)
CLIENT_RULES = (
    "ZEPS-ATTACH-7",
    "ZEPS-DETACH-3",
    "ZEPS-FRAME-3",
    "ZEPS-FRAME-4",
    "ZEPS-FRAME-5",
    "ZEPS-FRAME-7",
    "ZEPS-INVALID-7",
    "ZEPS-PING-2",
    "ZEPS-PUBLISH-7",
    "ZEPS-SESSION-2",
    "ZEPS-TEXT-1",
    "ZEPS-TEXT-2",
)


def judged_rules(judged: Judged, party: Party) -> tuple[str, ...]:
    """Returns the rules by which `party` is judged on a connection."""
    if not judged.is_zeps:
        return ZMTP_RULES
    return ZMTP_RULES + (BROKER_RULES if party is Party.BROKER else CLIENT_RULES)
