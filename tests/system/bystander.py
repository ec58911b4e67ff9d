"""Well-behaved clients that attacks must not disturb: a bystander that measures, and 20 honest clients.

As a program this runs the honest clients until standard input ends, and prints the results of their messages.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from dataclasses import asdict, dataclass, field

from harness import PATIENCE, Peer, PythonProcess

from zeps_client import NEW, Client, ClientError
from zeps_client.events import Event, Lost
from zeps_wire import zeps

__all__ = ["Bystander", "HonestProcess", "Waits", "main"]

_PAUSE_SECONDS = (0.02, 0.05)
_STREAMS = 4
_PUBLISHERS = 2
_SUBSCRIBERS = 3


@dataclass
class Waits:
    """Seconds from sending PUBLISH and PING to PING-OK, and to the delivery of the published message."""

    confirmed: list[float] = field(default_factory=list)
    delivered: list[float] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        """The seconds below which `share` of the rounds stayed; a round takes as long as its last answer."""
        rounds = sorted(map(max, self.confirmed, self.delivered))
        return rounds[min(int(share * len(rounds)), len(rounds) - 1)]

    def __str__(self) -> str:
        p50, p99, highest = (round(self.quantile(share) * 1000, 1) for share in (0.5, 0.99, 1))
        return f"{len(self.confirmed)} rounds, p50 {p50} ms, p99 {p99} ms, highest {highest} ms"


class Bystander:
    """A session in a stream of its own that publishes to itself and pings, in a thread, with pauses of 20 to 50 ms."""

    STREAM = "bystander"

    def __init__(self, peer: Peer, seed: int = 0) -> None:
        self.waits = Waits()
        self._peer = peer
        self._rng = random.Random(seed)
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        peer.attach(self.STREAM)
        peer.subscribe("", zeps.LATEST_NEW, 2**63)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def rounds(self) -> int:
        """Returns how many messages were confirmed and delivered so far. Raises the error that ended the bystander."""
        if self._failure is not None:
            raise self._failure
        return len(self.waits.delivered)

    def finish(self) -> Waits:
        """Stops, detaches, and checks that no message was lost, repeated or out of order. Raises AssertionError."""
        self._stop.set()
        self._thread.join(2 * PATIENCE)
        assert not self._thread.is_alive(), "the bystander waits for ever"
        count = self.rounds()
        self._peer.barrier()
        assert self._peer.silent(0.1), f"something came after message {count}"
        self._peer.detach()
        return self.waits

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._round(len(self.waits.delivered) + 1)
                self._stop.wait(self._rng.uniform(*_PAUSE_SECONDS))
        except BaseException as error:
            self._failure = error

    def _round(self, number: int) -> None:
        """Publishes the stream's message `number`, and waits until it is confirmed and delivered."""
        body = b"%d" % number
        begun = time.monotonic()
        self._peer.send(zeps.Publish("k", body), zeps.Ping())
        confirmed = delivered = 0.0
        while not (confirmed and delivered):
            message = self._peer.receive()
            waited = time.monotonic() - begun
            if message == zeps.PingOk() and not confirmed:
                confirmed = waited
            elif message == zeps.Deliver(number, "k", body) and not delivered:
                delivered = waited
            elif message == zeps.Ping():
                self._peer.send(zeps.PingOk())
            else:
                raise AssertionError(f"in round {number}: {message!r:.300}")
        self.waits.confirmed.append(confirmed)
        self.waits.delivered.append(delivered)


# 20 honest clients ------------------------------------------------------------------------------------------


@dataclass
class HonestReport:
    """Results of the honest clients."""

    clients: int
    published: int
    expected: int
    """Deliveries expected for the published messages."""
    delivered: int
    faults: list[str]
    """Lost sessions, and messages that were lost, repeated or out of order."""


class _Honest:
    """The clients of one stream: every confirmed message must be delivered once to each subscriber, in order."""

    def __init__(self, endpoint: str, stream: str) -> None:
        self.stream = stream
        self.faults: list[str] = []
        self.publishers = [self._client(endpoint, f"publisher {n}") for n in range(_PUBLISHERS)]
        self.subscribers = [self._client(endpoint, f"subscriber {n}") for n in range(_SUBSCRIBERS)]
        self.clients = self.publishers + self.subscribers
        self.published = [0] * _PUBLISHERS
        self.delivered: list[dict[str, list[int]]] = [{} for _ in self.subscribers]
        for subscriber in self.subscribers:
            subscriber.subscribe("", NEW, timeout=PATIENCE)
        self._readers = [
            threading.Thread(target=self._read, args=[client, numbers], daemon=True)
            for client, numbers in zip(self.subscribers, self.delivered, strict=True)
        ]
        for reader in self._readers:
            reader.start()

    def publish(self, rng: random.Random) -> None:
        """Publishes one message from each publisher."""
        for index, client in enumerate(self.publishers):
            body = b"%d:" % self.published[index] + bytes(rng.randrange(2000))
            client.publish(f"publisher {index}", body, timeout=PATIENCE)
            self.published[index] += 1

    def settle(self) -> None:
        """Waits until all messages are confirmed and arrive, closes the clients, and adds differences to `faults`."""
        for client in self.publishers:
            client.flush(PATIENCE)
        expected = {
            f"publisher {index}": list(range(count)) for index, count in enumerate(self.published) if count
        }
        end = time.monotonic() + PATIENCE
        while self._missing() > 0 and time.monotonic() < end:
            time.sleep(0.02)
        for client in self.subscribers:
            client.last_sequence(PATIENCE)  # a barrier: earlier deliveries have arrived
        for client in self.clients:
            client.close(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)  # it reads the input that has arrived, and ends since the client is closed
            if reader.is_alive():
                self.faults.append(f"{self.stream}: a subscriber does not end")
        for index, numbers in enumerate(self.delivered):
            if numbers != expected:
                counts = {key: len(received) for key, received in numbers.items()}
                self.faults.append(f"{self.stream}: subscriber {index} has {counts} of {self.published}")

    def _missing(self) -> int:
        return max(sum(self.published) - sum(map(len, numbers.values())) for numbers in self.delivered)

    def _client(self, endpoint: str, name: str) -> Client:
        def note(event: Event) -> None:
            if isinstance(event, Lost):
                self.faults.append(f"{self.stream}: {name}: {event}")

        return Client(endpoint, self.stream, on_event=note)

    def _read(self, client: Client, numbers: dict[str, list[int]]) -> None:
        try:
            for message in client:
                numbers.setdefault(message.key, []).append(int(message.body.split(b":")[0]))
        except ClientError as error:
            self.faults.append(f"{self.stream}: {error!r}")


def main(endpoint: str) -> HonestReport:
    """Runs the honest clients until standard input ends. Prints "ready" when all are attached."""
    rng = random.Random(0)
    streams = [_Honest(endpoint, f"honest.{number}") for number in range(_STREAMS)]
    ended = threading.Event()

    def wait_for_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    for stream in streams:
        for client in stream.clients:
            client.wait(PATIENCE)
    print("ready", flush=True)
    while not ended.wait(0.05):
        for stream in streams:
            stream.publish(rng)
    for stream in streams:
        stream.settle()
    return HonestReport(
        clients=sum(len(stream.clients) for stream in streams),
        published=sum(sum(stream.published) for stream in streams),
        expected=sum(sum(stream.published) * len(stream.subscribers) for stream in streams),
        delivered=sum(sum(map(len, numbers.values())) for stream in streams for numbers in stream.delivered),
        faults=[fault for stream in streams for fault in stream.faults],
    )


class HonestProcess(PythonProcess):
    """20 honest clients in a process of their own."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(__file__, endpoint)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n", "the honest clients did not start"

    def finish(self) -> HonestReport:
        """Ends their publishing, and waits until they have compared the messages; returns their report."""
        return HonestReport(**json.loads(self.output(4 * PATIENCE)))


if __name__ == "__main__":
    print(json.dumps(asdict(main(sys.argv[1]))))
