"""What is common to the attempts that talk to an implementation through its adapter."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.common.case import Case
from zeps_conformance.common.verdicts import FailureError, UnsupportedError
from zeps_conformance.sockets.adapter import Adapter, RefusedError
from zeps_conformance.sockets.context import Settings, SocketContext, ZmtpProtocol

__all__ = ["AdapterContext"]


class AdapterContext(SocketContext):
    """What every trial of an implementation has, which is talked to through its `adapter` too."""

    def __init__(
        self, case: Case, socket_type: str, adapter: Adapter, protocol: ZmtpProtocol, options: Settings
    ) -> None:
        super().__init__(case, socket_type, adapter, protocol, options)
        self.adapter = adapter

    def memory(self) -> int:
        """Resident octets of the implementation's process."""
        return self.adapter.memory()

    def clean_up(self, act: Callable[[], object]) -> None:
        """Do what leaves nothing behind. An adapter that does not manage that is no finding, and does nothing more."""
        if not self.adapter.fit:
            return
        try:
            act()
        except (FailureError, RefusedError, UnsupportedError) as error:
            self.log.note("app", "note", f"not cleaned up: {error}")
            self.adapter.retired = True
