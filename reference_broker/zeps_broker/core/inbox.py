"""Received input that has not been served yet.

A turn serves a bounded number of *steps* of each peer and of all, so that the input of one peer delays that of another
by at most one turn. A step is roughly the work of one command; an expensive command counts as several.
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
"""Overhead of an item in bytes, besides its content."""


class Inbox:
    """A queue per peer, first in, first out; as a rule, peers that used up their last turn come after the others."""

    def __init__(self) -> None:
        self._items: dict[Peer, list[Item]] = {}
        self._sizes: dict[Peer, int] = {}
        self._turns: Turns[Peer] = Turns()
        self.bytes = 0
        """Bytes of all waiting items, with 64 for each item's overhead."""

    def __bool__(self) -> bool:
        return bool(self._items)

    def __contains__(self, peer: Peer) -> bool:
        return peer in self._items

    def add(self, peer: Peer, item: Item) -> None:
        """Queues an item after its peer's earlier items."""
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
        """Queues items of a peer that used up its turn; it must have no others. As a rule, other peers precede it."""
        assert peer not in self._items
        size = sum(map(_size, items))
        self._items[peer] = items
        self._sizes[peer] = size
        self._turns.add(peer, heavy=True)
        self.bytes += size

    def take_all(self) -> Iterator[tuple[Peer, list[Item]]]:
        """Yields each waiting peer once with all of its items, which are removed; after the caller stops, the others
        still wait. Peers whose only item is the end of their connection come first: their sessions free space.
        """
        gone = [peer for peer, items in self._items.items() if len(items) == 1 and isinstance(items[0], Gone)]
        for peer in gone:
            self._turns.discard(peer)
        for peer in chain(gone, self._turns.round()):
            self.bytes -= self._sizes.pop(peer)
            yield peer, self._items.pop(peer)

    def clear(self) -> None:
        """Removes all items."""
        self._items.clear()
        self._sizes.clear()
        self._turns.clear()
        self.bytes = 0


def _size(item: Item) -> int:
    if isinstance(item, bytes):
        return _ITEM_BYTES + len(item)
    return _ITEM_BYTES + (item.byte_count if isinstance(item, FrameBatch) else 0)
