"""Context of attempts that control an implementation through its adapter."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.common.case import Case
from zeps_conformance.common.verdicts import FailureError, UnsupportedError
from zeps_conformance.sockets.adapter import Adapter, RefusedError
from zeps_conformance.sockets.context import Settings, SocketContext, ZmtpProtocol

__all__ = ["AdapterContext"]


class AdapterContext(SocketContext):
    """Context of an attempt at an implementation that is controlled through its `adapter`."""

    def __init__(
        self, case: Case, socket_type: str, adapter: Adapter, protocol: ZmtpProtocol, options: Settings
    ) -> None:
        super().__init__(case, socket_type, adapter, protocol, options)
        self.adapter = adapter

    def memory(self) -> int:
        """Resident bytes of the implementation's process."""
        return self.adapter.memory()

    def clean_up(self, act: Callable[[], object]) -> None:
        """Cleans up. An adapter that fails to do so is retired, but that is not a finding."""
        if not self.adapter.fit:
            return
        try:
            act()
        except (FailureError, RefusedError, UnsupportedError) as error:
            self.log.note("app", "note", f"not cleaned up: {error}")
            self.adapter.retired = True
