"""Checks rows and converts them to one schema before any row is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import BinaryType, StringType, StructType

from zeps_pipeline.errors import OptionError, PipelineError
from zeps_pipeline.sink.staging import ROWS

__all__ = ["check_schema", "checked"]

_TEXT_BYTES_MAX = 255
_BODY_BYTES_MAX = 16_777_216
"""ZEPS-PUBLISH-7."""
_CONTROL = r"[\x00-\x1f\x7f\x{80}-\x{9f}]"
"""ZEPS-TEXT-2."""
_COLUMNS = {"key", "value", "stream"}


def check_schema(schema: StructType, stream: str | None) -> None:
    """Raises OptionError if the columns cannot be published, or the option `stream` is not a stream name. The option
    takes precedence over the column `stream`, like the topic of the Kafka connector.
    """
    names = {field.name for field in schema}
    if "value" not in names:
        raise OptionError(f"the column value is missing; columns: {', '.join(sorted(names))}")
    for name in sorted(names - _COLUMNS):
        raise OptionError(f"column {name} cannot be published; select key, value and stream")
    for field in schema:
        if not isinstance(field.dataType, StringType | BinaryType):
            raise OptionError(
                f"column {field.name} has the type {field.dataType.simpleString()}; cast it to string or binary"
            )
    if stream is None and "stream" not in names:
        raise OptionError("set the option stream, or add a column stream")
    if stream is not None:
        try:
            _check_text("stream", pa.array([stream]), empty=False)
        except PipelineError as error:
            raise OptionError(f"option stream: {error}") from error


def checked(batches: Iterable[pa.RecordBatch], stream: str | None) -> Iterator[pa.RecordBatch]:
    """`batches` with the schema :data:`~zeps_pipeline.sink.staging.ROWS`, without empty ones, for the stream `stream`;
    None takes it from the column. A missing key becomes an empty one. Raises PipelineError if a row cannot be
    published.
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
        raise PipelineError("a row has no stream, and the option stream is not set")
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
        raise PipelineError("a row has no value, and a message cannot represent a missing body")
    bodies = values.cast(pa.binary())
    longest = pc.max(pc.binary_length(bodies)).as_py()
    if longest > _BODY_BYTES_MAX:
        raise PipelineError(f"a value has {longest} bytes; the maximum is {_BODY_BYTES_MAX} (ZEPS-PUBLISH-7)")
    return bodies


def _text(name: str, column: pa.Array) -> pa.Array:
    # Spark's strings can have any bytes, and Arrow validates only casts from binary.
    encoded = column.cast(pa.binary())
    try:
        return encoded.cast(pa.string())
    except pa.ArrowInvalid as error:
        raise PipelineError(
            f"a {name} is not valid UTF-8 (ZEPS-TEXT-1): X'{_first_bad(encoded).hex().upper()}'; "
            f"encode it, for example with hex({name}), or remove the row"
        ) from error


def _first_bad(texts: pa.Array) -> bytes:
    """The first of `texts` that is not valid UTF-8; at least one is not."""
    for text in texts.to_pylist():
        try:
            (text or b"").decode()
        except UnicodeDecodeError:
            return bytes(text)
    raise AssertionError("all texts are valid UTF-8")


def _check_text(name: str, texts: pa.Array, *, empty: bool) -> None:
    lengths = pc.binary_length(texts)
    if pc.max(lengths).as_py() > _TEXT_BYTES_MAX:
        raise PipelineError(f"a {name} has more than {_TEXT_BYTES_MAX} bytes (ZEPS-TEXT-1)")
    if not empty and pc.min(lengths).as_py() == 0:
        raise PipelineError(f"a {name} is empty (ZEPS-ATTACH-5)")
    control = pc.match_substring_regex(texts, _CONTROL)
    if pc.any(control).as_py():
        text = texts.filter(control)[0].as_py()
        raise PipelineError(f"the {name} {text!r} has a control character (ZEPS-TEXT-2)")
