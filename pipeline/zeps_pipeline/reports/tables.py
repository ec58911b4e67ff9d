"""Text tables for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["table"]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Lines of aligned columns, `head` first; those in `left` (from 0) are left-aligned, the others right-aligned."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if number in left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
