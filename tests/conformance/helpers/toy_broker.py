"""A naive broker, right and slow, on the suite's own ZMTP: what the mutants are mutations of.

It is no oracle: the cases are written from the rules. It shows that a broker can pass them all, and each
of its small methods is a place where a mutant goes wrong. As a script it keeps its messages in a file, so
that it can be stopped, killed and started again: ``toy_broker.py ENDPOINT DATA [CLIENT_TIMEOUT]``.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from zeps_conformance.interpreter import Decoded, Interpreter, MalformedFrameError
from zeps_conformance.model import load_model
from zeps_conformance.raw.listener import Listener, Remote

CREDIT_MAX = (1 << 64) - 1


@dataclass
class Stored:
    sequence: int
    key: str
    body: bytes


@dataclass
class Place:
    """A session: where it is attached and what it is owed."""

    stream: str
    credit: int = 0
    subscriptions: list[tuple[str, int]] = field(default_factory=list)
    had: set[int] = field(default_factory=set)
    done: int = 0  # everything up to here was delivered or skipped
    heard: float = 0.0
    detaching: bool = False


class ToyBroker(Listener):
    def __init__(
        self,
        codec: Interpreter,
        client_timeout: float = 1.0,
        endpoint: str = "tcp://127.0.0.1:0",
        journal: Path | None = None,
    ) -> None:
        super().__init__(endpoint)
        self.codec = codec
        self.client_timeout = client_timeout
        self.places: dict[Remote, Place] = {}
        self.streams: dict[str, list[Stored]] = {}
        self.stopping_since: float | None = None
        self.stopped = False
        self._journal = None
        if journal is not None:
            self.load(journal)
            self._journal = journal.open("a", encoding="utf-8")

    # Input

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        try:
            message = self.decode(parts)
        except MalformedFrameError as error:
            self.refuse(remote, str(error))
            return
        place = self.places.get(remote)
        if place is not None:
            self.sign_of_life(place, message)
        if message.name == "ATTACH":
            self.attach(remote, message)
        elif place is None:
            self.without_session(remote, message)
        elif place.detaching:
            self.while_detaching(remote, place, message)
        else:
            self.in_session(remote, place, message)

    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        if len(parts) != 1:
            raise MalformedFrameError("trailing", None, None, len(parts[0]))
        return self.codec.decode(parts[0])

    def sign_of_life(self, place: Place, message: Decoded) -> None:
        place.heard = time.monotonic()

    def in_session(self, remote: Remote, place: Place, message: Decoded) -> None:
        name = message.name
        if name == "SUBSCRIBE":
            self.subscribe(remote, place, str(message["pattern"]), int(message["latest"]))
        elif name == "CREDIT":
            self.grant(place, int(message["credit"]))
            self.pump(remote, place)
        elif name == "PUBLISH":
            body = message["body"]
            assert isinstance(body, bytes)
            self.publish(remote, place, str(message["key"]), body)
        elif name == "PING":
            self.say(remote, "PING-OK")
        elif name == "PING-OK":
            pass
        elif name == "DETACH":
            self.end(remote)
            self.say(remote, "DETACH-OK")
        else:
            self.refuse(remote, f"{name} is not for a broker")

    def while_detaching(self, remote: Remote, place: Place, message: Decoded) -> None:
        if message.name == "PUBLISH":
            self.in_session(remote, place, message)
        elif message.name in ("DETACH", "DETACH-OK"):
            self.end(remote)
            if message.name == "DETACH":
                self.say(remote, "DETACH-OK")

    def attach(self, remote: Remote, message: Decoded) -> None:
        stream = str(message["stream"])
        if not stream:
            self.refuse(remote, "the stream's name is empty")
            return
        self.places[remote] = Place(stream, heard=time.monotonic())
        self.say(remote, "ATTACH-OK")

    def without_session(self, remote: Remote, message: Decoded) -> None:
        self.refuse(remote, "no session")

    def refuse(self, remote: Remote, reason: str) -> None:
        self.end(remote)
        self.say(remote, "INVALID", reason=reason)

    def end(self, remote: Remote) -> None:
        self.places.pop(remote, None)

    # Subscriptions, credit, messages

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        start = self.start_of(place, latest)
        place.subscriptions.append((pattern, start))
        place.done = min(place.done, start)
        self.say(remote, "SUBSCRIBE-OK")
        self.pump(remote, place)

    def start_of(self, place: Place, latest: int) -> int:
        return min(latest, len(self.log(place.stream)))

    def grant(self, place: Place, octets: int) -> None:
        place.credit = min(place.credit + octets, CREDIT_MAX)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        self.store(place.stream, key, body)
        for other, there in list(self.places.items()):
            if there.stream == place.stream:
                self.pump(other, there)

    def store(self, stream: str, key: str, body: bytes) -> None:
        log = self.log(stream)
        log.append(Stored(len(log) + 1, key, body))
        if self._journal is not None:
            self._journal.write(json.dumps([stream, key, body.hex()]) + "\n")
            self._journal.flush()

    def log(self, stream: str) -> list[Stored]:
        return self.streams.setdefault(stream, [])

    def pump(self, remote: Remote, place: Place) -> None:
        """Send what is due and covered by credit, oldest first."""
        if place.detaching or not place.subscriptions:
            return
        log = self.log(place.stream)
        for stored in log[place.done :]:
            if self.due(place, stored):
                cost = self.cost(stored)
                if not self.covered(place, cost):
                    return
                self.spend(place, cost)
                self.mark(place, stored)
                self.deliver(remote, place, stored)
            place.done = stored.sequence

    def due(self, place: Place, stored: Stored) -> bool:
        return stored.sequence not in place.had and any(
            stored.sequence > start and self.matches(pattern, stored.key)
            for pattern, start in place.subscriptions
        )

    def matches(self, pattern: str, key: str) -> bool:
        return key.encode().startswith(pattern.encode())

    def cost(self, stored: Stored) -> int:
        return 3 + 8 + 1 + len(stored.key.encode()) + 4 + len(stored.body)

    def covered(self, place: Place, cost: int) -> bool:
        return cost <= place.credit

    def spend(self, place: Place, cost: int) -> None:
        place.credit -= cost

    def mark(self, place: Place, stored: Stored) -> None:
        place.had.add(stored.sequence)

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        self.say(remote, "DELIVER", sequence=stored.sequence, key=stored.key, body=stored.body)

    # Time and ends

    def say(self, remote: Remote, name: str, **values: int | str | bytes) -> None:
        remote.send(self.codec.encode(name, **values))

    def gone(self, remote: Remote) -> None:
        self.places.pop(remote, None)

    def turn(self, now: float) -> None:
        for remote, place in list(self.places.items()):
            if self.expired(place, now):
                self.places.pop(remote)
        if self.stopping_since is not None:
            self.stop_in_order(now)

    def expired(self, place: Place, now: float) -> bool:
        return now - place.heard > self.client_timeout

    def stop_in_order(self, now: float) -> None:
        for remote, place in self.places.items():
            if not place.detaching:
                place.detaching = True
                self.say(remote, "DETACH")
        assert self.stopping_since is not None
        self.stopped = not self.places or now - self.stopping_since > 3

    def load(self, journal: Path) -> None:
        if journal.exists():
            for line in journal.read_text(encoding="utf-8").splitlines():
                stream, key, body = json.loads(line)
                log = self.log(stream)
                log.append(Stored(len(log) + 1, key, bytes.fromhex(body)))


def main() -> None:
    endpoint, data = sys.argv[1], Path(sys.argv[2])
    timeout = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
    codec = Interpreter(load_model())

    def stop(number: int, frame: object) -> None:
        broker.stopping_since = time.monotonic()

    with ToyBroker(codec, timeout, endpoint, data / "journal") as broker:
        signal.signal(signal.SIGTERM, stop)
        print(f"ready {broker.endpoint}", flush=True)
        while not broker.stopped:
            time.sleep(0.01)


if __name__ == "__main__":
    main()
