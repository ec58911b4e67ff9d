"""The data source that Spark registers under the name `zeps`."""

from __future__ import annotations

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)
from pyspark.sql.types import StructType

from zeps_pipeline.source.columns import arrow_schema, chosen
from zeps_pipeline.source.options import read_options

__all__ = ["ZepsDataSource"]


class ZepsDataSource(DataSource):
    """Creates the readers and writers of `format("zeps")`."""

    @classmethod
    def name(cls) -> str:
        return "zeps"

    def schema(self) -> StructType:
        return chosen(read_options(self.options))

    def reader(self, schema: StructType) -> DataSourceReader:
        from zeps_pipeline.source.batch import JournalReader, PushingJournalReader
        from zeps_pipeline.source.live import LiveReader

        options = read_options(self.options)
        columns = arrow_schema(schema, options)
        if options.broker is not None:
            return LiveReader(options, columns)
        return (PushingJournalReader if options.push_filters else JournalReader)(options, columns)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        from zeps_pipeline.source.stream import ZepsStreamReader

        options = read_options(self.options)
        return ZepsStreamReader(options, arrow_schema(schema, options))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        from zeps_pipeline.sink.options import write_options
        from zeps_pipeline.sink.writer import BatchWriter

        return BatchWriter(write_options(self.options, streaming=False), schema, overwrite=overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: N802  Spark's name
        from zeps_pipeline.sink.options import write_options
        from zeps_pipeline.sink.writer import StreamWriter

        return StreamWriter(write_options(self.options, streaming=True), schema)
