"""Context of attempts that control an implementation through its adapter."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.common.case import Case
from zeps_conformance.common.verdicts import FailureError, UnsupportedError
from zeps_conformance.sockets.adapter import Adapter, AdapterError, RefusedError
from zeps_conformance.sockets.context import Settings, SocketContext, ZmtpProtocol

__all__ = ["AdapterContext"]


class AdapterContext(SocketContext):
    """An attempt through an `adapter`. `cleanups` run after the connections are closed, unless the adapter failed the
    case; an adapter that refuses one, or answers it incorrectly, is retired, which is not a finding.
    """

    def __init__(
        self, case: Case, socket_type: str, adapter: Adapter, protocol: ZmtpProtocol, options: Settings
    ) -> None:
        super().__init__(case, socket_type, adapter, protocol, options)
        self.adapter = adapter
        self.cleanups: list[Callable[[], object]] = []

    def memory(self) -> int:
        """Resident bytes of the adapter's process and its descendants; 0 if it has exited."""
        return self.adapter.memory()

    def close(self) -> None:
        """Closes every connection, and calls `cleanups` while the adapter can run another case."""
        super().close()
        for clean_up in self.cleanups:
            if not self.adapter.fit:
                return
            try:
                clean_up()
            except (AdapterError, FailureError, RefusedError, UnsupportedError) as error:
                self.log.note("app", "note", f"not cleaned up: {error}")
                self.adapter.retired = True
