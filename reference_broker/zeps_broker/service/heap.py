"""Settings of the C library's heap: freed memory returns to the system."""

from __future__ import annotations

import ctypes
import os
import time

__all__ = ["LARGE_BYTES", "Heap"]

LARGE_BYTES = 1 << 20
"""Larger blocks are mapped separately."""
_TRIM_BYTES = 8 << 20
"""Growth of the process after which the heap is trimmed; also the maximum of free bytes at the heap's end."""
_TRIM_SECONDS = 0.05
"""Minimum time between two checks."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Heap:
    """The heap of a process that runs a broker only. Nothing is configured or trimmed without glibc, and nothing is
    trimmed without /proc.
    """

    def __init__(self) -> None:
        """Configures glibc's malloc, for the whole process, to map each block of more than LARGE_BYTES separately. By
        default, malloc later takes such blocks (up to 32 MiB) from the heap, where small blocks between them keep freed
        memory.
        """
        library = ctypes.CDLL(None)
        mallopt = getattr(library, "mallopt", None)
        self._malloc_trim = getattr(library, "malloc_trim", None)
        if mallopt is not None:
            mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
            mallopt(_M_TRIM_THRESHOLD, _TRIM_BYTES)
        try:
            self._statm = os.open("/proc/self/statm", os.O_RDONLY)  # kept: later no descriptor may be left
        except OSError:
            self._malloc_trim = None
        self._lowest = 0
        self._next = 0.0

    def trim(self) -> None:
        """Returns the free pages between blocks in use to the system, if the process has grown by 8 MiB from its
        smallest size since the last trim. Does nothing within 50 ms of the last call that checked.
        """
        now = time.monotonic()
        if self._malloc_trim is None or now < self._next:
            return
        self._next = now + _TRIM_SECONDS
        resident = self._resident_bytes()
        if resident > self._lowest + _TRIM_BYTES:
            self._malloc_trim(0)
            self._lowest = self._resident_bytes()
        else:
            self._lowest = min(self._lowest, resident)

    def _resident_bytes(self) -> int:
        return int(os.pread(self._statm, 200, 0).split()[1]) * _PAGE_BYTES
