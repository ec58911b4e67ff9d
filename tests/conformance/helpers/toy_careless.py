"""The toy broker as a process, with a defect that only a stop, a crash or a restart reveals.

``toy_careless.py MISTAKE ENDPOINT DATA [CLIENT_TIMEOUT]``. The defects are the keys of `MISTAKES`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from toy_broker import CREDIT_MAX, Log, Place, Stored, ToyBroker, run

from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Decoded, Interpreter
from zeps_conformance.wire.router_server import Remote

MISTAKES = {
    "none": "",
    "crashes": "exits when a frame has several parts",
    "forgets": "loses the last message of each stream at every start",
    "renumbers": "skips a sequence at every start",
    "hangs-up": "stops without DETACH",
    "deaf": "drops PUBLISH after its DETACH",
    "ends-at-answers": "ends a session without a word at a command that only a broker sends, after its DETACH",
    "refuses-answers": "refuses such a command as one without a session",
    "waits-for-the-silent": "does not end a silent session after its DETACH",
    "stays": "ignores the signal to stop",
    "buffers": "rarely writes messages that were not delivered",
    "skips-damage": "skips unreadable messages",
    "serves-damage": "serves unreadable messages",
    "tells-damage-late": "announces unreadable messages behind the next message",
    "calls-damage-retention": "announces unreadable messages with the code of retention",
    "stops-at-damage": "ends a subscription at unreadable messages",
    "damage-costs-credit": "charges credit for the announcement",
    "tells-damage-to-all": "announces damage before the start of the subscription",
    "joins-streams": "loads streams whose names differ only in the case of letters as one",
    "loads-ascii": "loads only streams whose names are ASCII",
    "loads-100": "loads the first 100 messages of a stream",
    "resumes-at-end": "takes the latest of a stream that was loaded for 2^64-1",
    "repeats-last": "loads the last message of each stream twice",
    "keeps-refused": "keeps 64 KiB for each frame that it refuses",
    "keeps-detached": "keeps 64 KiB for each session that it ends",
    "keeps-descriptors": "keeps a descriptor for each connection that ends",
    "spins": "never waits again after a thousand messages",
}


BROKER_ONLY = ("ATTACH-OK", "SUBSCRIBE-OK", "DELIVER", "INVALID")


class Careless(ToyBroker):
    mistake = ""

    def __init__(self, *arguments: object) -> None:
        self.loaded: set[str] = set()
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.leaked: list[bytes] = []
        self.late: dict[Remote, tuple[str, int, int]] = {}

    def load(self, journal: Path) -> None:
        super().load(journal)
        for name, log in self.streams.items():
            if self.mistake == "forgets" and log.end:
                log.messages.pop()
            if self.mistake == "renumbers":
                log.messages.append(Stored(log.end + 1, "gap", b""))
            if self.mistake == "loads-ascii" and not name.isascii():
                log.messages.clear()
            if self.mistake == "loads-100":
                del log.messages[100:]
            if self.mistake == "repeats-last" and log.end:
                last = log.messages[-1]
                log.messages.append(Stored(log.end + 1, last.key, last.body))
        self.loaded = set(self.streams)

    def log(self, stream: str) -> Log:
        return super().log(stream.lower() if self.mistake == "joins-streams" else stream)

    def start_of(self, place: Place, latest: int) -> int:
        forgets = self.mistake == "resumes-at-end" and place.stream in self.loaded and latest
        return super().start_of(place, CREDIT_MAX if forgets else latest)

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, code, text)
        if self.mistake == "keeps-refused":
            self.leaked.append(bytes(range(256)) * 256)

    def end(self, remote: Remote) -> None:
        super().end(remote)
        if self.mistake == "keeps-detached":
            self.leaked.append(bytes(range(256)) * 256)

    def gone(self, remote: Remote) -> None:
        super().gone(remote)
        if self.mistake == "keeps-descriptors":
            os.dup(0)

    def pause(self) -> float:
        many = self.mistake == "spins" and any(log.end > 1000 for log in self.streams.values())
        return 0.0 if many else super().pause()

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        if self.mistake == "crashes" and len(parts) > 1:
            print("fatal: a frame of several parts", flush=True)
            os._exit(70)
        super().received(remote, parts)

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
        if message.name in BROKER_ONLY and self.mistake == "ends-at-answers":
            self.end(remote)
        elif message.name in BROKER_ONLY and self.mistake == "refuses-answers":
            self.invalid(remote, "no-session", "ATTACH opens one")
        elif self.mistake != "deaf" or message.name != "PUBLISH":
            super().while_detaching(remote, place, message)

    def expired(self, place: Place, now: float) -> bool:
        patient = self.mistake == "waits-for-the-silent" and place.detaching
        return not patient and super().expired(place, now)


def main() -> None:
    Careless.mistake = sys.argv[1]
    timeout = float(sys.argv[4]) if len(sys.argv) > 4 else 20.0
    run(Careless(Interpreter(load_model()), timeout, sys.argv[2], Path(sys.argv[3]) / "journal"))


if __name__ == "__main__":
    main()
