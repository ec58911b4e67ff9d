"""Publish a random walk, one message every tenth of a second, until Ctrl-C.

    zeps broker --data ./data &
    python examples/publish.py

Kill the broker and start it again while this runs: nothing is lost. A message is kept, and sent again after a
loss, until the broker has said that it is in the journal.
"""

from __future__ import annotations

import random
import sys
import time

from zeps_client import Client


def main() -> None:
    endpoint = sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5670"
    price = 100.0
    # on_event is told when the broker is lost and found again.
    with Client(endpoint, "example", on_event=print) as client:
        client.wait(timeout=10)
        while True:
            price += random.gauss(0, 0.1)
            client.publish("walk.one", f"{price:.2f}".encode())
            time.sleep(0.1)
    # Leaving the `with` waits until everything is stored, and detaches. Where that matters earlier: client.flush().


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("stopped")
