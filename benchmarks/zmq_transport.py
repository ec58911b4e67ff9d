"""Measure the transport alone, and alternative ways to call pyzmq.

    python benchmarks/zmq_transport.py [--messages N] [--runs N] [--subscribers N]

Each received message is forwarded to every subscriber, without protocol and journal, through

- ``multipart``: `recv_multipart` and one `send_multipart` per subscriber, as `router_loop.py` does
- ``parts``: the same with `send(id, SNDMORE)` and `send(frame)`
- ``transport``: `LibzmqRouter.receive` and `LibzmqRouter.send`, batch by batch, as the broker uses it

The server is pinned to one CPU, the load (`zmtp_load`) to the other; runs of the ways alternate.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import zmq

from broker_fanout import CHUNK, timed
from processes import load_cpu, pinned, server_cpu
from report import Row, median, publish, say
from zeps_broker.ports import Output, Peer
from zeps_broker.transport.libzmq_router import LibzmqRouter
from zmtp_load import Sink, Source, wire_size

FRAME = bytes(282)
"""As long as a DELIVER with a key of 16 bytes and a body of 250."""


def serve_plainly(wanted: int, *, multipart: bool) -> None:
    router = zmq.Context().socket(zmq.ROUTER)
    router.setsockopt(zmq.SNDHWM, 100_000)
    router.setsockopt(zmq.ROUTER_MANDATORY, 1)
    print(f"ready tcp://127.0.0.1:{router.bind_to_random_port('tcp://127.0.0.1')}", flush=True)
    subscribers: list[bytes] = []
    while len(subscribers) < wanted:
        subscribers.append(router.recv_multipart()[0])
        router.send_multipart([subscribers[-1], b"ok"])
    while True:
        if multipart:
            _, frame = router.recv_multipart()
            for peer in subscribers:
                router.send_multipart([peer, frame])
        else:
            router.recv()
            frame = router.recv()
            for peer in subscribers:
                router.send(peer, zmq.SNDMORE)
                router.send(frame)


def serve_transport(wanted: int) -> None:
    router = LibzmqRouter(["tcp://127.0.0.1:*"])
    print(f"ready {router.endpoints[0]}", flush=True)
    subscribers: list[Peer] = []
    while len(subscribers) < wanted:
        for peer, _ in router.receive(1.0):
            subscribers.append(peer)
            router.send([Output([peer], [b"ok"])])
    while True:
        batch = router.receive(1.0)
        waiting = router.send(
            [Output(subscribers, [frame for _, frame in batch if isinstance(frame, bytes)])]
        )
        while waiting:
            # Without a journal, refused frames are offered again until they are accepted.
            time.sleep(0.0005)
            rest = [Output([each.peer], each.output.frames[each.accepted :]) for each in waiting]
            waiting = router.send(rest)


WAYS = {
    "multipart": lambda wanted: serve_plainly(wanted, multipart=True),
    "parts": lambda wanted: serve_plainly(wanted, multipart=False),
    "transport": serve_transport,
}


def measure(way: str, subscribers: int, messages: int) -> tuple[float, float, float]:
    """Deliveries/s, server CPU s per million deliveries, and the load's share of its CPU."""
    command = [sys.executable, __file__, "--serve", way, "--subscribers", str(subscribers)]
    with pinned(command, server_cpu()) as (endpoint, pid):
        sinks = [Sink(endpoint, [b"sub"]) for _ in range(subscribers)]
        for sink in sinks:
            sink.expect(b"ok")
        return timed(Source(endpoint), sinks, FRAME, wire_size(len(FRAME)), messages, pid)


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
    parser.add_argument("--serve", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        WAYS[options.serve](options.subscribers)
    os.sched_setaffinity(0, load_cpu())
    messages = options.messages // CHUNK * CHUNK
    seen: dict[str, list[tuple[float, float, float]]] = {way: [] for way in WAYS}
    for run in range(options.runs):
        for way in WAYS:
            seen[way].append(measure(way, options.subscribers, messages))
            rate, used, _ = seen[way][-1]
            say(
                f"run {run + 1}/{options.runs}  {way}: {rate:,.0f} deliveries/s, {used:.2f} CPU s per million"
            )
    base = median([rate for rate, _, _ in seen["multipart"]])
    rows = []
    for way, runs in seen.items():
        rates = tuple(rate for rate, _, _ in runs)
        ratio = median(rates) / base if way != "multipart" else None
        rows.append(Row(way, median(rates), "deliveries/s", rates, ratio, "multipart" if ratio else ""))
    note = f"{options.subscribers} subscribers, {messages} messages of {len(FRAME)} bytes per run."
    publish("zmq_transport", "Forwarding through pyzmq", rows, note)
    return 0


if __name__ == "__main__":
    sys.exit(main())
