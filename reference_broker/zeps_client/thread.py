"""The thread that runs a client's engine. All state that it shares with the application is guarded by one lock. The
thread holds it for one turn of the engine, and never while it waits. It sleeps on the sockets and on a pipe; the
application writes to the pipe only if the thread is asleep and has work to do.

The lock is reentrant for signal handlers, finalizers and their callees, whose thread may hold it already. While such
code runs, :attr:`EngineThread.interrupts` is true, and it must not wait. A client's own finalizer takes no lock. A
forked process has the objects but not the thread. There every client counts as closed.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Final

import zmq

from zeps_client.engine import Engine
from zeps_client.errors import BrokerLost, Closed, PublishLost

__all__ = ["EngineThread", "Waker"]

_LOG: Final = logging.getLogger("zeps.client")
_EXIT_TIMEOUT: Final = 5.0


class Waker:
    """A pipe that ends a poll of `descriptor`. Both ends are closed with the last reference, so a writer never uses a
    reused one.
    """

    def __init__(self) -> None:
        self._ends: tuple[int, ...] = ()
        self._ends = self.descriptor, self._write_end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def __del__(self) -> None:
        for end in self._ends:
            os.close(end)

    def wake(self) -> None:
        """Writes to the pipe. It takes no lock and never waits."""
        with contextlib.suppress(BlockingIOError):  # the pipe is full, so the poll ends anyway
            os.write(self._write_end, b"!")

    def clear(self) -> None:
        """Reads what was written, so that the next poll waits."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.descriptor, 4096)


class EngineThread:
    """Runs `engine` in a daemon thread until the client ends; notifies `condition`, which guards the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._make_lock()
        self.asleep = False
        self._abandoned = False
        self._inherited = False
        self._closers = 0
        self._reported = False
        self._waker: Waker | None = Waker()
        self._thread = threading.Thread(
            target=self._run, name=f"zeps-client {engine.session.stream}", daemon=True
        )
        _ALL.add(self)
        _RUNNING.add(self)
        self._thread.start()

    def _make_lock(self) -> None:
        self.lock = threading.RLock()
        self.condition = threading.Condition(self.lock)
        self.interrupts: Callable[[], bool] = self.lock._is_owned  # type: ignore[attr-defined]  # as Condition has it
        """True in a signal handler or finalizer that interrupts a call of this client in the same thread."""

    # --- the application

    @property
    def is_current(self) -> bool:
        """True in the engine's own thread, which runs `on_event`."""
        return threading.current_thread() is self._thread

    def wake(self) -> None:
        """Makes the engine take a turn now. The caller must hold the lock."""
        if self.asleep and self._waker is not None:
            self.asleep = False
            self._waker.wake()

    def abandon(self) -> None:
        """Starts to close after the last reference is gone. Takes no lock: the collector may call it in any thread."""
        self._abandoned = True
        waker = self._waker
        if waker is not None:
            waker.wake()

    def close(self, timeout: float) -> PublishLost | None:
        """Closes the session and waits for the end, for at most `timeout` + 2 seconds. Returns the error of
        :meth:`Engine.unsettled`, once to each call that began before the first returned. Where waiting is impossible
        (`interrupts`, `is_current`), it only starts to close and returns None.
        """
        may_wait = not (self.interrupts() or self.is_current)
        with self.lock:
            if self._reported:
                return None
            self._engine.session.close(time.monotonic(), timeout)
            self.wake()
            if not may_wait:
                return None
            self._closers += 1
        try:
            self._thread.join(timeout + 2.0)
        finally:  # also after a KeyboardInterrupt
            self._closers -= 1
        with self.lock:
            self._reported = True
            return self._engine.unsettled()

    # --- the thread

    def _run(self) -> None:
        engine = self._engine
        try:
            while self._turn():
                pass
        except BaseException as error:  # including SystemExit, which a callback may raise
            _LOG.exception("the client's thread failed")
            with self.lock:
                engine.session.fail(BrokerLost(f"the client failed: {error!r}"))
        finally:
            if not self._inherited:
                self._end()

    def _end(self) -> None:
        engine = self._engine
        with self.condition:
            self.asleep = False
            self._waker = None
            try:
                engine.close()
            finally:
                self.condition.notify_all()
            lost = None if self._closers else engine.unsettled()
        _RUNNING.discard(self)
        if lost is not None:
            _LOG.warning("%s: %s", engine.session.stream, lost)

    def _turn(self) -> bool:
        """Performs the work that is due, waits, and reads the input. Returns False at the end."""
        engine, waker = self._engine, self._waker
        assert waker is not None
        with self.condition:
            if self._abandoned:
                engine.session.close(time.monotonic(), _EXIT_TIMEOUT)
            if engine.turn():
                self.condition.notify_all()
            closed, pause, connection = engine.session.closed, engine.pause(), engine.connection
            writing = bool(engine.session.outbox)
            if not closed and not (writing and connection is not None and connection.writable()):
                self.asleep = True
            else:
                pause = 0.0
        engine.report()
        if closed or self._inherited:
            return False
        poller = zmq.Poller()
        poller.register(waker.descriptor, zmq.POLLIN)
        if connection is not None:
            connection.register(poller, writing=writing)
        ready = dict(poller.poll(None if pause is None else int(pause * 1000) + (pause > 0)))
        with self.lock:
            self.asleep = False
            if ready.pop(waker.descriptor, None):
                waker.clear()
            if ready:
                engine.receive()
        return True

    # --- the process

    def inherit(self) -> None:
        """Closes the client in a forked child, which has no thread, with a new lock, since the old one may be held."""
        self._make_lock()
        self._inherited = True
        self._reported = True
        error = Closed("the client belongs to another process: create one after the fork")
        self._engine.session.fail(error)


_ALL: Final[weakref.WeakSet[EngineThread]] = weakref.WeakSet()
_RUNNING: Final[set[EngineThread]] = set()


@atexit.register
def _finish() -> None:
    """Closes the clients at exit: waits up to 5 seconds for their confirmation, and logs which are not confirmed."""
    for thread in list(_RUNNING):
        with thread.lock:
            thread._engine.session.close(time.monotonic(), _EXIT_TIMEOUT)
            thread.wake()
    for thread in list(_RUNNING):
        if (lost := thread.close(_EXIT_TIMEOUT)) is not None:
            _LOG.warning("%s", lost)


def _inherit() -> None:
    for thread in list(_ALL):
        thread.inherit()
    _RUNNING.clear()


os.register_at_fork(after_in_child=_inherit)
