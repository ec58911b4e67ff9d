"""Expected input of a connection, which is compared as bytes: decoding takes many times longer."""

from __future__ import annotations

__all__ = ["Expected"]


class Expected:
    """Expected messages, back to back in their ZMTP frames, each of `size` bytes. `open` until they all have arrived,
    or other input has.
    """

    def __init__(self, data: bytes, size: int) -> None:
        self._data = data
        self._size = size
        self._at = 0
        self.open = bool(data)

    @property
    def at(self) -> int:
        """The number of bytes that have arrived as expected; once closed, only those of whole messages."""
        return self._at

    @property
    def messages(self) -> int:
        """The number of whole messages that have arrived as expected."""
        return self._at // self._size

    def take(self, data: bytes) -> bytes:
        """Compares `data` with the next expected bytes. Returns the bytes to decode: those after the last expected
        message, or from the beginning of the message on that differs.
        """
        if not self.open:
            return data
        count = min(len(data), len(self._data) - self._at)
        if self._data[self._at : self._at + count] == data[:count]:
            self._at += count
            self.open = self._at < len(self._data)
            return data[count:]
        same = next(index for index in range(count) if self._data[self._at + index] != data[index])
        self._at += same
        return self.close() + data[same:]

    def close(self) -> bytes:
        """Ends the comparison. Returns the bytes of the last message if it has arrived in part, else nothing."""
        if not self.open:
            return b""
        self.open = False
        end, self._at = self._at, self._at - self._at % self._size
        return self._data[self._at : end]
