"""Bug patterns of the machine of a connection to a socket."""

from __future__ import annotations

from typing import Final

from zeps_conformance.learning.patterns import (
    BAD,
    BugPattern,
    Edge,
    When,
    answers,
    both,
    is_input,
    twice,
    without,
)
from zeps_conformance.learning.socket_inputs import PUBLISHERS

__all__ = ["SOCKET_PATTERNS", "SUBSCRIBER_PATTERNS", "patterns_of"]

SUBSCRIBED, CANCELLED = "application subscribes", "application cancels"
OVER: When = answers("closed", "no answer")
GREETING: When = without(is_input("greeting 3.1", "greeting 3.0"), OVER)
SERVED: When = answers("message", "PONG", "application:")

SOCKET_PATTERNS: Final = (
    BugPattern(
        "ZMTP-N-21",
        "a connection is kept or served after ERROR",
        (
            Edge("greeting", GREETING, "greeted"),
            Edge("greeted", is_input("READY"), "ready"),
            Edge("ready", OVER, "over"),
            Edge("ready", is_input("ERROR"), BAD),
        ),
    ),
    BugPattern(
        "ZMTP-N-1",
        "a message or a command is served before READY",
        (
            Edge("greeting", GREETING, "greeted"),
            Edge("greeted", is_input("READY"), "ready"),
            Edge("greeted", SERVED, BAD),
        ),
    ),
    BugPattern(
        "ZMTP-N-17",
        "a connection is kept after a READY with malformed properties",
        (
            Edge("greeting", GREETING, "greeted"),
            Edge("greeted", is_input("READY"), "ready"),
            Edge("greeted", OVER, "over"),
            Edge("greeted", is_input("READY malformed"), BAD),
        ),
    ),
    BugPattern(
        "ZMTP-G-11",
        "a peer with another mechanism is served or receives READY",
        (
            Edge("start", GREETING, "greeted"),
            Edge("start", both(is_input("greeting of PLAIN"), answers("READY")), BAD),
        ),
    ),
    BugPattern("ZMTP-N-1", "READY twice", (Edge("start", twice("READY"), BAD),)),
    BugPattern(
        "ZMTP-H-3",
        "PONG without PING",
        (Edge("start", is_input("PING"), "pinged"), Edge("start", answers("PONG"), BAD)),
    ),
    BugPattern(
        "ZMTP-S-7",
        "a message without a subscription",
        (
            Edge("start", is_input("SUBSCRIBE", "subscription"), "subscribed"),
            Edge("start", answers("message"), BAD),
        ),
    ),
)
"""Patterns for :data:`SOCKET_INPUTS`."""

SUBSCRIBER_PATTERNS: Final = (
    *(pattern for pattern in SOCKET_PATTERNS if pattern.rule != "ZMTP-S-7"),
    BugPattern(
        "ZMTP-U-7",
        "a subscription without one of the application",
        (
            Edge("start", is_input(SUBSCRIBED), "subscribed"),
            Edge("start", answers("SUBSCRIBE", "subscription"), BAD),
            Edge("subscribed", is_input(CANCELLED), "start"),
        ),
    ),
    BugPattern(
        "ZMTP-S-1",
        "the form of version 3.1 towards a peer of version 3.0",
        (
            Edge("start", is_input("greeting 3.0"), "older"),
            Edge("start", is_input("greeting 3.1"), "newer"),
            Edge("older", answers("SUBSCRIBE"), BAD),
        ),
    ),
    BugPattern(
        "ZMTP-S-3",
        "the form of version 3.0 towards a peer of version 3.1",
        (
            Edge("start", is_input("greeting 3.0"), "older"),
            Edge("start", both(is_input("greeting 3.1"), answers("greeting 3.1")), "newer"),
            Edge("newer", answers("subscription"), BAD),
        ),
    ),
)
"""Patterns for subscribers."""


def patterns_of(socket_type: str) -> tuple[BugPattern, ...]:
    """Returns the patterns for a socket type."""
    return SOCKET_PATTERNS if socket_type in PUBLISHERS else SUBSCRIBER_PATTERNS
