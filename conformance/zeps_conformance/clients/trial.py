"""One attempt at a case of a client: its clients, their connections, and its narration."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.clients.context import ClientContext
from zeps_conformance.clients.tested import TestedClient
from zeps_conformance.common.case import Case
from zeps_conformance.common.verdicts import CrashedError, UnsupportedError
from zeps_conformance.sockets.adapter import Adapter, RefusedError
from zeps_conformance.sockets.context import Settings, ZmtpProtocol

__all__ = ["ClientTrial"]


class ClientTrial(ClientContext):
    """The argument of a case's function."""

    def __init__(self, case: Case, adapter: Adapter, protocol: ZmtpProtocol, options: Settings) -> None:
        super().__init__(case, adapter, protocol, options)
        self.clients: list[TestedClient] = []

    def served(self) -> Sequence[TestedClient]:
        return self.clients

    def client(
        self,
        pattern: str | None = "",
        latest: int = 0,
        *,
        stream: str = "",
        listening: bool = True,
        **options: int,
    ) -> TestedClient:
        """Starts a client, which subscribes to `pattern` after `latest` once it is attached; None: it does not. The
        suite listens at its endpoint, except without `listening`. `options` as in the adapter's README.
        """
        name = f"client-{len(self.clients) + 1}"
        stream = stream or f"conform/{self.case.id}/{len(self.clients) + 1}"
        tested = TestedClient(self, name, stream, pattern, latest)
        self.clients.append(tested)
        if listening:
            tested.listen()
        tested.app.open(
            endpoint=tested.endpoint, stream=stream, pattern=pattern, latest=latest, options=options
        )
        return tested

    # The end ------------------------------------------------------------------------------------------------

    def check_served(self, what: str) -> None:
        """Checks that a new client is served from ATTACH to its end."""
        tested = self.client()
        connection = tested.session()
        tested.deliver(connection, 2)
        tested.confirm(connection)
        tested.finish(connection)
        self.observe(what, "it attached, subscribed, received and detached")

    def look_for_crash(self) -> None:
        """Raises CrashedError if a client has reported by now that its program has crashed."""
        for tested in self.clients:
            tested.app.poll()

    def close(self) -> None:
        """Closes every connection, and drops the clients. An adapter that refuses that is retired."""
        for tested in self.clients:
            tested.close()
        for tested in self.clients:
            if not self.adapter.fit:
                return
            try:
                tested.app.drop()
            except (RefusedError, UnsupportedError, CrashedError) as error:
                self.log.note(tested.name, "note", f"not dropped: {error}")
                self.adapter.retired = True
