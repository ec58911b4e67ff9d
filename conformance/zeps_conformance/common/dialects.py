"""Versions of ZMTP that a case may have variants for: 3.0 and 3.1."""

from __future__ import annotations

from enum import Enum

__all__ = ["BOTH", "V3_0", "V3_1", "Dialect"]


class Dialect(Enum):
    """A version of ZMTP, major and minor. It determines the form of subscriptions: messages or commands."""

    V3_0 = (3, 0)
    V3_1 = (3, 1)

    @property
    def suffix(self) -> str:
        """The suffix of a case's id for the dialect, such as ``-3-1``."""
        return f"-{self.value[0]}-{self.value[1]}"

    def __str__(self) -> str:
        return f"{self.value[0]}.{self.value[1]}"


V3_0 = Dialect.V3_0
V3_1 = Dialect.V3_1
BOTH = (V3_0, V3_1)
