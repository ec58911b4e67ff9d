"""The toy broker as a process, with a mistake that only a stop, a crash or a second start brings to light.

``toy_careless.py MISTAKE ENDPOINT DATA``: ``forgets`` loses the last message of each stream at every start,
``renumbers`` skips a sequence at every start, ``hangs-up`` stops without DETACH, ``deaf`` drops what comes after its
DETACH, ``stays`` does not stop when asked.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

from toy_broker import Place, Stored, ToyBroker

from zeps_conformance.interpreter import Decoded, Interpreter
from zeps_conformance.model import load_model
from zeps_conformance.raw.listener import Remote


class Careless(ToyBroker):
    mistake = ""

    def load(self, journal: Path) -> None:
        super().load(journal)
        for log in self.streams.values():
            if self.mistake == "forgets" and log:
                log.pop()
            if self.mistake == "renumbers":
                log.append(Stored(len(log) + 1, "gap", b""))

    def stop_in_order(self, now: float) -> None:
        if self.mistake == "hangs-up":
            self.stopped = True
        elif self.mistake != "stays":
            super().stop_in_order(now)

    def while_detaching(self, remote: Remote, place: Place, message: Decoded) -> None:
        if self.mistake != "deaf" or message.name != "PUBLISH":
            super().while_detaching(remote, place, message)


def main() -> None:
    Careless.mistake = sys.argv[1]

    def stop(number: int, frame: object) -> None:
        broker.stopping_since = time.monotonic()

    codec = Interpreter(load_model())
    with Careless(codec, 20.0, sys.argv[2], Path(sys.argv[3]) / "journal") as broker:
        signal.signal(signal.SIGTERM, stop)
        print(f"ready {broker.endpoint}", flush=True)
        while not broker.stopped:
            time.sleep(0.01)


if __name__ == "__main__":
    main()
