"""The broker's loop: passes input to the core and output to the transport until it is stopped.

A turn is: receive (or wait), handle, send, tick, send. The core is polled for output after each step, since it must
know which output was not taken before it promises more. A stop is clean: sessions are detached, messages that their
clients published before the DETACH are stored (ZEPS-DETACH-5), and the journal is synced and closed. A journal failure
stops the broker too: confirmed messages stay stored, and pending confirmations are not sent.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import zmq

from zeps_broker.core.broker import Broker
from zeps_broker.journal.store import JournalStore
from zeps_broker.journal.stream_journal import StreamJournal
from zeps_broker.memory import Shares
from zeps_broker.ports import JournalError, Received
from zeps_broker.service.config import Config
from zeps_broker.service.descriptors import ReservingDisk
from zeps_broker.service.logs import EventLog
from zeps_broker.service.signals import stop_on_signals, wake_on_signals
from zeps_broker.service.stats import PeriodicStats
from zeps_broker.transport.engines import open_transport
from zeps_broker.transport.zmtp.endpoints import is_on_network
from zeps_command import package_version

__all__ = ["Server"]

_FLUSH_SECONDS = 1.0
_REMEDY = "remove the cause, such as a full disk, then start the broker again on the same data folder"
_BROKEN_MAX = 1000  # number of streams whose failure is logged, once each
_RATES = ("published", "published_octets")


class Server:
    """A broker on real sockets and a real disk. The constructor opens everything, and :meth:`run` closes it. If the
    constructor raises JournalError or TransportError, everything is closed.
    """

    def __init__(
        self, config: Config, log: EventLog, context: zmq.Context[zmq.Socket[bytes]] | None = None
    ) -> None:
        self._config = config
        self._log = log
        self._stopping = threading.Event()
        journal = config.journal
        shares = Shares.of(config.core.memory_bytes_max)
        with contextlib.ExitStack() as undo:
            self._store = _Store(
                journal.path,
                log,
                sync=journal.sync,
                sync_seconds=journal.sync_seconds,
                segment_bytes=journal.segment_bytes,
                retain_bytes=journal.retain_bytes,
                retain_seconds=journal.retain_seconds,
                cache_bytes_max=min(journal.cache_bytes_max, shares.journal_cache),
            )
            undo.callback(self._store.close)
            self._recovered = self._recover()
            self._transport = open_transport(
                config.service.bind,
                config.transport,
                context,
                config.gateway_options(),
                log.logger("transport"),
                lambda peer: self._broker.session(peer) is not None,
                shares,
            )
            self._broker = Broker(self._store, config.core, self._transport, self._transport.source_of)
            undo.pop_all()

    @property
    def endpoints(self) -> list[str]:
        """The endpoints, with the real ports."""
        return self._transport.endpoints

    @property
    def gateway_endpoints(self) -> list[tuple[str, str, str]]:
        """For each gateway endpoint: "subscribers" or "publishers", the endpoint with its real port, the stream."""
        return self._transport.gateway_endpoints

    @property
    def data(self) -> Path:
        """The journal's folder."""
        return self._store.path

    def stop(self) -> None:
        """Requests a clean stop and returns; may be called from any thread and from a signal handler."""
        self._stopping.set()
        self._transport.wake()

    def run(
        self,
        ready: Callable[[list[str]], None] | None = None,
        *,
        signals: bool = False,
        after_turn: Callable[[], None] | None = None,
    ) -> int:
        """Serves until :meth:`stop`; calls `ready` with the endpoints first, and `after_turn` after each turn of the
        loop. Closes everything at the end: call it once. Returns the process's exit code: 0 after a clean stop, 1 after
        a failure of the journal, of another system call (such as writing the pidfile) or of the program, which is
        logged. With `signals` (in the main thread), SIGTERM and SIGINT stop it.
        """
        with stop_on_signals(self.stop) if signals else contextlib.nullcontext():
            waking = wake_on_signals(self._transport.wake_fd) if signals else contextlib.nullcontext()
            code = self._run(ready, waking, after_turn)
        self._log.info("stopped", code=code)
        return code

    def _run(
        self,
        ready: Callable[[list[str]], None] | None,
        signals: AbstractContextManager[None],
        after_turn: Callable[[], None] | None,
    ) -> int:
        try:
            with self._pidfile(), signals:
                self._warn_if_open()
                self._log.info(
                    "ready",
                    version=package_version(),
                    pid=os.getpid(),
                    endpoints=self.endpoints,
                    **self._gateways(),
                    data=self.data.resolve(),
                    sync=self._config.journal.sync,
                    **self._recovered,
                )
                if ready is not None:
                    ready(self.endpoints)
                self._serve(after_turn)
                code = self._say_why()
        except OSError as error:
            self._log.error("failed", reason=str(error))
            code = 1
        except Exception as error:
            self._log.error("internal-error", reason=str(error), traceback=traceback.format_exc())
            code = 1
        finally:
            self._transport.close(_FLUSH_SECONDS)
        try:
            self._store.close()
        except JournalError as error:
            self._log.error("journal-failed", reason=str(error), remedy=_REMEDY)
            code = 1
        return code

    def figures(self) -> dict[str, int]:
        """Returns the figures of the log's event `stats`: counters since the start, and what is in use at present."""
        figures = {**self._broker.stats(), **self._transport.figures}
        if self.gateway_endpoints:
            figures["gateway_refused"] = self._transport.gateway_refused
            figures["gateway_over_limit"] = self._transport.gateway_over_limit
        return figures

    # Loop

    def _serve(self, after_turn: Callable[[], None] | None) -> None:
        broker, transport = self._broker, self._transport
        stopping = False
        stats = PeriodicStats(self._config.service.stats_seconds, self._log, self.figures, _RATES)
        while not broker.done:
            if self._stopping.is_set() and not stopping:
                stopping = True
                self._log.info("stopping", sessions=broker.stats()["sessions"])
                broker.shutdown(time.monotonic())
                self._send()
                continue
            idle = min(broker.timeout(time.monotonic()), self._store.timeout(time.time_ns() // 1000))
            self._turn(transport.receive(idle, broker.holds))
            stats.tick()
            if after_turn is not None:
                after_turn()
        self._send()

    def _turn(self, batch: list[Received]) -> None:
        broker = self._broker
        now, now_us = time.monotonic(), time.time_ns() // 1000
        if batch or broker.waiting:
            broker.handle(now, now_us, batch)
            self._send()
        broker.tick(now, now_us)
        self._send()
        writable = self._transport.writable()
        if writable:
            broker.writable(writable)
            self._send()
        for peer in broker.poll_closing():
            self._transport.hang_up(peer)

    def _send(self) -> None:
        """Sends all output of the core, and reports to the core the output that the transport did not take."""
        broker, transport = self._broker, self._transport
        while outputs := broker.poll_output():
            broker.undelivered(transport.send(outputs))

    def _say_why(self) -> int:
        if self._broker.failure is None:
            return 0
        self._log.error("journal-failed", reason=self._broker.failure, remedy=_REMEDY)
        return 1

    # Start and end

    def _gateways(self) -> dict[str, list[str]]:
        """Returns the gateways' endpoints as log fields, if there are gateways."""
        gateways = [f"{kind} {endpoint} {stream}" for kind, endpoint, stream in self.gateway_endpoints]
        return {"gateways": gateways} if gateways else {}

    def _warn_if_open(self) -> None:
        """Logs a warning if endpoints are reachable from other machines and CURVE is off."""
        listening = [*self.endpoints, *(endpoint for _, endpoint, _ in self.gateway_endpoints)]
        exposed = [endpoint for endpoint in listening if is_on_network(endpoint)]
        if exposed and self._config.transport.curve.secret_key is None:
            self._log.warning(
                "open-to-network",
                endpoints=exposed,
                reason="any host that reaches these endpoints can read and publish, unencrypted",
                remedy="bind a loopback address, or set [curve] secret_key and authorized_keys",
            )

    def _recover(self) -> dict[str, int]:
        """Opens every stream, so that damage from a crash is detected now; returns figures for the log."""
        streams = torn = damaged = messages = 0
        for name in self._store.streams():
            with contextlib.suppress(JournalError):  # the store has logged it; the other streams are served
                stream = self._store.open(name)
                streams += 1
                torn += stream.torn is not None
                damaged += bool(stream.damages)
                messages += stream.last_sequence - stream.first_sequence + 1
                self._store.leave(name)
        return {"streams": streams, "messages": messages, "torn_tails": torn, "damaged_streams": damaged}

    @contextlib.contextmanager
    def _pidfile(self) -> Iterator[None]:
        path = self._config.service.pidfile
        if path is None:
            yield
            return
        path.write_text(f"{os.getpid()}\n")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                path.unlink()


class _Store(JournalStore):
    """A store that logs why a stream could not be opened, once for each of at most 1000 streams."""

    def __init__(self, path: Path, event_log: EventLog, **options: Any) -> None:
        super().__init__(path, log=event_log.logger("journal"), disk=ReservingDisk(), **options)
        self._event_log = event_log
        self._broken: set[str] = set()

    def open(self, stream: str) -> StreamJournal:
        """See :meth:`JournalStore.open`."""
        try:
            return super().open(stream)
        except JournalError as error:
            if stream not in self._broken and len(self._broken) < _BROKEN_MAX:
                self._broken.add(stream)
                self._event_log.error("stream-not-opened", stream=stream, reason=str(error))
            raise
