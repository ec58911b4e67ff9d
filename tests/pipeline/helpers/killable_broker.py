"""A broker process that tests can kill and restart with the same port and journal."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from pathlib import Path

from zeps_process import BrokerProcess

from zeps_broker.journal.inspection import messages
from zeps_broker.journal.store import JournalStore
from zeps_client import Client

__all__ = ["KillableBroker", "publish_rows", "stored"]


class KillableBroker(BrokerProcess):
    """`zeps broker` on loopback. `endpoint` stays the same across restarts."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            super().__init__(folder, bind=(f"tcp://127.0.0.1:{probe.getsockname()[1]}",))

    def rows(self, stream: str) -> list[tuple[str, bytes]]:
        """Keys and bodies of the stored messages, in the order of the stream."""
        return list(stored(self.data, stream).values())


def stored(journal: Path, stream: str) -> dict[int, tuple[str, bytes]]:
    """Key and body of each stored message, by its sequence."""
    store = JournalStore(journal, read_only=True)
    try:
        return {message.sequence: (message.key, message.body) for message in messages(store.open(stream))}
    finally:
        store.close()


def publish_rows(endpoint: str, stream: str, rows: Iterable[tuple[str, bytes]]) -> None:
    """Publish keys and bodies, and wait until they are stored."""
    with Client(endpoint, stream) as client:
        client.publish_many(rows)
        client.flush(60)
