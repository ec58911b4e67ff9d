"""The properties of a run that the seed fixes before the first action."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from zeps_broker.core.settings import Settings
from zeps_broker.journal.options import Sync

__all__ = ["KEYS", "PATTERNS", "Scenario"]

KEYS = ("", "a", "ab", "abc", "abd", "b", "ba", "c/1", "c/2", "c/10", "é", "éa")
PATTERNS = {
    "prefix": ("", "a", "ab", "abc", "b", "c/", "c/1", "é", "x", "ab", "a", ""),
    "regex": ("", "^a", "b$", "^c/1$", "a|c", "[bc]", "é", "x", "^ab?$", "(", "a**"),
}
"""The last two are not valid `regex` patterns."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """The fixed part of a run. Rates are probabilities at each append (`slow_disk_rate`: also each read; `crash_rate`:
    also each send); times are in seconds.
    """

    steps: int
    streams: tuple[str, ...]
    clients: int
    sync: Sync
    settings: Settings
    crash_rate: float
    slow_disk_rate: float
    full_disk_rate: float
    batch: int
    """Maximum number of messages per receive."""
    latency: float
    bound: int
    """Maximum number of frames in a pipe to a client."""
    retention: bool
    damage: bool
    reports_all: bool
    tells_gone: bool
    tells_room: bool
    tells_closed: bool

    @classmethod
    def drawn(cls, rng: Random, steps: int) -> Scenario:
        streams = ("s",) if rng.random() < 0.7 else ("s", "re")
        turn = rng.choice((1, 200, 1000, 20_000))
        aside = Random()  # does not change the other draws of a seed
        aside.setstate(rng.getstate())
        return cls(
            steps=steps,
            streams=streams,
            clients=rng.randint(2, 6),
            sync=rng.choice(("always", "always", "interval", "os")),
            settings=Settings(
                client_timeout_seconds=4.0,
                heartbeat_seconds=1.5,
                stop_seconds_max=1.0,
                matching=(("re", "regex"),),
                low_gear_bytes=rng.choice((1, 500, 5000, 100_000)),
                low_gear_bytes_max=rng.choice((500, 100_000)),
                low_gear_turn_bytes=turn,
                block_messages_max=rng.choice((1, 3, 20, 1000)),
                block_bytes_max=rng.choice((1, 700, 100_000)),
                cache_bytes_max=rng.choice((1, 3000, 1_000_000)),
                route_keys_max=rng.choice((1, 4, 1000)),
                patterns_max=rng.choice((2, 4, 1000, 1000, 1000, 1000)),
                outbox_messages_max=rng.choice((3, 20, 200)),
                turn_steps_max=aside.choice((1, 10, 2000)),
                peer_steps_max=aside.choice((1, 5, 500)),
                inbox_bytes_max=aside.choice((1, 500, 1 << 20)),
                outbox_bytes_max=rng.choice((300, 4096)),
            ),
            crash_rate=rng.choice((0.0, 0.0, 0.002, 0.01)),
            slow_disk_rate=rng.choice((0.0, 0.02)),
            full_disk_rate=rng.choice((0.0, 0.0, 0.002)),
            batch=rng.choice((1, 3, 20, 1000)),
            latency=rng.choice((0.0001, 0.002, 0.03)),
            bound=rng.choice((1, 3, 10, 1000)),
            retention=rng.random() < 0.3,
            damage=rng.random() < 0.3,
            reports_all=rng.random() < 0.5,
            tells_gone=rng.random() < 0.7,
            tells_room=rng.random() < 0.5,
            tells_closed=rng.random() < 0.5,
        )
