"""Links between clients and the broker: slow, bounded, and unreliable.

A link is two FIFO queues, like a ZeroMQ connection: reliable until it breaks; then everything under way is lost. Frames
that a client sends while it is not connected wait in its own pipe. The broker's pipe to a client is bounded; frames
that do not fit are refused. A new connection is a new peer for the broker, unless the client is `sticky`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import groupby
from random import Random
from typing import Protocol

from zeps_broker.frame_batch import FrameBatch
from zeps_broker.ports import Gone, Malformed, Output, Peer, Received, Undelivered

__all__ = ["Endpoint", "Link", "Network", "Timeline", "in_runs"]


class Timeline(Protocol):
    """The world's clock."""

    now: float
    rng: Random

    def at(self, time: float, call: Callable[[], None]) -> None:
        """Schedules a call at a time, in seconds of the virtual clock, or at once if that time has passed."""

    def say(self, who: str, what: object) -> None: ...


class Endpoint(Protocol):
    """The client's end of a link."""

    name: str

    def arrived(self, frame: bytes) -> None: ...

    def link_broke(self) -> None: ...


@dataclass(slots=True, eq=False)
class Link:
    """The present or next connection of one client. Times are in seconds."""

    client: Endpoint
    sticky: bool
    latency: float
    service: float
    """Time in which the client takes one frame from the link."""
    bound: int
    """Maximum number of frames in the broker's pipe."""
    peer: Peer = None
    """The broker's name of the connection, or None."""
    connections: int = 0
    waiting: list[bytes] = field(default_factory=list)
    down: deque[tuple[float, bytes]] = field(default_factory=deque)
    down_last: float = 0.0
    up_last: float = 0.0
    stalled_until: float = 0.0


class Network:
    """A ports.Transport. `check_sent` gets each frame that leaves the broker; `wake` is called when input arrives."""

    def __init__(
        self, timeline: Timeline, check_sent: Callable[[bytes], None], wake: Callable[[], None]
    ) -> None:
        self._timeline = timeline
        self._check_sent = check_sent
        self._wake = wake
        self._links: dict[Peer, Link] = {}
        self._up: list[tuple[float, int, Peer, bytes]] = []
        self._arrived: list[tuple[Peer, bytes | Gone]] = []
        self._order = 0
        self._refused: dict[Peer, float] = {}
        self.reports_all = True
        """True if a refusal is reported for each output, not only for the first."""
        self.tells_gone = True
        """True if a peer without a connection is reported; otherwise its output is dropped."""
        self.tells_closed = False
        """True if a broken connection is reported, after its input."""
        self.tells_room = True
        """True if `writable` is exact; otherwise it returns all peers after a while."""
        self.counts = {"frames": 0, "refused": 0, "gone": 0, "breaks": 0}

    # interface of the clients

    def connect(self, link: Link) -> None:
        """Connects, and sends waiting frames."""
        if link.peer is not None:
            return
        link.connections += 1
        same = link.sticky and not self.tells_closed  # a closed peer does not reconnect under its old name
        link.peer = link.client.name if same else f"{link.client.name}.{link.connections}"
        link.down_last = link.up_last = self._timeline.now
        self._links[link.peer] = link
        waiting, link.waiting = link.waiting, []
        for frame in waiting:
            self.from_client(link, frame)

    def from_client(self, link: Link, frame: bytes) -> None:
        if link.peer is None:
            link.waiting.append(frame)
            return
        timeline = self._timeline
        earliest = timeline.now + link.latency * timeline.rng.uniform(0.5, 1.5)
        arrival = link.up_last = max(link.up_last, earliest, link.stalled_until)
        self._order += 1
        heappush(self._up, (arrival, self._order, link.peer, frame))
        timeline.at(arrival, self._wake)

    def to_client(self, link: Link, frame: bytes) -> None:
        """Injects a frame that the broker did not send into the input of a client, if it is connected."""
        if link.peer is not None:
            self._carry(link, frame)

    def cut(self, link: Link) -> None:
        """Breaks a connection, if any, and tells its client: all under way is lost, except input that has arrived."""
        if link.peer is None:
            return
        self.counts["breaks"] += 1
        self._timeline.say(link.client.name, f"connection {link.peer} breaks")
        self._arrive()
        self._up = sorted(entry for entry in self._up if entry[2] != link.peer)
        del self._links[link.peer]
        if self.tells_closed:
            self._arrived.append((link.peer, Gone()))
            self._timeline.at(self._timeline.now, self._wake)
        link.peer = None
        link.down.clear()
        link.stalled_until = 0.0
        link.client.link_broke()

    def stall(self, link: Link, seconds: float) -> None:
        """Stops the link for `seconds` from now; nothing is lost. Frames already under way to the broker arrive."""
        link.stalled_until = self._timeline.now + seconds

    def crash(self) -> None:
        """Handles a crash of the broker: every connection breaks, and the input that it had received is lost."""
        self._up.clear()
        self._refused.clear()
        for link in list(self._links.values()):
            self.cut(link)
        self._arrived.clear()

    # interface of the broker

    def next_arrival(self) -> float | None:
        if self._arrived:
            return self._timeline.now
        return self._up[0][0] if self._up else None

    def hang_up(self, peer: Peer) -> None:
        """Closes a peer's connection; a network that does not report closed connections does not close them either."""
        if self.tells_closed and peer in self._links:
            self.cut(self._links[peer])

    def source_of(self, peer: Peer) -> Hashable:
        return peer

    def receive(
        self, timeout: float, holds: Callable[[Peer], bool] | None = None, limit: int = 1000
    ) -> list[Received]:
        self._arrive()
        if holds is not None and holds(None):
            return []
        batch = self._arrived[:limit]
        del self._arrived[:limit]
        return in_runs(batch) if self._timeline.rng.random() < 0.5 else [*batch]

    def send(self, outputs: Iterable[Output]) -> list[Undelivered]:
        refusals: list[Undelivered] = []
        refused: set[Peer] = set()
        for output in outputs:
            for peer in output.peers:
                accepted, gone = (0, False) if peer in refused else self._offer(peer, output)
                if accepted == len(output.frames) and peer not in refused:
                    continue
                if peer not in refused or self.reports_all:
                    refusals.append(Undelivered(peer, output, accepted, gone))
                refused.add(peer)
                self.counts["gone" if gone else "refused"] += 1
                if not gone:
                    self._refused.setdefault(peer, self._timeline.now)
        return refusals

    def writable(self) -> list[Peer]:
        now, links = self._timeline.now, self._links
        if self.tells_room:
            ready = [peer for peer in self._refused if peer not in links or self._room(links[peer]) > 0]
        else:
            ready = [peer for peer, since in self._refused.items() if now - since > 0.02]
        for peer in ready:
            del self._refused[peer]
        return ready

    def next_writable(self) -> float | None:
        """Returns the time at which to call `writable` again; None if no peer has refused a frame since."""
        return self._timeline.now + 0.02 if self._refused else None

    def close(self) -> None: ...

    def _arrive(self) -> None:
        while self._up and self._up[0][0] <= self._timeline.now:
            _, _, peer, frame = heappop(self._up)
            self._arrived.append((peer, frame))

    def _room(self, link: Link) -> int:
        return link.bound - len(link.down)

    def _offer(self, peer: Peer, output: Output) -> tuple[int, bool]:
        """Sends the frames that fit; returns their number, and whether to report the peer as disconnected."""
        link = self._links.get(peer)
        if link is None:
            return (0, True) if self.tells_gone else (len(output.frames), False)
        accepted = min(max(self._room(link), 0), len(output.frames))
        for frame in output.frames[:accepted]:
            self.counts["frames"] += 1
            self._check_sent(frame)
            self._carry(link, frame)
        return accepted, False

    def _carry(self, link: Link, frame: bytes) -> None:
        timeline = self._timeline
        earliest = timeline.now + link.latency * timeline.rng.uniform(0.5, 1.5)
        link.down_last = max(link.down_last + link.service, earliest, link.stalled_until)
        link.down.append((link.down_last, frame))
        if len(link.down) == 1:
            timeline.at(link.down_last, lambda: self._drain(link))

    def _drain(self, link: Link) -> None:
        now = self._timeline.now
        while link.down and link.down[0][0] <= now:
            if now < link.stalled_until:
                break
            link.client.arrived(link.down.popleft()[1])
        if link.down:
            self._timeline.at(max(link.down[0][0], link.stalled_until), lambda: self._drain(link))


def in_runs(batch: Sequence[Received]) -> list[Received]:
    """Returns `batch` with adjacent frames of one peer and size as a FrameBatch, like a large read of a socket."""
    runs: list[Received] = []
    for (peer, size), alike in groupby(batch, lambda received: (received[0], _size(received[1]))):
        some = list(alike)
        if size is None or len(some) == 1:
            runs += some
            continue
        data = b"".join(_GAP + frame for _, frame in some if isinstance(frame, bytes))
        runs.append((peer, FrameBatch(data, len(_GAP), size, len(some), len(_GAP) + size)))
    return runs


def _size(data: bytes | FrameBatch | Malformed | Gone) -> int | None:
    return len(data) if isinstance(data, bytes) else None


_GAP = b"--"
