"""Peer of `broker_fanout.py`: a plain pyzmq ROUTER loop that forwards every message to all subscribers.

    python benchmarks/router_loop.py SUBSCRIBERS     # prints its endpoint

The first SUBSCRIBERS peers that send `sub` become subscribers, and get `ok`. Each later message is sent to every
subscriber, with one call each.
"""

from __future__ import annotations

import sys

import zmq


def accept(subscriber_count: int) -> tuple[zmq.Socket[bytes], list[bytes]]:
    """Print the endpoint of a new ROUTER, and wait for this many subscribers. Returns the socket and their ids."""
    router = zmq.Context.instance().socket(zmq.ROUTER)
    router.setsockopt(zmq.LINGER, 0)
    router.setsockopt(zmq.SNDHWM, 100_000)
    router.setsockopt(zmq.ROUTER_MANDATORY, 1)
    print(f"ready tcp://127.0.0.1:{router.bind_to_random_port('tcp://127.0.0.1')}", flush=True)
    subscribers: list[bytes] = []
    while len(subscribers) < subscriber_count:
        peer, message = router.recv_multipart()
        if message == b"sub":
            subscribers.append(peer)
            router.send_multipart([peer, b"ok"])
    return router, subscribers


def serve(subscriber_count: int) -> None:
    """Forward messages to this many subscribers until the process is ended."""
    router, subscribers = accept(subscriber_count)
    while True:
        _, message = router.recv_multipart()
        for peer in subscribers:
            router.send_multipart([peer, message])


if __name__ == "__main__":
    serve(int(sys.argv[1]))
