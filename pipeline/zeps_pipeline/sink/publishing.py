"""One epoch's rows into one stream, each once, whatever becomes of the connection.

The rows have an order that never changes, and a publisher's messages keep theirs (ZEPS-PUBLISH-3). So what of the
epoch is in the stream is always its beginning. Whenever it is not known how far an earlier session came, the stream is
read from behind a sequence that none of the rows precedes: each message that equals the next row is that row. Then the
rest is published.

That sequence is better than what was declared as soon as there is a message: the first attempt subscribes to what is
new before it publishes, so the first message that comes is the first that can be a row of the epoch, whatever older
messages equal it, and whatever retention has taken before it. No second slice of rows leaves before that was told to
`place`.

What this assumes: nobody else publishes messages equal to rows of the epoch (key and value) to the stream meanwhile;
what a broken connection still holds reaches the broker within `settle` seconds, or never; and a broker that answers
PING is not silent for so long while it has more to deliver. `settle` is waited only where a session was lost.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from zeps_client import NEW, Client
from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import DataLossError, PipelineError
from zeps_pipeline.sink.failpoints import reach
from zeps_pipeline.sink.position import another_stream, check_reached, end_ahead
from zeps_pipeline.sink.session import (
    ANSWER_SECONDS,
    SLICE_OCTETS,
    SLICE_ROWS,
    SessionLostError,
    open_session,
    receive,
)

__all__ = ["Patience", "Place", "Row", "publish"]

Row = tuple[str, bytes]
"""Key and body."""
Place = Callable[[int], None]
"""Is told a sequence that all rows stand behind."""

_AHEAD_ROWS = 4096
"""Rows that may be published and not seen in the stream yet, at most."""
_PAUSE_SECONDS = 0.2
_DELIVERY_SECONDS = 10.0
"""For what is confirmed to be delivered."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds."""

    settle: float = 2.0
    """For what a lost connection still holds; see above."""
    timeout: float = 60.0
    """For a session, or for progress, before the commit fails."""


def _nowhere(after: int) -> None:
    """Nobody wants to know."""


class _Rows:
    """The rows that are not seen in the stream yet."""

    def __init__(self, stream: str, rows: Iterable[Row], after: int, place: Place) -> None:
        self._stream = stream
        self._place = place
        self._rest = iter(rows)
        self.pending: deque[Row] = deque()
        """Those at the front that were looked at, or published."""
        self.position = after
        """The stream's last sequence that was looked at."""
        self.placed = False
        """`position` is where the rows begin, or where they go on. Before that the next message says it."""
        self.seen = 0

    def match(self, sequence: int, row: Row, *, beyond: bool) -> None:
        """The stream's next message. It may be one of the pending rows; with `beyond`, any other that is left."""
        if sequence <= self.position:
            raise another_stream(self._stream, self.position)
        if not self.placed:
            self._place(sequence - 1)
            self.placed = True
        elif sequence != self.position + 1 and (self.pending or beyond):
            raise DataLossError(
                f"sequences {self.position + 1} to {sequence - 1} are no longer in the stream: what of this epoch "
                "they held cannot be told"
            )
        self.position = sequence
        if (self.pending or (beyond and self._look())) and self.pending[0] == row:
            self.pending.popleft()
            self.seen += 1

    def _look(self) -> bool:
        row = next(self._rest, None)
        if row is not None:
            self.pending.append(row)
        return row is not None

    def unpublished(self) -> Iterator[Row]:
        """All of them, in order; each is then pending."""
        yield from list(self.pending)
        for row in self._rest:
            self.pending.append(row)
            yield row


def publish(
    broker: Broker,
    stream: str,
    rows: Iterable[Row],
    after: int,
    *,
    resumed: bool,
    patience: Patience,
    empty: bool = False,
    place: Place = _nowhere,
) -> int:
    """Publish `rows` to `stream`, of which `resumed` says that some may be there, all behind sequence `after`.
    Returns a sequence behind which none of them stands.

    `empty` says that the stream retained nothing when `after` was found, and may have come much further: then the
    rows stand behind whatever comes first. `place` is told once behind which sequence they do, which the next attempt
    has to be given as `after`, without `empty`.

    Raises PipelineError: what was published is found by the next attempt.
    """
    left, doubtful = _Rows(stream, rows, after, place), resumed
    deadline = time.monotonic() + patience.timeout
    while True:
        before = left.seen
        try:
            if doubtful:
                left.placed = left.placed or not empty
                check_reached(broker, stream, left.position)
            with open_session(broker, stream, left.position if doubtful else NEW) as client:
                if doubtful:
                    _read_back(broker, client, left, patience.settle, beyond=resumed)
                doubtful = True
                _publish(client, left)
                return left.position
        except SessionLostError as lost:
            if left.seen > before:
                deadline = time.monotonic() + patience.timeout
            elif time.monotonic() > deadline:
                raise PipelineError(f"{stream}: not published: {lost}") from lost
            time.sleep(_PAUSE_SECONDS)


def _read_back(broker: Broker, client: Client, left: _Rows, settle: float, *, beyond: bool) -> None:
    """Find in the stream what earlier sessions published. `settle` seconds from now all of it is there, so it is
    read to where it ends then.
    """

    def take(seconds: float) -> int:
        _look(client, left, seconds, beyond=beyond)
        return left.position

    deadline = time.monotonic() + settle
    while (rest := deadline - time.monotonic()) > 0:
        take(rest)
    end = end_ahead(broker, client.stream, settle, take)
    while left.position < end:
        _look(client, left, _DELIVERY_SECONDS, beyond=beyond, due=True)


def _look(client: Client, left: _Rows, seconds: float, *, beyond: bool = False, due: bool = False) -> None:
    """Match what comes within `seconds`. Raises SessionLostError if nothing does that is `due`."""
    messages = receive(client, seconds)
    if due and not messages:
        raise SessionLostError(f"{client.endpoint}: what is stored was not delivered for {seconds:g} s")
    for message in messages:
        left.match(message.sequence, (message.key, message.body), beyond=beyond)


def _publish(client: Client, left: _Rows) -> None:
    """Publish everything, and see it in the stream."""
    for rows in _slices(left.unpublished()):
        client.publish_many(rows, ANSWER_SECONDS)
        _look(client, left, 0)
        while not left.placed or len(left.pending) >= _AHEAD_ROWS:
            _look(client, left, _DELIVERY_SECONDS, due=True)
        reach("amid-publish")
    client.flush(ANSWER_SECONDS)
    while left.pending:
        _look(client, left, _DELIVERY_SECONDS, due=True)


def _slices(rows: Iterable[Row]) -> Iterator[list[Row]]:
    taken: list[Row] = []
    octets = 0
    for key, body in rows:
        taken.append((key, body))
        octets += len(key) + len(body)
        if len(taken) == SLICE_ROWS or octets >= SLICE_OCTETS:
            yield taken
            taken, octets = [], 0
    if taken:
        yield taken
