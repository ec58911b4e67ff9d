"""A broker inside a program: a thread, and a folder that may be temporary.

    with EmbeddedBroker() as broker:
        client = Client(broker.endpoint, "prices")

It is the complete broker, including sockets and journal; other processes can connect to it.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import zmq

from zeps_broker.journal.options import JournalOptions
from zeps_broker.service.config import Config
from zeps_broker.service.logs import EventLog
from zeps_broker.service.server import Server

__all__ = ["EmbeddedBroker"]


class EmbeddedBroker:
    """A context manager; the broker runs in a thread between entry and exit.

    Without `data` the journal is in a temporary folder that is removed at the end; with the default `journal.sync` it
    is then not synced. The endpoints and the folder of `config` are ignored. `context` is needed only for inproc
    endpoints. Without `log`, warnings and errors are logged to standard error. Entry raises JournalError or
    TransportError; exit raises RuntimeError if the broker had stopped because of a failure.
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
        """The endpoints, with the real ports. Raises RuntimeError before :meth:`start` and after :meth:`stop`."""
        return list(self._started().endpoints)

    @property
    def endpoint(self) -> str:
        """The first of :attr:`endpoints`. Raises RuntimeError before :meth:`start` and after :meth:`stop`."""
        return self.endpoints[0]

    @property
    def gateway_endpoints(self) -> list[tuple[str, str, str]]:
        """As :meth:`Server.gateway_endpoints`. Raises RuntimeError unless the broker is started."""
        return list(self._started().gateway_endpoints)

    def figures(self) -> dict[str, int]:
        """Returns the figures of the event `stats`, without rates. Raises RuntimeError unless the broker is started."""
        return self._started().figures()

    @property
    def data(self) -> Path:
        """The journal's folder. Raises RuntimeError before :meth:`start` and after :meth:`stop`."""
        return self._started().data

    def _started(self) -> Server:
        if self._server is None:
            raise RuntimeError("the broker is not running; start it, or use it in a with statement")
        return self._server

    def start(self) -> None:
        """Starts the broker, as entry does; it then listens. Raises RuntimeError if it is started already."""
        if self._server is not None:
            raise RuntimeError("the broker was started already; stop it first")
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
        """Waits until the broker has stopped by a failure or :meth:`stop`; returns at once if it is not started."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """Stops the broker, as exit does; does nothing if not started. Raises RuntimeError after a failure."""
        server, thread = self._server, self._thread
        if server is None or thread is None:
            return
        if thread.is_alive():
            server.stop()
            thread.join()
        self._server = self._thread = None
        self._clean_up()
        if self._code:
            raise RuntimeError("the broker stopped because of a failure; see its log")

    def __enter__(self) -> EmbeddedBroker:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self, server: Server) -> None:
        self._code = server.run()

    def _clean_up(self) -> None:
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None
