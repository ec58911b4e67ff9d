"""The cases of profile zmtp-router: the suite plays DEALERs, and a ROUTER is judged; ``zmtp_any`` contains more."""

SECTIONS = (
    "barrier",
    "greeting",
    "versions",
    "handshake",
    "metadata",
    "combinations",
    "socket_types",
    "framing",
    "commands",
    "messages",
    "heartbeat",
    "unspecified",
    "crowd",
    "hostile",
    "fuzz",
)

BESIDE = {
    "ZMTP-H-7": "a bound peer does not reconnect",
    "ZMTP-H-11": "the suite cannot make a ROUTER send PING",
    "ZMTP-N-10": "it binds publishers and subscribers; a ROUTER may use identities",
    "ZMTP-N-22": "a bound peer does not reconnect",
    "ZMTP-N-23": "a bound peer does not reconnect",
    "ZMTP-S-17": "it binds publishers and subscribers",
}
"""Rules for any peer that no case of this profile checks, with the reasons."""
