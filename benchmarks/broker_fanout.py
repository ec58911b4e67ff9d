"""Publish to ten subscribers, 250-byte bodies: the broker with its journal against a plain pyzmq ROUTER loop.

    python benchmarks/broker_fanout.py [--messages N] [--runs N] [--subscribers N]

The server is pinned to one CPU, the load to the other. The load is raw ZMTP (``zmtp_load``) and reports its CPU usage.
Runs of the peers alternate, so that other work of the machine affects all equally.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from pathlib import Path

from processes import ZEPS, broker, cpu_seconds, load_cpu, pinned, server_cpu
from report import Row, median, publish, say
from zeps_wire import zeps
from zmtp_load import Sink, Source, drain, frame, wire_size

KEY = "NASDAQ.AAPL.000001"[:16]
BODY = bytes(250)
CHUNK = 64


def blast(source: Source, message: bytes, count: int) -> threading.Thread:
    """Send `message` `count` times from a thread, whole buffers at a time."""
    buffer = frame(message) * CHUNK

    def run() -> None:
        for _ in range(count // CHUNK):
            source.send(buffer)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def measure_loop(subscribers: int, messages: int) -> tuple[float, float, float]:
    """Deliveries/s, server CPU s per million deliveries, and the load's share of its CPU."""
    publication = zeps.Publish(KEY, BODY).encode()
    forwarded = zeps.Deliver(1, KEY, BODY).encode()  # the same bytes per delivery as from the broker
    command = [sys.executable, str(Path(__file__).with_name("router_loop.py")), str(subscribers)]
    with pinned(command, server_cpu()) as (endpoint, pid):
        sinks = [Sink(endpoint, [b"sub"]) for _ in range(subscribers)]
        for sink in sinks:
            sink.expect(b"ok")
        source = Source(endpoint)
        del publication
        return timed(source, sinks, forwarded, wire_size(len(forwarded)), messages, pid)


def measure_broker(
    subscribers: int, messages: int, *options: str, engine: str = "native", command: str = ZEPS
) -> tuple[float, float, float]:
    """Results of `measure_loop` for the broker."""
    with broker(*options, engine=engine, command=command) as (endpoint, pid):
        opening = [zeps.Attach("bench").encode(), zeps.Subscribe("", zeps.LATEST_NEW).encode(),
                   zeps.Credit(1 << 62).encode(), zeps.Ping().encode()]  # fmt: skip
        sinks = [Sink(endpoint, opening) for _ in range(subscribers)]
        for sink in sinks:
            for answer in (zeps.AttachOk(), zeps.SubscribeOk(), zeps.PingOk()):
                sink.expect(answer.encode())
        source = Source(endpoint, [zeps.Attach("bench").encode()])
        source.expect(zeps.AttachOk().encode())
        size = wire_size(zeps.Deliver(1, KEY, BODY).size())
        return timed(source, sinks, zeps.Publish(KEY, BODY).encode(), size, messages, pid)


def timed(
    source: Source, sinks: list[Sink], message: bytes, size: int, messages: int, pid: int
) -> tuple[float, float, float]:
    warm = CHUNK * 16
    blast(source, message, warm).join()
    drain(sinks, warm * size)
    server, load, start = cpu_seconds(pid), time.process_time(), time.monotonic()
    sender = blast(source, message, messages)
    elapsed = drain(sinks, messages * size) - start
    sender.join()
    deliveries = messages * len(sinks)
    busy = (time.process_time() - load) / elapsed
    used = (cpu_seconds(pid) - server) / deliveries * 1e6
    for sink in sinks:
        sink.close()
    source.close()
    return deliveries / elapsed, used, busy


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--messages",
        type=int,
        default=64_000,
        help="published messages in each run; a multiple of 64, or rounded down",
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--subscribers", type=int, default=10)
    options = parser.parse_args()
    os.sched_setaffinity(0, load_cpu())
    messages = options.messages // CHUNK * CHUNK
    peers = {
        "plain ROUTER loop, no journal": lambda: measure_loop(options.subscribers, messages),
        "zeps broker, journal, sync = os, through libzmq": lambda: measure_broker(
            options.subscribers, messages, "--sync", "os", engine="libzmq"
        ),
        "zeps broker, journal, sync = os": lambda: measure_broker(
            options.subscribers, messages, "--sync", "os"
        ),
        "zeps broker, journal, sync = interval": lambda: measure_broker(
            options.subscribers, messages, "--sync", "interval"
        ),
        "zeps broker, journal, sync = always": lambda: measure_broker(
            options.subscribers, messages, "--sync", "always"
        ),
    }
    seen: dict[str, list[tuple[float, float, float]]] = {name: [] for name in peers}
    for run in range(options.runs):
        for name, measure in peers.items():
            seen[name].append(measure())
            rate, used, busy = seen[name][-1]
            say(f"run {run + 1}/{options.runs}  {name}: {rate:,.0f} deliveries/s, {used:.2f} CPU s per million, "
                f"load {busy:.0%} of its CPU")  # fmt: skip
    base = "plain ROUTER loop, no journal"
    floor = median([rate for rate, _, _ in seen[base]])
    rows = []
    for name, runs in seen.items():
        rates = tuple(rate for rate, _, _ in runs)
        own = name != base
        rows.append(
            Row(name, median(rates), "deliveries/s", rates, median(rates) / floor if own else None,
                "the loop" if own else "", 0.8 if own else None)
        )  # fmt: skip
    busy = max(busy for runs in seen.values() for _, _, busy in runs)
    note = (
        f"{options.subscribers} subscribers, {messages} messages of 250 bytes per run, {options.runs} runs; "
        f"the load used at most {busy:.0%} of its CPU."
    )
    held = publish("broker_fanout", "Publish to ten subscribers", rows, note)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
