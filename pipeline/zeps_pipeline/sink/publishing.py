"""Publishes the rows of an epoch to a stream, each row once, over any number of lost connections.

The order of the rows never changes, and a publisher's messages keep their order (ZEPS-PUBLISH-3). So the rows
of the epoch that are in the stream are always its first ones. If the progress of an earlier session is
unknown, the stream is read from a sequence that precedes all rows: each message that equals the next row is
that row. Then the remaining rows are published.

Assumptions: no other client publishes messages that equal rows of the epoch (key and value) to the stream at
the same time; and data in a broken connection reaches the broker within `settle` seconds or never. The commit
waits `settle` seconds only after a session was lost, or if it continues an earlier commit of the epoch.
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
_SLICE_BYTES = 256 * 1024
"""A slice ends at the row that reaches these bytes; at most three slices are published and not received back."""
_PAUSE_SECONDS = 0.2
_DELIVERY_SECONDS = 10.0
"""Maximum wait for the delivery of confirmed messages."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Waiting times, in seconds."""

    settle: float = 2.0
    """For data that a lost connection still has; see the module's docstring."""
    timeout: float = 60.0
    """Time without a session or without progress after which the commit fails."""


class _Rows:
    """Rows that have not been received back from the stream; all of them follow the sequence `after`."""

    def __init__(self, rows: Iterable[Row], after: int) -> None:
        self._rest = iter(rows)
        self.pending: deque[Row] = deque()
        """First of these rows: those that were compared with messages of the stream, or published."""
        self.position = after
        """Last sequence of the stream that was compared."""
        self.seen = 0
        self.missing: Missing | None = None
        """Messages that the broker reported as lost."""

    def note(self, event: Event) -> None:
        """Record lost messages; called in the client's thread."""
        if isinstance(event, Missing):
            self.missing = event

    def match(self, sequence: int, row: Row, *, beyond: bool) -> None:
        """Compare the stream's next message with the next pending row. If they are equal, the row counts as `seen` and
        is not pending any more. With `beyond`, if no row is pending, compare it with the next row that was not
        published, which becomes pending. Raises DataLossError if messages are missing before `sequence` and a row is to
        be compared.
        """
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
        """Yield all rows that were not received back, in order, pending ones first; each becomes pending."""
        yield from list(self.pending)
        for row in self._rest:
            self.pending.append(row)
            yield row


def _unknown(first: int, last: int) -> DataLossError:
    return DataLossError(
        f"sequences {first} to {last} were removed from the stream: it is unknown which rows of this epoch they had"
    )


def publish(
    broker: Broker, stream: str, rows: Iterable[Row], after: int, *, resumed: bool, patience: Patience
) -> int:
    """Publish `rows` to `stream`. `resumed` means that some may already be there; all are after sequence `after`.
    Returns a sequence after which none of the rows is. Raises PipelineError after `patience.timeout` seconds without
    progress, or if the broker refuses the stream; DataLossError if the rows in the stream cannot be found.
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
    """Find the rows that earlier sessions published: after `settle` seconds, read the stream to its end then."""
    deadline = time.monotonic() + settle
    while (rest := deadline - time.monotonic()) > 0:
        _look(client, left, rest, beyond=beyond)
    end = client.last_sequence(ANSWER_SECONDS)
    while left.position < end:
        _look(client, left, _DELIVERY_SECONDS, beyond=beyond, due=True)


def _look(client: Client, left: _Rows, seconds: float, *, beyond: bool = False, due: bool = False) -> None:
    """Wait for messages for at most `seconds`, and compare them with the rows. If none arrives although one is `due`,
    raises DataLossError if the broker reported a loss, and otherwise SessionLostError.
    """
    messages = receive(client, seconds)
    if due and not messages:
        if left.missing is not None:
            raise _unknown(left.missing.first, left.missing.last)
        raise SessionLostError(f"{client.endpoint}: stored messages were not delivered for {seconds:g} s")
    for message in messages:
        left.match(message.sequence, (message.key, message.body), beyond=beyond)


def _publish(client: Client, left: _Rows) -> None:
    """Publish all rows that were not received back, and receive each of them back from the stream."""
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
    byte_count = 0
    for key, body in rows:
        taken.append((key, body))
        byte_count += len(key) + len(body)
        if len(taken) == _SLICE_ROWS or byte_count >= _SLICE_BYTES:
            yield taken
            taken, byte_count = [], 0
    if taken:
        yield taken
