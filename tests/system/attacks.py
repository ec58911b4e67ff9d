"""Attacks on a broker, each short: `run(endpoint, until, rng)` of one of :data:`ATTACKS`.

An attack ends at a time and after a number of bytes. As a program this runs one attack, or a random mix of them:

    python attacks.py '{"router": "tcp://127.0.0.1:5670"}' --seconds 5 --seed 1 --threads 1 --only churn
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from attacker_links import GREETING, Attempt, Tally, commands, frame, frames, head, opening, summary

from zeps_wire import zeps

__all__ = ["ATTACKS", "REGEX_PREFIX", "Attack", "Port", "main"]

Port = Literal["router", "publishers", "subscribers"]
"""The endpoint of an attack: the clients' endpoint, or one of a gateway's two."""

REGEX_PREFIX = "regex."
"""Streams with this name prefix match patterns as regular expressions."""

_MIB = 1 << 20
_BODY_BYTES_MAX = 16 * _MIB
_CREDIT_MAX = 2**64 - 1
_ZEROS = memoryview(bytes(_BODY_BYTES_MAX))
_WRITE_BYTES = 256 << 10


@dataclass(frozen=True)
class Attack:
    """An attack, which sends at most `sent_bytes_max` bytes in one run."""

    name: str
    work: Callable[[Attempt], None]
    port: Port
    sent_bytes_max: int

    def run(self, endpoint: str, until: float, rng: random.Random) -> Tally:
        """Attacks `endpoint` until a time of ``time.monotonic``; returns the tally."""
        attempt = Attempt(endpoint, until, rng, self.sent_bytes_max)
        try:
            self.work(attempt)
        finally:
            attempt.close()
        return attempt.tally


ATTACKS: dict[str, Attack] = {}


def attack(
    port: Port = "router", sent_bytes_max: int = 1 << 30
) -> Callable[[Callable[[Attempt], None]], Callable[[Attempt], None]]:
    """Registers a function under its name."""

    def register(work: Callable[[Attempt], None]) -> Callable[[Attempt], None]:
        ATTACKS[work.__name__] = Attack(work.__name__, work, port, sent_bytes_max)
        return work

    return register


def _repeat(unit: bytes, size: int = _WRITE_BYTES) -> bytes:
    return unit * (size // len(unit))


_MARK = b"####"
"""Four bytes of a prepared byte string, which are replaced at each sending."""


def _marked(rng: random.Random, made: bytes) -> bytes:
    """Returns `made` with another mark."""
    return made.replace(_MARK, b"%04x" % rng.getrandbits(16))


def _flood_again(attempt: Attempt, payload: bytes, first: bytes, count: int = 1) -> None:
    """Floods `count` connections that begin with `first`, and new ones when they are closed."""
    while attempt.running:
        attempt.flood(attempt.connect(first, count), payload)


# Names and streams ------------------------------------------------------------------------------------------


def _attaches(count: int, between: bytes = b"") -> bytes:
    """Encodes ATTACHes to `count` new names, each followed by `between`."""
    names = (b"%s%04x" % (_MARK, number) for number in range(count))
    return b"".join(frame(zeps.ATTACH_HEAD + bytes((len(name),)) + name) + between for name in names)


_ATTACHES = _attaches(1000)
_VISITS = _attaches(1000, frames(zeps.Detach()))
_STREAMS = _attaches(8000, frames(zeps.Publish("k", b"")))


@attack(sent_bytes_max=8 * _MIB)
def new_names(attempt: Attempt) -> None:
    """Attaches to 200,000 names; leaves half of the streams with DETACH, the others with the next ATTACH."""
    links = attempt.connect(opening())
    for _ in range(100):
        links = [link for link in links if not link.closed] or attempt.connect(opening())
        attempt.send(links, _marked(attempt.rng, _ATTACHES))
        attempt.send(links, _marked(attempt.rng, _VISITS))
    attempt.send(links, frames(zeps.Attach("x"), zeps.Ping()))
    attempt.read_until(links, lambda link: link.ping_oks > 0)


@attack(sent_bytes_max=16 * _MIB)
def new_streams(attempt: Attempt) -> None:
    """Creates 8,000 streams with a message each, in one write."""
    while attempt.running:
        links = attempt.connect(opening())
        attempt.send(links, _marked(attempt.rng, _STREAMS) + frames(zeps.Ping()))
        attempt.read_until(links, lambda link: link.ping_oks > 0)
        attempt.drop(links)
        attempt.pause()


# Frames and messages that never end -------------------------------------------------------------------------

_LARGE_HEAD = zeps.PUBLISH_HEAD + b"\x01k" + _BODY_BYTES_MAX.to_bytes(4, "big")


def _hold(attempt: Attempt, first: bytes) -> None:
    links = attempt.connect(first + head(len(_LARGE_HEAD) + _BODY_BYTES_MAX) + _LARGE_HEAD, count=60)
    attempt.send(links, _ZEROS[:-1])
    attempt.watch(links)


@attack()
def held_frames(attempt: Attempt) -> None:
    """60 connections without a session send all but the last byte of a message of 16 MiB."""
    _hold(attempt, opening())


@attack()
def held_frames_in_sessions(attempt: Attempt) -> None:
    """Does the same with sessions."""
    _hold(attempt, opening(zeps.Attach("held")))


@attack()
def slow_senders(attempt: Attempt) -> None:
    """50 connections, half of them with sessions, send one byte per second of an incomplete message."""
    begun = head(1 << 20) + zeps.PUBLISH_HEAD
    links = attempt.connect(opening() + begun, count=25)
    links += attempt.connect(opening(zeps.Attach("slow")) + begun, count=25)
    while attempt.running and not all(link.closed for link in links):
        attempt.send(links, b"k")
        attempt.read_for(links, 1.0)


_EMPTY_PARTS = _repeat(frame(b"", flags=1))


@attack(sent_bytes_max=64 * _MIB)
def endless_parts(attempt: Attempt) -> None:
    """A message of 32 million empty parts."""
    _flood_again(attempt, _EMPTY_PARTS, opening())


@attack(port="publishers", sent_bytes_max=64 * _MIB)
def endless_parts_from_pub(attempt: Attempt) -> None:
    """Does the same from a plain PUB socket."""
    _flood_again(attempt, _EMPTY_PARTS, opening(socket_type=b"PUB"))


@attack(port="subscribers", sent_bytes_max=64 * _MIB)
def endless_parts_from_sub(attempt: Attempt) -> None:
    """Does the same from a plain SUB socket."""
    _flood_again(attempt, _EMPTY_PARTS, opening(socket_type=b"SUB"))


_LARGE_PARTS = 15 * frame(bytes(_MIB), flags=1)


@attack(port="publishers")
def held_parts_from_pub(attempt: Attempt) -> None:
    """20 plain PUB sockets send 15 MiB of a message in parts of 1 MiB, and never its last part."""
    links = attempt.connect(opening(socket_type=b"PUB"), count=20)
    attempt.send(links, _LARGE_PARTS)
    attempt.watch(links)


_TOPICS = b"".join(frame(b"\x01%s%04x" % (_MARK, number)) for number in range(10_000))


@attack(port="subscribers", sent_bytes_max=32 * _MIB)
def many_topics(attempt: Attempt) -> None:
    """A plain SUB socket subscribes to 100,000s of topics."""
    while attempt.running:
        links = attempt.connect(opening(socket_type=b"SUB"))
        while attempt.running and not all(link.closed for link in links):
            attempt.send(links, _marked(attempt.rng, _TOPICS))
        attempt.pause()


# Floods of small frames -------------------------------------------------------------------------------------

_EMPTY_FRAMES = _repeat(frame(b""))
_PINGS = _repeat(frames(zeps.Publish("k", b""), zeps.Ping()))
_CREDITS = _repeat(frames(zeps.Publish("k", b""), zeps.Credit(1)))


@attack(sent_bytes_max=32 * _MIB)
def empty_frames(attempt: Attempt) -> None:
    """10 connections without a session write 256 KiB of empty frames at a time."""
    _flood_again(attempt, _EMPTY_FRAMES, opening(), count=10)


@attack(sent_bytes_max=64 * _MIB)
def publish_and_ping(attempt: Attempt) -> None:
    """Sends PUBLISH and PING in turn."""
    _flood_again(attempt, _PINGS, opening(zeps.Attach("flood")), count=4)


@attack(sent_bytes_max=64 * _MIB)
def publish_and_credit(attempt: Attempt) -> None:
    """Sends PUBLISH and CREDIT in turn."""
    _flood_again(attempt, _CREDITS, opening(zeps.Attach("flood")), count=4)


# Subscriptions ----------------------------------------------------------------------------------------------


@attack(sent_bytes_max=64 * _MIB)
def lower_points(attempt: Attempt) -> None:
    """Subscribes 2,000 times, each time from a lower point, without credit; to one pattern, or to many."""
    streams, count = ("lower", f"{REGEX_PREFIX}lower"), 20_000
    if not all(
        attempt.preload(stream, [zeps.Publish("k", b"")] * 1000, rounds=count // 1000) for stream in streams
    ):
        return
    points = range(count, 0, -10)
    choices = [
        frames(*(zeps.Subscribe("", latest) for latest in points), zeps.Ping()),
        frames(*(zeps.Subscribe(f"k{latest}", latest) for latest in points), zeps.Ping()),
    ]
    while attempt.running:
        attach = opening(zeps.Attach(attempt.rng.choice(streams)))
        links = attempt.connect(attach + attempt.rng.choice(choices))
        attempt.read_until(links, lambda link: link.ping_oks > 0)
        attempt.drop(links)
        attempt.pause()


_EXPENSIVE = (
    "(a?){20}a{20}%d",
    ".*a.{14}%d",
    "(x+x+)+y%d",
    "[a-z]{500}%d",
    r"(\pL|\pN|\pP){60}%d",
    "(.*a){12}%d",
    "(?:a?){300}x%d",
)


@attack(sent_bytes_max=64 * _MIB)
def expensive_patterns(attempt: Attempt) -> None:
    """1,000 expensive regular expressions from each of 4 sessions, and a publisher of new keys."""
    stream = f"{REGEX_PREFIX}expensive"
    patterns = frames(
        *(zeps.Subscribe(_EXPENSIVE[n % len(_EXPENSIVE)] % n, zeps.LATEST_NEW) for n in range(1000)),
        zeps.Credit(_CREDIT_MAX),
    )
    links = attempt.connect(opening(zeps.Attach(stream)) + patterns, count=4)
    publisher = attempt.connect(opening(zeps.Attach(stream)))
    keys = ["".join(attempt.rng.choices("abx", k=200)) for _ in range(200)]
    publishes = frames(*(zeps.Publish(f"{key}{_MARK.decode()}", b"") for key in keys))
    while attempt.running and not all(link.closed for link in publisher):
        attempt.send(publisher, _marked(attempt.rng, publishes))
        attempt.read_for(links, 0.02)


def _read_everything(stream: str) -> bytes:
    return opening(zeps.Attach(stream), zeps.Subscribe("", zeps.LATEST_ALL), zeps.Credit(_CREDIT_MAX))


@attack()
def deaf_readers(attempt: Attempt) -> None:
    """60 sessions request 64 MiB with large credit, and do not read."""
    stream = "deaf"
    if attempt.preload(stream, [zeps.Publish("k", bytes(_MIB))], rounds=64):
        links = attempt.connect(_read_everything(stream), count=60, receive_buffer_bytes=4096)
        attempt.watch(links, deaf=True)


@attack()
def endless_replay(attempt: Attempt) -> None:
    """4 sessions read 64 MB repeatedly, small messages and large ones."""
    stream = "replay"
    messages = [zeps.Publish(f"k{n}", bytes(1000)) for n in range(1000)] + [
        zeps.Publish("k", bytes(7 * _MIB))
    ]
    if not attempt.preload(stream, messages, rounds=8):
        return
    while attempt.running:
        links = attempt.connect(_read_everything(stream), count=4)
        attempt.read_until(links, lambda link: link.received_bytes >= 64 * 1_000_000)
        attempt.drop(links)


@attack(sent_bytes_max=3 << 30)
def large_bodies(attempt: Attempt) -> None:
    """3 publishers send messages of 16 MiB as fast as they can."""
    body = frame(_LARGE_HEAD + bytes(_ZEROS))
    _flood_again(attempt, body, opening(zeps.Attach("large")), count=3)


# Connections ------------------------------------------------------------------------------------------------


@attack()
def idle_connections(attempt: Attempt) -> None:
    """250 connections: some are silent, some only send a greeting, some have no session, some let theirs expire."""
    links = attempt.connect(count=60) + attempt.connect(GREETING, count=60)
    links += attempt.connect(opening(), count=60)
    links += attempt.connect(opening(zeps.Attach("idle")), count=70)
    attempt.watch(links)


@attack()
def churn(attempt: Attempt) -> None:
    """Connections come and go, 100 at a time, at each stage of the handshake."""
    beginnings = (b"", GREETING[:30], GREETING, opening(), opening(zeps.Attach("churn")))
    while attempt.running:
        attempt.drop(attempt.connect(attempt.rng.choice(beginnings), count=100))


_COMMANDS = commands("rubbish")


def _mutated(rng: random.Random) -> bytes:
    """Returns an almost valid command frame."""
    body = bytearray(rng.choice(_COMMANDS).encode())
    for _ in range(rng.randrange(3)):
        body[rng.randrange(len(body))] = rng.randrange(256)
    return frame(bytes(body[: rng.randrange(1, len(body) + 8)]) + rng.randbytes(rng.randrange(4)))


@attack()
def rubbish(attempt: Attempt) -> None:
    """Random bytes at each stage of a connection, and almost valid command frames."""
    rng = attempt.rng
    near = [b"".join(_mutated(rng) for _ in range(200)) for _ in range(20)]
    while attempt.running:
        beginning = rng.choice((b"", GREETING, opening(), opening(zeps.Attach("rubbish"))))
        links = attempt.connect(beginning + rng.randbytes(rng.randrange(1, 4096)))
        attempt.read_for(links, 0.01)
        attempt.drop(links)
        links = attempt.connect(opening(zeps.Attach("rubbish")) + rng.choice(near) + frames(zeps.Ping()))
        attempt.read_until(links, lambda link: link.received_bytes > 128)
        attempt.drop(links)


# A process of attackers -------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a single attack once per thread, or several repeatedly in a random order; prints the tallies as JSON."""
    parser = argparse.ArgumentParser(description="Attack a broker.")
    parser.add_argument("ports", type=json.loads, help="endpoints by port, a JSON object")
    parser.add_argument("--seconds", type=float, required=True, help="how long to attack")
    parser.add_argument("--seed", type=int, required=True, help="what all random choices follow from")
    parser.add_argument("--threads", type=int, default=1, help="attacks at a time")
    parser.add_argument("--slice-seconds", type=float, default=1e9, help="the longest time of one attack")
    parser.add_argument("--only", action="append", choices=sorted(ATTACKS), help="attacks to choose from")
    options = parser.parse_args(arguments)
    chosen = [ATTACKS[name] for name in options.only or ATTACKS]
    chosen = [candidate for candidate in chosen if candidate.port in options.ports]
    until = time.monotonic() + options.seconds
    tallies: dict[str, Tally] = {candidate.name: Tally() for candidate in chosen}
    rng = random.Random(options.seed)
    lock = threading.Lock()
    deck: list[Attack] = []

    def work() -> None:
        while time.monotonic() < until:
            with lock:
                if not deck:
                    deck.extend(rng.sample(chosen, len(chosen)))
                drawn, seed, share = deck.pop(), rng.random(), rng.uniform(0.3, 1.0)
            end = min(until, time.monotonic() + options.slice_seconds * share)
            tally = drawn.run(options.ports[drawn.port], end, random.Random(seed))
            with lock:
                tallies[drawn.name].add(tally)
            if len(chosen) == 1:
                return

    with ThreadPoolExecutor(options.threads) as threads:
        for done in [threads.submit(work) for _ in range(options.threads)]:
            done.result()
    report = {name: summary(tally) for name, tally in tallies.items()}
    print(json.dumps({"cpu_seconds": time.process_time(), "tallies": report}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
