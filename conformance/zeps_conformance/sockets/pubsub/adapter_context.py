"""What is common to the attempts that talk to an implementation through its shim."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.common.case import Case
from zeps_conformance.common.verdicts import FailureError, UnsupportedError
from zeps_conformance.model.rulebook import Rulebook
from zeps_conformance.sockets.adapter import RefusedError, Shim
from zeps_conformance.sockets.context import Settings, SocketContext
from zeps_conformance.wire.zmtp_codec import Wire

__all__ = ["AdapterContext"]


class AdapterContext(SocketContext):
    """What every trial of a testee has, which is talked to through its `shim` too."""

    def __init__(
        self, case: Case, socket_type: str, shim: Shim, wire: Wire, rulebook: Rulebook, options: Settings
    ) -> None:
        super().__init__(case, socket_type, shim, wire, rulebook, options)
        self.shim = shim

    def memory(self) -> int:
        """Resident octets of the testee's process."""
        return self.shim.memory()

    def clean_up(self, act: Callable[[], object]) -> None:
        """Do what leaves nothing behind. A shim that does not manage that is no finding, and does nothing more."""
        if not self.shim.fit:
            return
        try:
            act()
        except (FailureError, RefusedError, UnsupportedError) as error:
            self.log.note("app", "note", f"not cleaned up: {error}")
            self.shim.retired = True
