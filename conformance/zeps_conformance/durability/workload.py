"""Adapter processes that publish, and that read everything back.

An adapter is a program with three commands, each with an endpoint ``tcp://HOST:PORT`` and the name of a stream:

    ADAPTER prepare ENDPOINT STREAM    creates what the stream needs, if it does not exist
    ADAPTER publish ENDPOINT STREAM    publishes each line of standard input as one message, in order; prints
                                       ``confirmed ID`` or ``refused ID REASON``, where ID is the line's first word;
                                       exits at the end of the input, after the last answer
    ADAPTER read ENDPOINT STREAM       prints ``message BODY`` for each stored message, ``lost N`` where the broker
                                       announces that N messages are lost, and ``end``

Exit code 0: done; others: the connection is lost, or the broker refuses the stream; standard error says why.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Sequence

from zeps_conformance.durability.history import Gap, History, Reading
from zeps_conformance.durability.messages import MessageId, body_of

__all__ = ["AdapterError", "Publisher", "prepare", "read_all"]

_MESSAGES_MAX = 20_000  # of one publisher and load
_PATIENCE = 60.0


class AdapterError(Exception):
    """An adapter could not do its work. The text says why, by the last line of its standard error if it failed."""


class Publisher:
    """Publishes messages, numbered on from those in `history`, as fast as the adapter takes them, at most 20,000."""

    def __init__(self, adapter: Sequence[str], endpoint: str, stream: str, history: History) -> None:
        self._history = history
        self._stopped = threading.Event()
        self._process = subprocess.Popen(
            [*adapter, "publish", endpoint, stream],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._write, self._listen)]
        for thread in self._threads:
            thread.start()

    @property
    def running(self) -> bool:
        """Whether the adapter runs, and messages remain to be published."""
        return self._process.poll() is None and self._threads[0].is_alive()

    def stop(self, patience: float) -> None:
        """Publishes no more, waits at most `patience` seconds for the last answers, and ends the adapter."""
        self._stopped.set()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()

    def _write(self) -> None:
        history = self._history
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            for _ in range(_MESSAGES_MAX):
                if self._stopped.is_set():
                    break
                message = MessageId(history.publisher, history.published + 1)
                history.published = message.number
                self._process.stdin.write(body_of(message, history.seed) + "\n")
                if message.number % 16 == 0:
                    self._process.stdin.flush()
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                verb, _, rest = line.partition(" ")
                number = rest.split(" ", 1)[0].partition("-")[2].strip()
                if not (line.endswith("\n") and number.isdecimal()):
                    continue
                if verb == "confirmed":
                    self._history.confirmed.setdefault(int(number), time.monotonic())
                elif verb == "refused":
                    self._history.refused.add(int(number))


def prepare(adapter: Sequence[str], endpoint: str, stream: str) -> None:
    """Prepares a stream. Raises AdapterError."""
    _run([*adapter, "prepare", endpoint, stream])


def read_all(adapter: Sequence[str], endpoint: str, stream: str) -> Reading:
    """Reads everything. Raises AdapterError if the adapter does not reach the end."""
    reading: list[str | Gap] = []
    lines = _run([*adapter, "read", endpoint, stream]).split("\n")
    for line in lines:
        verb, _, rest = line.partition(" ")
        if verb == "message":
            reading.append(rest)
        elif verb == "lost" and rest.isdecimal():
            reading.append(Gap(int(rest)))
        elif line == "end":
            return reading
    raise AdapterError("the adapter ended before it reached the end of the stream")


def _run(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise AdapterError(f"the adapter did not exit within {_PATIENCE:g} s") from None
    if done.returncode:
        error = done.stderr.decode(errors="replace").strip().splitlines()
        raise AdapterError(error[-1] if error else f"exit code {done.returncode}")
    return done.stdout.decode(errors="replace")
