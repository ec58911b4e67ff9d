"""Append to and replay the journal alone, compared with bare system calls on the same disk.

Blocks of 1, 16 and 256 messages of 282 bytes, in each sync mode (500 blocks with `always`). The peer of an append joins
the frames and writes them (and syncs, if the mode does); the peer of a replay reads the same file in pieces of 256 KiB.
The peers do not check, number or search: the ratio shows the cost of these.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from report import Row, median, parser_of, publish, say
from zeps_broker.journal import JournalStore
from zeps_broker.journal.stream_journal import Sync
from zeps_wire.zeps import Deliver

KEY = "prices/NASDAQ.AA"
BODY = bytes(range(250))
MESSAGES = {1: 20_000, 16: 100_000, 256: 200_000}
SYNCED_BLOCKS = 500
MODES: tuple[Sync, ...] = ("os", "interval", "always")
PIECE = 256 * 1024

Blocks = list[list[bytes]]


def blocks_of(size: int) -> Blocks:
    """Blocks of `size` DELIVER frames, with sequences from 1 on; at most `MESSAGES[size]` frames in total."""
    frames = [Deliver(n + 1, KEY, BODY).encode() for n in range(MESSAGES[size] // size * size)]
    return [frames[at : at + size] for at in range(0, len(frames), size)]


def append(folder: Path, mode: Sync, blocks: Blocks) -> float:
    """Seconds to append all blocks to a new journal in `folder`, without waits; their times differ by 1 ms."""
    store = JournalStore(folder, sync=mode)
    log = store.open("bench")
    now = time.time_ns() // 1000
    start = time.perf_counter()
    for block in blocks:
        log.append(block, now)
        now += 1000
    elapsed = time.perf_counter() - start
    store.close()
    return elapsed


def write(path: Path, mode: Sync, blocks: Blocks) -> float:
    """Seconds to write all joined blocks to a new file; `interval` syncs as for one block per millisecond."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    every = {"os": len(blocks) + 1, "interval": 100, "always": 1}[mode]
    start = time.perf_counter()
    for number, block in enumerate(blocks, 1):
        os.write(fd, b"".join(block))
        if not number % every:
            os.fdatasync(fd)
    elapsed = time.perf_counter() - start
    os.close(fd)
    return elapsed


def replay(folder: Path, messages: int) -> float:
    """Seconds to read and verify a whole journal after its opening. Exits if it does not have `messages` messages."""
    store = JournalStore(folder, sync="os")
    log = store.open("bench")
    after = 0
    start = time.perf_counter()
    while (block := log.read(after)) is not None:
        after = block.last_sequence
    elapsed = time.perf_counter() - start
    if after != messages:
        raise SystemExit(f"{after} messages read, {messages} written")
    store.close()
    return elapsed


def read(folder: Path) -> float:
    """Seconds to read the bytes of the journal's files, without checks."""
    start = time.perf_counter()
    for path in sorted(folder.glob("*/*.segment")):
        fd = os.open(path, os.O_RDONLY)
        at = 0
        while piece := os.pread(fd, PIECE, at):
            at += len(piece)
        os.close(fd)
    return time.perf_counter() - start


def alternate(
    ours: Callable[[int], float], peer: Callable[[int], float], runs: int
) -> tuple[list[float], list[float]]:
    """Seconds of both, run alternately, so that other work of the machine affects both; each gets the run's number."""
    times: tuple[list[float], list[float]] = ([], [])
    for run in range(runs):
        times[0].append(ours(run))
        times[1].append(peer(run))
    return times


def append_row(scratch: Path, size: int, mode: Sync, blocks: Blocks, runs: int) -> Row:
    part = blocks[:SYNCED_BLOCKS] if mode == "always" else blocks
    times, peer = alternate(
        lambda run: append(scratch / f"{size}-{mode}.{run}", mode, part),
        lambda _: write(scratch / "peer", mode, part),
        runs,
    )
    return row(f"append, {size} a block, {mode}", len(part) * size, times, peer, "join and write")


def replay_row(written: Path, size: int, blocks: int, runs: int) -> Row:
    messages = blocks * size
    times, peer = alternate(lambda _: replay(written, messages), lambda _: read(written), runs)
    return row(f"replay, {size} a block", messages, times, peer, "read")


def row(name: str, messages: int, times: Sequence[float], peer: Sequence[float], against: str) -> Row:
    rates = tuple(messages / seconds / 1e6 for seconds in times)
    return Row(name, median(rates), "M messages/s", rates, median(peer) / median(times), against)


def main() -> int:
    parser = parser_of(__doc__, runs=5)
    parser.add_argument(
        "--data",
        type=Path,
        help="folder for the journals, which are removed at the end (default: a temporary folder)",
    )
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(dir=options.data) as name:
        scratch = Path(name)
        for size in MESSAGES:
            blocks = blocks_of(size)
            for mode in MODES:
                rows.append(append_row(scratch, size, mode, blocks, options.runs))
                say(f"{rows[-1].name}: {rows[-1].value:.4f} M messages/s")
            rows.append(replay_row(scratch / f"{size}-os.0", size, len(blocks), options.runs))
            say(f"{rows[-1].name}: {rows[-1].value:.4f} M messages/s")
    note = f"Messages of {len(blocks[0][0])} bytes; {options.runs} runs, alternating with the peer."
    publish("journal_throughput", "The journal alone", rows, note)
    return 0


if __name__ == "__main__":
    sys.exit(main())
