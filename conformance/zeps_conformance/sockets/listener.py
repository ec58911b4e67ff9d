"""A raw endpoint that implementations connect to."""

from __future__ import annotations

import socket

from zeps_conformance.common.loopback import listen, reserve, stop
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.context import SocketContext

__all__ = ["Listener"]


class Listener:
    """A listener on a new port of 127.0.0.1, at `endpoint`. Connections wait until they are accepted."""

    def __init__(self, trial: SocketContext) -> None:
        self.trial = trial
        self._held = reserve()
        self._server = listen(self._held)
        self.endpoint = "tcp://{}:{}".format(*self._held.getsockname())

    def accept(self, name: str, within: float | None = None) -> Connection:
        """Returns the next connection of the implementation, before the greetings. Raises FailureError if no connection
        arrives for `within` seconds, by default the run's timeout.
        """
        made = self.trial.keep(Connection(self.trial, self.accept_socket(name, within), name))
        made.nudge_unless_greeted(self.trial.nudge)
        return made

    def try_accept(self, within: float) -> Connection | None:
        """As :meth:`accept`, but returns None if no connection arrives for `within` seconds."""
        try:
            return self.accept("P", within)
        except FailureError:
            return None

    def expect_no_connection(self, why: str, seconds: float) -> None:
        """Checks that no connection arrives for `seconds`; closes one that does."""
        self._server.settimeout(seconds)
        try:
            link, _ = self._server.accept()
            link.close()
            seen = "a connection"
        except TimeoutError:
            seen = "none"
        self.trial.check(seen == "none", f"no connection: {why}", seen)

    def pause(self) -> None:
        """Stops listening until :meth:`resume`: connections are refused."""
        stop(self._server)

    def resume(self) -> None:
        """Listens again at the same address."""
        self._server = listen(self._held)

    def close(self) -> None:
        """Stops listening, and releases the port."""
        stop(self._server)
        self._held.close()

    def accept_socket(self, name: str, within: float | None = None) -> socket.socket:
        """As :meth:`accept`, but returns the bare socket, which the trial's end does not close."""
        timeout = self.trial.within(self.trial.options.timeout if within is None else within)
        self._server.settimeout(timeout)
        try:
            link, _ = self._server.accept()
        except TimeoutError:
            raise FailureError(
                f"the implementation connects to {name}", f"nothing within {timeout:g} s"
            ) from None
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.trial.accepted.append(link)
        self.trial.log.accepted(name, link, f"accepted at {self.endpoint}")
        return link
