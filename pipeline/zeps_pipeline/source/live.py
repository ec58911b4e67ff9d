"""Reads streams of a live broker through the client library. The driver asks the broker for the end of the stream, and
each task requests its own sequences. A delivered message is replayed unchanged (ZEPS-DELIVER-2), and the broker reports
messages that it can no longer deliver (ZEPS-RETAIN-1, ZEPS-DAMAGE-1). A task requests only some keys if the user states
that the stream matches keys by prefix; otherwise it requests all keys and compares the prefix itself, because the
meaning of a pattern depends on the stream (ZEPS-SUBSCRIBE-8). A broker does not deliver times: `timestamp` is null.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from zeps_client import ALL, Client, ClientError, Message, Timeout
from zeps_client.events import Attached, Event, Missing, StreamReset
from zeps_journal.damage import MISSING, Damage
from zeps_pipeline.errors import DataLossError, PipelineError
from zeps_pipeline.source.columns import with_damage
from zeps_pipeline.source.offsets import Budget, StreamProgress
from zeps_pipeline.source.options import EARLIEST, LATEST, ReadOptions

__all__ = ["LiveFollower", "LivePart", "LiveReader", "read_live"]

_LOG = logging.getLogger("zeps.pipeline")
_WINDOW = 8 << 20
_BATCH_MESSAGES = 8192
_PART_MESSAGES = 100_000
_LOOK_SECONDS = 0.05
"""Polling interval, after which a task notices that all remaining messages are lost."""


class LivePart(InputPartition):
    """A task's range of sequences in a stream; both bounds are inclusive."""

    def __init__(self, stream: str, first: int, last: int) -> None:
        super().__init__((stream, first, last))


class LiveFollower:
    """Follows a stream of a live broker. Implements follow.Follower; connects at the first query."""

    def __init__(self, stream: str, options: ReadOptions) -> None:
        self._stream = stream
        self._options = options
        self._client: Client | None = None
        self._end: int | None = None
        """Sequence after the last one to read, if the end is fixed."""
        self._reported = 0
        """The offset for which a warning about the stream's end was logged last."""

    def start(self) -> int:
        first = self._options.start_of(self._stream, LATEST)
        return self.following() if first == LATEST else max(first, 1)

    def earliest(self) -> int:
        return 1

    def fix_end(self) -> None:
        self._end = self.following()

    def following(self) -> int:
        """Sequence after the last one. Raises PipelineError, also without an answer for `options.timeout` seconds."""
        if self._client is None:
            self._client = _client(self._stream, self._options)
        with _errors_of(self._options, f"querying the end of {self._stream}"):
            return self._client.last_sequence(self._options.timeout) + 1

    def advance(self, following: int, budget: Budget) -> StreamProgress:
        end = self.following() if self._end is None else self._end
        if end < following:
            if self._options.fail_on_data_loss or self._reported != following:
                self._reported = following
                _check_end(self._stream, self._options, end - 1, following - 1)
            return StreamProgress(following)
        first = self.retained() if following == 1 < end else following
        count, byte_count = end - first, 0
        if budget.messages is not None:
            count = min(count, budget.messages)
        if budget.byte_count is not None and count:
            count, byte_count = self._fitting(first, count, budget)
        if not count:
            return StreamProgress(following)
        budget.take(count, byte_count)
        return StreamProgress(first + count, first if following == 1 else None)

    def retained(self) -> int:
        """First retained sequence of a stream that is not empty (ZEPS-RETAIN-2). Raises PipelineError."""
        events: list[Event] = []
        with _client(self._stream, self._options, events, window=1) as client:
            _subscribe(client, self._options, "", 1)
        return max((gap.last + 1 for gap in _missing(events)), default=1)

    def parts(self, first: int, end: int) -> list[InputPartition]:
        count = max(self._options.min_partitions, (end - first) // _PART_MESSAGES, 1)
        count = min(count, end - first)
        bounds = [first + (end - first) * n // count for n in range(count + 1)]
        return [LivePart(self._stream, begin, stop - 1) for begin, stop in pairwise(bounds)]

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None

    def _fitting(self, first: int, count: int, budget: Budget) -> tuple[int, int]:
        """How many of `count` messages from `first` on fit the budget, and their bytes; at least the batch's first."""
        assert budget.byte_count is not None
        byte_count = 0
        for piece in _replay(self._stream, self._options, first, first + count - 1):
            if isinstance(piece, Missing):
                continue
            for message in piece:
                if byte_count + message.size() > budget.byte_count and (byte_count or budget.taken):
                    return message.sequence - first, byte_count
                byte_count += message.size()
        return count, byte_count


class LiveReader(DataSourceReader):
    """Batch reader for a live broker. Reads the messages that the broker has when the query is planned."""

    def __init__(self, options: ReadOptions, schema: pa.Schema) -> None:
        self._options = options
        self._schema = schema

    def partitions(self) -> list[InputPartition]:
        parts: list[InputPartition] = []
        for stream in self._options.streams:
            parts += self._parts(stream)
        return parts or [LivePart(self._options.streams[0], 1, 0)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, LivePart)
        return read_live(partition, self._options, self._schema)

    def _parts(self, stream: str) -> list[InputPartition]:
        first, end = self._options.start_of(stream, EARLIEST), self._options.end_of(stream)
        follower = LiveFollower(stream, self._options)
        try:
            following = follower.following()
            if end == LATEST:
                end = following
            elif end > following:
                raise PipelineError(
                    f"{stream}: endingOffsets is {end}, which is more than one above the stream's last sequence, "
                    f"{following - 1}"
                )
            if first == EARLIEST:
                first = follower.retained() if following > 1 else 1
            return follower.parts(first, end) if first != LATEST and first < end else []
        finally:
            follower.close()


def read_live(part: LivePart, options: ReadOptions, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The messages of `part`, replayed by the broker, in batches of `schema`; then lost messages as in with_damage.
    Raises DataLossError, and PipelineError if the broker does not deliver for `options.timeout` seconds.
    """
    return with_damage(_pieces(part, options, schema), schema, options)


def _pieces(part: LivePart, options: ReadOptions, schema: pa.Schema) -> Iterator[pa.RecordBatch | Damage]:
    stream, first, last = part.value
    columns = pa.schema([field for field in schema if field.name != "damage"])
    pattern = options.key_prefix.decode() if options.matches_prefix else ""
    for piece in _replay(stream, options, first, last, pattern):
        if isinstance(piece, Missing):
            place = str(options.broker), 0, 0, piece.first, piece.last
            yield Damage(stream, *place, MISSING, f"the broker no longer has these messages ({piece.reason})")
        elif selected := [
            message for message in piece if message.key.encode().startswith(options.key_prefix)
        ]:
            yield _batch(selected, stream, columns)


def _replay(
    stream: str, options: ReadOptions, first: int, last: int, pattern: str = ""
) -> Iterator[list[Message] | Missing]:
    """Yield the messages from sequence `first` to `last` whose keys match `pattern` (`last` for any key), and then the
    lost ranges. Raises DataLossError if the stream is replaced during the read or ends before `last` (with
    failOnDataLoss=false it is then read to its end), and PipelineError if the broker does not deliver for
    `options.timeout` seconds.
    """
    events: list[Event] = []
    reached = first - 1
    with _client(stream, options, events) as client:
        with _errors_of(options, f"querying the end of {stream}"):
            end = client.last_sequence(options.timeout)
        if end < last:
            _check_end(stream, options, end, last)
            last = end
        if first <= last:
            _subscribe(client, options, pattern, first - 1 or ALL)
        if pattern and first < last:
            _subscribe(client, options, "", last - 1)
        returns = 0
        deadline = time.monotonic() + options.timeout
        while reached < last:
            lost = max((gap.last for gap in _missing(events)), default=0)
            if messages := _receive(client, options):
                yield [message for message in messages if message.sequence <= last]
                reached = messages[-1].sequence
            elif lost > reached:  # the messages before it were received
                reached = lost
            elif _is_another(events):
                break
            elif (count := _returns(events)) > returns:
                returns = count
                with _errors_of(options, f"querying the end of {stream}"):
                    if client.last_sequence(options.timeout) < last:
                        raise _another(stream)
            elif time.monotonic() < deadline:
                continue
            else:
                raise PipelineError(
                    f"{options.broker}: sequence {reached + 1} of {stream} was not delivered for {options.timeout:g} "
                    "s"
                )
            deadline = time.monotonic() + options.timeout
    # A closed client has reported all events.
    if _is_another(events):
        raise _another(stream)
    following = first
    for gap in sorted(_missing(events), key=lambda gap: gap.first):
        if max(gap.first, following) <= min(gap.last, last):
            yield Missing(max(gap.first, following), min(gap.last, last), gap.reason)
            following = gap.last + 1


def _is_another(events: list[Event]) -> bool:
    """Whether the stream was replaced by another one; then rows that the task has already returned are invalid."""
    return any(isinstance(event, StreamReset) for event in events[:])


def _another(stream: str) -> DataLossError:
    return DataLossError(f"{stream}: the broker returned with another stream during the read; read it again")


def _returns(events: list[Event]) -> int:
    """How often the client has attached again."""
    return sum(isinstance(event, Attached) and event.resumed for event in events[:])


def _missing(events: list[Event]) -> list[Missing]:
    """Losses that the client has reported so far; its thread may report more."""
    return [event for event in events[:] if isinstance(event, Missing)]


def _check_end(stream: str, options: ReadOptions, end: int, known: int) -> None:
    """Raises DataLossError because `stream` ends with `end`, before `known`; logs a warning if losses are skipped."""
    lost = (
        f"{stream}: the stream ends with sequence {end}, but the query has read up to {known}: it is another stream, "
        "or its last messages were lost"
    )
    if options.fail_on_data_loss:
        raise DataLossError(
            f"{lost}. With failOnDataLoss=false the query continues when the stream has reached that sequence"
        )
    _LOG.warning("%s", lost)


def _client(
    stream: str, options: ReadOptions, events: list[Event] | None = None, window: int = _WINDOW
) -> Client:
    """A client of `stream` that appends its events to `events`; the list is complete after the client is closed."""
    assert options.broker is not None
    return Client(
        options.broker.endpoint,
        stream,
        on_event=None if events is None else events.append,
        window=window,
        give_up=options.timeout,
        curve=options.broker.curve(),
    )


def _subscribe(client: Client, options: ReadOptions, pattern: str, latest: int) -> None:
    with _errors_of(options, f"cannot subscribe to {client.stream}"):
        client.subscribe(pattern, latest, timeout=options.timeout)


def _receive(client: Client, options: ReadOptions) -> list[Message]:
    """The next messages; empty if none arrives within the polling interval. Raises PipelineError."""
    with _errors_of(options, f"reading {client.stream}"):
        try:
            return client.receive_many(_BATCH_MESSAGES, timeout=_LOOK_SECONDS)
        except Timeout:
            return []


@contextmanager
def _errors_of(options: ReadOptions, what: str) -> Iterator[None]:
    """Converts errors of the client to PipelineError."""
    try:
        yield
    except ClientError as error:
        raise PipelineError(f"{options.broker}: {what}: {error}") from error


def _batch(messages: Sequence[Message], stream: str, schema: pa.Schema) -> pa.RecordBatch:
    columns = [pa.array(_column(field.name, messages, stream), field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(name: str, messages: Sequence[Message], stream: str) -> list[object]:
    """Values of the messages in a column; nulls in columns that the broker does not deliver."""
    match name:
        case "key":
            return [message.key.encode() for message in messages]
        case "value":
            return [message.body for message in messages]
        case "offset":
            return [message.sequence for message in messages]
        case "stream":
            return [stream] * len(messages)
        case "partition":
            return [0] * len(messages)
    return [None] * len(messages)
