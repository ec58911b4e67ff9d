"""The toy broker as a process, with a defect that only a stop, a crash or a restart reveals.

``toy_careless.py MISTAKE ENDPOINT DATA``. The defects are the keys of `MISTAKES`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from toy_broker import Place, Stored, ToyBroker, run

from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Decoded, Interpreter
from zeps_conformance.wire.router_server import Remote

MISTAKES = {
    "none": "",
    "forgets": "loses the last message of each stream at every start",
    "renumbers": "skips a sequence at every start",
    "hangs-up": "stops without DETACH",
    "deaf": "drops input after its DETACH",
    "stays": "ignores the signal to stop",
    "buffers": "rarely writes messages that were not delivered",
    "skips-damage": "skips unreadable messages",
    "serves-damage": "serves unreadable messages",
    "tells-damage-late": "announces unreadable messages behind the next message",
    "calls-damage-retention": "announces unreadable messages with the code of retention",
    "stops-at-damage": "ends a subscription at unreadable messages",
    "damage-costs-credit": "charges credit for the announcement",
    "tells-damage-to-all": "announces damage before the start of the subscription",
}


class Careless(ToyBroker):
    mistake = ""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.late: dict[Remote, tuple[str, int, int]] = {}

    def load(self, journal: Path) -> None:
        super().load(journal)
        for log in self.streams.values():
            if self.mistake == "forgets" and log.end:
                log.messages.pop()
            if self.mistake == "renumbers":
                log.messages.append(Stored(log.end + 1, "gap", b""))

    def found_damage(self, stored: Stored) -> None:
        if self.mistake != "serves-damage":
            super().found_damage(stored)

    def announce(self, remote: Remote, place: Place, code: str, first: int, last: int) -> None:
        if self.mistake == "calls-damage-retention":
            code = "retention"
        if self.mistake == "tells-damage-late":
            self.late[remote] = code, first, last
        elif self.mistake != "skips-damage":
            super().announce(remote, place, code, first, last)
        if self.mistake == "stops-at-damage":
            place.subscriptions.clear()
        if self.mistake == "damage-costs-credit":
            place.credit = max(place.credit - 30, 0)

    def subscribe(self, remote: Remote, place: Place, pattern: str, latest: int) -> None:
        super().subscribe(remote, place, pattern, latest)
        if self.mistake == "tells-damage-to-all" and latest:
            for stored in self.log(place.stream).messages[:latest]:
                if stored.lost:
                    self.announce(remote, place, stored.lost, stored.sequence, stored.sequence)

    def deliver(self, remote: Remote, place: Place, stored: Stored) -> None:
        if self.mistake == "buffers" and self._journal is not None:
            self._journal.flush()
        super().deliver(remote, place, stored)
        if remote in self.late:
            super().announce(remote, place, *self.late.pop(remote))

    def keep(self) -> None:
        if self.mistake != "buffers":
            super().keep()

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
    run(Careless(Interpreter(load_model()), 20.0, sys.argv[2], Path(sys.argv[3]) / "journal"))


if __name__ == "__main__":
    main()
