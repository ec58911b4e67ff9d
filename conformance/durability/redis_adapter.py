"""Adapter for Redis Streams. The answer to XADD confirms a message."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from redis import Redis, RedisError
from redis.exceptions import BusyLoadingError

sys.path.insert(0, str(Path(__file__).parents[1]))

from durability.lines import batches, id_of

LOADING_SECONDS = 30.0


def connect(endpoint: str) -> Redis:
    """Returns a client of a server that has loaded its data."""
    address = urlsplit(endpoint)
    redis = Redis(address.hostname or "", address.port or 0, socket_timeout=20, protocol=2)
    deadline = time.monotonic() + LOADING_SECONDS
    while True:
        try:
            redis.ping()
        except BusyLoadingError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return redis


def publish(redis: Redis, stream: str) -> None:
    for bodies in batches():
        pipeline = redis.pipeline(transaction=False)
        for body in bodies:
            pipeline.xadd(stream, {"body": body})
        for body, answer in zip(bodies, pipeline.execute(raise_on_error=False), strict=True):
            if isinstance(answer, Exception):
                print("refused", id_of(body), answer)
            else:
                print("confirmed", id_of(body))
        sys.stdout.flush()


def read(redis: Redis, stream: str) -> None:
    last = "-"
    while entries := redis.xrange(stream, last, count=500):
        rows: Any = entries
        for entry, fields in rows:
            print("message", fields.get(b"body", b"").decode("ascii", "replace").replace("\n", " "))
            last = f"({entry.decode()}"
    print("end")


def prepare(redis: Redis, stream: str) -> None:
    redis.exists(stream)


def main() -> int:
    command, endpoint, stream = sys.argv[1:4]
    try:
        {"prepare": prepare, "publish": publish, "read": read}[command](connect(endpoint), stream)
    except (RedisError, OSError) as error:
        print(repr(error), file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
