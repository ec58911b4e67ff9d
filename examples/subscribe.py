"""Print a stream, beginning where the last run of this program stopped, until Ctrl-C.

    python examples/subscribe.py [ENDPOINT] [FILE]

The first run begins with the oldest retained message of the stream `example`; keys must begin with `walk.`. While the
program runs, the client resumes after a lost connection, so each message is received once, in order. To continue across
runs, the program writes the last processed sequence to FILE (default: subscribe.bookmark).
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
        client.subscribe("walk.", latest)  # keys with this prefix, after this sequence
        for message in client:
            print(message.sequence, message.key, message.body.decode(), flush=True)
            fresh.write_text(str(message.sequence))
            fresh.replace(bookmark)  # replaces the file atomically


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("stopped")
