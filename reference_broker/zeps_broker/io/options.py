"""The bounds of the network, whichever transport serves it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = [
    "COMMAND_OCTETS_MAX",
    "ENGINES",
    "GATEWAY_FRAMES",
    "GATEWAY_PATTERNS",
    "CurveOptions",
    "Engine",
    "GatewayFrames",
    "GatewayOptions",
    "RouterOptions",
]

COMMAND_OCTETS_MAX = 3 + 8 + 1 + 255 + 4 + (1 << 24)
"""The longest command: a DELIVER, with the longest key and the longest body (ZEPS-PUBLISH-7)."""

Engine = Literal["native", "libzmq"]
ENGINES: tuple[Engine, ...] = ("native", "libzmq")

GatewayFrames = Literal["two", "any"]
GATEWAY_PATTERNS = 256
GATEWAY_FRAMES: tuple[GatewayFrames, ...] = ("two", "any")


@dataclass(frozen=True, slots=True)
class CurveOptions:
    """Connections are encrypted, and each side knows the other (CURVE, RFC 26)."""

    secret_key: Path
    """The broker's certificate."""
    authorized_keys: Path | None = None
    """A folder with the certificates of those who may connect; None: whoever knows the broker's public key."""


@dataclass(frozen=True, slots=True)
class RouterOptions:
    """The bounds of a transport's queues; some are one engine's alone."""

    engine: Engine = "native"
    """Ours on plain sockets, for tcp and ipc; or libzmq, which serves every other endpoint in any case."""
    batch_messages: int = 1000
    """Messages after which a receive takes no further read."""
    batch_octets: int = 8 << 20
    """Octets after which a receive takes nothing more."""
    frame_octets_max: int = (64 << 20) + (64 << 10)
    """A connection that announces a longer frame is closed."""
    send_octets: int = 4 << 20
    """native: octets that wait for one peer before it counts as full; what many peers are sent is held once."""
    handshakes: int = 1024
    """native: connections that have not completed their handshake, at most; the oldest is closed for a newer."""
    handshake_timeout: float = 10.0
    """native: seconds that a handshake may take."""
    send_queue: int = 10_000
    """libzmq: messages that wait in one peer's pipe, at most."""
    receive_queue: int = 1000
    """libzmq: messages that one peer may have waiting for the broker; then its sends wait."""
    large_octets: int = 16 << 10
    """libzmq: frames from this size on are shared between pipes, and counted by octets."""
    large_window: int = 32 << 20
    """libzmq: octets of such frames that wait in one peer's pipe, at most; one frame is always taken."""
    curve: CurveOptions | None = None
    """libzmq, which serves a broker that has it: nobody connects without a key."""


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """Where plain SUB and PUB sockets take part in one stream."""

    stream: str
    subscribers: tuple[str, ...] = ()
    """Endpoints for SUB."""
    publishers: tuple[str, ...] = ()
    """Endpoints for PUB."""
    frames: GatewayFrames = "two"
    """What a message's body is: its second and last frame, or all frames after the first, as ZMTP has them."""
    prefix: bool = True
    """Whether the stream's patterns are prefixes, as topics are."""
    patterns: int = GATEWAY_PATTERNS
    """Distinct topics from which on a SUB's session asks for everything."""
