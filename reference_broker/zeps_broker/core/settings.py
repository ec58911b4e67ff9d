"""What an operator may choose. Times are in seconds, sizes in octets."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one broker core; all of them bound something, so that memory and latency stay bounded.

    Raises ValueError when the values contradict each other.
    """

    client_timeout: float = 20.0
    """A session that was silent for so long is forgotten (ZEPS-PING-6, ZEPS-PING-8)."""

    heartbeat_interval: float = 5.0
    """A client that was silent for so long is asked with PING whether it is there, and again as often."""

    shutdown_timeout: float = 5.0
    """How long a stopping broker waits for the answers to its DETACH."""

    matching: tuple[tuple[str, str], ...] = ()
    """(stream, style) rules, the first that fits holds; a stream's name that ends in ``*`` fits what begins
    so.
    """

    default_matching: str = "prefix"
    """The style of streams that no rule names (ZEPS-SUBSCRIBE-8)."""

    low_gear_octets: int = 1 << 20
    """What one tick delivers or reads for all low-gear sessions together, about."""

    low_gear_octets_max: int = 64 << 20
    """What one tick delivers at most, when the live traffic is so heavy that `low_gear_octets` would never
    catch up.
    """

    low_gear_turn: int = 256 << 10
    """What one low-gear session gets before the next has its turn, about."""

    block_messages: int = 8192
    """Messages that are journalled as one block, at most."""

    block_octets: int = 8 << 20
    """Octets that are journalled as one block, at most (a larger message is a block of its own)."""

    cache_octets: int = 4 << 20
    """Blocks read from journals, and what was selected from them, kept for sessions that read the same place.

    The journal has a cache of its own; this one is for sessions that replay side by side.
    """

    route_keys: int = 16384
    """Keys per stream whose subscribers are remembered."""

    patterns: int = 1024
    """Patterns of one session, and gaps it may be waiting to see filled."""

    sessions: int = 100_000
    """Sessions of one broker."""

    outbox_frames: int = 256
    """Answers that wait for a peer whose pipe is full; a session that needs more is dropped."""

    outbox_octets: int = 64 << 10
    """The same in octets."""

    def __post_init__(self) -> None:
        if not 0 < self.heartbeat_interval < self.client_timeout:
            raise ValueError("heartbeat_interval must be more than 0 and less than client_timeout")
        for name in (
            "low_gear_octets",
            "low_gear_turn",
            "block_octets",
            "route_keys",
            "patterns",
            "sessions",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")
        if not 1 <= self.block_messages <= 65536:
            raise ValueError("block_messages must be from 1 to 65536")

    def style_of(self, stream: str) -> str:
        """The name of the matching style of a stream."""
        for name, style in self.matching:
            if name == stream or (name.endswith("*") and stream.startswith(name[:-1])):
                return style
        return self.default_matching
