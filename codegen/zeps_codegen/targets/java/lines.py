"""Java statements, line by line; the formatter indents them as it likes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Lines", "plus"]


class Lines:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0

    def put(self, *lines: str) -> None:
        self.lines += [f"{'  ' * self._depth}{line}" for line in lines]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """``head {`` … ``}``."""
        self.put(f"{head} {{")
        self._depth += 1
        yield
        self._depth -= 1
        self.put("}")

    def refuse(self, test: str, error: str) -> None:
        """Throw `error` if `test` holds."""
        with self.block(f"if ({test})"):
            self.put(f"throw {error};")


def plus(base: str, extra: int) -> str:
    """``base + extra``, or `base` alone."""
    return f"{base} + {extra}" if extra else base
