"""The C library's heap: large blocks that are freed go back to the system at once."""

from __future__ import annotations

import ctypes

__all__ = ["LARGE_BYTES", "return_large_blocks"]

LARGE_BYTES = 1 << 20
"""What is larger has pages of its own."""
_TRIM_BYTES = 8 << 20
"""So much may be free at the heap's end before it shrinks."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def return_large_blocks() -> None:
    """Tell glibc's malloc, for the whole process, to map blocks of more than LARGE_BYTES each by itself.

    Once a mapped block was freed, malloc takes blocks of up to that size, 32 MiB at most, from the heap instead. There
    small blocks between them keep what was freed, so that memory never falls to what is in use. Other C libraries
    are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _TRIM_BYTES)
