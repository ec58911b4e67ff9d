"""The cases of profile zmtp-pub: the suite plays subscribers, and a PUB or XPUB socket is judged.

This package defines neither levels nor wire formats: model.json supplies the levels, and every byte that a
case does not corrupt on purpose.
"""

SECTIONS = (
    "greeting",
    "versions",
    "handshake",
    "metadata",
    "socket_types",
    "framing",
    "commands",
    "delivery",
    "match",
    "subscriptions",
    "filters",
    "notices",
    "messages",
    "queues",
    "heartbeat",
    "unspecified",
    "connecting",
    "crowd",
    "fuzz",
)
