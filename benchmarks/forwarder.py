"""A publisher, a device and ten subscribers, 250-byte messages: ``zeps forward`` against libzmq's proxy.

The device is pinned to one CPU, the load, raw ZMTP (``zmtp_load``), to the others. Every subscriber gets every message.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from pathlib import Path

from processes import ZEPS, load_cpu, pinned, server_cpu
from report import Row, alternate, median, parser_of, publish
from zmtp_load import CHUNK, Publisher, Run, Sink, busiest, timed, wire_size

BODY = b"NASDAQ.AAPL." + bytes(238)
QUEUE = str(1 << 32)  # bytes; large enough that no message is dropped


def forward_command(command: str = ZEPS) -> list[str]:
    """Command of `zeps forward`, for :func:`measure`; `command` is the path of `zeps`."""
    return [command, "forward", "--upstream", "{upstream}", "--downstream", "tcp://127.0.0.1:*", "--queue", QUEUE,
            "--log-level", "error"]  # fmt: skip


def measure(command: list[str], subscribers: int, messages: int) -> Run:
    """Measure `messages`, a multiple of CHUNK, through the device `command` that prints `ready ENDPOINT`; `{upstream}`
    in it is replaced by the publisher's endpoint.
    """
    publisher = Publisher()
    arguments = [part.replace("{upstream}", publisher.endpoint) for part in command]
    with pinned(arguments, server_cpu()) as (endpoint, pid):
        publisher.accept()
        sinks = [Sink(endpoint, b"\x01NASDAQ", kind=b"SUB") for _ in range(subscribers)]
        publisher.expect(b"NASDAQ")
        time.sleep(0.2)  # for the subscriptions of the other nine
        return timed(publisher, sinks, BODY, wire_size(len(BODY)), messages, pid)


def main() -> int:
    options = parser_of(__doc__, messages=128_000, runs=5, subscribers=10).parse_args()
    os.sched_setaffinity(0, load_cpu())
    messages = options.messages // CHUNK * CHUNK
    proxy = [sys.executable, str(Path(__file__).with_name("proxy_loop.py")), "{upstream}"]
    commands = {"libzmq's proxy": proxy, "zeps forward": forward_command()}
    peers = {
        name: partial(measure, command, options.subscribers, messages) for name, command in commands.items()
    }
    seen = alternate(peers, options.runs, str)
    rates, costs = (
        {name: tuple(run[place] for run in runs) for name, runs in seen.items()} for place in (0, 1)
    )
    proxy_rate, rate = (median(runs) for runs in rates.values())
    proxy_cost, cost = (median(runs) for runs in costs.values())
    rows = [
        Row("libzmq's proxy", proxy_rate, "deliveries/s", rates["libzmq's proxy"]),
        Row("zeps forward", rate, "deliveries/s", rates["zeps forward"], rate / proxy_rate, "the proxy"),
        Row("libzmq's proxy", proxy_cost, "CPU s per million", costs["libzmq's proxy"]),
        Row("zeps forward", cost, "CPU s per million", costs["zeps forward"], proxy_cost / max(cost, 1e-9),
            "cheaper than the proxy"),
    ]  # fmt: skip
    note = f"{options.subscribers} subscribers, {messages} messages per run; {busiest(seen.values())}"
    return 0 if publish("forwarder", "A device between a publisher and ten subscribers", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
