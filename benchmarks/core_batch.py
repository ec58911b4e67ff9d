"""Processor time of the broker's core alone, without a transport and with a journal in memory.

Prints nanoseconds of processor time per published message, median of the runs, 250-byte bodies. Fan-out to ten equal
subscribers, without subscribers, and to 100 subscribers with 50 distinct patterns; replay of all messages and of 1%.
"""

from __future__ import annotations

import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from statistics import median

from report import parser_of
from zeps_broker.core.broker import Broker
from zeps_broker.ports import Block, Received, Wanted
from zeps_wire import zeps

BODY = bytes(250)
CREDIT = 2**64 - 1


class MemoryLog:
    """A stream's journal in memory. If `keep` is set, it stores blocks and returns them; otherwise it only counts."""

    first_sequence = 1

    def __init__(self, name: str, keep: bool) -> None:
        self.name = name
        self.last_sequence = 0
        self._keep = keep
        self._blocks: list[Block] = []

    def append(self, frames: Sequence[bytes], time_us: int) -> None:
        if self._keep:
            ends = tuple(accumulate(map(len, frames)))
            times = (time_us,) * len(frames)
            self._blocks.append(Block(self.last_sequence + 1, b"".join(frames), ends, times))
        self.last_sequence += len(frames)

    def read(self, after: int) -> Block | None:
        place = bisect_right(self._blocks, after + 1, key=lambda block: block.first_sequence) - 1
        return self._blocks[place] if place >= 0 and self._blocks[place].last_sequence > after else None

    def select(self, after: int, key_filter: Wanted) -> Block | None:
        return self.read(after)


class MemoryStore:
    def __init__(self, keep: bool) -> None:
        self._keep = keep
        self._logs: dict[str, MemoryLog] = {}

    def open(self, stream: str) -> MemoryLog:
        return self._logs.setdefault(stream, MemoryLog(stream, self._keep))

    def streams(self) -> list[str]:
        return sorted(self._logs)

    def count(self) -> int:
        return len(self._logs)

    def tick(self, now_us: int) -> None: ...

    def close(self) -> None: ...


def attached(peer: str, *commands: zeps.Message) -> list[Received]:
    return [(peer, command.encode()) for command in (zeps.Attach("s"), *commands)]


def live(patterns: Sequence[str], keys: Sequence[str], messages: int, batch: int) -> tuple[float, float]:
    """Publish `messages` messages, with `keys` in turn, `batch` at once, to one subscriber per pattern. Returns
    (nanoseconds of processor time, deliveries) per message.
    """
    broker = Broker(MemoryStore(keep=False))
    start: list[Received] = attached("publisher")
    for place, pattern in enumerate(patterns):
        start += attached(f"s{place}", zeps.Subscribe(pattern, zeps.LATEST_NEW), zeps.Credit(CREDIT))
    broker.handle(0.0, 0, start)
    broker.poll_output()
    frames = [("publisher", zeps.Publish(key, BODY).encode()) for key in keys]
    received = [(frames * (batch // len(frames) + 1))[:batch] for _ in range(messages // batch)]
    deliveries = 0
    begin = time.process_time()
    for commands in received:
        broker.handle(0.0, 0, commands)
        broker.tick(0.0, 0)
        for output in broker.poll_output():
            deliveries += len(output.peers) * len(output.frames)
    spent = time.process_time() - begin
    published = batch * len(received)
    return spent / published * 1e9, deliveries / published


def replay(pattern: str, keys: Sequence[str], messages: int, batch: int) -> tuple[float, float]:
    """Replay a stream of `messages` messages, in blocks of `batch`, to one subscriber. Returns (nanoseconds of
    processor time, deliveries) per message of the stream.
    """
    broker = Broker(MemoryStore(keep=True))
    broker.handle(0.0, 0, attached("publisher"))
    broker.poll_output()
    frames = [("publisher", zeps.Publish(key, BODY).encode()) for key in keys]
    commands = (frames * (batch // len(frames) + 1))[:batch]
    for _ in range(messages // batch):
        broker.handle(0.0, 0, commands)
    broker.handle(0.0, 0, attached("s", zeps.Subscribe(pattern, zeps.LATEST_ALL), zeps.Credit(CREDIT)))
    broker.poll_output()
    deliveries = 0
    begin = time.process_time()
    while broker.timeout(0.0) == 0.0:
        broker.tick(0.0, 0)
        for output in broker.poll_output():
            deliveries += len(output.peers) * len(output.frames)
    published = messages // batch * batch
    return (time.process_time() - begin) / published * 1e9, deliveries / published


def main(arguments: Sequence[str] | None = None) -> int:
    parser = parser_of(__doc__, messages=200_000, runs=3)
    parser.add_argument(
        "--batch", type=int, default=500, help="messages that the core gets at once (default: 500)"
    )
    options = parser.parse_args(arguments)
    one_key = ["NASDAQ.AAPL.0001"]
    many_keys = [f"topic{i:02d}/sensor{j:02d}" for j in range(20) for i in range(50)]
    hot = ["hot//abcdefghijk" if i == 50 else "cold/abcdefghijk" for i in range(100)]
    topics, ten = [f"topic{i % 50:02d}" for i in range(100)], ["NASDAQ"] * 10
    amount = (options.messages, options.batch)
    cases: list[tuple[str, Callable[[], tuple[float, float]]]] = [
        ("no subscriber", lambda: live([], one_key, *amount)),
        ("10 equal subscribers", lambda: live(ten, one_key, *amount)),
        ("10 equal, batches of 10", lambda: live(ten, one_key, options.messages // 5, 10)),
        ("10 equal, batches of 1", lambda: live(ten, one_key, options.messages // 20, 1)),
        ("100 subscribers, 50 patterns", lambda: live(topics, many_keys, *amount)),
        ("replay of everything", lambda: replay("", hot, *amount)),
        ("replay of a prefix, all match", lambda: replay("NASDAQ", one_key, *amount)),
        ("replay of a prefix, 1% match", lambda: replay("hot/", hot, *amount)),
    ]
    print(f"{'core only':32} {'ns/message':>12} {'deliveries/message':>20}")
    for name, case in cases:
        results = [case() for _ in range(options.runs)]
        spent = median(result[0] for result in results)
        print(f"{name:32} {spent:12.0f} {results[0][1]:20.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
