"""A queue of owners that compete for turns; its user ends a round when a turn's limit is reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

__all__ = ["Turns"]

Who = TypeVar("Who")


class Turns(Generic[Who]):
    """A FIFO queue in which owners with little work precede owners with much work, without starvation: if a round ended
    before any of the latter was served, the next round begins with the first of them.
    """

    def __init__(self) -> None:
        self._light: dict[Who, None] = {}
        self._heavy: dict[Who, None] = {}
        self._heavy_first = False

    def __bool__(self) -> bool:
        return bool(self._light or self._heavy)

    def add(self, who: Who, *, heavy: bool) -> None:
        """Queues an owner, unless it is queued already; `heavy` marks an owner with much work."""
        if who not in self._light and who not in self._heavy:
            (self._heavy if heavy else self._light)[who] = None

    def discard(self, who: Who) -> None:
        """Removes an owner from the queue, if it is queued."""
        self._light.pop(who, None)
        self._heavy.pop(who, None)

    def clear(self) -> None:
        """Removes all owners."""
        self._light.clear()
        self._heavy.clear()

    def round(self) -> Iterator[Who]:
        """Yields the owners that are queued at the first step, each removed from the queue first. If the caller stops,
        the others stay queued; owners added meanwhile wait for the next round.
        """
        light, heavy = [*self._light], [*self._heavy]
        order = [*heavy[:1], *light, *heavy[1:]] if self._heavy_first else [*light, *heavy]
        self._heavy_first = bool(heavy)
        for who in order:
            if who in self._light:
                del self._light[who]
            elif who in self._heavy:
                del self._heavy[who]
                self._heavy_first = False
            else:
                continue
            yield who
