"""Columns of the data source, and rows for lost messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import LongType, StringType, StructField, StructType

from zeps_journal.damage import TORN, Damage
from zeps_pipeline.errors import DataLossError, OptionError
from zeps_pipeline.journal.columns import SCHEMA
from zeps_pipeline.source.options import ReadOptions

__all__ = ["DAMAGE", "MESSAGES", "arrow_schema", "chosen", "with_damage"]

MESSAGES = from_arrow_schema(SCHEMA)
"""Columns of messages, with the names of the Kafka connector where it has such columns."""

_DAMAGE_TYPES = {"file": StringType(), "at": LongType(), "octets": LongType(), "firstOffset": LongType(),
                 "lastOffset": LongType(), "reason": StringType()}  # fmt: skip
DAMAGE = StructField("damage", StructType([StructField(*column) for column in _DAMAGE_TYPES.items()]))
"""Null for a message, else reports missing messages; `lastOffset` is `firstOffset` - 1 if no message is missing."""


def chosen(options: ReadOptions) -> StructType:
    """The columns that the options select, nullable only if necessary. Raises OptionError."""
    fields = {field.name: field for field in [*MESSAGES.fields, DAMAGE]}
    if not options.include_damage:
        del fields["damage"]
    unknown = [name for name in options.columns if name not in fields]
    if unknown:
        raise OptionError(f"unknown column {unknown[0]}; columns: {', '.join(fields)}")
    if not options.include_damage:
        unknown_times = {"timestamp"} if options.broker is not None else set()
        fields = {
            name: StructField(name, field.dataType, name in unknown_times) for name, field in fields.items()
        }
    return StructType([fields[name] for name in options.columns or fields])


def arrow_schema(schema: StructType, options: ReadOptions) -> pa.Schema:
    """Arrow schema of the batches for the columns that Spark requests. Raises OptionError if a column is unknown or has
    another type, or if only one of the column `damage` and the option includeDamage is present.
    """
    everything = {field.name: field for field in [*MESSAGES.fields, DAMAGE]}
    for field in schema:
        known = everything.get(field.name)
        if known is None or field.dataType != known.dataType:
            existing = ", ".join(
                f"{column.name} {column.dataType.simpleString()}" for column in everything.values()
            )
            kind = field.dataType.simpleString()
            raise OptionError(
                f"the schema has the column {field.name} {kind}, which does not exist; columns: {existing}"
            )
    if "damage" in schema.names and not options.include_damage:
        raise OptionError("the column damage requires the option includeDamage")
    if options.include_damage and "damage" not in schema.names:
        raise OptionError("the option includeDamage requires the column damage")
    return to_arrow_schema(schema, timezone="UTC")


def with_damage(
    pieces: Iterable[pa.RecordBatch | Damage], schema: pa.Schema, options: ReadOptions
) -> Iterator[pa.RecordBatch]:
    """The batches of `pieces` with the columns of `schema`, and damage handled as the options say: a row with
    includeDamage; otherwise DataLossError with failOnDataLoss if messages are lost; otherwise skipped. A torn block is
    always skipped.
    """
    for piece in pieces:
        if not isinstance(piece, Damage):
            yield _padded(piece, schema)
        elif piece.kind == TORN:
            continue
        elif options.include_damage:
            yield _row(piece, schema)
        elif options.fail_on_data_loss and piece.messages:
            raise DataLossError(
                f"{piece}. With the option includeDamage damage becomes rows; with failOnDataLoss=false it is skipped"
            )


def _padded(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """`batch` with its missing columns filled with nulls."""
    if batch.schema.names == schema.names:
        return batch
    columns = [
        batch.column(field.name) if field.name in batch.schema.names else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _row(damage: Damage, schema: pa.Schema) -> pa.RecordBatch:
    row = {
        "stream": damage.stream,
        "partition": 0,
        "offset": damage.first_sequence,
        "damage": {
            "file": damage.file,
            "at": damage.offset,
            "octets": damage.size,
            "firstOffset": damage.first_sequence,
            "lastOffset": damage.last_sequence,
            "reason": damage.reason,
        },
    }
    columns = [pa.array([row.get(field.name)], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
