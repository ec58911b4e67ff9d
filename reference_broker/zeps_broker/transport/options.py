"""Settings of the network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from zeps_broker.setting import MIB, check_settings, choice, endpoints, number, path, setting, whole

__all__ = [
    "COMMAND_BYTES_MAX",
    "ENGINES",
    "GATEWAY_PATTERNS",
    "CurveOptions",
    "Engine",
    "GatewayFrames",
    "GatewayOptions",
    "RouterOptions",
]

COMMAND_BYTES_MAX = 3 + 8 + 1 + 255 + 4 + (1 << 24)
"""Bytes of the longest command: a DELIVER with the longest key and the longest body (ZEPS-PUBLISH-7)."""

Engine = Literal["native", "libzmq"]
ENGINES: tuple[Engine, ...] = ("native", "libzmq")
GatewayFrames = Literal["two", "any"]
GATEWAY_PATTERNS = 256


@dataclass(frozen=True, slots=True)
class CurveOptions:
    """CURVE (RFC 26) encrypts and authenticates both sides; off without `secret_key`. Raises ValueError if invalid."""

    secret_key: Path | None = setting(
        "curve",
        None,
        path(),
        """The broker's secret certificate, made by `zeps keys`: connections are encrypted, and clients need the
        matching public certificate. Without it connections are not encrypted.""",
        example='"broker.key_secret"',
    )
    authorized_keys: Path | None = setting(
        "curve",
        None,
        path(),
        """The folder with the public certificates of the clients that may connect. Without it every client that knows
        the broker's public key may connect.""",
        example='"clients"',
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if self.authorized_keys is not None and self.secret_key is None:
            raise ValueError("curve.authorized_keys is set, but curve.secret_key is missing")


@dataclass(frozen=True, slots=True)
class RouterOptions:
    """Settings of the network; some apply to one engine only. Raises ValueError for invalid values."""

    engine: Engine = setting(
        "transport",
        "native",
        choice(*ENGINES),
        """The implementation of ZeroMQ's protocol: "native", this broker's own on plain sockets, for tcp and ipc
        endpoints; or "libzmq", which is also used for every broker with an endpoint of another kind. Clients need
        not know which.""",
    )
    turn_messages_max: int = setting(
        "transport",
        1000,
        whole(1, 65_536),
        """Messages that a turn of the loop takes from the network. The limit is soft: the last read of the native
        engine may exceed it by up to 17,408.""",
        limits="turn",
        formerly="transport.batch_messages",
    )
    turn_bytes_max: int = setting(
        "transport",
        8 * MIB,
        whole(1, 128 * MIB),
        """Bytes that a turn of the loop takes from the network. The limit is soft: the last message may exceed it;
        the last read of the native engine may bring 256 KiB and complete a frame that began before.""",
        limits="turn",
        formerly="transport.batch_octets",
    )
    frame_bytes_max: int = setting(
        "transport",
        64 * MIB + (64 << 10),
        whole(1, 1 << 40),
        """Bytes of a frame. A connection that announces a longer frame is closed. A shorter frame that is not a
        command is answered with INVALID.""",
        limits="connection",
        formerly="transport.frame_octets_max",
    )
    send_bytes_max: int = setting(
        "transport",
        4 * MIB,
        whole(1),
        """native: bytes that wait for one client. While fewer wait, a whole output (at most a block) is accepted. A
        client whose queue is full is served from the journal after it reads again.""",
        limits="connection",
        formerly="transport.send_octets",
    )
    handshakes_max: int = setting(
        "transport",
        1024,
        whole(1),
        "native: connections with an incomplete handshake. Beyond the limit, the oldest is closed for a new one.",
        limits="total",
        formerly="transport.handshakes",
    )
    handshake_seconds_max: float = setting(
        "transport",
        10.0,
        number(0.05, 86_400),
        "native: maximum seconds of a handshake before the connection is closed; libzmq closes it after 10 s.",
        limits="connection",
        formerly="transport.handshake_timeout",
    )
    connections_max: int | None = setting(
        "transport",
        None,
        whole(1),
        """native: connections. By default as many as the process may have descriptors, less a reserve. At the limit a
        new connection replaces a connection without a session, or is closed.""",
        example="10000",
        limits="total",
    )
    topics_max: int = setting(
        "transport",
        10_000,
        whole(1),
        """native: subscriptions of one SUB socket at a gateway. Its connection is closed if it has more, or if its
        topics take more than half of the memory that memory_bytes_max grants the topics of all SUB sockets, or more
        than is free.""",
        limits="connection",
    )
    attach_seconds_max: float = setting(
        "transport",
        10.0,
        number(0.05, 86_400),
        "native: seconds that a connection may be without a session; it is closed after at most twice this time.",
        limits="connection",
    )
    send_messages_max: int = setting(
        "transport",
        10_000,
        whole(1, 10_000_000),
        "libzmq: messages that wait for one client. At the limit it is served from the journal after it reads again.",
        limits="connection",
        formerly="transport.send_queue",
    )
    receive_messages_max: int = setting(
        "transport",
        1000,
        whole(1, 10_000_000),
        "libzmq: messages of one client that wait for the broker. At the limit the client's own sends wait.",
        limits="connection",
        formerly="transport.receive_queue",
    )
    shared_frame_bytes_min: int = setting(
        "transport",
        16 << 10,
        whole(1),
        "libzmq: minimum size in bytes of frames that are shared between clients instead of copied.",
        formerly="transport.large_octets",
    )
    shared_bytes_max: int = setting(
        "transport",
        32 * MIB,
        whole(1),
        """libzmq: bytes of frames of at least shared_frame_bytes_min that wait for one client; one frame is always
        accepted.""",
        limits="connection",
        formerly="transport.large_window",
    )
    curve: CurveOptions = CurveOptions()

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """Settings of a gateway, where plain SUB and PUB sockets can use a stream. Raises ValueError for invalid values."""

    stream: str
    subscribers: tuple[str, ...] = setting("gateways", (), endpoints(), "Endpoints for SUB sockets.")
    publishers: tuple[str, ...] = setting("gateways", (), endpoints(), "Endpoints for PUB sockets.")
    frames: GatewayFrames = setting(
        "gateways",
        "two",
        choice("two", "any"),
        """The frames of a message: "two" (key and body), or "any" (the body holds all frames after the first, as in
        ZMTP).""",
    )
    prefix: bool = True
    """True if the stream's patterns are prefixes, like topics; else SUB sockets' sessions subscribe to everything."""
    patterns: int = GATEWAY_PATTERNS
    """Number of distinct topics, also cancelled ones, from which on a SUB socket's session subscribes to everything."""

    def __post_init__(self) -> None:
        check_settings(self)
