"""The columns that a reader hands out, and what it hands out for what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from zeps_journal.damage import TORN, Damage
from zeps_pipeline.errors import DataLossError, OptionError
from zeps_pipeline.source.options import ReadOptions

__all__ = ["DAMAGE", "MESSAGES", "arrow_schema", "chosen", "with_damage"]

MESSAGES = StructType(
    [
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("stream", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("timestamp", TimestampType()),
    ]
)
"""The columns that messages have, by the Kafka connector's names where it has them."""

DAMAGE = StructField(
    "damage",
    StructType(
        [
            StructField("file", StringType()),
            StructField("at", LongType()),
            StructField("octets", LongType()),
            StructField("firstOffset", LongType()),
            StructField("lastOffset", LongType()),
            StructField("reason", StringType()),
        ]
    ),
)
"""Null for a message. A row that has it is no message, and says which are missing; `lastOffset` is
`firstOffset` - 1 if none is.
"""


def chosen(options: ReadOptions) -> StructType:
    """The columns that the options ask for, as nullable as need be: what cannot be null, Spark need not ask for each
    row. Raises OptionError.
    """
    fields = {field.name: field for field in [*MESSAGES.fields, DAMAGE]}
    if not options.include_damage:
        del fields["damage"]
    unknown = [name for name in options.columns if name not in fields]
    if unknown:
        raise OptionError(f"there is no column {unknown[0]}; there are {', '.join(fields)}")
    if not options.include_damage:
        unknown_times = {"timestamp"} if options.broker is not None else set()
        fields = {
            name: StructField(name, field.dataType, name in unknown_times) for name, field in fields.items()
        }
    return StructType([fields[name] for name in options.columns or fields])


def arrow_schema(schema: StructType, options: ReadOptions) -> pa.Schema:
    """What batches must look like, for the columns that Spark wants. Raises OptionError for one that there is
    not.
    """
    everything = {field.name: field for field in [*MESSAGES.fields, DAMAGE]}
    for field in schema:
        known = everything.get(field.name)
        if known is None or field.dataType != known.dataType:
            there = ", ".join(f"{each.name} {each.dataType.simpleString()}" for each in everything.values())
            kind = field.dataType.simpleString()
            raise OptionError(f"there is no column {field.name} {kind}; there are {there}")
    if "damage" in schema.names and not options.include_damage:
        raise OptionError("the column damage needs the option includeDamage")
    if options.include_damage and "damage" not in schema.names:
        raise OptionError("with includeDamage the column damage must be among those that are read")
    return to_arrow_schema(schema, timezone="UTC")


def with_damage(
    pieces: Iterable[pa.RecordBatch | Damage], schema: pa.Schema, options: ReadOptions
) -> Iterator[pa.RecordBatch]:
    """Batches as the options want them where something is lost: none but an error, rows that say so, or nothing
    of it. Raises DataLossError.
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
                f"{piece}. With the option includeDamage such places become rows; with failOnDataLoss=false "
                "they are passed over"
            )


def _padded(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """`batch` with the columns that it does not have, as nulls."""
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
            "octets": damage.octets,
            "firstOffset": damage.first_sequence,
            "lastOffset": damage.last_sequence,
            "reason": damage.reason,
        },
    }
    columns = [pa.array([row.get(field.name)], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
