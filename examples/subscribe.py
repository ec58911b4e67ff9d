"""Print a stream from where the last run of this program stopped, until Ctrl-C.

    python examples/subscribe.py [ENDPOINT] [FILE]

While it runs, the client resumes by itself wherever a lost broker left it: each message comes once, in order.
Across runs of the program it is the program that knows what it has dealt with, so it writes the last sequence
to a file.
"""

from __future__ import annotations

import sys
from pathlib import Path

from zeps_client import ALL, Client


def main() -> None:
    endpoint = sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5670"
    bookmark = Path(sys.argv[2] if len(sys.argv) > 2 else "subscribe.bookmark")
    fresh = bookmark.with_name(bookmark.name + ".new")
    latest = int(bookmark.read_text()) if bookmark.exists() else ALL
    with Client(endpoint, "example") as client:
        client.subscribe("walk.", latest)  # keys that begin so, after that sequence
        for message in client:
            print(message.sequence, message.key, message.body.decode(), flush=True)
            fresh.write_text(str(message.sequence))
            fresh.replace(bookmark)  # all at once, whatever happens in between


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("stopped")
