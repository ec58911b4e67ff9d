"""The cases of profile zmtp-sub: behaviour of a SUB or XSUB socket on the wire and towards its application."""

SECTIONS = (
    "barrier",
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

BESIDE = {"ZMTP-N-22": "with NULL, a subscriber does not have credentials that it could change"}
"""Rules that apply to any peer but that a case cannot judge on a subscriber, with the reasons."""
