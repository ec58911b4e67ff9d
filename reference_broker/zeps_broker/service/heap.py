"""Settings of the C library's heap: large freed blocks return to the system at once."""

from __future__ import annotations

import ctypes

__all__ = ["LARGE_BYTES", "return_large_blocks"]

LARGE_BYTES = 1 << 20
"""Larger blocks are mapped separately."""
_TRIM_BYTES = 8 << 20
"""Maximum free bytes at the heap's end before it shrinks."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def return_large_blocks() -> None:
    """Configures glibc's malloc, for the whole process, to map each block of more than LARGE_BYTES separately, and to
    shrink the heap when more than 8 MiB are free at its end. By default, malloc later takes such blocks (up to 32 MiB)
    from the heap, where small blocks between them keep freed memory. Other C libraries are not configured.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _TRIM_BYTES)
