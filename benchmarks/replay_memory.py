"""Memory of a broker that replays its journal repeatedly, with Python's cyclic garbage collector disabled.

For bodies of 1 kB and of 8 MB: a journal of 600 MiB is written and replayed 100 times over TCP to a reader that
attaches again each time. The mean memory (RSS) after the last ten may be at most 10% above that after replays 5 to 14.
"""

from __future__ import annotations

import os
import sys
import time
from statistics import mean

from broker_replay import replay, store
from processes import broker, load_cpu, memory
from report import Row, parser_of, publish, say
from zeps_wire import zeps
from zmtp_load import frame, wire_size

KEY = "key/abcdefghijkl"
WARM = 5
"""Replays after which all caches are full."""
WINDOW = 10
"""Number of replays in each of the two means."""
CHUNK_BYTES = 1 << 20
CODE = "import gc, sys; gc.disable(); from zeps_cli.main import main; sys.exit(main())"


def measure(body: bytes, total: int, replays: int) -> list[int]:
    """The broker's memory in bytes after each replay of `total` bytes of bodies."""
    publication = frame(zeps.Publish(KEY, body))
    chunk = max(1, CHUNK_BYTES // len(publication))
    messages = total // len(body) // chunk * chunk
    size = wire_size(zeps.Deliver(1, KEY, body).size())
    held = []
    with broker("--sync", "os", command=(sys.executable, "-c", CODE)) as (endpoint, pid):
        store(endpoint, publication * chunk, messages // chunk)
        start = time.monotonic()
        for number in range(1, replays + 1):
            replay(endpoint, "", messages, size)
            held.append(memory(pid))
            if number % 10 == 0 or number == WARM:
                rate = number * messages * size / (time.monotonic() - start) / 2**20
                say(f"{len(body):,} B: replay {number}/{replays}, {held[-1] >> 20:,} MiB, {rate:,.0f} MiB/s")
    return held


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--mebibytes", type=int, default=600, help="MiB of bodies in each journal (default: 600)"
    )
    parser.add_argument(
        "--replays", type=int, default=100, help=f"replays of each journal, at least {WARM} (default: 100)"
    )
    options = parser.parse_args()
    if options.replays < WARM:
        parser.error(f"--replays must be at least {WARM}")
    os.sched_setaffinity(0, load_cpu())
    rows = []
    for name, size in (("1 kB", 1_000), ("8 MB", 8_000_000)):
        held = [
            byte_count / 2**20
            for byte_count in measure(bytes(size), options.mebibytes << 20, options.replays)
        ]
        # When the memory is read, a buffer may or may not hold a body of 8 MB, so only means can be compared.
        after = held[WARM - 1 :]
        window = max(1, min(WINDOW, len(after) // 2))
        warm, last = mean(after[:window]), mean(after[-window:])
        rows += [
            Row(f"bodies of {name}: from replay {WARM} on", warm, "MiB"),
            Row(f"bodies of {name}: up to replay {options.replays}", last, "MiB", tuple(held),
                warm / last, f"the memory from replay {WARM} on", 1 / 1.1, f"means of {window} replays"),
        ]  # fmt: skip
    note = f"Journals of {options.mebibytes} MiB, {options.replays} replays, no cyclic collector. Less is better."
    return 0 if publish("replay_memory", "Memory of replays", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
