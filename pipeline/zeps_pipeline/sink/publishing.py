"""One epoch's rows into one stream, each once, whatever becomes of the connection.

The rows have an order that never changes, and a publisher's messages keep theirs (ZEPS-PUBLISH-3). So what of the
epoch is in the stream is always its beginning. Whenever it is not known how far an earlier session came, the stream is
read from behind a sequence that none of the rows precedes: each message that equals the next row is that row. Then the
rest is published.

What this assumes: nobody else publishes messages equal to rows of the epoch (key and value) to the stream meanwhile;
and what a broken connection still holds reaches the broker within `settle` seconds, or never. `settle` is waited only
where a session was lost.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from zeps_client import Client
from zeps_client.events import Event, Missing
from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import DataLossError, PipelineError
from zeps_pipeline.sink.failpoints import reach
from zeps_pipeline.sink.position import check_end
from zeps_pipeline.sink.session import ANSWER_SECONDS, SessionLostError, open_session, receive

__all__ = ["Patience", "Row", "publish"]

Row = tuple[str, bytes]
"""Key and body."""

_SLICE_ROWS = 256
_SLICE_OCTETS = 256 * 1024
"""What is published at a time. Three slices may be on their way, published and not seen in the stream yet."""
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


class _Rows:
    """The rows that are not seen in the stream yet."""

    def __init__(self, rows: Iterable[Row], after: int) -> None:
        self._rest = iter(rows)
        self.pending: deque[Row] = deque()
        """Those at the front that were looked at, or published."""
        self.position = after
        """The stream's last sequence that was looked at."""
        self.seen = 0
        self.missing: Missing | None = None
        """What the broker announced as lost."""

    def note(self, event: Event) -> None:
        """In the client's thread."""
        if isinstance(event, Missing):
            self.missing = event

    def match(self, sequence: int, row: Row, *, beyond: bool) -> None:
        """The stream's next message. It may be one of the pending rows; with `beyond`, any other that is left."""
        if sequence != self.position + 1 and (self.pending or beyond):
            raise _unknown(self.position + 1, sequence - 1)
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


def _unknown(first: int, last: int) -> DataLossError:
    return DataLossError(
        f"sequences {first} to {last} are no longer in the stream: what of this epoch they held cannot be told"
    )


def publish(
    broker: Broker, stream: str, rows: Iterable[Row], after: int, *, resumed: bool, patience: Patience
) -> int:
    """Publish `rows` to `stream`, of which `resumed` says that some may be there, all behind sequence `after`.
    Returns a sequence behind which none of them stands.

    Raises PipelineError: what was published is found by the next attempt.
    """
    left, doubtful = _Rows(rows, after), resumed
    deadline = time.monotonic() + patience.timeout
    while True:
        before = left.seen
        try:
            with open_session(broker, stream, left.note) as client:
                check_end(stream, client.last_sequence(ANSWER_SECONDS), left.position)
                client.subscribe("", left.position, timeout=ANSWER_SECONDS)
                if doubtful:
                    _read_back(client, left, patience.settle, beyond=resumed)
                doubtful = True
                _publish(client, left)
                return left.position
        except SessionLostError as lost:
            if left.seen > before:
                deadline = time.monotonic() + patience.timeout
            elif time.monotonic() > deadline:
                raise PipelineError(f"{stream}: not published: {lost}") from lost
            time.sleep(_PAUSE_SECONDS)


def _read_back(client: Client, left: _Rows, settle: float, *, beyond: bool) -> None:
    """Find in the stream what earlier sessions published. `settle` seconds from now all of it is there, so it is
    read to where it ends then.
    """
    deadline = time.monotonic() + settle
    while (rest := deadline - time.monotonic()) > 0:
        _look(client, left, rest, beyond=beyond)
    end = client.last_sequence(ANSWER_SECONDS)
    while left.position < end:
        _look(client, left, _DELIVERY_SECONDS, beyond=beyond, due=True)


def _look(client: Client, left: _Rows, seconds: float, *, beyond: bool = False, due: bool = False) -> None:
    """Match what comes within `seconds`. Raises SessionLostError if nothing does that is `due`, DataLossError if that
    is lost.
    """
    messages = receive(client, seconds)
    if due and not messages:
        if left.missing is not None:
            raise _unknown(left.missing.first, left.missing.last)
        raise SessionLostError(f"{client.endpoint}: what is stored was not delivered for {seconds:g} s")
    for message in messages:
        left.match(message.sequence, (message.key, message.body), beyond=beyond)


def _publish(client: Client, left: _Rows) -> None:
    """Publish everything, and see it in the stream."""
    before = last = left.seen
    for rows in _slices(left.unpublished()):
        client.publish_many(rows, ANSWER_SECONDS)
        _look(client, left, 0)
        while left.seen < before:
            _look(client, left, _DELIVERY_SECONDS, due=True)
        before, last = last, left.seen + len(left.pending)
        if left.seen:
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
        if len(taken) == _SLICE_ROWS or octets >= _SLICE_OCTETS:
            yield taken
            taken, octets = [], 0
    if taken:
        yield taken
