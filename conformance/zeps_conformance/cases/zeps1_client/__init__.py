"""The cases of profile zeps1-client: behaviour of a client towards a broker, correct and hostile."""

SECTIONS = (
    "barrier",
    "opening",
    "framing",
    "subscribe",
    "publish",
    "credit",
    "deliver",
    "gaps",
    "sessions",
    "heartbeat",
    "closing",
    "malformed",
    "hostile",
)
