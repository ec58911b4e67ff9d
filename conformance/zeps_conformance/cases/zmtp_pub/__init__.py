"""The cases of profile zmtp-pub: the suite plays subscribers, and a PUB or XPUB socket is judged.

Levels and wire formats are not here: the levels come from model.json, and so does every octet that a case does not
break on purpose.
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
