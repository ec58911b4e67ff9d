"""External actions on the system: those of users, and faults."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

from zeps_broker.sim.client import UNKNOWN_CODE, SimClient
from zeps_broker.sim.ledger import Ledger
from zeps_broker.sim.network import Network
from zeps_broker.sim.scenario import KEYS, PATTERNS, Scenario
from zeps_wire.zeps import LATEST_ALL, LATEST_NEW, Attach, Deliver, Invalid, SubscribeOk

__all__ = ["ActedOn", "Actions"]


class ActedOn(Protocol):
    """The interface of the world for actions."""

    scenario: Scenario
    network: Network
    ledger: Ledger
    clients: list[SimClient]

    def style_of(self, stream: str) -> str: ...

    def stop(self) -> None: ...

    def say(self, who: str, what: object) -> None: ...


class Actions:
    """Random actions on a world; common ones are frequent."""

    def __init__(self, world: ActedOn, rng: Random) -> None:
        self._world = world
        self._rng = rng
        choices: dict[Callable[[SimClient], None], float] = {
            self._publish: 60,
            self._want: 8,
            SimClient.probe: 6,
            self._starve: 6,
            self._feed: 6,
            self._cut: 3,
            self._stall: 2,
            SimClient.give_up: 2,
            SimClient.close: 2,
            self._blurt: 1,
            self._move: 1,
            self._stop: 0.3,
            self._bewilder: 0.3,
            self._expire: 4 if world.scenario.retention else 0,
            self._damage: 2 if world.scenario.damage else 0,
        }
        self._actions = list(choices)
        self._weights = list(choices.values())

    def perform_random(self) -> None:
        """Performs one random action of, or on, a random client, its link, its stream or the broker."""
        (action,) = self._rng.choices(self._actions, self._weights)
        action(self._rng.choice(self._world.clients))

    def _publish(self, client: SimClient) -> None:
        rng = self._rng
        largest = rng.choice((0, 30, 300))
        keys = rng.sample(KEYS, rng.choice((1, 2, 5)))
        for _ in range(rng.choice((1, 2, 5, 30))):
            client.publish(rng.choice(keys), rng.randint(0, largest))

    def _want(self, client: SimClient) -> None:
        rng, end = self._rng, self._world.ledger.history.end(client.stream)
        pattern = rng.choice(PATTERNS[self._world.style_of(client.stream)])
        latest = rng.choice((LATEST_ALL, LATEST_NEW, end, end + rng.randint(1, 9), rng.randint(0, end)))
        if len(client.wants) < 6:
            client.want(pattern, latest)

    def _starve(self, client: SimClient) -> None:
        client.starving = True

    def _feed(self, client: SimClient) -> None:
        client.starving = False
        client.grant(self._rng.choice((0, 1, 50, 500, 5000)))

    def _cut(self, client: SimClient) -> None:
        self._world.network.cut(client.link)

    def _stall(self, client: SimClient) -> None:
        self._world.network.stall(client.link, self._rng.choice((0.05, 0.5, 5.0)))

    def _blurt(self, client: SimClient) -> None:
        rng = self._rng
        data, ends = rng.choice(
            (
                (b"", True),
                (rng.randbytes(rng.randint(1, 20)), True),
                (b"\xaa\xa5\x06\x01\xff\x00\x00\x00\x00", True),
                (Attach("").encode(), True),
                (SubscribeOk().encode(), False),
                (Deliver(1, "a", b"forged").encode(), False),
            )
        )
        client.blurt(data, ends=ends)

    def _bewilder(self, client: SimClient) -> None:
        """Sends the client an INVALID with a code that only a broker of a later version can send."""
        self._world.network.to_client(client.link, Invalid(f"{UNKNOWN_CODE} 1 2 no details").encode())

    def _move(self, client: SimClient) -> None:
        client.move(self._rng.choice(self._world.scenario.streams))

    def _stop(self, client: SimClient) -> None:
        self._world.stop()

    def _expire(self, client: SimClient) -> None:
        end = self._world.ledger.history.end(client.stream)
        if end:
            self._world.say("disk", f"retention of {client.stream}")
            self._world.ledger.history.expire(client.stream, self._rng.randint(0, end))

    def _damage(self, client: SimClient) -> None:
        rng, history = self._rng, self._world.ledger.history
        floor, end = history.floor(client.stream), history.end(client.stream)
        if floor < end:
            first = rng.randint(floor + 1, end)
            last = min(first + rng.choice((0, 0, 2, 20)), end)
            self._world.say("disk", f"damage of {client.stream}, {first} to {last}")
            history.damage(client.stream, first, last)
