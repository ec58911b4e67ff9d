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
