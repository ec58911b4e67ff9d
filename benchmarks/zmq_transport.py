"""Measure the transport alone, and alternative ways to call pyzmq.

Each received message is forwarded to every subscriber, without protocol and journal, through

- ``multipart``: `recv_multipart` and one `send_multipart` per subscriber, as `router_loop.py` does
- ``parts``: the same with `send(id, SNDMORE)` and `send(frame)`
- ``transport``: `LibzmqRouter.receive` and `LibzmqRouter.send`, batch by batch, as the broker uses it

The server is pinned to one CPU, the load (`zmtp_load`) to the others; runs of the ways alternate.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial

import zmq

import router_loop
from processes import load_cpu, pinned, server_cpu
from report import Row, alternate, median, parser_of, publish
from zeps_broker.ports import Output, Peer
from zeps_broker.transport.libzmq_router import LibzmqRouter
from zmtp_load import CHUNK, Run, Sink, Source, timed, wire_size

FRAME = bytes(282)
"""As long as a DELIVER with a key of 16 bytes and a body of 250."""


def serve_parts(subscriber_count: int) -> None:
    router, subscribers = router_loop.accept(subscriber_count)
    while True:
        router.recv()
        frame = router.recv()
        for peer in subscribers:
            router.send(peer, zmq.SNDMORE)
            router.send(frame)


def serve_transport(subscriber_count: int) -> None:
    router = LibzmqRouter(["tcp://127.0.0.1:*"])
    print(f"ready {router.endpoints[0]}", flush=True)
    subscribers: list[Peer] = []
    while len(subscribers) < subscriber_count:
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
            rest = [
                Output([undelivered.peer], undelivered.output.frames[undelivered.accepted :])
                for undelivered in waiting
            ]
            waiting = router.send(rest)


WAYS = {"multipart": router_loop.serve, "parts": serve_parts, "transport": serve_transport}


def measure(way: str, subscribers: int, messages: int) -> Run:
    command = [sys.executable, __file__, "--serve", way, "--subscribers", str(subscribers)]
    with pinned(command, server_cpu()) as (endpoint, pid):
        sinks = [Sink(endpoint, b"sub") for _ in range(subscribers)]
        for sink in sinks:
            sink.expect(b"ok")
        return timed(Source(endpoint), sinks, FRAME, wire_size(len(FRAME)), messages, pid)


def main() -> int:
    parser = parser_of(__doc__, messages=64_000, runs=5, subscribers=10)
    parser.add_argument("--serve", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        WAYS[options.serve](options.subscribers)
    os.sched_setaffinity(0, load_cpu())
    messages = options.messages // CHUNK * CHUNK
    seen = alternate(
        {way: partial(measure, way, options.subscribers, messages) for way in WAYS}, options.runs, str
    )
    base = median([run.rate for run in seen["multipart"]])
    rows = []
    for way, runs in seen.items():
        rates = tuple(run.rate for run in runs)
        ratio = median(rates) / base if way != "multipart" else None
        rows.append(Row(way, median(rates), "deliveries/s", rates, ratio, "multipart" if ratio else ""))
    note = f"{options.subscribers} subscribers, {messages} messages of {len(FRAME)} bytes per run."
    publish("zmq_transport", "Forwarding through pyzmq", rows, note)
    return 0


if __name__ == "__main__":
    sys.exit(main())
