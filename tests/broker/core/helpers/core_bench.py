"""A core with a simulated disk and control of its pipes, and what its tests say and expect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

from zeps_broker.core.broker import Broker
from zeps_broker.core.columns import Columns
from zeps_broker.core.reasons import parse
from zeps_broker.core.settings import Settings
from zeps_broker.frame_batch import FrameBatch
from zeps_broker.ports import Block, Gone, Malformed, Output, Peer, Progress, Received, Undelivered
from zeps_broker.sim.disk import Platter, SimStore
from zeps_broker.sim.network import in_runs
from zeps_wire import zeps

ALL, NEW = zeps.LATEST_ALL, zeps.LATEST_NEW
PLENTY = zeps.Credit(10**9)

Item = zeps.Message | bytes | FrameBatch | Malformed | Gone


class Bench:
    """Drives one core by hand. `got[peer]` holds every message that was sent to a peer and taken, in order. With
    `runs`, adjacent messages of one size are passed as one batch.
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

    def turn(self, *batch: tuple[Peer, Item]) -> None:
        """Handles a batch in one turn, and sends the outputs; input beyond the turn's steps waits."""
        self.broker.handle(self.now, int(self.now * 1e6), encoded(batch))
        self.send()

    def handle(self, *batch: tuple[Peer, Item]) -> None:
        """Handles a batch in as many turns as it takes, and sends the outputs of each."""
        self.turn(*(in_runs(encoded(batch)) if self._runs else batch))
        self.finish()

    def finish(self) -> int:
        """Serves the input that waits; returns the number of turns."""
        turns = 0
        while self.broker.waiting:
            self.turn()
            turns += 1
        return turns

    def say(self, peer: Peer, *messages: Item, settle: bool = False) -> None:
        """Handles messages of one peer as a batch; with `settle`, then ticks until no work is left."""
        self.handle(*((peer, message) for message in messages))
        if settle:
            self.settle()

    def tick(self, seconds: float = 0.0) -> None:
        self.now += seconds
        self.broker.tick(self.now, int(self.now * 1e6))
        self.send()

    def wait(self, seconds: int) -> None:
        """Ticks once a second."""
        for _ in range(seconds):
            self.tick(1.0)

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
                room = 0 if peer in refused | self.gone else self.room.get(peer, 1 << 30)
                taken = min(len(output.frames), room)
                for frame in output.frames[:taken]:
                    self.got.setdefault(peer, []).append(zeps.decode(frame))
                if peer in self.room:
                    self.room[peer] -= taken
                if taken < len(output.frames):
                    if peer not in refused or self.reports_all:
                        refusals.append(Undelivered(peer, output, taken, peer in self.gone))
                    refused.add(peer)
        return refusals

    def forget(self) -> None:
        """Drops all messages and outputs that were sent."""
        self.got.clear()
        self.outputs.clear()

    def take(self, peer: Peer) -> list[zeps.Message]:
        """Returns the messages to the peer since the last call."""
        return self.got.pop(peer, [])

    def sequences(self, peer: Peer) -> list[int]:
        """Returns the sequences delivered to the peer since the last call; other messages are an error."""
        messages = self.take(peer)
        assert all(isinstance(message, zeps.Deliver) for message in messages), messages
        return [message.sequence for message in messages if isinstance(message, zeps.Deliver)]

    def attach(self, peer: Peer, *messages: Item, stream: str = "s", settle: bool = False) -> None:
        """Attaches, sends more messages, and drops all answers except deliveries; `settle` as in :meth:`say`."""
        self.say(peer, zeps.Attach(stream), *messages)
        self.got[peer] = [message for message in self.got.get(peer, []) if isinstance(message, zeps.Deliver)]
        if settle:
            self.settle()

    def publish(self, peer: Peer, *keys: str, body: bytes = b"", settle: bool = False) -> None:
        """Publishes a message for each key, as a batch; a peer without a session attaches to the stream `s` first."""
        if self.broker.session(peer) is None:
            self.attach(peer)
        self.say(peer, *(zeps.Publish(key, body) for key in keys), settle=settle)

    def flow(self, peer: Peer, frames: int | None = None) -> None:
        """Lets a peer's pipe take so many more frames (None: all), reports it as writable, and settles."""
        self.room.pop(peer, None)
        if frames is not None:
            self.room[peer] = frames
        self.broker.writable([peer])
        self.settle()


MakeBench = Callable[..., Bench]


def encoded(batch: Iterable[tuple[Peer, Item]]) -> list[Received]:
    return [
        (peer, data if isinstance(data, bytes | FrameBatch | Malformed | Gone) else data.encode())
        for peer, data in batch
    ]


def columns(keys: Sequence[str], bodies: Sequence[bytes] = (), first: int = 1) -> Columns:
    """Columns of a block of messages with these keys, from sequence `first` on; bodies are empty by default."""
    frames = [
        zeps.Deliver(sequence, key, body).encode()
        for sequence, (key, body) in enumerate(zip(keys, bodies or [b""] * len(keys), strict=True), first)
    ]
    return Columns(Block(first, b"".join(frames), tuple(accumulate(map(len, frames))), (0,) * len(frames)))


def size(key: str, body: bytes = b"") -> int:
    """Returns the bytes of a DELIVER frame."""
    return zeps.Deliver(1, key, body).size()


def names(messages: Sequence[zeps.Message]) -> list[str]:
    return [message.NAME for message in messages]


def codes(messages: Sequence[zeps.Message]) -> list[str]:
    """Returns the codes of INVALIDs; other messages are an error."""
    assert all(isinstance(message, zeps.Invalid) for message in messages), messages
    return [parse(message.reason)[0] for message in messages if isinstance(message, zeps.Invalid)]
