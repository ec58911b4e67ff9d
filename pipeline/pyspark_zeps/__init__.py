"""Registers the data source `zeps`: Spark looks for `DefaultSource` in packages named `pyspark_*`."""

from zeps_pipeline.source.datasource import ZepsDataSource as DefaultSource

__all__ = ["DefaultSource"]
