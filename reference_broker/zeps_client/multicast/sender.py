"""Multicast sender: sends each message that the broker delivers once, to all receivers. It runs in a process of its
own, because libzmq's multicast may abort its process. Messages that cannot be sent fast enough wait in the journal. A
sender that has fallen behind continues at the stream's end, since history is never sent by multicast
(ZEPS-MULTICAST-1). It starts with the stream's last message, so that receivers can ask the broker for missing messages
even if no new message is published.
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
"""NORM sends every part of a message in separate packets and counts its buffers in packets."""
_BURST: Final = 0.02
_LOOK: Final = 0.2
_REPEAT_MAX: Final = 1 << 20
_BATCH: Final = 256


class Rate:
    """A limit of `kbit` kbit/s over any period longer than some hundredths of a second; 0 means no limit. Times are
    seconds of any monotonic clock.
    """

    def __init__(self, kbit: int, now: float) -> None:
        self._bytes_per_second = kbit * 125
        self._due = now

    def spend(self, now: float, byte_count: int) -> float:
        """Accounts for sent bytes; returns the seconds to wait before the next send."""
        if not self._bytes_per_second:
            return 0.0
        self._due = max(self._due, now - _BURST) + byte_count / self._bytes_per_second
        return max(0.0, self._due - now)


class Multicaster:
    """Sends `stream` of the broker at `endpoint` to the endpoint `multicast`, starting with its last message. The rate
    is at most `rate` kbit/s (0: no limit), since NORM stalls for seconds when its buffers are full. When the stream is
    quiet for `repeat` seconds, its last message is sent again (unless it exceeds 1 MiB), so that receivers detect
    its loss. A sender that is more than `lag_seconds_max` behind the stream continues at its end; a bound above the
    receivers' `Bounds.silence` (3 seconds) is useless. Call :meth:`begin`, then :meth:`run`. Raises MulticastError,
    ValueError for a bad argument, and the errors of Client.
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
            raise ValueError(f"{multicast} is not a multicast endpoint (norm://, epgm:// or pgm://)")
        if lag_seconds_max <= 0:
            raise ValueError("lag_seconds_max must be more than 0")
        self.sent = 0
        """Messages sent, without repetitions."""
        self.skipped = 0
        """Messages not sent because the sender had fallen behind."""
        self._repeat = repeat
        self._segment = _SEGMENT if multicast.startswith("norm:") else 0
        self._rate = Rate(rate, time.monotonic())
        self._lag_max = lag_seconds_max
        self._lag = Lag(lag_seconds_max, time.monotonic())
        self._pending: deque[Deliver] = deque()
        self._place = 0
        """All messages up to this sequence were sent or skipped."""
        self._lost = 0
        """The last sequence that the broker announced as lost."""
        self._last: Deliver | None = None
        self._last_at = time.monotonic()
        self._stopping = threading.Event()
        options = MulticastOptions(rate=rate) if rate else MulticastOptions()
        self._output = MulticastOutput(multicast, context or zmq.Context.instance(), options)
        self._was_reset = False
        """True if the stream was replaced: the last message does not belong to this stream."""
        self._new: Callable[[], Client] = partial(
            Client, endpoint, stream, on_event=self._note, context=context, **settings
        )
        try:
            self.client = self._new()
        except BaseException:
            self._output.close()
            raise

    def stop(self) -> None:
        """Makes :meth:`run` return soon. May be called from any thread and from a signal handler."""
        self._stopping.set()

    def begin(self, timeout: float | None = None) -> None:
        """Subscribes, and waits until the broker has confirmed: :meth:`run` sends from the stream's last message on.
        Raises Timeout after `timeout` seconds (None: never) for each of two requests, and the errors of Client.
        """
        self._lag = Lag(self._lag_max, time.monotonic())
        self._place = max(0, self.client.last_sequence(timeout) - 1)
        self._lost = 0
        self.client.subscribe("", self._place, timeout=timeout)

    def run(self) -> None:
        """Sends until :meth:`stop`. Raises the client's error, and MulticastError if a socket cannot be reopened."""
        while not self._stopping.is_set():
            if self._output.look(time.monotonic()):
                self._last_at = 0.0  # repeat the last message now, so that receivers notice a loss
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
        """Closes the sockets."""
        self._output.close()
        self.client.close(1.0)

    def _is_on_time(self) -> bool:
        """True if the next message should be sent now, False if the sender is behind. It then moves to the stream's
        end, once that is known; also if the stream was replaced. Waits for the answer for at most 0.4 s.
        """
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
        """Handles an event, in the client's thread."""
        if isinstance(event, StreamReset):
            self._was_reset = True
        elif isinstance(event, Missing):
            self._lost = event.last

    def _skip(self) -> None:
        """Continues at the stream's end in a new session; waits until it exists, or until :meth:`stop`."""
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
            "%s: sent up to sequence %d; too far behind, or the stream was replaced; continuing after %d",
            self.client.stream,
            before,
            self._place,
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
            with contextlib.suppress(zmq.Again):  # a full buffer holds enough messages already
                self._put(self._last)
        self._last_at = time.monotonic()

    def _put(self, message: Deliver) -> None:
        """Sends, and waits as long as the rate limit demands. Raises zmq.Again if the send buffer is full."""
        parts = split(message.encode())
        self._output.send(time.monotonic(), message.sequence, parts)
        now = self._last_at = time.monotonic()
        pause = self._rate.spend(now, sum(max(len(part), self._segment) for part in parts))
        if pause > 0:
            time.sleep(pause)
