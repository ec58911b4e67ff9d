"""A connection to a ROUTER: parses messages of one frame, in whole runs where possible.

Frames longer than any command, and messages of several frames, are skipped byte by byte as they arrive; only the reason
is kept, which is sent to the peer (ZEPS-INVALID-1, ZEPS-FRAME-8).
"""

from __future__ import annotations

import socket
from typing import Any

from zeps_broker.ports import Malformed
from zeps_broker.transport.errors import MULTIPART, OWN_ID, TOO_LONG
from zeps_broker.transport.zmtp.connection import (
    COMMAND,
    MORE,
    READ_BYTES,
    Connection,
    Limits,
    property_of,
)
from zeps_broker.transport.zmtp.frames import LONG, RUN_FRAMES_MAX, cut
from zeps_wire.zeps import PUBLISH_HEAD, EndingCode
from zeps_wire.zmtp import Ready

__all__ = ["UNATTACHED_BYTES_MAX", "RouterConnection"]

UNATTACHED_BYTES_MAX = 8 << 10
"""Maximum bytes of one read, and so of waiting input, before a session exists."""

NO_SESSION = Malformed("a command without a session", EndingCode.NO_SESSION)
NOT_A_COMMAND = Malformed("a frame that is not a command, without a session")


class RouterConnection(Connection):
    """Yields ``bytes | FrameBatch | Malformed``: one-frame messages, alone or in batches, and malformed input."""

    TYPE = b"ROUTER"
    PEERS = frozenset({b"REQ", b"DEALER", b"ROUTER"})

    __slots__ = ("_own_id", "_parts", "_passing", "_skip", "_too_early")

    def __init__(self, link: socket.socket, name: str, limits: Limits) -> None:
        self._skip = 0  # remaining bytes of a skipped frame
        self._passing: int | None = None  # its size; None if its message continues
        self._parts = 0  # number of parts of the skipped message
        self._own_id = False
        self._too_early: Malformed | None = None  # for a frame that is skipped because no session exists
        super().__init__(link, name, limits)

    @property
    def read_bytes(self) -> int:
        return READ_BYTES if self.limits.attached(self) else UNATTACHED_BYTES_MAX

    def _fast(self, data: bytes, at: int, items: list[Any], most: int) -> int:
        if self._parts or self._own_id:
            return at
        run_frames_max = RUN_FRAMES_MAX if self.busy else most
        return cut(data, at, items, self.limits.command, most, run_frames_max)

    def _wait(self, data: bytes, at: int, missing: int, items: list[Any]) -> None:
        """Without a session the rest of a long frame is not collected, but skipped as it arrives."""
        size = len(data) - at + missing
        is_short = size <= UNATTACHED_BYTES_MAX or data[at] & COMMAND or not self.open
        if is_short or self.limits.attached(self):
            super()._wait(data, at, missing, items)
        elif items:  # one of these may be the command that creates a session
            self._unparsed = data, at
        else:
            start = at + (9 if data[at] & LONG else 2)
            is_command = data.startswith(PUBLISH_HEAD, start)  # no other command is this long
            self._too_early = NO_SESSION if is_command else NOT_A_COMMAND
            self._passing, self._skip = size, missing

    def _passes_over(self, size: int, flags: int) -> bool:
        return bool(size > self.limits.command or self._parts or flags & MORE)

    def _pass_over(self, data: bytes, start: int, size: int, flags: int, items: list[Any]) -> int | None:
        more = bool(flags & MORE)
        if self._parts or more:
            self._parts += 1
        self._passing = None if more else size
        self._skip = max(start + size - len(data), 0)
        if self._skip:
            return None
        self._passed(items)
        return start + size

    def _going_on(self, data: bytes, items: list[Any]) -> int:
        if not self._skip:
            return 0
        count = min(self._skip, len(data))
        self._skip -= count
        if not self._skip:
            self._passed(items)
        return count

    def _passed(self, items: list[Any]) -> None:
        """Handles the end of a skipped frame, and possibly of its message."""
        if self._passing is None:
            return
        parts, self._parts = self._parts, 0
        too_early, self._too_early = self._too_early, None
        if parts:
            items.append(Malformed(MULTIPART.format(parts)))
        elif self._own_id:
            items.append(Malformed(OWN_ID, EndingCode.ROUTING_ID))
        elif too_early is not None:
            items.append(too_early)
        else:
            items.append(Malformed(TOO_LONG.format(self._passing, self.limits.command)))

    def _arrived(self, data: bytes, at: int, start: int, stop: int, flags: int, items: list[Any]) -> None:
        items.append(Malformed(OWN_ID, EndingCode.ROUTING_ID) if self._own_id else data[start:stop])

    def _ready(self) -> Ready:
        return Ready(properties=((b"Socket-Type", self.TYPE), (b"Identity", b"")))

    def check_peer(self, message: Ready) -> None:
        super().check_peer(message)
        self._own_id = bool(property_of(message, b"identity"))
