"""What a DEALER needs of the attempt that it belongs to: the ROUTER that is judged, and requests to its service."""

from __future__ import annotations

import itertools
import secrets
from dataclasses import dataclass, field

from zeps_conformance.common.case import Case
from zeps_conformance.sockets.context import Settings, SocketContext, ZmtpProtocol
from zeps_conformance.sockets.router.services import Asked, Service
from zeps_conformance.wire.endpoint import Endpoint

__all__ = ["RouterContext", "RouterUnderTest"]


@dataclass(slots=True)
class RouterUnderTest:
    """A ROUTER behind `endpoint`, whose messages mean what `service` says.

    `pid` is its process, if that is known; `patience` is how many seconds a case waits for what the implementation
    may put off.
    """

    endpoint: Endpoint
    service: Service
    pid: int | None = None
    patience: float = 33.0
    announced: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        """Nobody can tell from outside whether it has ended: that it serves nobody shows it."""
        return True


class RouterContext(SocketContext):
    """One attempt at one case of a ROUTER, without its peers."""

    def __init__(
        self, case: Case, router: RouterUnderTest, protocol: ZmtpProtocol, options: Settings
    ) -> None:
        super().__init__(case, "ROUTER", router, protocol, options)
        self.router = router
        self._nonce = secrets.token_hex(8)
        self._numbers = itertools.count(1)

    @property
    def service(self) -> Service:
        return self.router.service

    def token(self) -> bytes:
        """A name that nobody has had, of letters and digits."""
        return f"{self._nonce}{next(self._numbers):x}".encode()

    def ask(self, body: bytes) -> Asked:
        """Ask for `body` in a conversation of its own."""
        return self.service.ask(self.token(), body)[0]

    def ask_all(self, *bodies: bytes) -> tuple[Asked, ...]:
        """Ask for `bodies`, which differ, in one conversation."""
        return self.service.ask(self.token(), *bodies)
