"""listener.py MULTICAST: prints the sequence of each message that arrives by multicast, until it is ended."""

from __future__ import annotations

import sys

import zmq

from zeps_client.multicast.packets import join
from zeps_multicast import open_receiver

with open_receiver(sys.argv[1], zmq.Context.instance()) as live:
    print("ready", sys.argv[1], flush=True)
    while True:
        message = join(live.recv_multipart())
        if message is not None:
            print(message.sequence, flush=True)
