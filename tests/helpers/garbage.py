"""Check that code does not leave garbage that only the cyclic collector can free."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["nothing_to_collect"]


@contextmanager
def nothing_to_collect() -> Iterator[None]:
    """Fails if the block leaves objects that only the cyclic collector can free."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield
        gc.collect()
        leaked = Counter(f"{type(item).__module__}.{type(item).__qualname__}" for item in gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
        gc.collect()
    assert not leaked
