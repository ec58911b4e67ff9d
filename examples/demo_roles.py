"""Run by ``demo.py``: a publisher of stock prices, and a subscriber that records them. Both print their progress, one
number of messages per line. `finish` publishes the last message.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import importlib.util
import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from zeps_client import Client

STREAM = "stocks"
LAST_KEY = "end"
BATCH = 50
NEVER_QUIET = 3600.0  # seconds


def prices(start: int) -> Iterator[tuple[str, bytes]]:
    """Yield key and JSON body of the stock prices of the package vega_datasets, repeated endlessly from row `start`."""
    spec = importlib.util.find_spec("vega_datasets")  # found, not imported: that would import pandas
    if spec is None or spec.origin is None:
        raise SystemExit("the demo needs the package vega_datasets for its stock prices; run make setup")
    path = Path(spec.origin).parent / "_data" / "stocks.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for turn, row in itertools.islice(enumerate(itertools.cycle(rows)), start, None):
        body = {"symbol": row["symbol"], "date": row["date"], "price": float(row["price"]), "turn": turn}
        yield f"stock.{row['symbol']}", json.dumps(body).encode()


def fingerprint(key: str, body: bytes) -> str:
    return hashlib.sha256(key.encode() + b"\0" + body).hexdigest()[:16]


def publisher(endpoint: str, number: int, count: int, rate: float) -> None:
    """Publish `count` prices at `rate` per second as publisher `number`, and wait until the broker has stored them.
    Raises Timeout if they are not stored 30 seconds after the last one was published.
    """
    with Client(endpoint, STREAM) as client:
        begin = time.monotonic()
        batch: list[tuple[str, bytes]] = []
        for done, (key, body) in enumerate(itertools.islice(prices(number * 187), count), 1):
            batch.append((key, body[:-1] + b', "publisher": %d, "number": %d}' % (number, done)))
            if len(batch) == BATCH or done == count:
                client.publish_many(batch)
                batch.clear()
                print(done, flush=True)
                time.sleep(max(0.0, begin + done / rate - time.monotonic()))
        client.flush(timeout=30)


def subscriber(endpoint: str, out: Path, window: int, pause: float) -> None:
    """Receive all messages until the last one, and write a line `sequence fingerprint` for each to `out`. It waits
    `pause` seconds after each message, and keeps a credit of `window` bytes. A client without input for a while
    enlarges its credit by the maximum frame size; `quiet` prevents that, so that the broker changes gear.
    """
    with Client(endpoint, STREAM, window=window, quiet=NEVER_QUIET) as client, out.open("w") as file:
        client.subscribe("", 0)
        for done, message in enumerate(client, 1):
            file.write(f"{message.sequence} {fingerprint(message.key, message.body)}\n")
            if pause:
                time.sleep(pause)
            if done % 200 == 0 or message.key == LAST_KEY:
                print(done, flush=True)
            if message.key == LAST_KEY:
                return


def finish(endpoint: str) -> None:
    """Publish the last message, after which subscribers stop, and wait until it is stored."""
    with Client(endpoint, STREAM) as client:
        client.publish(LAST_KEY, b"")
        client.flush(timeout=30)


def main() -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__)
    roles = parser.add_subparsers(dest="role", required=True)
    publisher_parser = roles.add_parser("publisher", allow_abbrev=False)
    publisher_parser.add_argument("endpoint")
    publisher_parser.add_argument("number", type=int)
    publisher_parser.add_argument("count", type=int)
    publisher_parser.add_argument("rate", type=float)
    subscriber_parser = roles.add_parser("subscriber", allow_abbrev=False)
    subscriber_parser.add_argument("endpoint")
    subscriber_parser.add_argument("out", type=Path)
    subscriber_parser.add_argument("--window", type=int, default=1 << 20)
    subscriber_parser.add_argument("--pause", type=float, default=0.0)
    finish_parser = roles.add_parser("finish", allow_abbrev=False)
    finish_parser.add_argument("endpoint")
    options = parser.parse_args()
    if options.role == "publisher":
        publisher(options.endpoint, options.number, options.count, options.rate)
    elif options.role == "subscriber":
        subscriber(options.endpoint, options.out, options.window, options.pause)
    else:
        finish(options.endpoint)


if __name__ == "__main__":
    sys.exit(main())
