"""A broker inside a program: a thread, and a folder that may be temporary.

    with EmbeddedBroker() as broker:
        client = Client(broker.endpoint, "prices")

It is the whole broker, sockets and journal included; other processes can connect to it as to any other.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import zmq

from zeps_broker.journal.options import JournalOptions
from zeps_broker.service.config import Config
from zeps_broker.service.logs import EventLog
from zeps_broker.service.server import Server

__all__ = ["EmbeddedBroker"]


class EmbeddedBroker:
    """A context manager; the broker runs in a thread between entry and exit.

    Without `data` the journal lies in a temporary folder that goes with the broker, and is not synced.
    `config` is taken but for its endpoints and folder. `context` is needed for inproc endpoints alone.
    Problems are logged to standard error unless `log` says otherwise.

    Entering raises JournalError or TransportError; leaving raises RuntimeError if the broker had to stop by
    itself.
    """

    def __init__(
        self,
        data: str | Path | None = None,
        *,
        endpoints: Sequence[str] = ("tcp://127.0.0.1:*",),
        config: Config | None = None,
        context: zmq.Context[zmq.Socket[bytes]] | None = None,
        log: EventLog | None = None,
    ) -> None:
        self._folder = data
        self._config = config or Config()
        self._bind = tuple(endpoints)
        self._context = context
        self._log = log or EventLog("warning")
        self._code = 0
        self._server: Server | None = None
        self._thread: threading.Thread | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    @property
    def endpoints(self) -> list[str]:
        """What is listened on, with the real ports. RuntimeError while the broker does not run."""
        if self._server is None:
            raise RuntimeError("the broker does not run")
        return list(self._server.endpoints)

    @property
    def endpoint(self) -> str:
        """The first of :attr:`endpoints`."""
        return self.endpoints[0]

    @property
    def gateway_endpoints(self) -> list[tuple[str, str, str]]:
        """See :attr:`Server.gateway_endpoints`. RuntimeError while the broker does not run."""
        if self._server is None:
            raise RuntimeError("the broker does not run")
        return list(self._server.gateway_endpoints)

    def figures(self) -> dict[str, int]:
        """What the log's lines of figures count, as it is now. RuntimeError while the broker does not run."""
        if self._server is None:
            raise RuntimeError("the broker does not run")
        return self._server.figures()

    @property
    def data(self) -> Path:
        """Where the journal lies. RuntimeError while the broker does not run."""
        if self._server is None:
            raise RuntimeError("the broker does not run")
        return self._server.data

    def start(self) -> None:
        """What entering does."""
        if self._server is not None:
            raise RuntimeError("the broker runs already")
        journal = self._config.journal
        if self._folder is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="zeps-")
            journal = replace(journal, path=Path(self._scratch.name))
            if journal.sync == JournalOptions().sync:
                journal = replace(journal, sync="os")
        else:
            journal = replace(journal, path=Path(self._folder))
        service = replace(self._config.service, bind=self._bind)
        try:
            self._server = Server(
                replace(self._config, journal=journal, service=service), self._log, self._context
            )
        except BaseException:
            self._clean_up()
            raise
        self._thread = threading.Thread(
            target=self._run, args=(self._server,), name="zeps-broker", daemon=True
        )
        self._thread.start()

    def join(self) -> None:
        """Wait until the broker has stopped, which it does by itself only if it must."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """What leaving does."""
        server, thread = self._server, self._thread
        if server is None or thread is None:
            return
        if thread.is_alive():
            server.stop()
            thread.join()
        self._server = self._thread = None
        self._clean_up()
        if self._code:
            raise RuntimeError("the broker had to stop; its log says why")

    def __enter__(self) -> EmbeddedBroker:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self, server: Server) -> None:
        self._code = server.run()

    def _clean_up(self) -> None:
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None
