"""The cases of profile zmtp-sub: what a SUB or XSUB socket does on the wire and for its application."""

SECTIONS = (
    "greeting",
    "older",
    "metadata",
    "refusal",
    "subscribe",
    "reconnect",
    "upstream",
    "framing",
    "messages",
    "queues",
    "commands",
    "heartbeat",
    "handshakes",
    "hostile",
)

BESIDE = {"ZMTP-N-22": "with NULL a subscriber has no credentials that it could change"}
"""Rules that bind any peer and that no case can judge of a subscriber, with the reasons."""
