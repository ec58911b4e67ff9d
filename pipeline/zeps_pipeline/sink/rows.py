"""Rows that users write, checked and brought into one form before anything is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import BinaryType, StringType, StructType

from zeps_pipeline.errors import OptionError, PipelineError
from zeps_pipeline.sink.staging import ROWS

__all__ = ["check_schema", "checked"]

_TEXT_OCTETS_MAX = 255
_BODY_OCTETS_MAX = 16_777_216
"""ZEPS-PUBLISH-7."""
_CONTROL = r"[\x00-\x1f\x7f\x{80}-\x{9f}]"
"""ZEPS-TEXT-2."""
_COLUMNS = {"key", "value", "stream"}


def check_schema(schema: StructType, stream: str | None) -> None:
    """Raises OptionError for columns that cannot be published. A stream's name is the option's before it is the
    column's, as the Kafka connector's topic.
    """
    names = {field.name for field in schema}
    if "value" not in names:
        raise OptionError(f"there is no column value; there are {', '.join(sorted(names))}")
    for name in sorted(names - _COLUMNS):
        raise OptionError(f"a message has no place for the column {name}; select key, value and stream")
    for field in schema:
        if not isinstance(field.dataType, StringType | BinaryType):
            raise OptionError(f"{field.name} is {field.dataType.simpleString()}; cast it to string or binary")
    if stream is None and "stream" not in names:
        raise OptionError("say the option stream, or bring a column stream")
    if stream is not None:
        _check_text("stream", pa.array([stream]), empty=False)


def checked(batches: Iterable[pa.RecordBatch], stream: str | None) -> Iterator[pa.RecordBatch]:
    """`batches` with the columns of :data:`~zeps_pipeline.sink.staging.ROWS`. Raises PipelineError for a row that
    cannot be published.
    """
    for batch in batches:
        if not batch.num_rows:
            continue
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        yield pa.RecordBatch.from_arrays(
            [
                _streams(columns, stream, batch.num_rows),
                _keys(columns, batch.num_rows),
                _values(columns["value"]),
            ],
            schema=ROWS,
        )


def _streams(columns: dict[str, pa.Array], stream: str | None, rows: int) -> pa.Array:
    if stream is not None:
        return pa.repeat(pa.scalar(stream), rows)
    names = _text("stream", columns["stream"])
    if names.null_count:
        raise PipelineError("a row has no stream, and there is no option stream")
    _check_text("stream", names, empty=False)
    return names


def _keys(columns: dict[str, pa.Array], rows: int) -> pa.Array:
    if "key" not in columns:
        return pa.repeat(pa.scalar(""), rows)
    keys = pc.fill_null(_text("key", columns["key"]), "")
    _check_text("key", keys, empty=True)
    return keys


def _values(values: pa.Array) -> pa.Array:
    if values.null_count:
        raise PipelineError(
            "a row has no value, and a message without a body cannot be told from an empty one"
        )
    octets = values.cast(pa.binary())
    longest = pc.max(pc.binary_length(octets)).as_py()
    if longest > _BODY_OCTETS_MAX:
        raise PipelineError(f"a value has {longest} octets; {_BODY_OCTETS_MAX} are the most (ZEPS-PUBLISH-7)")
    return octets


def _text(name: str, column: pa.Array) -> pa.Array:
    # Spark's strings hold any octets, and Arrow validates only what it casts from binary.
    octets = column.cast(pa.binary())
    try:
        return octets.cast(pa.string())
    except pa.ArrowInvalid as error:
        raise PipelineError(
            f"a {name} is not UTF-8, which it has to be (ZEPS-TEXT-1): X'{_first_bad(octets).hex().upper()}'; "
            f"encode it, as hex({name}) does, or leave its row out"
        ) from error


def _first_bad(texts: pa.Array) -> bytes:
    """The first of `texts`, of which one is not UTF-8, that is not."""
    for text in texts.to_pylist():
        try:
            (text or b"").decode()
        except UnicodeDecodeError:
            return bytes(text)
    raise AssertionError("all of it is UTF-8")


def _check_text(name: str, texts: pa.Array, *, empty: bool) -> None:
    lengths = pc.binary_length(texts)
    if pc.max(lengths).as_py() > _TEXT_OCTETS_MAX:
        raise PipelineError(f"a {name} has more than {_TEXT_OCTETS_MAX} octets (ZEPS-TEXT-1)")
    if not empty and pc.min(lengths).as_py() == 0:
        raise PipelineError(f"a {name} is empty (ZEPS-ATTACH-5)")
    control = pc.match_substring_regex(texts, _CONTROL)
    if pc.any(control).as_py():
        text = texts.filter(control)[0].as_py()
        raise PipelineError(f"the {name} {text!r} holds a control character (ZEPS-TEXT-2)")
