"""Streams of the model broker: their messages, retention and damage, and the deliveries of a session."""

from __future__ import annotations

import json
import re
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from zeps_conformance.broker.options import Streams

if TYPE_CHECKING:
    from zeps_conformance.mutants.faulty_codec import FaultyCodec

__all__ = ["Item", "Log", "Reader", "Store", "Stored", "refusal"]

LATEST_NEW = (1 << 64) - 1
SUBSCRIPTIONS_MAX = 100


@dataclass
class Stored:
    """A message, or the record of its loss: `lost` is the code of its loss."""

    sequence: int
    key: str
    body: bytes
    lost: str = ""


@dataclass(eq=False)
class Log:
    """A stream. `oldest` is the first sequence that retention has not removed."""

    name: str
    messages: list[Stored] = field(default_factory=list)
    oldest: int = 1
    size: int = 0
    readers: list[Reader] = field(default_factory=list)

    @property
    def end(self) -> int:
        return len(self.messages)


@dataclass(frozen=True)
class Item:
    """What a reader is due next: the message `stored`, or the gap from `first` to `last` with the code `lost`."""

    first: int
    last: int
    stored: Stored
    lost: str

    def frame(self, codec: FaultyCodec) -> bytes:
        stored = self.stored
        return codec.encode("DELIVER", sequence=stored.sequence, key=stored.key, body=stored.body)


class Store:
    """All streams. `cost` returns the bytes of the DELIVER of a key and a body."""

    def __init__(self, cost: Callable[[str, bytes], int], streams: Streams, journal: Path | None) -> None:
        self._cost = cost
        self._streams = streams
        self._logs: dict[str, Log] = {}
        self._journal: TextIO | None = None
        if journal is not None:
            self._load(journal)
            self._journal = journal.open("a", encoding="utf-8")

    def log(self, stream: str) -> Log:
        return self._logs.setdefault(stream, Log(stream))

    def append(self, log: Log, key: str, body: bytes) -> None:
        """Gives a message its sequence and stores it; retention may remove others."""
        log.messages.append(Stored(log.end + 1, key, body))
        if self._journal is not None:
            text = json.dumps([log.name, key, body.decode("latin-1")])
            self._journal.write(f"{zlib.crc32(text.encode()):08x} {text}\n")
            self._journal.flush()
        log.size += self._cost(key, body)
        brief = self._streams.brief
        while brief is not None and log.name.startswith(brief) and log.size > self._streams.brief_octets:
            removed = log.messages[log.oldest - 1]
            log.size -= self._cost(removed.key, removed.body)
            removed.lost = "retention"
            log.oldest += 1

    def is_regex(self, log: Log) -> bool:
        return self._streams.regex is not None and log.name.startswith(self._streams.regex)

    def matches(self, log: Log, pattern: str, key: str) -> bool:
        if self.is_regex(log):
            return re.search(pattern, key) is not None
        return key.encode().startswith(pattern.encode())

    def _load(self, journal: Path) -> None:
        if not journal.exists():
            return
        for line in journal.read_text(encoding="utf-8", errors="replace").splitlines():
            check, _, text = line.partition(" ")
            intact = check == f"{zlib.crc32(text.encode()):08x}"
            stream, key, body = json.loads(text)
            log = self.log(stream)
            lost = "" if intact else "damage"
            log.messages.append(Stored(log.end + 1, key, body.encode("latin-1", "replace"), lost))


class Reader:
    """A session's place in a stream: its subscriptions, and the sequences that it has received."""

    def __init__(self, store: Store, log: Log) -> None:
        self.log = log
        self.subscriptions: list[tuple[str, int]] = []
        self._store = store
        self._fills: deque[tuple[str, int, int]] = deque()  # a pattern, and the range that is added for it
        self._received: set[int] = set()
        self._done = 0
        log.readers.append(self)

    def close(self) -> None:
        if self in self.log.readers:
            self.log.readers.remove(self)

    def subscribe(self, pattern: str, latest: int) -> None:
        start = min(max(latest, self.log.oldest - 1), self.log.end)
        if not self.subscriptions:
            self._done = start
        elif start < self._done:
            self._fills.append((pattern, start, self._done))
        self.subscriptions.append((pattern, start))

    def next(self) -> Item | None:
        """Returns what is due next, first of what subscriptions add from the past; None if nothing is."""
        while self._fills:
            pattern, done, upto = self._fills[0]
            item = self._first([(pattern, done)], done, upto)
            if item is not None:
                return item
            self._fills.popleft()
        if not self.subscriptions:
            return None
        item = self._first(self.subscriptions, self._done, self.log.end)
        if item is None:
            self._done = self.log.end
        return item

    def advance(self, item: Item) -> None:
        """Records that `item`, which :meth:`next` returned, is sent."""
        if not item.lost:
            self._received.add(item.stored.sequence)
        if self._fills:
            pattern, _, upto = self._fills[0]
            self._fills[0] = (pattern, item.last, upto)
        else:
            self._done = item.last

    def _first(self, subscriptions: list[tuple[str, int]], done: int, upto: int) -> Item | None:
        messages = self.log.messages
        while done < upto:
            stored = messages[done]
            if stored.lost:
                last = done + 1
                while last < upto and messages[last].lost == stored.lost:
                    last += 1
                return Item(done + 1, last, stored, stored.lost)
            if stored.sequence not in self._received and any(
                stored.sequence > start and self._store.matches(self.log, pattern, stored.key)
                for pattern, start in subscriptions
            ):
                return Item(done + 1, done + 1, stored, "")
            done += 1
        return None


def refusal(store: Store, reader: Reader, pattern: str, latest: int) -> str:
    """Returns the reason of the INVALID for a SUBSCRIBE, or an empty text if it is granted."""
    log = reader.log
    if len(reader.subscriptions) >= SUBSCRIPTIONS_MAX:
        return "too-many-subscriptions the session may not have more"
    if store.is_regex(log) and not _is_regex(pattern):
        return "bad-pattern the pattern is not a regular expression"
    if log.end < latest < LATEST_NEW:
        return f"beyond-end {log.end + 1} {latest} these do not exist"
    if 0 < latest < log.oldest - 1:
        return f"not-retained {latest + 1} {log.oldest - 1} these are removed"
    return ""


def _is_regex(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
