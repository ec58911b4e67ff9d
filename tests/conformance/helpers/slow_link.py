"""A link in front of a broker that delays and cuts its bytes, as slow brokers and networks do, but loses none."""

from __future__ import annotations

import contextlib
import math
import random
import selectors
import socket
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Self

from zeps_conformance.wire.endpoint import parse_endpoint

HELD_MAX = 1 << 18  # bytes of one direction that wait
READ = 1 << 16
CUT = 256  # bytes


@dataclass
class Way:
    """How bytes pass: `delay` seconds late, only at multiples of `tick` seconds, with pauses of `pause` seconds at
    random about every two seconds. The first 256 of the bytes that arrive together leave in writes of one to `piece`
    bytes. 0 switches a property off.
    """

    delay: float = 0.0
    tick: float = 0.0
    pause: float = 0.0
    piece: int = 0


@dataclass(eq=False)
class _Direction:
    """Bytes from `source` to `sink`, each chunk with the time from which on it may be sent."""

    source: socket.socket
    sink: socket.socket
    held: deque[tuple[float, bytes]] = field(default_factory=deque)
    size: int = 0
    ended: bool = False


class SlowLink:
    """Listens at `endpoint`, and connects each connection to the broker at `target`. A context manager."""

    def __init__(self, target: str, way: Way, seed: int = 0) -> None:
        self._target, self._way = parse_endpoint(target), way
        self._random = random.Random(seed)
        self._server = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.endpoint = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self._directions: list[_Direction] = []
        self._paused_until = 0.0
        self._next_pause = time.monotonic() + 1.0
        self._stopping = False
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        self._thread.join()

    def _serve(self) -> None:
        self._server.setblocking(False)
        with self._server:
            while not self._stopping:
                self._turn()
        for direction in list(self._directions):
            self._close(direction)

    def _turn(self) -> None:
        now = time.monotonic()
        if self._way.pause and now > self._next_pause:
            self._paused_until = now + self._way.pause
            self._next_pause = self._paused_until + self._random.uniform(0.5, 3.5)
        with selectors.PollSelector() as selector:
            selector.register(self._server, selectors.EVENT_READ)
            readers = {d.source: d for d in self._directions if not d.ended and d.size < HELD_MAX}
            writers = {d.sink: d for d in self._directions if d.held and d.held[0][0] <= now}
            if now < self._paused_until:
                writers.clear()
            for link in readers.keys() | writers.keys():
                reads = selectors.EVENT_READ if link in readers else 0
                selector.register(link, reads | (selectors.EVENT_WRITE if link in writers else 0))
            for key, events in selector.select(self._wait(now)):
                if key.fileobj is self._server:
                    self._accept()
                    continue
                link = key.fileobj
                assert isinstance(link, socket.socket)
                if events & selectors.EVENT_READ and link in readers:
                    self._read(readers[link])
                if events & selectors.EVENT_WRITE and link in writers:
                    self._write(writers[link])
        for direction in list(self._directions):
            if direction.ended and not direction.held:
                self._close(direction)

    def _wait(self, now: float) -> float:
        dues = [max(d.held[0][0], self._paused_until) for d in self._directions if d.held]
        return min([0.05, *(max(due - now, 0.0) for due in dues)])

    def _accept(self) -> None:
        try:
            client, _ = self._server.accept()
            broker = self._target.connect(5.0)
        except OSError:
            with contextlib.suppress(UnboundLocalError):
                client.close()
            return
        for link in (client, broker):
            link.setblocking(False)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._directions += [_Direction(client, broker), _Direction(broker, client)]

    def _read(self, direction: _Direction) -> None:
        try:
            data = direction.source.recv(READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            direction.ended = True
            return
        direction.size += len(data)
        direction.held.append((self._due(time.monotonic()), data))

    def _due(self, now: float) -> float:
        due = now + self._way.delay
        return math.ceil(due / self._way.tick) * self._way.tick if self._way.tick else due

    def _write(self, direction: _Direction) -> None:
        due, data = direction.held.popleft()
        sent = 0
        try:
            while sent < len(data):
                cut = self._way.piece and sent < CUT
                size = self._random.randint(1, self._way.piece) if cut else READ
                sent += direction.sink.send(memoryview(data)[sent : sent + size])
        except BlockingIOError:
            direction.held.appendleft((due, data[sent:]))
        except OSError:
            direction.held.clear()
            direction.ended = True
            direction.size = 0
            return
        direction.size -= sent

    def _close(self, direction: _Direction) -> None:
        """Closes both directions of a connection; sends first what the other one holds, if that is possible at once."""
        pair = [other for other in self._directions if other.source in (direction.source, direction.sink)]
        for other in pair:
            if other is not direction:
                for _, data in other.held:
                    with contextlib.suppress(OSError):
                        other.sink.send(data)
            self._directions.remove(other)
        direction.source.close()
        direction.sink.close()
