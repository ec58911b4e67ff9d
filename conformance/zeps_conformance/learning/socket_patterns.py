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
    never,
    not_before,
    twice,
    without,
)
from zeps_conformance.learning.socket_inputs import CANCEL, GREETINGS, PUBLISHERS, SUBSCRIBE

__all__ = ["SOCKET_PATTERNS", "SUBSCRIBER_PATTERNS", "patterns_of"]

OVER: When = answers("closed", "no answer")
GREETING: When = without(is_input(*GREETINGS), OVER)
SERVED: When = answers("message", "PONG", "application:")

_COMMON = (
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
    not_before(
        "ZMTP-G-11",
        "a peer with another mechanism is served or receives READY",
        GREETING,
        both(is_input("greeting of PLAIN"), answers("READY")),
    ),
    never("ZMTP-N-1", "READY twice", twice("READY")),
    not_before("ZMTP-H-3", "PONG without PING", is_input("PING"), answers("PONG")),
)

SOCKET_PATTERNS: Final = (
    *_COMMON,
    not_before(
        "ZMTP-S-7",
        "a message without a subscription",
        is_input("SUBSCRIBE", "subscription"),
        answers("message"),
    ),
)
"""Patterns for :data:`SOCKET_INPUTS`."""

SUBSCRIBER_PATTERNS: Final = (
    *_COMMON,
    not_before(
        "ZMTP-U-7",
        "a subscription without one of the application",
        is_input(SUBSCRIBE),
        answers("SUBSCRIBE", "subscription"),
        is_input(CANCEL),
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
