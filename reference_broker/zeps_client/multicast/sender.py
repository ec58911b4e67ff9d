"""The sending end: what the broker delivers of a stream, once, to everybody.

It is a client of the broker like any other, in a process of its own: libzmq's multicast may end the process that uses
it, and a broker must not end. What it cannot send fast enough waits in the journal, since credit is given to the
broker as messages leave.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Final, Unpack

import zmq

from zeps_multicast import MulticastOptions, is_multicast
from zeps_wire.zeps import Deliver

from ..client import NEW, Client
from ..connection import Context
from ..errors import Timeout
from ..settings import Options
from .output import MulticastOutput
from .packets import split

__all__ = ["Multicaster", "Rate"]

_SEGMENT: Final = 1400
"""NORM sends every part of a message in packets of its own, and counts its buffers in these."""
_BURST: Final = 0.02
_LOOK: Final = 0.2
_REPEAT_MAX: Final = 1 << 20
_BATCH: Final = 256


class Rate:
    """A bound of `kbit` thousand bits a second, over any time longer than some hundredths of one; 0 for none."""

    def __init__(self, kbit: int, now: float) -> None:
        self._octets = kbit * 125
        self._due = now

    def spend(self, now: float, octets: int) -> float:
        """So many octets are sent; returns the seconds to wait before more are."""
        if not self._octets:
            return 0.0
        self._due = max(self._due, now - _BURST) + octets / self._octets
        return max(0.0, self._due - now)


class Multicaster:
    """Sends `stream` of the broker at `endpoint` to `multicast`, from now on.

    At most `rate` kbit/s: NORM stalls for seconds when its buffers are full. A stream that is quiet for `repeat`
    seconds has its last message sent again, each time, so that receivers know that they have all, or that they have
    not. Raises MulticastError, and as Client does.
    """

    def __init__(
        self,
        endpoint: str,
        stream: str,
        multicast: str,
        *,
        rate: int = 16_000,
        repeat: float = 1.0,
        context: Context | None = None,
        **settings: Unpack[Options],
    ) -> None:
        if not is_multicast(multicast):
            raise ValueError(f"{multicast} is no multicast endpoint: norm://, epgm:// and pgm:// are")
        self.sent = 0
        """Messages that were sent, without repetitions."""
        self._repeat = repeat
        self._segment = _SEGMENT if multicast.startswith("norm:") else 0
        self._rate = Rate(rate, time.monotonic())
        self._last: Deliver | None = None
        self._last_at = time.monotonic()
        self._stopping = threading.Event()
        options = MulticastOptions(rate=rate) if rate else MulticastOptions()
        self._output = MulticastOutput(multicast, context or zmq.Context.instance(), options)
        try:
            self.client = Client(endpoint, stream, context=context, **settings)
        except BaseException:
            self._output.close()
            raise

    def stop(self) -> None:
        """Make :meth:`run` return soon; from any thread, and from a signal handler."""
        self._stopping.set()

    def begin(self, timeout: float | None = None) -> None:
        """Wait until the broker has confirmed: everything that is published after that is sent. Raises Timeout."""
        self.client.subscribe("", NEW, timeout=timeout)

    def run(self) -> None:
        """Send until :meth:`stop`, after :meth:`begin`. Raises what ended the client."""
        while not self._stopping.is_set():
            if self._output.look(time.monotonic()):
                self._last_at = 0.0  # those who lost something are to hear of it now
            due = self._last_at + self._repeat - time.monotonic()
            try:
                messages = self.client.receive_many(_BATCH, max(0.0, min(due, _LOOK)))
            except Timeout:
                self._say_again()
                continue
            for message in messages:
                self._send(message)

    def close(self) -> None:
        """Give the sockets back."""
        self._output.close()
        self.client.close(1.0)

    def _send(self, message: Deliver) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(zmq.Again):
                self._put(message)
                self.sent += 1
                self._last = message
                return
            self._output.wait(_LOOK)
            self._output.look(time.monotonic())

    def _say_again(self) -> None:
        if self._last is None or time.monotonic() < self._last_at + self._repeat:
            return
        if len(self._last.body) <= _REPEAT_MAX:
            with contextlib.suppress(zmq.Again):  # then enough is on its way
                self._put(self._last)
        self._last_at = time.monotonic()

    def _put(self, message: Deliver) -> None:
        """Send, and wait as long as that takes at the rate. Raises zmq.Again."""
        parts = split(message.encode())
        self._output.send(time.monotonic(), message.sequence, parts)
        now = self._last_at = time.monotonic()
        pause = self._rate.spend(now, sum(max(len(part), self._segment) for part in parts))
        if pause > 0:
            time.sleep(pause)
