"""The sending end: what the broker delivers of a stream, once, to everybody.

It is a client of the broker like any other, in a process of its own: libzmq's multicast may end the process that uses
it, and a broker must not end. What it cannot send fast enough waits in the journal, since credit is given to the
broker as messages leave. Only for so long: a sender that has fallen behind begins again at the stream's end, since
history is never sent by multicast (ZEPS-MULTICAST-1). It begins with the stream's last message, which every receiver
can compare with its own: those that lack something ask the broker for it, even if nothing new is published.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final, Unpack

import zmq

from zeps_client.client import Client
from zeps_client.connection import Context
from zeps_client.errors import Timeout
from zeps_client.events import Event, Missing, StreamReset
from zeps_client.multicast.lag import Lag
from zeps_client.multicast.output import MulticastOutput
from zeps_client.multicast.packets import split
from zeps_client.settings import Options
from zeps_multicast import MulticastOptions, is_multicast
from zeps_wire.zeps import Deliver

__all__ = ["Multicaster", "Rate"]

_LOG: Final = logging.getLogger("zeps.client")
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
    """Sends `stream` of the broker at `endpoint` to `multicast`, from its last message on.

    At most `rate` kbit/s: NORM stalls for seconds when its buffers are full. A stream that is quiet for `repeat`
    seconds has its last message sent again, each time, so that receivers know that they have all, or that they have
    not. A sender that is more than `lag_seconds_max` behind the stream goes on at its end; receivers count a flow that
    is further behind than their `Bounds.silence` (3 seconds) as silent, so there is no use in more. Raises
    MulticastError, and as Client does.
    """

    def __init__(
        self,
        endpoint: str,
        stream: str,
        multicast: str,
        *,
        rate: int = 16_000,
        repeat: float = 1.0,
        lag_seconds_max: float = 2.0,
        context: Context | None = None,
        **settings: Unpack[Options],
    ) -> None:
        if not is_multicast(multicast):
            raise ValueError(f"{multicast} is no multicast endpoint: norm://, epgm:// and pgm:// are")
        if lag_seconds_max <= 0:
            raise ValueError("lag_seconds_max must be more than 0")
        self.sent = 0
        """Messages that were sent, without repetitions."""
        self.skipped = 0
        """Messages that were not sent, because it had fallen behind."""
        self._repeat = repeat
        self._segment = _SEGMENT if multicast.startswith("norm:") else 0
        self._rate = Rate(rate, time.monotonic())
        self._lag_max = lag_seconds_max
        self._lag = Lag(lag_seconds_max, time.monotonic())
        self._pending: deque[Deliver] = deque()
        self._place = 0
        """Up to which sequence everything was sent, or skipped."""
        self._lost = 0
        """The last sequence that the broker announced as lost."""
        self._last: Deliver | None = None
        self._last_at = time.monotonic()
        self._stopping = threading.Event()
        options = MulticastOptions(rate=rate) if rate else MulticastOptions()
        self._output = MulticastOutput(multicast, context or zmq.Context.instance(), options)
        self._was_reset = False
        """The stream became another one: the last message is not this stream's."""
        self._new: Callable[[], Client] = partial(
            Client, endpoint, stream, on_event=self._note, context=context, **settings
        )
        try:
            self.client = self._new()
        except BaseException:
            self._output.close()
            raise

    def stop(self) -> None:
        """Make :meth:`run` return soon; from any thread, and from a signal handler."""
        self._stopping.set()

    def begin(self, timeout: float | None = None) -> None:
        """Wait until the broker has confirmed: everything that is published after that is sent. Raises Timeout."""
        self._lag = Lag(self._lag_max, time.monotonic())
        self._place = max(0, self.client.last_sequence(timeout) - 1)
        self._lost = 0
        self.client.subscribe("", self._place, timeout=timeout)

    def run(self) -> None:
        """Send until :meth:`stop`, after :meth:`begin`. Raises what ended the client."""
        while not self._stopping.is_set():
            if self._output.look(time.monotonic()):
                self._last_at = 0.0  # those who lost something are to hear of it now
            if not self._is_on_time():
                continue
            if self._pending:
                self._send(self._pending.popleft())
                continue
            due = self._last_at + self._repeat - time.monotonic()
            try:
                self._pending.extend(self.client.receive_many(_BATCH, max(0.0, min(due, _LOOK))))
            except Timeout:
                self._say_again()

    def close(self) -> None:
        """Give the sockets back."""
        self._output.close()
        self.client.close(1.0)

    def _is_on_time(self) -> bool:
        """Whether what comes next is to be sent now. If it is history, the sender goes to the stream's end."""
        now, end = time.monotonic(), None
        sent = max(self._place, self._lost)
        if self._lag.asks(now) or self._lag.exceeded(now, sent):
            with contextlib.suppress(Timeout):
                self.client.wait(_LOOK)
                end = self.client.last_sequence(_LOOK)
            self._lag.asked(now, end)
        behind = self._lag.exceeded(now, sent)
        if self._was_reset or (behind and end is not None):
            self._skip()
        return not behind

    def _note(self, event: Event) -> None:
        """In the client's thread."""
        if isinstance(event, StreamReset):
            self._was_reset = True
        elif isinstance(event, Missing):
            self._lost = event.last

    def _skip(self) -> None:
        """Go on at the stream's end, in a session of its own: there is no way to take a subscription back."""
        before, self._was_reset = self._place, False
        self._pending.clear()
        self._last = None
        self.client.close(0.0)
        self.client = self._new()
        while not self._stopping.is_set():
            with contextlib.suppress(Timeout):
                self.begin(_LOOK)
                break
        self.skipped += max(0, self._place - before)
        _LOG.warning(
            "%s: %d was sent, and the stream goes on after %d", self.client.stream, before, self._place
        )

    def _send(self, message: Deliver) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(zmq.Again):
                self._put(message)
                self.sent += 1
                self._last = message
                self._place = message.sequence
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
