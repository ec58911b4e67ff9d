"""Publish a random walk to the stream `example`, ten messages per second, until Ctrl-C.

    zeps broker --data ./data &
    python examples/publish.py [ENDPOINT]

Kill the broker and start it again while this runs: no message is lost. The client keeps each message, and sends it
again after a lost connection, until the broker has confirmed that it is in the journal.
"""

from __future__ import annotations

import random
import sys
import time

from zeps_client import Client


def main() -> None:
    endpoint = sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5670"
    price = 100.0
    # on_event is called when the broker is lost and when it is back.
    with Client(endpoint, "example", on_event=print) as client:
        client.wait(timeout=10)
        while True:
            price += random.gauss(0, 0.1)
            client.publish("walk.one", f"{price:.2f}".encode())
            time.sleep(0.1)
    # Leaving the `with` block waits until all messages are stored, and detaches. client.flush() waits without
    # detaching.


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("stopped")
