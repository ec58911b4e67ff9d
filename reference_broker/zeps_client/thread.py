"""The thread that carries a client's engine.

Everything that the application and the thread share stands behind one lock. The thread holds it for one turn
of the engine, and never while it waits. It sleeps on the sockets and on one descriptor, which the application
writes to only if it has something to say and the thread is asleep.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import threading
import time
from typing import Final

import zmq

from .engine import Engine
from .errors import BrokerLost, PublishLost

__all__ = ["EngineThread"]

_LOG: Final = logging.getLogger("zeps.client")


class EngineThread:
    """Runs `engine` until its session is closed.

    `condition` is notified, and its lock is the one, when things change.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.lock = threading.Lock()
        self.condition = threading.Condition(self.lock)
        self.asleep = False
        self.reported = False
        """A call has reported :meth:`unsettled` after the end."""
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._thread = threading.Thread(
            target=self._run, name=f"zeps-client {engine.session.stream}", daemon=True
        )
        _RUNNING.add(self)
        self._thread.start()

    def close(self, timeout: float) -> None:
        """Begin to close the session; see :meth:`ClientSession.close`. Does not wait."""
        with self.lock:
            self._engine.session.close(time.monotonic(), timeout)
            self.wake()

    def wake(self) -> None:
        """Make the engine take a turn now. With the lock held."""
        if self.asleep:
            self.asleep = False
            with contextlib.suppress(OSError):
                os.write(self._wake_write, b"!")

    def join(self, timeout: float | None) -> bool:
        """Wait for the end, which comes once the session is closed; True if it has come."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            while self._turn():
                pass
        except Exception as error:
            _LOG.exception("the client's thread failed")
            with self.lock:
                self._engine.session.closed = True
                self._engine.session.error = BrokerLost(f"the client failed: {error!r}")
        finally:
            with self.condition:
                self._engine.close()
                self.asleep = False
                os.close(self._wake_read)
                os.close(self._wake_write)
                self.condition.notify_all()
            _RUNNING.discard(self)

    def unsettled(self) -> PublishLost | None:
        """See :meth:`Engine.unsettled`."""
        with self.lock:
            return self._engine.unsettled()

    def _turn(self) -> bool:
        """Do what is due, wait, and take what came. False at the end."""
        engine = self._engine
        with self.condition:
            if engine.turn():
                self.condition.notify_all()
            closed, pause, connection = engine.session.closed, engine.pause(), engine.connection
            writing = bool(engine.session.outbox)
            if not closed and not (writing and connection is not None and connection.writable()):
                self.asleep = True
            else:
                pause = 0.0
        engine.report()
        if closed:
            return False
        poller = zmq.Poller()
        poller.register(self._wake_read, zmq.POLLIN)
        if connection is not None:
            connection.register(poller, writing=writing)
        ready = dict(poller.poll(None if pause is None else int(pause * 1000) + (pause > 0)))
        with self.lock:
            self.asleep = False
            if ready.pop(self._wake_read, None):
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wake_read, 4096)
            if ready:
                engine.receive()
        return True


_RUNNING: Final[set[EngineThread]] = set()
_EXIT_TIMEOUT: Final = 5.0


@atexit.register
def _finish() -> None:
    """What was published is not lost because a program ends without closing its clients."""
    running = list(_RUNNING)
    for thread in running:
        thread.close(_EXIT_TIMEOUT)
    for thread in running:
        thread.join(_EXIT_TIMEOUT + 2.0)
        if (lost := thread.unsettled()) is not None:
            _LOG.warning("%s", lost)
