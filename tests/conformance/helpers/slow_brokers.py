"""Correct brokers that retain little, or that close the connection with INVALID."""

from __future__ import annotations

from toy_broker import Log, ToyBroker

from zeps_conformance.wire.router_server import Remote

KEPT = 33_000  # bytes, not many more than any case may need


class KeepsLittle(ToyBroker):
    """Retains 33,000 bytes of each stream."""

    def retain(self, stream: str, log: Log) -> None:
        self.remove_beyond(log, KEPT)


class ClosesAfterRefusing(ToyBroker):
    """Closes the connection with an INVALID that ends the session (ZEPS-SESSION-6)."""

    def refuse(self, remote: Remote, code: str, text: str) -> None:
        super().refuse(remote, code, text)
        self.hang_up(remote)
