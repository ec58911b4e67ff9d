"""A core with a simulated disk, and control of its pipes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from zeps_broker.core.broker import Broker
from zeps_broker.core.settings import Settings
from zeps_broker.ports import Gone, Malformed, Output, Peer, Progress, Received, Undelivered
from zeps_broker.sim.disk import Platter, SimStore
from zeps_broker.sim.network import in_runs
from zeps_wire import zeps


class Bench:
    """Drives one core by hand. `got[peer]` holds every message that was sent to a peer and taken, in order.

    With `runs`, adjacent messages of one size are passed as one batch.
    """

    def __init__(self, *, runs: bool = False, progress: Progress | None = None, **settings: Any) -> None:
        self._runs = runs
        self.now = 100.0
        self.platter = Platter()
        self.store = SimStore(self.platter)
        self.broker = Broker(self.store, Settings(**settings), progress)
        self.got: dict[Peer, list[zeps.Message]] = {}
        self.outputs: list[Output] = []
        self.room: dict[Peer, int] = {}
        """Frames that a peer's pipe still takes; a peer without an entry takes all."""
        self.gone: set[Peer] = set()
        self.reports_all = True

    def handle(self, *batch: tuple[Peer, zeps.Message | bytes | Malformed | Gone]) -> None:
        """Handles a batch, and sends the outputs."""
        frames: list[Received] = [
            (peer, data if isinstance(data, bytes | Malformed | Gone) else data.encode())
            for peer, data in batch
        ]
        self.broker.handle(self.now, int(self.now * 1e6), in_runs(frames) if self._runs else frames)
        self.send()
        while self.broker.waiting:
            self.broker.handle(self.now, int(self.now * 1e6), [])
            self.send()

    def say(self, peer: Peer, *messages: zeps.Message | bytes | Malformed | Gone) -> None:
        self.handle(*((peer, message) for message in messages))

    def tick(self, seconds: float = 0.0) -> None:
        self.now += seconds
        self.broker.tick(self.now, int(self.now * 1e6))
        self.send()

    def settle(self) -> None:
        """Ticks until no work is left."""
        for _ in range(100_000):
            if self.broker.timeout(self.now) > 0:
                return
            self.tick()
        raise AssertionError("the core always has more work")

    def send(self) -> None:
        while outputs := self.broker.poll_output():
            self.outputs += outputs
            self.broker.undelivered(self._offer(outputs))

    def _offer(self, outputs: Sequence[Output]) -> list[Undelivered]:
        refusals: list[Undelivered] = []
        refused: set[Peer] = set()
        for output in outputs:
            for peer in output.peers:
                taken = 0 if peer in refused else min(len(output.frames), self.room.get(peer, 1 << 30))
                if peer in self.gone:
                    taken = 0
                for frame in output.frames[:taken]:
                    self.got.setdefault(peer, []).append(zeps.decode(frame))
                if peer in self.room:
                    self.room[peer] -= taken
                if taken < len(output.frames):
                    if peer not in refused or self.reports_all:
                        refusals.append(Undelivered(peer, output, taken, peer in self.gone))
                    refused.add(peer)
        return refusals

    def take(self, peer: Peer) -> list[zeps.Message]:
        """Returns the messages to the peer since the last call."""
        return self.got.pop(peer, [])

    def sequences(self, peer: Peer) -> list[int]:
        """Returns the sequences delivered to the peer since the last call; other messages are an error."""
        messages = self.take(peer)
        assert all(isinstance(message, zeps.Deliver) for message in messages), messages
        return [message.sequence for message in messages if isinstance(message, zeps.Deliver)]

    def attach(self, peer: Peer, *messages: zeps.Message, stream: str = "s") -> None:
        """Attaches, sends more messages, and drops all answers except deliveries."""
        self.say(peer, zeps.Attach(stream), *messages)
        self.got[peer] = [message for message in self.got.get(peer, []) if isinstance(message, zeps.Deliver)]

    def publish(self, peer: Peer, *keys: str, body: bytes = b"") -> None:
        self.say(peer, *(zeps.Publish(key, body) for key in keys))


@pytest.fixture(scope="session", params=[False, True], ids=["frames", "runs"])
def make_bench(request: pytest.FixtureRequest) -> Callable[..., Bench]:
    """Returns a factory of benches; messages come one by one, or equal-sized ones in batches."""
    return partial(Bench, runs=request.param)


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
