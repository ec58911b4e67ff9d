"""What a target may say of a model that it cannot serve."""

from __future__ import annotations

__all__ = ["UnsupportedByTarget"]


class UnsupportedByTarget(Exception):  # noqa: N818
    """A target cannot make code for a field; the text says which, and why."""

    def __init__(self, target: str, message: str, field: str, why: str) -> None:
        super().__init__(f"{target} cannot carry {message}.{field}: {why}")
        self.target = target
        self.message = message
        self.field = field
        self.why = why
