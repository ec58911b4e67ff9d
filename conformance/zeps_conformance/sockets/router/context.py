"""Context of a DEALER in an attempt: the judged ROUTER, and requests to its service."""

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
    """A ROUTER at `endpoint`, whose messages have the meaning of `service`; `pid` is None if it is not known.
    `patience` is the maximum time in seconds for which a case waits for an action that may be delayed.
    """

    endpoint: Endpoint
    service: Service
    pid: int | None = None
    patience: float = 33.0
    announced: dict[str, tuple[int, int]] = field(default_factory=dict)
    beyond: dict[str, str] = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        """Returns True: an exit is not visible from outside, except by peers that are not served."""
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
        """Returns a name of letters and digits that is unique across all runs."""
        return f"{self._nonce}{next(self._numbers):x}".encode()

    def ask(self, body: bytes) -> Asked:
        """Returns a request, not sent yet, whose answer contains `body`, in a conversation of its own."""
        return self.service.ask(self.token(), body)[0]

    def ask_all(self, *bodies: bytes) -> tuple[Asked, ...]:
        """Returns a request for each of `bodies`, which must differ, in one conversation: send them in order."""
        return self.service.ask(self.token(), *bodies)
