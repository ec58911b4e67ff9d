"""The cases of profile zmtp-router: the suite plays DEALERs, and a ROUTER behind an endpoint is judged.

What holds for any peer that is dialled is in ``zmtp_any``. What being served means is the run's choice of a service.
"""

SECTIONS = (
    "greeting",
    "versions",
    "handshake",
    "metadata",
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
    "ZMTP-H-7": "a bound peer does not connect again",
    "ZMTP-H-11": "the suite cannot make a ROUTER send PING",
    "ZMTP-N-10": "it binds publishers and subscribers; a ROUTER may use identities",
    "ZMTP-N-22": "a bound peer does not connect again",
    "ZMTP-N-23": "a bound peer does not connect again",
    "ZMTP-S-17": "it binds publishers and subscribers",
}
"""Rules that bind any peer but a ROUTER that is bound, with the reasons."""
