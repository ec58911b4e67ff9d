"""The cases of profile zmtp-pub: the suite plays subscribers, and a PUB or XPUB socket is judged."""

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
