"""What the programs of this folder print: the number of their observations, and one digest of all, in order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable


class Recorder:
    """Counts and hashes observations."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._count = 0

    def add(self, *values: object) -> None:
        self._count += 1
        self._digest.update(repr(values).encode())

    def call(self, function: Callable[[], object]) -> None:
        """Adds what a call returns, or the type of its exception."""
        try:
            self.add(function())
        except Exception as error:
            self.add(type(error).__name__)

    def finish(self, name: str) -> None:
        """Prints the number of observations and their digest."""
        print(name, self._count, self._digest.hexdigest())
