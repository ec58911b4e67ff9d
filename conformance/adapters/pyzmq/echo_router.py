"""A ROUTER of libzmq, through pyzmq, that sends every message back until it is killed. Prints ``ready`` when it is
bound.

Usage: ``python echo_router.py ENDPOINT [OPTION=NUMBER ...]``, with pyzmq's names of options (``handshake_ivl=5000``).
"""

from __future__ import annotations

import sys

import zmq


def main() -> None:
    endpoint, *options = sys.argv[1:]
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        for option in options:
            name, _, value = option.partition("=")
            setattr(router, name, int(value))
        router.bind(endpoint)
        print("ready", flush=True)
        while True:
            router.send_multipart(router.recv_multipart())


if __name__ == "__main__":
    main()
