"""Publish to ten subscribers, 250-byte bodies: the broker with its journal against a plain pyzmq ROUTER loop.

The server is pinned to one CPU, the load, raw ZMTP (``zmtp_load``), to the others. Runs of the peers alternate.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from processes import ZEPS, broker, load_cpu, pinned, server_cpu
from report import Row, alternate, median, parser_of, publish
from zeps_wire import zeps
from zmtp_load import CHUNK, Run, Sink, Source, busiest, timed, wire_size

KEY = "NASDAQ.AAPL.000001"[:16]
BODY = bytes(250)
LOOP = "plain ROUTER loop, no journal"


def measure_loop(subscribers: int, messages: int) -> Run:
    forwarded = zeps.Deliver(1, KEY, BODY)  # the same bytes per delivery as from the broker
    command = [sys.executable, str(Path(__file__).with_name("router_loop.py")), str(subscribers)]
    with pinned(command, server_cpu()) as (endpoint, pid):
        sinks = [Sink(endpoint, b"sub") for _ in range(subscribers)]
        for sink in sinks:
            sink.expect(b"ok")
        return timed(Source(endpoint), sinks, forwarded, wire_size(forwarded.size()), messages, pid)


def measure_broker(
    subscribers: int, messages: int, *options: str, engine: str = "native", command: str = ZEPS
) -> Run:
    with broker(*options, engine=engine, command=command) as (endpoint, pid):
        subscribe = zeps.Subscribe("", zeps.LATEST_NEW)
        opening = (zeps.Attach("bench"), subscribe, zeps.Credit(1 << 62), zeps.Ping())
        sinks = [Sink(endpoint, *opening) for _ in range(subscribers)]
        for sink in sinks:
            sink.expect(zeps.AttachOk(), zeps.SubscribeOk(), zeps.PingOk())
        source = Source(endpoint, zeps.Attach("bench"))
        source.expect(zeps.AttachOk())
        size = wire_size(zeps.Deliver(1, KEY, BODY).size())
        return timed(source, sinks, zeps.Publish(KEY, BODY), size, messages, pid)


def main() -> int:
    options = parser_of(__doc__, messages=64_000, runs=5, subscribers=10).parse_args()
    os.sched_setaffinity(0, load_cpu())
    messages = options.messages // CHUNK * CHUNK
    ours = partial(measure_broker, options.subscribers, messages, "--sync")
    peers = {
        LOOP: partial(measure_loop, options.subscribers, messages),
        "zeps broker, journal, sync = os, through libzmq": partial(ours, "os", engine="libzmq"),
        "zeps broker, journal, sync = os": partial(ours, "os"),
        "zeps broker, journal, sync = interval": partial(ours, "interval"),
        "zeps broker, journal, sync = always": partial(ours, "always"),
    }
    seen = alternate(peers, options.runs, str)
    floor = median([run.rate for run in seen[LOOP]])
    rows = []
    for name, runs in seen.items():
        rates = tuple(run.rate for run in runs)
        compared = () if name == LOOP else (median(rates) / floor, "the loop", 0.8)
        rows.append(Row(name, median(rates), "deliveries/s", rates, *compared))
    note = (
        f"{options.subscribers} subscribers, {messages} messages of 250 bytes per run, {options.runs} runs; "
        f"{busiest(seen.values())}"
    )
    return 0 if publish("broker_fanout", "Publish to ten subscribers", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
