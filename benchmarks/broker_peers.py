"""Compare the broker with its journal with other brokers, each with a load in its own protocol, in one run.

    python benchmarks/broker_peers.py [--seconds S] [--runs N] [--only PART …]

Bodies of 250 bytes, on loopback; the server is pinned to one CPU, the load to the others. Five tables:

fanout    one publisher, ten subscribers to all messages, messages of one size
sizes     the same with keys of different sizes, so that consecutive messages have different sizes
mixed     one publisher, 100 subscribers with 50 distinct patterns, 1000 keys: each message matches two of them
latency   ten subscribers, 1,000 messages per second; from before the publisher's send until after the subscriber's read
memory    memory per session, for 1,000 idle ones and for 1,000 that receive every message

The load writes and reads whole buffers and counts messages at the subscribers (`marked_load`). The warm-up determines
the number of messages that the broker delivers in `--seconds`; `latency` takes twice as long, and `memory` is measured
once. Runs of the peers alternate.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from socket import socket
from typing import Any, Protocol

from marked_load import Sink, drain, pace
from mqtt_load import mosquitto
from nats_load import jetstream
from processes import cpu_seconds, forget_peak, installed, load_cpu, memory, peak_memory
from redis_load import redis_streams
from report import Row, alternate, median, parser_of, publish, say
from zeps_load import ceiling, router, zeps_broker
from zmtp_load import Run, blast, busiest

TOPICS = [f"topic{number:02d}" for number in range(50)]
KEYS = [f"{topic}/sensor{number:02d}" for number in range(20) for topic in TOPICS]
RATE = 1000.0
SESSIONS = 1000


class Served(Protocol):
    """A running broker."""

    pid: int

    def subscriber(self, topic: str) -> Sink:
        """A confirmed subscriber (Redis has no confirmation) to all keys below `topic`; a loop sends it all keys."""

    def publisher(self) -> socket: ...

    def publication(self, key: str) -> bytes:
        """The bytes that publish a body (`marked_load.BODY`) with `key`."""


Serve = Callable[[int], AbstractContextManager[Served]]  # the argument is the number of subscribers

REDIS = "Redis Streams, AOF every second"
REDIS_ALWAYS = "Redis Streams, AOF always"
MQTT = "Mosquitto, QoS 1, persistent sessions"
MQTT_PLAIN = "Mosquitto, QoS 0, nothing stored"
LOOP = "plain ROUTER loop, nothing stored"
OURS = {
    f"zeps broker, journal, sync = {sync}": partial(zeps_broker, sync=sync)
    for sync in ("os", "interval", "always")
}
ALWAYS = list(OURS)[-1]
LIBZMQ = {"zeps broker, journal, sync = os, through libzmq": partial(zeps_broker, sync="os", engine="libzmq")}
STORING: dict[str, Serve] = {
    "NATS JetStream, file, push, no ack": jetstream,
    REDIS: redis_streams,
    MQTT: partial(mosquitto, quality=1),
}
OTHERS: dict[str, Serve] = {
    **STORING,
    REDIS_ALWAYS: partial(redis_streams, sync="always"),
    MQTT_PLAIN: mosquitto,
}
CEILINGS = {
    f"ceiling: a loop without broker functions, sync = {sync}": partial(ceiling, sync=sync)
    for sync in ("os", "always")
}
BROKERS: dict[str, Serve] = OURS | LIBZMQ | OTHERS
ALL: dict[str, Serve] = OURS | LIBZMQ | {LOOP: router} | OTHERS | CEILINGS


def throughput(serve: Serve, topics: Sequence[str], keys: Sequence[str], seconds: float) -> Run:
    """Deliver messages with `keys` in turn for about `seconds`, after a warm-up, equally many to each of `topics`."""
    with serve(len(topics)) as served:
        sinks = [served.subscriber(topic) for topic in topics]
        source = served.publisher()
        time.sleep(0.1)
        buffer = b"".join(served.publication(key) for key in keys)
        per_subscriber = sum(key.startswith(f"{topics[0]}/") for key in keys)
        times = max(2, 2000 // len(keys))
        while (
            spent := timed(source, sinks, buffer, per_subscriber, times)
        ) < seconds / 4:  # a warm-up, for an estimate
            times *= 4
        times = max(1, int(times * seconds / spent))
        used, load = cpu_seconds(served.pid), time.process_time()
        spent = timed(source, sinks, buffer, per_subscriber, times)
        load = (time.process_time() - load) / spent
        deliveries = times * per_subscriber * len(sinks)
        used = (cpu_seconds(served.pid) - used) / deliveries * 1e6
        close(source, sinks)
    return Run(deliveries / spent, used, load)


def timed(source: socket, sinks: Sequence[Sink], buffer: bytes, per_subscriber: int, times: int) -> float:
    """Send `buffer`, with `per_subscriber` messages per subscriber, `times` times. Returns the seconds
    until all have arrived.
    """
    start = time.monotonic()
    sender = blast(source, buffer, times)
    drain(sinks, source, per_subscriber * times)
    spent = time.monotonic() - start
    sender.join()
    return spent


def latency(serve: Serve, seconds: float) -> tuple[float, float]:
    """Measure from before the publisher's send until after a subscriber's read: (p50, p99) in microseconds. RATE
    messages per second to ten subscribers for `seconds`, after half a second of warm-up.
    """
    with serve(10) as served:
        sinks = [served.subscriber(TOPICS[0]) for _ in range(10)]
        source = served.publisher()
        message = served.publication(KEYS[0])
        pace(sinks, source, message, RATE, int(RATE / 2))
        ages = sorted(pace(sinks, source, message, RATE, int(RATE * seconds)))
        close(source, sinks)
    return ages[len(ages) // 2] / 1e3, ages[len(ages) * 99 // 100] / 1e3


def sessions(serve: Serve) -> tuple[float, float]:
    """KiB per session: growth of the process with SESSIONS idle sessions, and at its peak while all are busy."""
    with serve(SESSIONS + 1) as served:
        first = served.subscriber(TOPICS[0])
        source = served.publisher()
        buffer = served.publication(KEYS[0]) * 20
        before = memory(served.pid)
        sinks = [first, *(served.subscriber(TOPICS[0]) for _ in range(SESSIONS))]
        time.sleep(1)
        idle = memory(served.pid)
        forget_peak(served.pid)
        for _ in range(10):
            timed(source, sinks, buffer, 20, 1)
        busy = max(peak_memory(served.pid), idle)
        close(source, sinks)
    return (idle - before) / 1024 / SESSIONS, (busy - before) / 1024 / SESSIONS


def close(source: socket, sinks: Sequence[Sink]) -> None:
    source.close()
    for sink in sinks:
        sink.sock.close()


def compare(peers: dict[str, Serve], runs: int, **load: Any) -> dict[str, list[Run]]:
    """Results of `throughput` for each peer, in alternating runs; `load` has its other arguments."""
    return alternate({name: partial(throughput, serve, **load) for name, serve in peers.items()}, runs, str)


def row(name: str, runs: Sequence[Run]) -> Row:
    """Row with the median of each figure."""
    rate, used, busy = map(median, zip(*runs, strict=True))
    detail = f"{used:.2f} CPU s per million; load {busy:.0%} busy"
    return Row(name, rate, "deliveries/s", tuple(run.rate for run in runs), detail=detail)


def against(ours: Row, other: Row, bar: float | None) -> Row:
    """Row with the ratio of our rate to another peer's, and the bar for it."""
    return replace(ours, ratio=ours.value / other.value, against=other.name, bar=bar, detail="")


def ceiling_of(name: str) -> str:
    return list(CEILINGS)[name == ALWAYS]


def storing(rows: dict[str, Row]) -> list[Row]:
    """Rows of our broker against peers that store; if it syncs each block, only a peer that also does has a bar."""
    bars = [
        against(rows[name], rows[other], None if name == ALWAYS else 1)
        for name in OURS
        for other in STORING
        if other in rows
    ]
    return [*bars, against(rows[ALWAYS], rows[REDIS_ALWAYS], 1)]


def fanout(seconds: float, runs: int) -> bool:
    title = "One publisher, ten subscribers to all messages"
    return everything("broker_peers", title, ALL, KEYS[:1] * 64, seconds, runs)


def sizes(seconds: float, runs: int) -> bool:
    title = "One publisher, ten subscribers to all messages, messages of nine sizes in turn"
    without = {*LIBZMQ, MQTT, MQTT_PLAIN}  # MQTT's load supports only one size
    peers = {name: serve for name, serve in ALL.items() if name not in without}
    keys = [f"{TOPICS[0]}/{'s' * (4 + 7 * number % 9)}" for number in range(63)]
    return everything("broker_peers_sizes", title, peers, keys, seconds, runs)


def everything(
    name: str, title: str, peers: dict[str, Serve], keys: Sequence[str], seconds: float, runs: int
) -> bool:
    """Measure deliveries of all messages to ten subscribers, and write report `name`. Returns whether all bars hold."""
    seen = compare(peers, runs, topics=TOPICS[:1] * 10, keys=keys, seconds=seconds)
    rows = {peer: row(peer, peer_runs) for peer, peer_runs in seen.items()}
    bars = [against(rows[peer], rows[LOOP], 4) for peer in OURS]
    bars += storing(rows)
    bars += [against(rows[peer], rows[ceiling_of(peer)], None) for peer in OURS]
    return publish(name, title, [*rows.values(), *bars], note(seen, runs))


def mixed(seconds: float, runs: int) -> bool:
    seen = compare(BROKERS, runs, topics=TOPICS * 2, keys=KEYS, seconds=seconds)
    rows = {name: row(name, peer_runs) for name, peer_runs in seen.items()}
    bars = [bar for bar in storing(rows) if bar.against.startswith("Redis")]
    setup = "50 topics of 20 keys; each message is for two subscribers. Redis has no patterns: one stream per topic."
    title = "100 subscribers with 50 distinct patterns"
    return publish("broker_peers_mixed", title, [*rows.values(), *bars], f"{note(seen, runs)} {setup}")


def note(seen: dict[str, list[Run]], runs: int) -> str:
    return f"Bodies of 250 bytes, {runs} alternating runs; {busiest(seen.values())}"


def latencies(seconds: float, runs: int) -> bool:
    peers = {name: partial(latency, serve, seconds) for name, serve in ALL.items()}
    seen = alternate(peers, runs, lambda pair: f"p50 {pair[0]:,.0f} µs, p99 {pair[1]:,.0f} µs")
    rows = []
    for name, pairs in seen.items():
        p99 = tuple(most for _, most in pairs)
        top = seen[ceiling_of(name)]
        ratio = median([most for _, most in top]) / median(p99) if name in OURS else None
        detail = f"p50 {median([half for half, _ in pairs]):,.0f} µs"
        rows.append(
            Row(name, median(p99), "µs, p99", p99, ratio, "the ceiling" if ratio else "", None, detail)
        )
        text = f"{runs} alternating runs; the load spins. A p99 of 1.5 times that of the ceiling is a ratio of 0.67."
    return publish("broker_peers_latency", "Ten subscribers, 1,000 messages per second", rows, text)


def memories() -> bool:
    rows = []
    for name, serve in BROKERS.items():
        idle, busy = sessions(serve)
        say(f"{name}: {idle:.1f} KiB per session idle, {busy:.1f} busy")
        rows.append(Row(name, idle, "KiB, idle", detail=f"{busy:.1f} KiB busy"))
    text = (
        f"Growth of the resident memory from one session to {SESSIONS} more, per session. Idle: attached and "
        "subscribed. Busy: the peak while all of them receive batches of 20 messages."
    )
    return publish("broker_peers_memory", "Memory per session", rows, text)


def main() -> int:
    parser = parser_of(__doc__, seconds=1.0, runs=3)
    parser.add_argument("--only", nargs="+", choices=("fanout", "sizes", "mixed", "latency", "memory"),
                        help="tables to measure (default: all)")  # fmt: skip
    options = parser.parse_args()
    try:
        for server in ("nats-server", "redis-server", "mosquitto"):
            installed(server)
    except FileNotFoundError as error:
        parser.error(str(error))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.sched_setaffinity(0, load_cpu())
    parts: dict[str, Callable[[], bool]] = {
        "fanout": lambda: fanout(options.seconds, options.runs),
        "sizes": lambda: sizes(options.seconds, options.runs),
        "mixed": lambda: mixed(options.seconds, options.runs),
        "latency": lambda: latencies(options.seconds * 2, options.runs),
        "memory": memories,
    }
    held = [run() for name, run in parts.items() if not options.only or name in options.only]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
