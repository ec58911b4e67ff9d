"""Appends to the stream `s` of a folder until it is killed, and prints each acknowledged last sequence.

python append_forever.py FOLDER SEGMENT_OCTETS SEED
"""

from __future__ import annotations

import os
import random
import sys
import time

from journal_helpers import frames

from zeps_broker.journal import JournalStore


def main() -> None:
    choose = random.Random(int(sys.argv[3]))
    log = JournalStore(sys.argv[1], sync="always", segment_bytes=int(sys.argv[2])).open("s")
    os.write(1, b"%d\n" % log.last_sequence)
    while True:
        count = choose.choice((1, 2, 40))
        log.append(
            frames(log.last_sequence + 1, count, choose.choice((10, 300, 5000))), time.time_ns() // 1000
        )
        os.write(1, b"%d\n" % log.last_sequence)


if __name__ == "__main__":
    main()
