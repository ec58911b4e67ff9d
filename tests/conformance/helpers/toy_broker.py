"""A naive broker, correct and slow, on the suite's own ZMTP: the base of the mutants, not an oracle.

Each of its small methods is a place for a mutant's defect. As a script, ``toy_broker.py ENDPOINT DATA
[CLIENT_TIMEOUT]``, it keeps its messages in a file, so that it can be stopped, killed and started again.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import time
import zlib
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from zeps_conformance.broker.options import Streams
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError
from zeps_conformance.wire.router_server import Remote, RouterServer

CREDIT_MAX = (1 << 64) - 1
SUBSCRIPTIONS_MAX = 100
BATCH = 64  # messages delivered to a session before the next session's turn
STREAMS = Streams(regex="regex/", brief="brief/", brief_octets=16_384, closed="closed/")
"""The specially configured streams."""


class Asked(NamedTuple):
    """The fields of a SUBSCRIBE."""

    pattern: str
    latest: int


class Refusal(NamedTuple):
    """INVALID for a SUBSCRIBE; `first` and `last` are 0 for a code without sequences."""

    code: str
    first: int = 0
    last: int = 0


@dataclass
class Stored:
    """A message, or the record of its loss: `lost` is the code of its loss."""

    sequence: int
    key: str
    body: bytes
    lost: str = ""


@dataclass
class Log:
    """A stream. `oldest` is the first sequence that retention has not removed."""

    messages: list[Stored] = field(default_factory=list)
    oldest: int = 1
    size: int = 0

    @property
    def end(self) -> int:
        return len(self.messages)


@dataclass
class Fill:
    """Past messages that a subscription adds: those that `pattern` matches, behind `done` and up to `upto`."""

    pattern: str
    done: int
    upto: int


RATE_MIN = 65_536  # bytes per second


@dataclass
class Place:
    """A session: its stream and its pending deliveries."""

    stream: str
    credit: int = 0
    subscriptions: list[tuple[str, int]] = field(default_factory=list)
    fills: deque[Fill] = field(default_factory=deque)
    had: set[int] = field(default_factory=set)
    done: int = 0  # everything up to here was delivered or skipped
    heard: float = 0.0
    asked: float = 0.0
    detaching: bool = False


class ToyBroker(RouterServer):
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
        self.streams: dict[str, Log] = {}
        self.behind: dict[Remote, Place] = {}  # sessions with deliveries left after one batch
        self.turned = time.monotonic()
        self.stopping_since: float | None = None
        self.stopped = False
        self._journal = None
        if journal is not None:
            self.load(journal)
            self._journal = journal.open("a", encoding="utf-8")

    # Input

    def advanced(self, remote: Remote, size: int) -> None:
        place = self.places.get(remote)
        if place is not None:
            place.heard = min(place.heard + size / RATE_MIN, time.monotonic())

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        if self.has_own_id(remote):
            self.refuse(remote, "routing-id", "leave the routing id to the broker")
            return
        try:
            message = self.decode(parts)
        except MalformedFrameError as error:
            self.refuse(remote, self.code_of(error), str(error))
            return
        place = self.places.get(remote)
        if place is not None:
            self.sign_of_life(place, message)
        if place is not None and place.detaching:
            self.while_detaching(remote, place, message)
        elif message.name == "ATTACH":
            self.attach(remote, message)
        elif place is None:
            self.without_session(remote, message)
        else:
            self.in_session(remote, place, message)

    def has_own_id(self, remote: Remote) -> bool:
        return bool(remote.properties.get("identity"))

    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        if len(parts) != 1:
            raise MalformedFrameError("trailing", None, None, len(parts[0]))
        return self.codec.decode(parts[0])

    def code_of(self, error: MalformedFrameError) -> str:
        if error.code == "bad-constant":
            return f"unsupported-{error.field}"
        return "unknown-command" if error.code == "unknown-message" else "malformed"

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
            self.unexpected(remote, place, name)

    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        self.decline(remote, "unexpected", f"{name} is not for a broker")

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
            self.refuse(remote, "stream-name", "the stream's name is empty")
            return
        if self.is_closed(stream):
            self.refuse(remote, "stream-unavailable", "the stream is closed")
            return
        self.places[remote] = Place(stream, heard=time.monotonic())
        self.say(remote, "ATTACH-OK")

    def is_closed(self, stream: str) -> bool:
        assert STREAMS.closed is not None
        return stream.startswith(STREAMS.closed)

    def without_session(self, remote: Remote, message: Decoded) -> None:
        self.refuse(remote, "no-session", "ATTACH opens one")

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        """Sends INVALID and ends the session."""
        self.end(remote)
        self.invalid(remote, code, text)

    def decline(self, remote: Remote, code: str, text: str, first: int = 0, last: int = 0) -> None:
        """Sends INVALID and leaves the session unchanged."""
        self.invalid(remote, f"{code} {first} {last}" if first else code, text)

    def invalid(self, remote: Remote, code: str, text: str) -> None:
        self.say(remote, "INVALID", reason=f"{code} {text}")

    def end(self, remote: Remote) -> None:
        self.places.pop(remote, None)

    # Subscriptions, credit, messages

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        if refusal := self.refusal(place, pattern, latest):
            self.declined(remote, place, Asked(pattern, latest), refusal)
            return
        self.add(place, pattern, self.start_of(place, latest))
        self.say(remote, "SUBSCRIBE-OK")
        self.pump(remote, place)

    def refusal(self, place: Place, pattern: str, latest: int) -> Refusal | None:
        """Returns the INVALID for a SUBSCRIBE, or None if it is granted."""
        log = self.log(place.stream)
        if len(place.subscriptions) >= SUBSCRIPTIONS_MAX:
            return Refusal("too-many-subscriptions")
        if self.is_regex(place.stream) and not is_pattern(pattern):
            return Refusal("bad-pattern")
        if log.end < latest < CREDIT_MAX:
            return Refusal("beyond-end", log.end + 1, latest)
        if 0 < latest < log.oldest - 1:
            return Refusal("not-retained", latest + 1, log.oldest - 1)
        return None

    def declined(self, remote: Remote, place: Place, asked: Asked, refusal: Refusal) -> None:
        self.decline(remote, refusal.code, "the subscription is refused", refusal.first, refusal.last)

    def add(self, place: Place, pattern: str, start: int) -> None:
        if not place.subscriptions:
            place.done = start
        elif start < place.done:
            place.fills.append(Fill(pattern, start, place.done))
        place.subscriptions.append((pattern, start))

    def start_of(self, place: Place, latest: int) -> int:
        log = self.log(place.stream)
        return min(max(latest, log.oldest - 1), log.end)

    def grant(self, place: Place, credit: int) -> None:
        place.credit = min(place.credit + credit, CREDIT_MAX)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        self.store(place.stream, key, body)
        for other, there in list(self.places.items()):
            if there.stream == place.stream:
                self.pump(other, there)

    def store(self, stream: str, key: str, body: bytes) -> None:
        log = self.log(stream)
        log.messages.append(Stored(log.end + 1, key, body))
        if self._journal is not None:
            text = json.dumps([stream, key, body.decode("latin-1")])
            self._journal.write(f"{zlib.crc32(text.encode()):08x} {text}\n")
            self.keep()
        self.retain(stream, log)

    def keep(self) -> None:
        """Flushes the journal, so that it survives the process."""
        assert self._journal is not None
        self._journal.flush()

    def retain(self, stream: str, log: Log) -> None:
        assert STREAMS.brief is not None
        if stream.startswith(STREAMS.brief):
            self.remove_beyond(log, STREAMS.brief_octets)

    def remove_beyond(self, log: Log, size_max: int) -> None:
        """Counts the last message, and removes the oldest until at most `size_max` bytes remain."""
        log.size += self.cost(log.messages[-1])
        while log.size > size_max:
            gone = log.messages[log.oldest - 1]
            log.size -= self.cost(gone)
            gone.lost = "retention"
            log.oldest += 1

    def log(self, stream: str) -> Log:
        return self.streams.setdefault(stream, Log())

    def pump(self, remote: Remote, place: Place) -> None:
        """Sends due messages that the credit covers: those that subscriptions add, and then the main flow."""
        self.behind.pop(remote, None)
        if place.detaching or not place.subscriptions:
            return
        had = len(place.had)
        while place.fills:
            fill = place.fills[0]
            fill.done = self.run(remote, place, [(fill.pattern, fill.done)], fill.done, fill.upto)
            if fill.done < fill.upto:
                break
            place.fills.popleft()
        else:
            end = self.log(place.stream).end
            place.done = self.run(remote, place, place.subscriptions, place.done, end)
        if len(place.had) - had >= BATCH:
            self.behind[remote] = place

    def run(
        self, remote: Remote, place: Place, subscriptions: list[tuple[str, int]], done: int, upto: int
    ) -> int:
        """Delivers from `done` to `upto`, oldest first, at most one batch. Returns the reached sequence."""
        messages = self.log(place.stream).messages
        most = len(place.had) + BATCH
        while done < upto and len(place.had) < most:
            stored = messages[done]
            if stored.lost:
                done = self.pass_over(remote, place, subscriptions, done, upto)
                continue
            if self.due(place, subscriptions, stored):
                cost = self.cost(stored)
                if not self.covered(place, cost):
                    return done
                self.spend(place, cost)
                self.mark(place, stored)
                self.deliver(remote, place, stored)
            done = stored.sequence
        return done

    def pass_over(
        self, remote: Remote, place: Place, subscriptions: list[tuple[str, int]], done: int, upto: int
    ) -> int:
        """Announces the gap that begins behind `done`. Returns its end."""
        messages, first = self.log(place.stream).messages, done + 1
        code = messages[done].lost
        while done < upto and messages[done].lost == code:
            done += 1
        self.announce(remote, place, code, first, done)
        return done

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        self.decline(remote, code, "these are lost", first, last)

    def due(self, place: Place, subscriptions: list[tuple[str, int]], stored: Stored) -> bool:
        return stored.sequence not in place.had and any(
            stored.sequence > start and self.fits(place, pattern, stored.key)
            for pattern, start in subscriptions
        )

    def fits(self, place: Place, pattern: str, key: str) -> bool:
        if self.is_regex(place.stream):
            return re.search(pattern, key) is not None
        return self.matches(pattern, key)

    def is_regex(self, stream: str) -> bool:
        assert STREAMS.regex is not None
        return stream.startswith(STREAMS.regex)

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

    # Timers and ends

    def say(self, remote: Remote, name: str, **values: int | str | bytes) -> None:
        remote.send(self.codec.encode(name, **values))

    def gone(self, remote: Remote) -> None:
        self.places.pop(remote, None)

    def pause(self) -> float:
        return 0.0 if self.behind else super().pause()

    def turn(self, now: float) -> None:
        away, self.turned = now - self.turned, now
        for remote, place in list(self.behind.items()):
            if self.places.get(remote) is place:
                self.pump(remote, place)
            else:
                del self.behind[remote]
        for remote, place in list(self.places.items()):
            place.heard += (
                away if away > self.client_timeout / 8 else 0.0
            )  # input that arrived meanwhile is not read yet
            if self.expired(place, now):
                self.places.pop(remote)
            elif now - max(place.heard, place.asked) > self.client_timeout / 3 and not place.detaching:
                self.ask(remote, place, now)
        if self.stopping_since is not None:
            self.stop_in_order(now)

    def expired(self, place: Place, now: float) -> bool:
        return now - place.heard > self.client_timeout

    def ask(self, remote: Remote, place: Place, now: float) -> None:
        place.asked = now
        self.say(remote, "PING")

    def stop_in_order(self, now: float) -> None:
        for remote, place in self.places.items():
            if not place.detaching:
                place.detaching = True
                self.say(remote, "DETACH")
        assert self.stopping_since is not None
        self.stopped = not self.places or now - self.stopping_since > 5

    def load(self, journal: Path) -> None:
        if not journal.exists():
            return
        for line in journal.read_text(encoding="utf-8", errors="replace").splitlines():
            check, _, text = line.partition(" ")
            intact = check == f"{zlib.crc32(text.encode()):08x}"
            stream, key, body = json.loads(text)
            log = self.log(stream)
            log.messages.append(Stored(log.end + 1, key, body.encode("latin-1", "replace")))
            if not intact:
                self.found_damage(log.messages[-1])

    def found_damage(self, stored: Stored) -> None:
        stored.lost = "damage"


def is_pattern(pattern: str) -> bool:
    """Returns whether it is a valid regular expression."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def run(broker: ToyBroker) -> None:
    """Prints ``ready`` when `broker` serves; returns after SIGTERM, when it has stopped in order."""

    def stop(number: int, frame: object) -> None:
        broker.stopping_since = time.monotonic()

    with broker:
        signal.signal(signal.SIGTERM, stop)
        print(f"ready {broker.endpoint}", flush=True)
        while not broker.stopped:
            time.sleep(0.01)


def main() -> None:
    endpoint, data = sys.argv[1], Path(sys.argv[2])
    timeout = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
    run(ToyBroker(Interpreter(load_model()), timeout, endpoint, data / "journal"))


if __name__ == "__main__":
    main()
