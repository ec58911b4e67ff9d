"""Options of `format("zeps")` for reading. Options with the meaning of one of Spark's Kafka connector have its name."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from urllib.parse import unquote

from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import OptionError
from zeps_pipeline.journal.columns import SEQUENCE_MAX

__all__ = [
    "EARLIEST", "LATEST", "READ_OPTIONS", "ReadOptions", "check_keys", "microseconds_of", "read_options", "seconds_of",
]  # fmt: skip

EARLIEST = -2
"""Represents the first retained sequence."""
LATEST = -1
"""Represents the sequence after the last one."""

READ_OPTIONS = (
    "path",
    "zeps.endpoint",
    "zeps.serverKey",
    "zeps.key",
    "subscribe",
    "subscribePattern",
    "startingOffsets",
    "endingOffsets",
    "startingTimestamp",
    "failOnDataLoss",
    "includeDamage",
    "includeHeaders",
    "keyPrefix",
    "columns",
    "pushFilters",
    "minPartitions",
    "maxOffsetsPerTrigger",
    "maxBytesPerTrigger",
    "zeps.matching",
    "zeps.timeout",
)
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The parsed options. Exactly one of `path` and `broker` is set. Offsets (`starting`, inclusive, and `ending`,
    exclusive) are pairs of stream and sequence; the empty name applies to the streams that are not listed. A streaming
    batch has at most `offsets_max` messages and `bytes_max` bytes, but at least one message; None: no limit.
    """

    path: str | None = None
    broker: Broker | None = None
    streams: tuple[str, ...] = ()
    """Streams to read. If empty, the streams whose names match `pattern`, or all."""
    pattern: str | None = None
    starting: tuple[tuple[str, int], ...] | None = None
    ending: tuple[tuple[str, int], ...] | None = None
    starting_time: int | None = None
    """Microseconds since 1970."""
    fail_on_data_loss: bool = True
    include_damage: bool = False
    key_prefix: bytes = b""
    columns: tuple[str, ...] = ()
    push_filters: bool = False
    min_partitions: int = 0
    offsets_max: int | None = None
    bytes_max: int | None = None
    timeout: float = 30.0
    """Seconds without progress after which reading from a live broker fails."""
    matches_prefix: bool = False
    """Whether live streams match keys by prefix (as the user states), so that the broker can filter by `key_prefix`."""

    def wants(self, stream: str) -> bool:
        """Whether `stream` is selected for reading."""
        if self.streams:
            return stream in self.streams
        return self.pattern is None or re.fullmatch(self.pattern, stream) is not None

    @property
    def named(self) -> tuple[str, ...]:
        """Streams with their own offsets."""
        return tuple(name for name, _ in (*(self.starting or ()), *(self.ending or ())) if name)

    def start_of(self, stream: str, default: int) -> int:
        """First sequence of `stream` to read: a number from 1, EARLIEST or LATEST; `default` if no offset is set."""
        return _offset_of(self.starting, stream, default)

    def end_of(self, stream: str) -> int:
        """First sequence of `stream` that is not read; LATEST if the end is not set."""
        return _offset_of(self.ending, stream, LATEST)


def _folder(given: Mapping[str, str]) -> str | None:
    """The path, which may be given as a `file:` URI; None if it is not given. Raises OptionError for another URI."""
    path = given.get("path")
    if path is None or ("://" not in path and not path.startswith("file:/")):
        return path
    match = re.fullmatch(r"file:(?://(?:localhost)?)?(/(?!/).*)", path)
    if match is None:
        raise OptionError(f"path must be a local or mounted folder, not {path}")
    return unquote(match[1])


def _broker(given: Mapping[str, str]) -> Broker | None:
    keys = given.get("zeps.serverKey"), given.get("zeps.key")
    if "zeps.endpoint" in given:
        broker = Broker(given["zeps.endpoint"], *keys)
        broker.curve()  # reports invalid keys here instead of in a task
        return broker
    if any(keys):
        raise OptionError("zeps.serverKey and zeps.key require zeps.endpoint: a journal has no CURVE keys")
    return None


def check_keys(options: Mapping[str, str], known: Collection[str]) -> dict[str, str]:
    """The options of `known`, spelled as there; case does not matter. Raises OptionError for an unknown `zeps.` option,
    and for any other that resembles one in `known`; Spark's options are left out.
    """
    names = {name.lower(): name for name in known}
    values = {}
    for key, value in options.items():
        name = names.get(key.lower())
        if name is not None:
            values[name] = value
            continue
        near = get_close_matches(key.lower(), names, 1, 0.8)
        if key.lower().startswith("zeps.") or near:
            hint = f"; did you mean {names[near[0]]}?" if near else f"; options: {', '.join(sorted(known))}"
            raise OptionError(f"unknown option {key}{hint}")
    return values


def read_options(options: Mapping[str, str]) -> ReadOptions:
    """Parse the options for reading, and read the CURVE keys once to check them. Raises OptionError."""
    given = check_keys(options, READ_OPTIONS)
    if ("path" in given) == ("zeps.endpoint" in given):
        raise OptionError("set either path to a journal's folder, or zeps.endpoint to a broker's endpoint")
    if "subscribe" in given and "subscribePattern" in given:
        raise OptionError("set subscribe or subscribePattern, not both")
    if _truth(given, "includeHeaders", False):
        raise OptionError(
            "includeHeaders is not supported: messages of version 1 of the protocol have no headers"
        )
    streams = tuple(name.strip() for name in given.get("subscribe", "").split(",") if name.strip())
    if "subscribe" in given and not streams:
        raise OptionError("subscribe does not name a stream")
    if "zeps.endpoint" in given and not streams:
        raise OptionError(
            "zeps.endpoint requires subscribe: the protocol cannot list a broker's streams, so subscribePattern "
            "works only with path"
        )
    if "startingOffsets" in given and "startingTimestamp" in given:
        raise OptionError("set startingOffsets or startingTimestamp, not both")
    if "zeps.matching" in given and "zeps.endpoint" not in given:
        raise OptionError(
            "zeps.matching requires zeps.endpoint: keys of a journal are compared by the reader"
        )
    if "zeps.endpoint" in given and "startingTimestamp" in given:
        raise OptionError(
            "startingTimestamp is not supported with zeps.endpoint, because a broker does not deliver times; read "
            "the journal by its path"
        )
    read = ReadOptions(
        path=_folder(given),
        broker=_broker(given),
        streams=streams,
        pattern=_pattern(given),
        starting=_offsets(given, "startingOffsets", {"earliest": EARLIEST, "latest": LATEST}),
        ending=_offsets(given, "endingOffsets", {"latest": LATEST}),
        starting_time=_time(given, "startingTimestamp"),
        fail_on_data_loss=_truth(given, "failOnDataLoss", True),
        include_damage=_truth(given, "includeDamage", False),
        key_prefix=given.get("keyPrefix", "").encode(),
        columns=tuple(name.strip() for name in given.get("columns", "").split(",") if name.strip()),
        push_filters=_truth(given, "pushFilters", False),
        min_partitions=_number(given, "minPartitions") or 0,
        offsets_max=_number(given, "maxOffsetsPerTrigger"),
        bytes_max=_number(given, "maxBytesPerTrigger"),
        timeout=seconds_of(given, "zeps.timeout", 30.0),
        matches_prefix=_matching(given),
    )
    unread = [name for name in read.named if not read.wants(name)]
    if unread:
        raise OptionError(f"offsets are set for the stream {unread[0]!r}, which is not selected for reading")
    return read


def _offset_of(offsets: tuple[tuple[str, int], ...] | None, stream: str, default: int) -> int:
    if offsets is None:
        return default
    by_stream = dict(offsets)
    return by_stream.get(stream, by_stream.get("", default))


def _offsets(
    given: Mapping[str, str], name: str, words: Mapping[str, int]
) -> tuple[tuple[str, int], ...] | None:
    text = given.get(name)
    if text is None:
        return None
    if text.strip().lower() in words:
        return (("", words[text.strip().lower()]),)
    try:
        offsets = json.loads(text)
    except ValueError:
        offsets = None
    if not isinstance(offsets, dict) or not all(
        stream and _is_offset(offset, words) for stream, offset in offsets.items()
    ):
        numbers = ", ".join(f"{number} ({word})" for word, number in words.items())
        raise OptionError(
            f"{name} must be one of {', '.join(words)}, or JSON such as "
            f'{{"stream": 23}}, with sequences from 1, or {numbers}; not {text}'
        )
    return tuple(sorted(offsets.items()))


def _is_offset(value: object, words: Mapping[str, int]) -> bool:
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return 1 <= value <= SEQUENCE_MAX or value in words.values()


def _pattern(given: Mapping[str, str]) -> str | None:
    text = given.get("subscribePattern")
    if text is not None:
        try:
            re.compile(text)
        except re.error as error:
            raise OptionError(f"subscribePattern is not a valid regular expression: {error}") from error
    return text


def _matching(given: Mapping[str, str]) -> bool:
    text = given.get("zeps.matching")
    if text is not None and text.strip().lower() != "prefix":
        raise OptionError(
            f"zeps.matching must be prefix, not {text}; omit it if the broker's streams do not match by prefix"
        )
    return text is not None


def _truth(given: Mapping[str, str], name: str, default: bool) -> bool:
    text = given.get(name)
    if text is None:
        return default
    try:
        return _TRUTH[text.strip().lower()]
    except KeyError:
        raise OptionError(f"{name} must be true or false, not {text}") from None


def _number(given: Mapping[str, str], name: str) -> int | None:
    text = given.get(name)
    if text is None:
        return None
    if not text.strip().isascii() or not text.strip().isdigit() or not 0 < int(text) <= SEQUENCE_MAX:
        raise OptionError(f"{name} must be a number from 1, not {text}")
    return int(text)


def seconds_of(given: Mapping[str, str], name: str, default: float, *, zero: bool = False) -> float:
    """The option's seconds, at most a day, or `default`. Raises OptionError; also for 0, unless `zero` is set."""
    text = given.get(name)
    if text is None:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400 or not (seconds or zero):
        raise OptionError(
            f"{name} must be a number of seconds from 0 (when reading, above 0) to 86400, not {text}"
        )
    return seconds


def _time(given: Mapping[str, str], name: str) -> int | None:
    """Microseconds since 1970, from milliseconds (as in the Kafka connector) or from an ISO 8601 time, in UTC without a
    time zone; None if the option is not set. Raises OptionError.
    """
    text = given.get(name)
    if text is None:
        return None
    if text.strip().isascii() and text.strip().isdigit():
        return int(text) * 1000
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise OptionError(f"{name} must be milliseconds since 1970 or an ISO 8601 time, not {text}") from None
    return microseconds_of(time)


def microseconds_of(time: datetime) -> int:
    """Microseconds since 1970. A time without a time zone is in UTC."""
    time = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
