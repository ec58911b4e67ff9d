"""SIGKILL at random moments: acknowledged messages are kept, and sequences are never reused."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import random_of, seeds
from journal_helpers import served

from zeps_broker.journal import JournalStore
from zeps_wire.zeps import decode

WRITER = Path(__file__).parent / "helpers" / "append_forever.py"


@pytest.mark.parametrize("segment_bytes", [30_000, 1 << 26])
def test_what_was_acknowledged_before_a_kill_is_there_after_it(tmp_path: Path, segment_bytes: int) -> None:
    seen: dict[int, bytes] = {}
    choose = random_of(segment_bytes)
    for seed in seeds(10, 100):
        acknowledged = _write_until_killed(tmp_path, segment_bytes, seed, choose)
        assert acknowledged[0] == max(seen, default=0)
        store = JournalStore(tmp_path, sync="always", segment_bytes=segment_bytes)
        log = store.open("s")
        served_frames = served(log)
        store.close()
        assert log.last_sequence >= acknowledged[-1]
        assert list(served_frames) == list(range(1, log.last_sequence + 1))
        assert served_frames.items() >= seen.items(), "messages shown after a restart are missing"
        assert all(decode(frame).sequence == n for n, frame in served_frames.items())
        assert log.damages == []
        seen = served_frames


def _write_until_killed(folder: Path, segment_bytes: int, seed: int, choose: random.Random) -> list[int]:
    command = [sys.executable, str(WRITER), str(folder), str(segment_bytes), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(choose.randrange(1, 40))]
        # A random moment after an acknowledgement.
        for _ in range(choose.randrange(20_000)):
            pass
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().splitlines(keepends=True)
    return [int(line) for line in lines if line.endswith(b"\n")]
