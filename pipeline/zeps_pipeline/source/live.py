"""A live broker's stream, through the client library.

The protocol does not say where a stream ends, so the driver receives what a batch will have, to know its last
sequence, and each task asks the broker for its own part again: what was delivered once is replayed the same
(ZEPS-DELIVER-2). All keys are asked for, and a key's prefix is looked for here: a stream has no gaps
(ZEPS-SEQUENCE-2), so that what retention has taken is noticed; and what a pattern means is the stream's own affair
(ZEPS-SUBSCRIBE-8). A broker delivers no times: `timestamp` is null.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from zeps_client import ALL, NEW, Client
from zeps_client.errors import ClientError, Timeout
from zeps_client.events import Message
from zeps_pipeline.errors import DataLossError, PipelineError
from zeps_pipeline.source.offsets import Budget, Progress
from zeps_pipeline.source.options import EARLIEST, LATEST, ReadOptions

__all__ = ["LiveFollower", "LivePart", "LiveReader", "read_live"]

_WINDOW = 8 << 20
_PROBE_WINDOW = 1 << 16
_BATCH_MESSAGES = 8192
_PART_MESSAGES = 100_000
_IDLE = 0.05
_STEP = 1024
_GROWTH = 8
"""How the end is looked for: steps that grow until they pass it, then halves down to a step."""
_ADVANCE_SECONDS = 5.0
"""How long one batch is put together, if messages never cease to come."""


class LivePart(InputPartition):
    """The messages of a stream from one sequence to another, both inclusive."""

    def __init__(self, stream: str, first: int, last: int) -> None:
        super().__init__((stream, first, last))


class LiveFollower:
    """Implements follow.Follower. Connects when it is first asked for something."""

    def __init__(self, stream: str, options: ReadOptions) -> None:
        self._stream = stream
        self._options = options
        self._client: Client | None = None
        self._reached: int | None = None
        """The sequence after the last one that a batch has; what came after that waits in `_ahead`."""
        self._ahead: deque[tuple[int, int]] = deque()
        self._watcher: Client | None = None
        self._end: int | None = None
        """The sequence after the last one that counts, if the first later one has come."""
        self.ended = False
        """Since the end was fixed, everything before it was found."""

    def start(self) -> int:
        first = self._options.start_of(self._stream, LATEST)
        if first == LATEST:
            # A number, so that a restart before the first message misses nothing that came meanwhile.
            return _end_of(self._stream, self._options)
        return 1 if first == EARLIEST else first

    def earliest(self) -> int:
        return 1

    def fix_end(self) -> None:
        """What the watcher receives is later than this call."""
        self._watcher = _subscribed(self._stream, self._options, NEW)
        self._end, self.ended = None, False

    def advance(self, following: int, budget: Budget) -> Progress:
        if self._client is None or self._reached != following:
            self._open(following)
        first: int | None = None
        deadline = time.monotonic() + _ADVANCE_SECONDS
        while not budget.is_spent and not self.ended and time.monotonic() < deadline:
            if not self._ahead and not self._receive():
                break
            while self._ahead and not budget.is_spent:
                sequence, octets = self._ahead[0]
                if self._end is not None and sequence >= self._end:
                    self.ended = True
                    break
                if budget.octets is not None and octets > budget.octets and budget.taken:
                    budget.octets = 0
                    break
                self._check(sequence, first is None)
                first = sequence if first is None else first
                self._ahead.popleft()
                self._reached = sequence + 1
                budget.take(1, octets)
        if first is None or self._reached is None:
            return Progress(following)
        since = first if following in (LATEST, 1) else None
        return Progress(self._reached, since)

    def parts(self, first: int, end: int) -> list[InputPartition]:
        count = max(self._options.min_partitions, (end - first) // _PART_MESSAGES, 1)
        count = min(count, end - first)
        bounds = [first + (end - first) * n // count for n in range(count + 1)]
        return [LivePart(self._stream, begin, stop - 1) for begin, stop in pairwise(bounds)]

    def close(self) -> None:
        for client in (self._client, self._watcher):
            if client is not None:
                client.close()
        self._client = self._watcher = None

    def _open(self, following: int) -> None:
        """Follow the stream from `following` on."""
        if self._client is not None:
            self._client.close()
        latest = NEW if following == LATEST else following - 1 or ALL
        self._client = _subscribed(self._stream, self._options, latest)
        self._reached = following
        self._ahead.clear()

    def _receive(self) -> bool:
        """Take what has come; False if nothing comes."""
        assert self._client is not None
        watched = self._watcher is not None
        try:
            messages = self._client.receive_many(timeout=self._options.quiet if watched else _IDLE)
        except Timeout:
            self.ended = watched
            return False
        except ClientError as error:
            raise PipelineError(f"{self._options.broker}: {error}") from error
        self._ahead.extend((message.sequence, message.size()) for message in messages)
        if self._watcher is not None and self._end is None:
            with suppress(Timeout):
                self._end = self._watcher.receive(timeout=0).sequence
        return True

    def _check(self, sequence: int, is_first: bool) -> None:
        """Raises DataLossError if messages are missing before `sequence`, or the stream is another one."""
        due = self._reached
        if due is None or due == LATEST or (due == 1 and is_first):
            return
        _check_due(self._stream, self._options, sequence, due)


class LiveReader(DataSourceReader):
    """`spark.read` on a live broker: what it has when the query is planned."""

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
        if first == LATEST:
            return []
        if first == EARLIEST or end == LATEST:
            first, end = _extent(follower, 1 if first == EARLIEST else first, end)
        return follower.parts(first, end) if first < end else []


def read_live(part: LivePart, options: ReadOptions, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The messages of `part`, replayed by the broker. Raises DataLossError, and PipelineError if the broker does not
    deliver.
    """
    stream, due, last = part.value
    if due > last:
        return
    with _subscribed(stream, options, due - 1 or ALL) as client:
        while due <= last:
            try:
                messages = client.receive_many(_BATCH_MESSAGES, timeout=options.timeout)
            except (ClientError, TimeoutError) as error:
                taken = isinstance(error, Timeout) and not options.fail_on_data_loss
                if taken and _is_taken(stream, options, last):
                    return
                raise PipelineError(
                    f"{options.broker}: waiting for sequence {due} of {stream} in vain: {error}"
                ) from error
            for message in messages:
                _check_due(stream, options, message.sequence, due)
                due = message.sequence + 1
            wanted = [
                message
                for message in messages
                if message.sequence <= last and message.key.encode().startswith(options.key_prefix)
            ]
            if wanted:
                yield _batch(wanted, stream, schema)


def _is_taken(stream: str, options: ReadOptions, last: int) -> bool:
    """Whether the broker is there and retains nothing up to sequence `last`, which it once delivered.

    A sequence that was delivered is never given to another message (ZEPS-SEQUENCE-3), and what is retained comes
    to who asks for everything (ZEPS-SUBSCRIBE-2), the oldest first (ZEPS-DELIVER-1). So something older says that
    it is not retention that took `last`.
    """
    oldest = _next(stream, options, 0)
    return oldest is None or oldest > last


def _extent(follower: LiveFollower, following: int, end: int) -> tuple[int, int]:
    """The first sequence from `following` on that there is, and the one after the last, or `end`."""
    first: int | None = None
    reached = following
    follower.fix_end()
    try:
        while not follower.ended:
            progress = follower.advance(reached, Budget())
            if first is None and progress.following != reached:
                first = progress.since or following
            reached = progress.following
    finally:
        follower.close()
    if first is None:
        return following, following
    return first, reached if end == LATEST else end


def _end_of(stream: str, options: ReadOptions) -> int:
    """The sequence after the stream's last one, or a little less while others publish; 1 if there is none.

    A subscription behind sequence n brings a message at once if there is one behind n, and one beyond the end brings
    what comes from then on (ZEPS-SUBSCRIBE-5). "At once" is within `zeps.quiet`: a broker that is slower makes the
    answer less, never more.
    """
    found = probe = 0
    step = _STEP
    beyond: int | None = None
    while beyond is None or beyond - found > _STEP:
        further = _next(stream, options, probe)
        if further is not None and further > probe:
            found, step = further, step * _GROWTH
        else:
            found, beyond = max(found, further or 0), probe
        probe = found + step if beyond is None else (found + beyond) // 2
    if found < beyond:
        with _subscribed(stream, options, found or ALL) as client:
            while found < beyond and (come := _come(client, options)):
                found = come[-1].sequence
    return found + 1


def _next(stream: str, options: ReadOptions, after: int) -> int | None:
    """The first sequence behind `after`, if one comes."""
    with _subscribed(stream, options, after or ALL, _PROBE_WINDOW) as client:
        come = _come(client, options)
        return come[0].sequence if come else None


def _come(client: Client, options: ReadOptions) -> list[Message]:
    """The next messages; none if none comes within `zeps.quiet`. Raises PipelineError."""
    try:
        return client.receive_many(timeout=options.quiet)
    except Timeout:
        return []
    except ClientError as error:
        raise PipelineError(f"{options.broker}: {error}") from error


def _subscribed(stream: str, options: ReadOptions, latest: int, window: int = _WINDOW) -> Client:
    assert options.broker is not None
    client = Client(
        options.broker.endpoint, stream, window=window, give_up=options.timeout, curve=options.broker.curve()
    )
    try:
        client.subscribe("", latest, timeout=options.timeout)
    except (ClientError, TimeoutError) as error:
        client.close(0.2)
        raise PipelineError(f"{options.broker}: cannot subscribe to {stream}: {error}") from error
    return client


def _check_due(stream: str, options: ReadOptions, sequence: int, due: int) -> None:
    if sequence < due:
        raise DataLossError(
            f"{stream}: the broker delivers sequence {sequence} where {due} should be next: it is not the stream "
            "that the query has read"
        )
    if sequence > due and options.fail_on_data_loss:
        raise DataLossError(
            f"{stream}: sequences {due} to {sequence - 1} are not there any more. With failOnDataLoss=false they are "
            "passed over"
        )


def _batch(messages: Sequence[Message], stream: str, schema: pa.Schema) -> pa.RecordBatch:
    columns = [pa.array(_column(field.name, messages, stream), field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(name: str, messages: Sequence[Message], stream: str) -> list[object]:
    """What the messages have in a column; nulls in those that nobody delivers."""
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
