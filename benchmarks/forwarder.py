"""A publisher, a device and ten subscribers, 250-byte messages: ``zeps forward`` against libzmq's proxy.

    python benchmarks/forwarder.py [--messages N] [--runs N] [--subscribers N]

The device is pinned to one CPU, the load to the other. The load is raw ZMTP (``zmtp_load``) and reports its CPU usage.
Every subscriber gets every message.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from pathlib import Path

from processes import ZEPS, cpu_seconds, load_cpu, pinned, server_cpu
from report import Row, median, publish, say
from zmtp_load import Publisher, Sink, drain, frame, wire_size

BODY = b"NASDAQ.AAPL." + bytes(238)
CHUNK = 64
QUEUE = str(1 << 32)  # bytes; large enough that no message is dropped


def blast(publisher: Publisher, count: int) -> threading.Thread:
    """Send `count` messages from a thread, whole buffers at a time."""
    buffer = frame(BODY) * CHUNK

    def run() -> None:
        for _ in range(count // CHUNK):
            publisher.send(buffer)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def forward_command(command: str = ZEPS) -> list[str]:
    """Command of the measured device, for :func:`measure`."""
    return [command, "forward", "--upstream", "{upstream}", "--downstream", "tcp://127.0.0.1:*", "--queue", QUEUE,
            "--log-level", "error"]  # fmt: skip


def measure(command: list[str], subscribers: int, messages: int) -> tuple[float, float, float]:
    """Deliveries/s, the device's CPU s per million deliveries, and the load's share of its CPU."""
    publisher = Publisher()
    with pinned([part.replace("{upstream}", publisher.endpoint) for part in command], server_cpu()) as (
        endpoint,
        pid,
    ):
        publisher.accept()
        subscription = b"\x00\x07\x01NASDAQ"
        sinks = [Sink(endpoint, kind=b"SUB") for _ in range(subscribers)]
        for sink in sinks:
            sink.sock.sendall(subscription)
        publisher.expect(b"NASDAQ")
        time.sleep(0.2)  # for the subscriptions of the other nine
        size = wire_size(len(BODY))
        warm = CHUNK * 16
        blast(publisher, warm).join()
        drain(sinks, warm * size)
        used, load, start = cpu_seconds(pid), time.process_time(), time.monotonic()
        sender = blast(publisher, messages)
        elapsed = drain(sinks, messages * size) - start
        sender.join()
        deliveries = messages * subscribers
        busy = (time.process_time() - load) / elapsed
        cost = (cpu_seconds(pid) - used) / deliveries * 1e6
        for sink in sinks:
            sink.close()
        publisher.close()
    return deliveries / elapsed, cost, busy


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--messages",
        type=int,
        default=128_000,
        help="published messages in each run; a multiple of 64, or rounded down",
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--subscribers", type=int, default=10)
    options = parser.parse_args()
    os.sched_setaffinity(0, load_cpu())
    messages = options.messages // CHUNK * CHUNK
    proxy = [sys.executable, str(Path(__file__).with_name("proxy_loop.py")), "{upstream}"]
    peers = {"libzmq's proxy": proxy, "zeps forward": forward_command()}
    seen: dict[str, list[tuple[float, float, float]]] = {name: [] for name in peers}
    for run in range(options.runs):
        for name, command in peers.items():
            seen[name].append(measure(command, options.subscribers, messages))
            rate, cost, busy = seen[name][-1]
            say(f"run {run + 1}/{options.runs}  {name}: {rate:,.0f} deliveries/s, {cost:.2f} CPU s per million, "
                f"load {busy:.0%} of its CPU")  # fmt: skip
    rates = {name: tuple(rate for rate, _, _ in runs) for name, runs in seen.items()}
    costs = {name: tuple(cost for _, cost, _ in runs) for name, runs in seen.items()}
    ratio = median(rates["zeps forward"]) / median(rates["libzmq's proxy"])
    cheaper = median(costs["libzmq's proxy"]) / max(median(costs["zeps forward"]), 1e-9)
    rows = [
        Row("libzmq's proxy", median(rates["libzmq's proxy"]), "deliveries/s", rates["libzmq's proxy"]),
        Row("zeps forward", median(rates["zeps forward"]), "deliveries/s", rates["zeps forward"], ratio, "the proxy"),
        Row("libzmq's proxy", median(costs["libzmq's proxy"]), "CPU s per million", costs["libzmq's proxy"]),
        Row("zeps forward", median(costs["zeps forward"]), "CPU s per million", costs["zeps forward"], cheaper,
            "cheaper than the proxy"),
    ]  # fmt: skip
    busy = max(busy for runs in seen.values() for _, _, busy in runs)
    note = (
        f"{options.subscribers} subscribers, {messages} messages per run; "
        f"the load used at most {busy:.0%} of its CPU."
    )
    return 0 if publish("forwarder", "A device between a publisher and ten subscribers", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
