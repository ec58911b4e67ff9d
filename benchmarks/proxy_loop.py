"""Peer of `forwarder.py`: libzmq's proxy between a connecting XSUB and an XPUB, called from pyzmq (it runs in C).

python benchmarks/proxy_loop.py UPSTREAM     # prints its endpoint
"""

from __future__ import annotations

import sys

import zmq


def main() -> None:
    context = zmq.Context()
    upstream = context.socket(zmq.XSUB)
    downstream = context.socket(zmq.XPUB)
    for socket in (upstream, downstream):
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.SNDHWM, 0)
        socket.setsockopt(zmq.RCVHWM, 0)
    port = downstream.bind_to_random_port("tcp://127.0.0.1")
    print(f"ready tcp://127.0.0.1:{port}", flush=True)
    upstream.connect(sys.argv[1])
    zmq.proxy(upstream, downstream)


if __name__ == "__main__":
    main()
