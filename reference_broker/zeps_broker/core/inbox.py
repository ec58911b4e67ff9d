"""Input that was received and has not been served yet.

The broker serves a bounded number of *steps* a turn, and a bounded number of them for one peer before the next.
What is left waits here, so that the input of one peer delays that of another for a turn at most. A step is about the
work of one command; what costs more counts as several.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from zeps_broker.frame_batch import FrameBatch
from zeps_broker.ports import Gone, Malformed, Peer
from zeps_broker.turns import Turns

__all__ = ["Inbox", "Item"]

Item = bytes | FrameBatch | Malformed | Gone

_ITEM_BYTES = 64
"""What an item counts besides its bytes."""


class Inbox:
    """First in, first out for each peer; peers take turns, those that did not use up their last one first."""

    def __init__(self) -> None:
        self._items: dict[Peer, list[Item]] = {}
        self._sizes: dict[Peer, int] = {}
        self._turns: Turns[Peer] = Turns()
        self.bytes = 0
        """Bytes of everything that waits."""

    def __bool__(self) -> bool:
        return bool(self._items)

    def __contains__(self, peer: Peer) -> bool:
        return peer in self._items

    def add(self, peer: Peer, item: Item) -> None:
        """Queue an item behind those of its peer."""
        items = self._items.get(peer)
        size = _size(item)
        if items is None:
            self._items[peer] = [item]
            self._sizes[peer] = size
            self._turns.add(peer, heavy=False)
        else:
            items.append(item)
            self._sizes[peer] += size
        self.bytes += size

    def put_back(self, peer: Peer, items: list[Item]) -> None:
        """Queue what is left of a peer's items, which were taken; others precede it."""
        assert peer not in self._items
        size = sum(map(_size, items))
        self._items[peer] = items
        self._sizes[peer] = size
        self._turns.add(peer, heavy=True)
        self.bytes += size

    def take_all(self) -> Iterator[tuple[Peer, list[Item]]]:
        """Yields peers and all of their items, which are taken, each peer that waits now once.

        Peers of which nothing waits but that they are gone come first: their sessions make place for others.
        """
        gone = [peer for peer, items in self._items.items() if len(items) == 1 and isinstance(items[0], Gone)]
        for peer in gone:
            self._turns.discard(peer)
        for peer in chain(gone, self._turns.round()):
            self.bytes -= self._sizes.pop(peer)
            yield peer, self._items.pop(peer)

    def clear(self) -> None:
        """Drop everything."""
        self._items.clear()
        self._sizes.clear()
        self._turns.clear()
        self.bytes = 0


def _size(item: Item) -> int:
    if isinstance(item, bytes):
        return _ITEM_BYTES + len(item)
    return _ITEM_BYTES + (item.octets if isinstance(item, FrameBatch) else 0)
